#!/usr/bin/env bash
# idx.sh PROGRAM MPIRUN: Fashion-MNIST as Debian ships it, packed and unpacked: it learns, and both are the same.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
packed=/usr/share/datasets/fashion-mnist
if [ ! -d "$packed" ]; then
  echo "SKIPPED: no $packed here; env/setup --for-tests brings it (dataset-fashion-mnist)"
  exit 77
fi
sed -i 's/, image_size: 16, samples: 320//; s/format: synthetic/format: idx/' "$config"
options=(--set train.global_batch=64 --set train.steps=40 --set checkpoint.every_steps=0 --set schedule.warmup_epochs=0)

train 0 2 "$config" "${options[@]}" --set data.path="$packed"
mkdir "$work/plain"
for file in "$packed"/*.gz; do gzip -dc "$file" >"$work/plain/$(basename "$file" .gz)"; done
train 0 2 "$config" "${options[@]}" --set data.path="$work/plain" --set run.name=plain

same_step 40 "$run" "$work/runs/plain"
metrics same "$run/metrics.jsonl" "$work/runs/plain/metrics.jsonl" || fail "other numbers from plain files"
train 0 2 "$config" "${options[@]}" --set data.path="$packed" --evaluate latest
says "on 10000 samples"
top1="$(sed -n 's/.*top1 \([0-9.]*\) .*/\1/p' "$log")"
awk -v top1="$top1" 'BEGIN { exit !(top1 > 0.5) }' || fail "top1 is $top1 after 40 steps: nothing was learnt"
pass "top1 $top1 after 40 steps, from packed and plain files alike"
