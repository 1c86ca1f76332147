#!/bin/bash
# harness.sh MPIRUN PROGRAM: a failure, a throw or a hang on one rank fails the test and names the rank.
set -euo pipefail
mpirun=$1
program=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
export LOCKSTEP_TEST_PATIENCE_S=2

# expect CODE TEST [PATTERN]...
expect() {
  local wanted=$1 test=$2 code=0
  shift 2
  timeout 60 "$mpirun" --oversubscribe -n 2 "$program" --gtest_filter="$test" >"$output" 2>&1 || code=$?
  if [[ $code -ne $wanted ]]; then
    echo "harness: $test ended with $code, not $wanted:"
    cat "$output"
    exit 1
  fi
  local pattern
  for pattern in "$@"; do
    grep -Eq "$pattern" "$output" || {
      echo "harness: $test says nothing like '$pattern':"
      cat "$output"
      exit 1
    }
  done
}

expect 0 Good.PassesEverywhere 'PASSED'
expect 1 Bad.FailsOnRankOne '\[rank 1\] .*mpi_bad_tests.cpp:[0-9]+' 'passed here, failed on another rank' 'FAILED'
expect 1 Bad.ThrowsOnRankOne '\[rank 1\] .*thrown on purpose' 'FAILED'
expect 77 Bad.HangsOnRankZero '\[rank 0\] hung: Bad.HangsOnRankZero$'
