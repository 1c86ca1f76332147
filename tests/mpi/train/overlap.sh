#!/usr/bin/env bash
# overlap.sh PROGRAM MPIRUN: who reduces the gradients, the training thread or one of its own, does not change a bit.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
# Small buckets, so that several are on their way.
options=(--set train.steps=12 --set comm.bucket_mib=0.1)

for overlap in inline thread; do
  train 0 2 "$config" "${options[@]}" --set comm.overlap=$overlap --set run.name=$overlap
  said="$(metrics get "$work/runs/$overlap/metrics.jsonl" start overlap)"
  [ "$said" = "$overlap" ] || fail "asked for $overlap, got $said"
done
same_step 12 "$work/runs/inline" "$work/runs/thread"
metrics same "$work/runs/inline/metrics.jsonl" "$work/runs/thread/metrics.jsonl" || fail "other numbers"
pass "inline and thread: the same bits"
