#!/usr/bin/env bash
# stop_again.sh PROGRAM MPIRUN: signals that come again while the checkpoint is being written change nothing.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"
# 90 MB a checkpoint: writing it takes a while.
options=(--set model.name=resnet18 --set data.image_size=32 --set train.global_batch=4
  --set train.steps=100000 --set checkpoint.every_steps=0)
is_saving() { compgen -G "$run/step-*.tmp-*" >/dev/null; }

start 2 "$config" "${options[@]}"
wait_for_start 1
wait_for "the first step" grep -sq '"event":"step"' "$run/metrics.jsonl"
signal_ranks TERM
wait_for "the save begins" is_saving
signal_ranks TERM
signal_ranks CONT
signal_ranks INT
is_saving || echo "note: the save was over before the second signal"
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
