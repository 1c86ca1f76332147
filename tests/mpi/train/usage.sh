#!/usr/bin/env bash
# usage.sh PROGRAM MPIRUN: what is wrong with a command or a configuration is said once, before anything begins.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

# refused RANKS WHAT PATTERN ARGUMENT...: with 64, said once, and no run directory is made.
refused() {
  if [ "$1" = 1 ]; then alone 64 "${@:4}"; else train 64 "$1" "${@:4}"; fi
  says_once "$3"
  says_not "terminate called"
  [ ! -e "$work/runs" ] || fail "$2: a run directory was made"
  pass "$2 ($1 rank(s))"
}

bad="$work/bad.yaml"
with() { sed "$1" "$config" >"$bad"; } # SED: $bad is $config with one change

with 's/learning_rate/learning_rat/'
refused 2 "unknown key" "bad.yaml:5: .*optimizer.learning_rat.*learning_rate" "$bad"
with 's/steps: 40/steps: many/'
refused 1 "wrong type" "bad.yaml:4: .*train.steps.*many" "$bad"
with 's/^train: /train:\n\t/'
refused 2 "a tab" "bad.yaml:5:.*tab" "$bad"
with '/^checkpoint/a run: {seed: 7}'
refused 1 "a section twice" "bad.yaml:8: .*run" "$bad"
with 's/steps: 40/steps: 40, epochs: 2/'
refused 1 "two lengths" "bad.yaml:4: .*one of train.epochs.*train.steps" "$bad"
refused 2 "no such file" "missing.yaml" "$work/missing.yaml"
refused 2 "a typo in --set" "train.step.*train.steps" "$config" --set train.step=10
refused 1 "--set without a value" "train.steps" "$config" --set train.steps
refused 1 "no configuration" "name a configuration file"
with 's/steps: 40/steps: many/; s/keep: 20/keeep: 20/'
train 64 3 "$bad"
says_once "bad.yaml:4:"
says_once "bad.yaml:7:"
pass "all problems at once"

# A file that only rank 1 cannot see.
cp "$config" "$work/seen.yaml"
mkdir "$work/elsewhere"
start_command "$mpirun" "${launch_options[@]}" -n 1 -wdir "$work" "$program" seen.yaml : \
  -n 1 -wdir "$work/elsewhere" "$program" seen.yaml
finish
expect_code 64
says_once "\[rank 1 on $(uname -n)\] error: .*seen.yaml"
pass "a file that one rank does not see"

alone 64 "$config" --nonsense
says "nonsense"
pass "an unknown option"

alone 0 --help
says "Examples:"
says "mpirun -n 2 lockstep-train config.yaml"
alone 0 --help-config
for key in run.name train.global_batch optimizer.learning_rate checkpoint.keep comm.patience_s; do says "$key"; done
alone 0 --version
pass "help"

alone 0 "$config" --set train.label_smoothing=0.125 --print-config
cp "$log" "$work/printed.yaml"
grep -q "label_smoothing: 0.125" "$work/printed.yaml" || fail "--set is not in what --print-config prints"
train 0 2 "$work/printed.yaml" --print-config
cmp "$work/printed.yaml" "$log" || fail "what --print-config prints is not read back as the same, or printed by two ranks"
[ ! -e "$work/runs" ] || fail "--print-config makes a run directory"
pass "--print-config reads back"
