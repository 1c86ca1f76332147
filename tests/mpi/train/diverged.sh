#!/usr/bin/env bash
# diverged.sh PROGRAM MPIRUN: a run that is not finite any more ends with 76, and nothing bad is ever committed.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

# only_good_steps RUN: every checkpoint holds finite weights only.
only_good_steps() {
  local step
  for step in "$1"/step-*; do
    [ -d "$step" ] || continue
    grep -Eq '"is_finite": *true' "$step/MANIFEST.json" || fail "$step holds weights that are not finite"
  done
}

# Weight decay against a rate of 1000: weights grow a thousandfold a step and overflow soon, saved at each step.
train 76 2 "$config" --set optimizer.learning_rate=1000 --set optimizer.weight_decay=1 --set checkpoint.every_steps=1
says "not finite"
expect_outcome 76
[ ! -e "$run/DONE" ] || fail "DONE is there"
only_good_steps "$run"
good="$(newest_step "$run")"
[ "$good" -ge 1 ] || fail "no checkpoint from before it diverged"
[ "$(metrics get "$run/metrics.jsonl" stop reason)" = diverged ] || fail "the stop event does not say so"
no_rank_left
pass "diverged after step $good, which is still there"

train 76 2 "$config" --set optimizer.learning_rate=1000 --set optimizer.weight_decay=1 --set checkpoint.every_steps=1
says "resumed from .* at step $good of 40 \(exact"
only_good_steps "$run"
[ "$(newest_step "$run")" = "$good" ] || fail "the good checkpoint was followed by step $(newest_step "$run")"
pass "the checkpoint from before is good"

# The very first update overflows, while the loss before it is finite.
for steps in 1 40; do
  train 76 2 "$config" --set optimizer.learning_rate=1e39 --set schedule.warmup_epochs=0 \
    --set checkpoint.every_steps=1 --set train.steps=$steps --set run.name=at_once
  [ "$(newest_step "$work/runs/at_once")" = 0 ] || fail "weights that are not finite were committed"
  [ ! -e "$work/runs/at_once/DONE" ] || fail "DONE is there"
done
pass "an update that overflows is not committed"
