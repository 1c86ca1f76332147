#!/usr/bin/env bash
# resume.sh PROGRAM MPIRUN: what a start goes on from, and what it does with checkpoints that are spoilt.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

spoil() { # STEP: flips one byte in the middle of a shard
  local shard middle byte
  shard="$(step_folder "$1")/shard-00001-of-00002.h5"
  middle=$(($(stat -c %s "$shard") / 2))
  byte="$(od -An -tu1 -j "$middle" -N 1 "$shard")"
  # shellcheck disable=SC2059 # The byte is in the format.
  printf "\\x$(printf %x $((byte ^ 64)))" | dd of="$shard" bs=1 seek="$middle" conv=notrunc status=none
}

train 0 2 "$config" --set train.steps=12
mkdir "$run/step-000000016.tmp-9" # a save that was killed
cp -r "$(step_folder 12)" "$(step_folder 20)" # a folder that looks like the newest, and is not
rm "$(step_folder 20)/MANIFEST.json"
spoil 12
train 0 2 "$config" --set train.steps=14
says "step-000000020.*MANIFEST"
says "step-000000012.*shard-00001-of-00002.h5"
says "resumed from .* at step 8 of 14"
says_once "resumed from"
[ ! -e "$run/step-000000016.tmp-9" ] || fail "the save that was killed is still there"
pass "falls back to the newest checkpoint that verifies, and says why"

mkdir "$work/elsewhere"
cp -r "$(step_folder 8)" "$work/elsewhere/"
train 0 2 "$config" --set train.steps=15 --resume "$(step_folder 8)/" # as completion in a shell writes it
says "resumed from .*step-000000008 at step 8 of 15"
says "set aside step-000000014 in .*/attempts/0003/set-aside"
[ -d "$run/attempts/0003/set-aside/step-000000014" ] || fail "step 14 was not set aside"
[ -d "$(step_folder 15)" ] || fail "no step 15"
[ -d "$(step_folder 8)" ] || fail "the step that was gone back to was set aside"
pass "--resume STEP_DIR"

train 0 2 "$config" --set train.steps=10 --resume "$work/elsewhere/$(basename "$(step_folder 8)")"
[ -d "$run/attempts/0004/set-aside/step-000000015" ] || fail "the steps of the history left behind were not set aside"
[ -f "$(step_folder 8)/MANIFEST.json" ] || fail "the run directory does not hold where it began"
pass "--resume a step of another run"

train 0 2 "$config" --set train.steps=5 --resume none
says_not "resumed from"
[ "$(newest_step "$run")" = 5 ] || fail "the newest step is $(newest_step "$run"), not 5"
[ -d "$run/attempts/0005/set-aside/step-000000008" ] || fail "the old steps were not set aside"
[ "$(metrics get "$run/metrics.jsonl" start attempt)" = 5 ] || fail "not the fifth attempt"
pass "--resume none sets the old steps aside"

train 74 2 "$config" --set train.steps=9 --resume "$work/absent"
says_once "$work/absent"
pass "--resume of what is not there"

spoil 4
spoil 5
train 74 2 "$config" --set train.steps=9
says "holds checkpoints, but none that can be used"
says_once "error: .*"
[ -d "$(step_folder 5)" ] || fail "the spoilt checkpoint is gone"
expect_outcome 74
pass "no checkpoint that can be used is no fresh start"

# A full disk costs the checkpoint, not the run directory's older ones.
limited="$work/limited"
cat >"$limited" <<'TEXT'
#!/usr/bin/env bash
# Files of this rank end at 300 KiB.
trap '' XFSZ
ulimit -f 300
exec "$@"
TEXT
chmod +x "$limited"
full=(--set run.name=full --set train.steps=6)
start_command "$mpirun" "${launch_options[@]}" -n 1 "$program" "$config" "${full[@]}" : \
  -n 1 "$limited" "$program" "$config" "${full[@]}"
finish
expect_code 74
says "warning: no checkpoint at step 4, training goes on: .*rank 1"
says "error: .*rank 1"
run="$work/runs/full"
expect_outcome 74
[ -z "$(find "$run" -name 'step-*')" ] || fail "leftovers: $(ls "$run")"
train 0 2 "$config" "${full[@]}"
pass "a rank that cannot write"
