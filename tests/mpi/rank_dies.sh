#!/bin/bash
# rank_dies.sh MPIRUN PROGRAM: a rank dies by SIGKILL; the job must end within 10 s, and somebody must name it.
set -euo pipefail
mpirun=$1
program=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fail() {
  echo "rank_dies: $1; output:"
  cat "$output"
  exit 1
}

# run_job [MPIRUN OPTION]...: its exit code is in $code.
run_job() {
  code=0
  timeout 10 "$mpirun" --oversubscribe "$@" -n 3 "$program" >"$output" 2>&1 || code=$?
  [[ $code -ne 124 ]] || fail "the job was still there after 10 s"
}

run_job
[[ $code -ne 0 ]] || fail "mpirun called it a success"
grep -q 'rank 1 ' "$output" || fail "nobody names rank 1"

# A launcher that lets survivors go on (its own code means nothing then): they find out by themselves, long before
# their patience of 60 s is over.
run_job --enable-recovery
grep -Eq 'culprit=1 rank 1 on .* is gone: it ended while rank [02] waited in barrier' "$output" ||
  fail "no survivor says that rank 1 is gone"
