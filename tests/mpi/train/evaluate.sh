#!/usr/bin/env bash
# evaluate.sh PROGRAM MPIRUN: --evaluate gives the training's own scores, on any number of ranks, and trains nothing.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

# 81 validation samples: no number of ranks or batches divides them.
train 0 2 "$config" --set data.samples=324 --set train.steps=24 --set train.evaluate=true
top1="$(printf '%.4f' "$(metrics get "$run/metrics.jsonl" eval top1)")"
top5="$(printf '%.4f' "$(metrics get "$run/metrics.jsonl" eval top5)")"
loss="$(metrics get "$run/metrics.jsonl" eval loss)"
[ "$(metrics get "$run/metrics.jsonl" eval samples)" = 81 ] || fail "not 81 samples"
before="$(find "$run" -type f -exec cksum {} + | sort)"

for ranks in 1 2 3; do
  train 0 "$ranks" "$config" --set data.samples=324 --set train.steps=24 --evaluate latest
  says_once "step-000000024: top1 $top1  top5 $top5  loss [0-9.]+  on 81 samples"
  # Sums in another order.
  sed -n 's/.* loss \([0-9.]*\) .*/\1/p' "$log" |
    awk -v loss="$loss" 'END { exit !($1 - loss < 2e-4 && loss - $1 < 2e-4) }' || fail "the loss is not $loss"
done
train 0 2 "$config" --set data.samples=324 --set train.steps=24 --evaluate "$(step_folder 8)"
says_once "step-000000008: top1 .* on 81 samples"
[ "$before" = "$(find "$run" -type f -exec cksum {} + | sort)" ] || fail "--evaluate changed the run directory"
train 74 2 "$config" --set run.name=none --evaluate latest
says_once "holds no committed checkpoint"
pass "top1 $top1 of 81 samples on 1, 2 and 3 ranks"
