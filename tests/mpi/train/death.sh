#!/usr/bin/env bash
# death.sh PROGRAM MPIRUN RANKS: a rank that dies, hangs or throws ends the run within seconds, is named, and the
# run goes on from its last checkpoint.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
ranks="${arguments[0]}"
host="$(uname -n)"
options=("${slow[@]}" --set train.steps=100000 --set comm.patience_s=8)

# ended_badly WHAT: within 25 s, not as a success, with nothing left.
ended_badly() {
  finish_within 25
  case "$code" in 0 | 75) fail "exit code $code after $1" ;; esac
  no_rank_left
  [ ! -e "$run/DONE" ] || fail "DONE after $1"
  if [ -n "$(find "$run/attempts" -name outcome.json)" ]; then expect_outcome 69; fi
  pass "$1: exit code $code"
}

start "$ranks" "$config" "${options[@]}"
wait_for_checkpoint 4
signal_ranks KILL 1
ended_badly "rank 1 of $ranks dies"
says "rank 1 (with|on) .*$host"

before="$(newest_step "$run")"
start "$ranks" "$config" "${options[@]}"
wait_for_checkpoint $((before + 8))
signal_ranks STOP 1
ended_badly "rank 1 of $ranks hangs"
# It may have been stopped before a collective or inside of one.
says "rank 1 on $host \(pid [0-9]+\).* (did not come and do(es)? not answer|is stopped)"

# One rank that gets no more memory: it cannot start the threads that load the evaluation data, and throws alone.
before="$(newest_step "$run")"
start "$ranks" "$config" "${options[@]}" --set train.evaluate=true
wait_for_checkpoint $((before + 4))
prlimit --pid "$(rank_pids 1)" --as=1
finish_within 40
expect_code 70
expect_outcome 70
[ "$(outcome culprit)" = "rank 1 on $host" ] || fail "the culprit is '$(outcome culprit)'"
no_rank_left
pass "a rank that throws ends the others, with its own exit code"

touch "$run/STOP"
train 75 "$ranks" "$config" "${options[@]}"
says "resumed from .*\(exact"
pass "the run goes on"
