#!/usr/bin/env bash
# survivors.sh PROGRAM MPIRUN RANKS: under a launcher that lets the others go on when a rank dies, they find out by
# themselves, end within seconds, and say who is gone.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
ranks="${arguments[0]}"
host="$(uname -n)"
launch_options+=(--enable-recovery)

start "$ranks" "$config" "${slow[@]}" --set train.steps=100000
wait_for_checkpoint 8
signal_ranks KILL 1
finish_within 25
no_rank_left
says "rank 1 on $host \(pid [0-9]+\) is gone"
expect_outcome 69
[ "$(outcome culprit)" = "rank 1 on $host" ] || fail "the culprit is '$(outcome culprit)'"
[ ! -e "$run/DONE" ] || fail "DONE is there"
pass "the survivors alone name rank 1 of $ranks"
