#!/usr/bin/env bash
# stop.sh PROGRAM MPIRUN RUN_RANKS: every way to ask for a stop ends with 75 and one committed checkpoint.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
run_ranks="${arguments[0]}"
# Far more steps than it will do, and no checkpoint but the one of the stop. Metrics are written at once at a start.
options=("${slow[@]}" --set train.steps=100000 --set checkpoint.every_steps=0)
attempt=0

# stopped_by WHAT COMMAND...: what was started last goes on until COMMAND, then stops in good order.
stopped_by() {
  local before
  before="$(newest_step "$run")"
  attempt=$((attempt + 1))
  wait_for_start "$attempt"
  "${@:2}"
  finish
  expect_code 75
  expect_outcome 75
  [ -f "$(printf '%s/attempts/%04d/outcome.json' "$run" "$attempt")" ] || fail "attempt $attempt left no outcome"
  [ "$(newest_step "$run")" -gt "$before" ] || fail "no new checkpoint after $1"
  [ "$(outcome step)" = "$(newest_step "$run")" ] || fail "outcome.json names another step than was saved"
  [ "$(find "$run" -maxdepth 1 -name 'step-*' | wc -l)" -eq "$attempt" ] || fail "more than one checkpoint: $(ls -m "$run")"
  [ "$(metrics get "$run/metrics.jsonl" stop step)" = "$(newest_step "$run")" ] || fail "the stop event names another step"
  [ "$(metrics get "$run/metrics.jsonl" stop code)" = 75 ] || fail "the stop event has another code"
  [ ! -e "$run/STOP" ] || fail "STOP is still there"
  [ ! -e "$run/DONE" ] || fail "DONE is there"
  no_rank_left
  pass "$1"
}

start 2 "$config" "${options[@]}"
stopped_by "the file STOP" touch "$run/STOP"
says "the file STOP in the run directory asked for a stop"

start 2 "$config" "${options[@]}"
stopped_by "SIGTERM to rank 1 only" signal_ranks TERM 1

start 2 "$config" "${options[@]}"
stopped_by "SIGINT to rank 0 only" signal_ranks INT 0

start 2 "$config" "${options[@]}"
stopped_by "SIGUSR1 to mpirun" kill -USR1 "$launcher"

start 2 "$config" "${options[@]}"
stopped_by "SIGUSR2 to mpirun" kill -USR2 "$launcher"

PATH="$(dirname "$mpirun"):$PATH" start_command "$run_ranks" 2 "$program" "$config" "${options[@]}"
stopped_by "SIGTERM to run-ranks" kill -TERM "$launcher"
