#!/usr/bin/env bash
# bit_exact.sh PROGRAM MPIRUN RANKS [OPTION...]: 40 steps straight, and 40 steps with every rank killed at a random
# moment, resumed, stopped by SIGTERM, resumed: the last checkpoints are the same bytes, the steps the same numbers.
# SEED=N repeats a draw.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
ranks="${arguments[0]}"
options=("${slow[@]}" "${arguments[@]:1}")
RANDOM="${SEED:=$$}"
kill_after=$((4 * (RANDOM % 4 + 1))) pause_ms=$((RANDOM % 100))
echo "SEED=$SEED: kill $pause_ms ms after the checkpoint of step $kill_after"

train 0 "$ranks" "$config" "${options[@]}" --set run.name=straight

start "$ranks" "$config" "${options[@]}"
wait_for_checkpoint "$kill_after"
sleep "$(printf '0.%03d' "$pause_ms")"
signal_ranks KILL
finish_within 15
[ "$code" -ne 0 ] || fail "killed, yet the exit code is 0"
killed_at="$(newest_step "$run")"

start "$ranks" "$config" "${options[@]}"
wait_for_start 2
wait_for_checkpoint $((killed_at + 8))
signal_ranks TERM
finish
expect_code 75
expect_outcome 75
says "resumed from .*/step-[0-9]*$killed_at at step $killed_at of 40 \(exact"
stopped_at="$(newest_step "$run")"
[ "$stopped_at" -lt 40 ] || fail "stopped only at the end"

train 0 "$ranks" "$config" "${options[@]}"
says "resumed from .*/step-[0-9]*$stopped_at at step $stopped_at of 40 \(exact"
expect_outcome 0

same_step 40 "$work/runs/straight" "$run"
# The line of the very step whose checkpoint was just committed may be lost when everybody is killed.
metrics same "$work/runs/straight/metrics.jsonl" "$run/metrics.jsonl" "$killed_at" || fail "other numbers"
pass "killed at $killed_at, stopped at $stopped_at: the same bits on $ranks ranks"
