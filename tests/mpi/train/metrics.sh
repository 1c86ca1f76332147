#!/usr/bin/env bash
# metrics.sh PROGRAM MPIRUN: metrics.jsonl: one stream of reduced values, times without gaps, continued after a resume.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

train 0 2 "$config" "${slow[@]}" --set train.steps=12 --set train.evaluate=true
printf '{"event":"step","attempt":1,"st' >>"$run/metrics.jsonl" # a process that was killed while it wrote
train 0 3 "$config" "${slow[@]}" --set train.steps=24 --set train.evaluate=true

[ "$(find "$run" -name '*.jsonl' | wc -l)" = 1 ] || fail "more than one metrics file"
[ "$(metrics torn "$run/metrics.jsonl")" = 1 ] || fail "the torn line was not closed before going on"
python3 -B - "$run/metrics.jsonl" "$(uname -n)" <<'PYTHON' || fail "metrics.jsonl is not as it should be"
import json, os, statistics, sys

events = []
for line in open(sys.argv[1], encoding="utf-8"):
    try:
        events.append(json.loads(line))
    except ValueError:
        pass
of = {name: [e for e in events if e["event"] == name] for name in ("start", "step", "eval", "checkpoint", "stop")}
assert all(line["event"] in of for line in events) and all(next(iter(line)) == "event" for line in events)

first, second = of["start"]
assert (first["attempt"], second["attempt"]) == (1, 2)
assert (first["world"], second["world"]) == (2, 3), "world"
assert first["nodes"] == [sys.argv[2]] and second["hosts"] == 3 * [sys.argv[2]], "hosts"
assert first["run"] == "run" and len(first["config_hash"]) == 16
versions = first["versions"]
for library in ("mpi", "hdf5", "libtorch"):
    path = versions[library]["path"]
    assert versions[library]["version"] and (path == "static" or os.path.exists(path)), library
assert versions["mpi"]["pml"] in ("ob1", "ucx", "cm"), "pml"

steps = of["step"]
assert [e["step"] for e in steps] == list(range(1, 25)), "one line a step, whatever the ranks"
assert [e["attempt"] for e in steps] == 12 * [1] + 12 * [2]
assert [e["samples"] for e in steps] == [16 * e["step"] for e in steps], "samples are those of all ranks"
assert [e["epoch"] for e in steps] == [(e["step"] - 1) // 20 for e in steps]
phases = ("data", "forward", "backward", "communication", "optimizer", "checkpoint", "other")
for event in steps:
    seconds = event["seconds"]
    total = sum(seconds[phase] for phase in phases)
    assert abs(total - seconds["step"]) <= 0.02 * seconds["step"], f"a gap in step {event['step']}: {seconds}"
    assert all(seconds[phase] >= 0 for phase in phases)
    rate = 16 / (seconds["step"] - seconds["checkpoint"])
    assert abs(event["images_per_s"] - rate) <= 0.02 * rate, f"images_per_s of step {event['step']}"
    assert (seconds["checkpoint"] > 0) == (event["step"] in (4, 8, 16, 20)), f"checkpoint at {event['step']}"
other = statistics.median(e["seconds"]["other"] / e["seconds"]["step"] for e in steps if (e["step"] - 1) % 12 >= 3)
assert other <= 0.03, f"other is {other:.1%}"

assert [e["step"] for e in of["eval"]] == [12, 20, 24] and all(e["samples"] == 80 for e in of["eval"])
assert all(0 <= e["top1"] <= e["top5"] <= 1 and e["loss"] > 0 for e in of["eval"])
assert [e["step"] for e in of["checkpoint"]] == [4, 8, 12, 16, 20, 24]
for event in of["checkpoint"]:
    files = [os.path.join(event["path"], name) for name in os.listdir(event["path"]) if name.endswith(".h5")]
    assert event["bytes"] == sum(os.path.getsize(name) for name in files), "bytes are those of all ranks"
    assert event["seconds"]["stall"] > 0 and event["seconds"]["write"] > 0
assert [(e["code"], e["reason"], e["step"]) for e in of["stop"]] == [(0, "finished", 12), (0, "finished", 24)]
PYTHON
pass "metrics.jsonl"

# Killed at the end of a step that was saved: its line is there.
start 2 "$config" "${slow[@]}" --set run.name=killed --set train.steps=100000
run="$work/runs/killed"
wait_for_checkpoint 8
signal_ranks KILL
finish_within 15
steps="$(metrics column "$run/metrics.jsonl" step | tail -1)"
[ "${steps:-0}" -ge 4 ] || fail "the line of step 4, saved and done, is lost: the last is $steps"
pass "steps that are saved are in the metrics"
