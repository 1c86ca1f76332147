# shellcheck shell=bash
# What the end-to-end tests of the trainer share. Sourced by tests/mpi/train/TOPIC.sh PROGRAM MPIRUN [ARGUMENT...].
#
# Leaves $program, $mpirun, $work (a temporary folder), $config (a small run in $run) and the test's own arguments
# in $arguments. A run's output is in $log, its exit code in $code. Whatever was started here is ended at the end.
set -euo pipefail
program="$1" mpirun="$2"
shift 2
# shellcheck disable=SC2034 # For whoever sources this.
arguments=("$@")
support="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# As the kernel shortens it.
process_name="$(basename "$program" | cut -c1-15)"
work="$(mktemp -d)"
log="$work/log" config="$work/config.yaml" run="$work/runs/run"
launchers=() launcher=none code=none
trap end_all EXIT

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
# More ranks than cores, on a machine that does other things too.
export OMPI_MCA_mpi_yield_when_idle=1
launch_options=(--oversubscribe --bind-to none)
# Every process that a test starts carries this, so that it can be found again, whoever its parent is by then.
export LOCKSTEP_TEST_FOLDER="$work"

cat >"$config" <<TEXT
run: {name: run, dir: $work/runs}
model: {name: resnet20, stem_stride: 2}
data: {format: synthetic, image_size: 16, samples: 320, crop_padding: 2, flip: true}
train: {global_batch: 16, steps: 40, evaluate: false, threads: 1}
optimizer: {name: sgd, learning_rate: 0.05, momentum: 0.9, weight_decay: 1.0e-4}
schedule: {name: cosine, warmup_epochs: 0.2}
checkpoint: {every_steps: 4, keep: 20}
TEXT
# Steps that last: some 30 ms each, so that there is a middle to hit.
# shellcheck disable=SC2034
slow=(--set data.image_size=24 --set model.stem_stride=1)

fail() { # WORDS...
  echo "FAIL: $*"
  if [ -f "$log" ]; then
    echo "--- the last output:"
    tail -n 40 "$log"
  fi
  exit 1
}

pass() { echo "ok after $SECONDS s: $*"; }

# rank_pids [RANK]: process ids of this test's living ranks, or of one of them.
rank_pids() {
  local folder name variables
  for folder in /proc/[0-9]*; do
    { read -r name <"$folder/comm"; } 2>/dev/null || continue
    [ "$name" = "$process_name" ] || continue
    { variables="$(tr '\0' '\n' <"$folder/environ")"; } 2>/dev/null || continue
    grep -qx "LOCKSTEP_TEST_FOLDER=$work" <<<"$variables" || continue
    if [ -z "${1:-}" ] || grep -qx "OMPI_COMM_WORLD_RANK=$1" <<<"$variables"; then echo "${folder#/proc/}"; fi
  done
}

# signal_ranks SIGNAL [RANK]: to all ranks, or to one.
signal_ranks() {
  local pids
  mapfile -t pids < <(rank_pids "${2:-}")
  [ ${#pids[@]} -gt 0 ] || fail "there is no rank to send $1 to"
  kill -s "$1" "${pids[@]}"
}

# shellcheck disable=SC2317 # Called by the trap.
end_all() {
  local pid
  for pid in $(rank_pids); do kill -KILL "$pid" 2>/dev/null || true; done
  for pid in "${launchers[@]}"; do kill -KILL -- "-$pid" 2>/dev/null || true; done
  wait
  if [ -n "${LOCKSTEP_TEST_KEEP:-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
}

# start_command COMMAND...: in the background, in a process group of its own; $launcher is its process id.
start_command() {
  set -m
  "$@" </dev/null >"$log" 2>&1 &
  launcher=$!
  set +m
  launchers+=("$launcher")
}

# start RANKS ARGUMENT...: lockstep-train on so many ranks, in the background.
start() { start_command "$mpirun" "${launch_options[@]}" -n "$1" "$program" "${@:2}"; }

is_running() { kill -0 "$launcher" 2>/dev/null; }

# finish_within SECONDS: waits for what was started last; fails when it takes longer.
finish_within() {
  local end=$((SECONDS + $1))
  while is_running; do
    [ "$SECONDS" -lt "$end" ] || fail "still running after $1 s"
    sleep 0.03
  done
  code=0
  wait "$launcher" 2>/dev/null || code=$?
}
finish() { finish_within 150; }

# train CODE RANKS ARGUMENT...: from start to end, which must be with this exit code.
train() {
  start "${@:2}"
  finish
  expect_code "$1"
}

# alone CODE ARGUMENT...: the same without a launcher.
alone() {
  start_command "$program" "${@:2}"
  finish
  expect_code "$1"
}

expect_code() { [ "$code" = "$1" ] || fail "exit code $code instead of $1"; }

# says PATTERN, says_not PATTERN: about the last run's output.
says() { grep -Eq -- "$1" "$log" || fail "the output does not say '$1'"; }
says_not() { if grep -Eq -- "$1" "$log"; then fail "the output says '$1'"; fi; }
says_once() {
  local times
  times="$(grep -Ec -- "$1" "$log" || true)"
  [ "$times" = 1 ] || fail "the output says '$1' $times times instead of once"
}

# wait_for WHAT COMMAND...: polls until the command succeeds, as long as the run goes on and two minutes at most.
wait_for() {
  local what="$1" end=$((SECONDS + 120))
  shift
  until "$@"; do
    is_running || "$@" || fail "the run ended before $what"
    [ "$SECONDS" -lt "$end" ] || fail "waited two minutes for $what"
    sleep 0.01
  done
}

step_folder() { printf '%s/step-%09d' "${2:-$run}" "$1"; } # STEP [RUN]
wait_for_checkpoint() { wait_for "the checkpoint of step $1" test -d "$(step_folder "$1" "${2:-$run}")"; }
wait_for_start() { # ATTEMPT: its start event is written, so stop signals are caught
  wait_for "attempt $1 starts" grep -sq "^{\"event\":\"start\",.*\"attempt\":$1," "$run/metrics.jsonl"
}
newest_step() { # RUN: number of the newest committed step; 0 if there is none
  local last=0
  if [ ! -d "$1" ]; then echo 0 && return; fi
  last="$(find "$1" -maxdepth 1 -name 'step-?????????' | sort | tail -1)"
  last="${last##*-}"
  echo "$((10#${last:-0}))"
}

# metrics WHAT FILE ARGUMENT...: see metrics.py.
metrics() { python3 -B "$support/metrics.py" "$@"; }

# outcome FIELD [RUN]: of the newest attempt that has one.
outcome() {
  python3 -B -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
    "$(find "${2:-$run}/attempts" -name outcome.json | sort | tail -1)" "$1"
}
expect_outcome() { [ "$(outcome code)" = "$1" ] || fail "outcome.json says $(outcome code) instead of $1"; }

# same_step STEP RUN RUN: every shard holds the same bytes.
same_step() {
  local shard one other
  one="$(step_folder "$1" "$2")" other="$(step_folder "$1" "$3")"
  [ "$(ls "$one")" = "$(ls "$other")" ] || fail "$one and $other do not hold the same files"
  for shard in "$one"/shard-*.h5; do
    cmp "$shard" "$other/${shard##*/}" || fail "step $1 differs in ${shard##*/}"
  done
}

no_rank_left() { [ -z "$(rank_pids)" ] || fail "ranks are left: $(rank_pids | paste -sd' ')"; }
