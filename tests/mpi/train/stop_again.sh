#!/usr/bin/env bash
# stop_again.sh PROGRAM MPIRUN: signals that come again, while the checkpoint is being written and after, change nothing.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
# 90 MB a checkpoint: writing it takes a while.
options=(--set model.name=resnet18 --set data.image_size=32 --set train.global_batch=4
  --set train.steps=100000 --set checkpoint.every_steps=0)
is_saving() { compgen -G "$run/step-*.tmp-*" >/dev/null; }

start 2 "$config" "${options[@]}"
wait_for_start 1
wait_for "the first step" grep -sq '"event":"step"' "$run/metrics.jsonl"
mapfile -t ranks < <(rank_pids)
kill -TERM "${ranks[@]}"
wait_for "the save begins" is_saving
kill -INT "${ranks[@]}"
# Until the very end: while they write, when they have committed, and while they say goodbye.
while is_running; do
  kill -TERM "${ranks[@]}" 2>/dev/null || true
  kill -CONT "${ranks[@]}" 2>/dev/null || true
  sleep 0.002
done
finish
expect_code 75
expect_outcome 75
saved="$(find "$run" -maxdepth 1 -name 'step-*' -printf '%f\n')"
[ "$saved" = "$(basename "$(step_folder "$(outcome step)")")" ] || fail "the run directory holds: $saved"
[ "$(metrics count "$run/metrics.jsonl" checkpoint)" = 1 ] || fail "more than one save"

touch "$run/STOP"
train 75 2 "$config" "${options[@]}"
says "resumed from .*$saved"
pass "one checkpoint, $saved, and it is good"
