#!/usr/bin/env bash
# refuse.sh PROGRAM MPIRUN: starts that would spoil a run, or cannot work on this data, are refused, with the reason.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

train 0 2 "$config" --set train.steps=2
train 64 2 "$config" --set train.steps=4 --set optimizer.momentum=0.5
says_once "optimizer.momentum"
says "run.name"
train 64 1 "$config" --set train.steps=4 --set train.global_batch=8
says_once "train.global_batch"
expect_outcome 0
train 0 2 "$config" --set train.steps=4 --set checkpoint.keep=7
pass "a changed key that a run was begun with"

# A second start while the first is alive.
live=("${slow[@]}" --set run.name=live --set train.steps=100000)
start 2 "$config" "${live[@]}"
first="$launcher"
wait_for "the first start" test -s "$work/runs/live/metrics.jsonl"
log="$work/second.log"
train 69 1 "$config" "${live[@]}"
says_once "belongs to .* on $(uname -n) \(process [0-9]+\)"
train 69 2 "$config" "${live[@]}" --resume none
says_once "belongs to .* on $(uname -n) \(process [0-9]+\)"
launcher="$first" log="$work/log"
is_running || fail "the first run ended"
kill -USR1 "$launcher"
finish
expect_code 75
pass "a second start in a live run's directory"

# Ranks that do not agree.
start_command "$mpirun" "${launch_options[@]}" -n 1 "$program" "$config" --set run.name=apart : \
  -n 1 "$program" "$config" --set run.name=apart --set optimizer.momentum=0.5
finish
expect_code 69
says_once "same configuration"
[ ! -e "$work/runs/apart" ] || fail "a run directory was made"
pass "ranks with different configurations"

# Data. An IDX folder that one rank sees whole and the other cut off: two folders, one relative name.
idx=(--set data.format=idx --set run.name=idx)
sed -i 's/, image_size: 16, samples: 320//' "$config"
train 65 2 "$config" "${idx[@]}" --set data.path="$work/absent"
says_once "$work/absent"
for rank in 0 1; do
  mkdir -p "$work/rank$rank/data"
  python3 - "$work/rank$rank/data" <<'PYTHON'
import gzip, struct, sys
for name, count in (("train", 64), ("t10k", 16)):
    images = struct.pack(">IIII", 0x803, count, 28, 28) + bytes(range(256)) * (count * 784 // 256)
    labels = struct.pack(">II", 0x801, count) + bytes(i % 10 for i in range(count))
    for kind, content in (("images-idx3", images), ("labels-idx1", labels)):
        with gzip.open(f"{sys.argv[1]}/{name}-{kind}-ubyte.gz", "wb") as file:
            file.write(content)
PYTHON
done
truncate -s -20 "$work/rank1/data/train-images-idx3-ubyte.gz"
start_command "$mpirun" "${launch_options[@]}" -n 1 -wdir "$work/rank0" "$program" "$config" "${idx[@]}" --set data.path=data : \
  -n 1 -wdir "$work/rank1" "$program" "$config" "${idx[@]}" --set data.path=data
finish
expect_code 65
says_once "rank 1: .*train-images-idx3-ubyte.gz"
train 65 2 "$config" "${idx[@]}" --set data.path="$work/rank1/data"
says_once "train-images-idx3-ubyte.gz"
no_rank_left
pass "data that is missing or cut off"
