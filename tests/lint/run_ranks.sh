#!/usr/bin/env bash
# env/parts/run-ranks: a stop signal reaches mpirun as SIGUSR1, and the exit status is mpirun's own. A small
# mpirun that reports what it gets stands in for Open MPI's.
set -euo pipefail
source_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/mpirun" <<'TEXT'
#!/usr/bin/env bash
trap 'echo usr1 >>"$REPORT"; [ -n "${IGNORE_USR1:-}" ] || exit 75' USR1
trap 'echo deadly >>"$REPORT"; exit 1' TERM INT
echo "started $OMP_NUM_THREADS $*" >>"$REPORT"
[ "${*: -1}" != ends ] || exit 76
for _ in {1..200}; do sleep 0.05; done
TEXT
chmod +x "$work/bin/mpirun"
export PATH="$work/bin:$PATH" REPORT="$work/report"

wait_for() { # WORD
  for _ in {1..100}; do
    if grep -q "$1" "$REPORT" 2>/dev/null; then return; fi
    sleep 0.05
  done
  echo "the stand-in never reported '$1'; it said: $(cat "$REPORT")" && exit 1
}
expect() { # WHAT EXPECTED FOUND
  if [ "$2" != "$3" ]; then echo "$1: expected '$2', got '$3'; the stand-in said: $(cat "$REPORT")" && exit 1; fi
}

status=0
"$source_root/env/parts/run-ranks" 2 ends || status=$?
expect "exit status of a run that ends by itself" 76 "$status"
expect "threads" 1 "$(sed -n 's/^started \([0-9]*\) .*/\1/p' "$REPORT")"

for signal in TERM INT; do
  : >"$REPORT"
  status=0
  # Shells ignore INT in what they start in the background; python3 gives it back.
  python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
    "$source_root/env/parts/run-ranks" 2 waits 2>/dev/null &
  wait_for started
  kill -s "$signal" $!
  wait $! || status=$?
  expect "exit status after $signal" 75 "$status"
  expect "signals after $signal" usr1 "$(tail -n +2 "$REPORT" | paste -sd' ')"
done

: >"$REPORT"
status=0
IGNORE_USR1=1 "$source_root/env/parts/run-ranks" 2 waits 2>/dev/null &
wait_for started
kill -s TERM $!
wait_for usr1
kill -s TERM $!
wait $! || status=$?
expect "exit status after the second TERM" 1 "$status"
