#!/usr/bin/env python3
"""Reads metrics.jsonl as any reader should: of a step that was done twice the last attempt counts.

metrics.py steps FILE                 a line a step: step, epoch, samples, loss, lr, hash of the sample ids
metrics.py column FILE NAME           one of these, a line a step
metrics.py same FILE FILE [LOST]      the same steps with the same values; step LOST may be missing in the second
metrics.py get FILE EVENT KEY.KEY     of the last such event
metrics.py count FILE EVENT           number of such events
metrics.py torn FILE                  number of lines that are no JSON
"""

import json
import sys

COLUMNS = ("step", "epoch", "samples", "loss", "lr", "ids")


def read(path):
    events, torn = [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                events.append(json.loads(line))
            except ValueError:
                torn += 1
    return events, torn


def steps(path):
    last = {}
    for event in read(path)[0]:
        if event["event"] == "step":
            last[event["step"]] = event
    return {number: tuple(last[number][name] for name in COLUMNS) for number in sorted(last)}


def same(one, other, lost=None):
    one, other = steps(one), steps(other)
    missing = set(one) - set(other) - {int(lost) if lost else None}
    problems = [f"step {number} is missing" for number in sorted(missing)]
    problems += [f"step {number} is too much" for number in sorted(set(other) - set(one))]
    for number in sorted(set(one) & set(other)):
        if one[number] != other[number]:
            problems.append(f"step {number}: {one[number]} became {other[number]}")
    if len(one) == 0:
        problems.append("there is no step at all")
    sys.exit("\n".join(problems) or None)


def get(path, name, keys):
    value = [event for event in read(path)[0] if event["event"] == name][-1]
    for key in keys.split("."):
        value = value[key]
    print(value)


def main(what, path, *rest):
    if what == "steps":
        for values in steps(path).values():
            print(*values)
    elif what == "column":
        for values in steps(path).values():
            print(values[COLUMNS.index(rest[0])])
    elif what == "same":
        same(path, *rest)
    elif what == "get":
        get(path, *rest)
    elif what == "count":
        print(sum(event["event"] == rest[0] for event in read(path)[0]))
    elif what == "torn":
        print(read(path)[1])
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
