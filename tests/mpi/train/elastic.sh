#!/usr/bin/env bash
# elastic.sh PROGRAM MPIRUN: one run on 2, then 3, then 1 ranks sees exactly the samples of an uninterrupted one.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
# 300 samples are 18 batches of 16, and 12 are left over in each epoch: 2 epochs.
options=("${slow[@]}" --set data.samples=300 --set train.steps=36)

train 0 2 "$config" "${options[@]}" --set run.name=straight

start 2 "$config" "${options[@]}"
wait_for_checkpoint 8
touch "$run/STOP"
finish
expect_code 75
first="$(newest_step "$run")"

start 3 "$config" "${options[@]}"
wait_for_start 2
wait_for_checkpoint $((first / 4 * 4 + 8))
kill -USR1 "$launcher"
finish
expect_code 75
says "resumed from .* at step $first of 36 \(elastic: 2 -> 3 ranks"
second="$(newest_step "$run")"
[ "$second" -lt 36 ] || fail "stopped only at the end"

alone 0 "$config" "${options[@]}"
says "resumed from .* at step $second of 36 \(elastic: 3 -> 1 ranks"

for column in step epoch samples lr ids; do
  diff <(metrics column "$work/runs/straight/metrics.jsonl" "$column") <(metrics column "$run/metrics.jsonl" "$column") ||
    fail "another $column than in the uninterrupted run"
done
[ "$(metrics column "$run/metrics.jsonl" epoch | uniq -c | awk '{print $2 ":" $1}' | paste -sd' ')" = "0:18 1:18" ] ||
  fail "an epoch is not floor(300 / 16) = 18 steps"
[ "$(metrics column "$run/metrics.jsonl" ids | sort -u | wc -l)" = 36 ] || fail "two steps had the same samples"
pass "2 ranks to step $first, 3 to step $second, 1 to step 36: the same samples"
