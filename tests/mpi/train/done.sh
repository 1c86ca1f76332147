#!/usr/bin/env bash
# done.sh PROGRAM MPIRUN: a finished run says so and ends at once; asked for more it goes on.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

train 0 2 "$config" --set train.steps=6
[ -f "$run/DONE" ] || fail "no DONE"
[ "$(newest_step "$run")" = 6 ] || fail "the last step is $(newest_step "$run")"
expect_outcome 0
[ "$(outcome step)" = 6 ] || fail "outcome.json names step $(outcome step)"

lines="$(wc -l <"$run/metrics.jsonl")"
train 0 2 "$config" --set train.steps=6
says_once "is finished \(step 6\).*--set run.name=.*--set train.steps="
alone 0 "$config" --set train.steps=6
says_once "is finished \(step 6\)"
[ "$(wc -l <"$run/metrics.jsonl")" = "$lines" ] || fail "a start of a finished run writes metrics"
[ ! -e "$run/attempts/0002" ] || fail "a start of a finished run counts as an attempt"
pass "finished is finished"

train 0 2 "$config" --set train.steps=9
says "resumed from .* at step 6 of 9"
[ "$(newest_step "$run")" = 9 ] || fail "the last step is $(newest_step "$run")"
train 0 2 "$config" --set train.steps=9
says_once "is finished \(step 9\)"
pass "with more steps it goes on"

# 3 epochs of floor(40 / 16) = 2 steps.
epochs=(--set run.name=epochs --set data.samples=40 --set train.steps=0)
train 0 2 "$config" "${epochs[@]}" --set train.epochs=2 --set train.evaluate=true
[ "$(newest_step "$work/runs/epochs")" = 4 ] || fail "2 epochs end at step $(newest_step "$work/runs/epochs")"
[ "$(metrics count "$work/runs/epochs/metrics.jsonl" eval)" = 2 ] || fail "not one evaluation an epoch"
train 0 2 "$config" "${epochs[@]}" --set train.epochs=2
says_once "is finished \(step 4\).*--set train.epochs="
train 0 2 "$config" "${epochs[@]}" --set train.epochs=3
[ "$(newest_step "$work/runs/epochs")" = 6 ] || fail "3 epochs end at step $(newest_step "$work/runs/epochs")"
pass "epochs"
