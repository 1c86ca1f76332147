#!/usr/bin/env python3
"""Adds up what CTest wrote: summary.py --allowed FILE [--expect=NAME=label ...]... [--broken=NAME]... NAME=JUNIT_FILE...

A test that was skipped, by CTest or inside the program, counts as failed unless FILE allows it with a reason; so
does a suite (the name up to the first dot) that is expected and has no test, and a build that is broken. The last line is `N passed, N failed`.
"""

import argparse
import collections
import fnmatch
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--allowed", required=True)
parser.add_argument("--expect", action="append", default=[])
parser.add_argument("--broken", action="append", default=[])
parser.add_argument("results", nargs="+")
arguments = parser.parse_args()

# "test reason" or "test:Gtest.Name reason", with * as in file names.
allowed = [line.split(None, 1) for line in Path(arguments.allowed).read_text(encoding="utf-8").splitlines()
           if line.strip() and not line.startswith("#")]
allowed = [entry[0] for entry in allowed if len(entry) == 2]


def is_allowed(name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed)


def skips_inside(test, output):
    """Names of the GoogleTest cases that a program skipped. Only lines of single cases carry a time in brackets."""
    names = [f"{test}:{name}" for name in re.findall(r"^\[  SKIPPED \] (\S+) \(\d+ ms", output, re.M)]
    if re.search(r"YOU HAVE \d+ DISABLED TEST", output):
        names.append(f"{test}:DISABLED")
    return names


passed = failed = 0
complaints = []
rows = []
expected = dict(entry.split("=", 1) for entry in arguments.expect)
for preset in arguments.broken:
    failed += 1
    complaints.append(f"{preset}: does not build")
for result in arguments.results:
    preset, path = result.split("=", 1)
    if preset in arguments.broken:
        continue
    suites = collections.defaultdict(collections.Counter)
    try:
        cases = xml.parse(path).getroot().iter("testcase")
    except (OSError, xml.ParseError) as problem:
        cases = []
        failed += 1
        complaints.append(f"{preset}: its tests did not run ({problem})")
    for case in cases:
        name, status = case.get("name"), case.get("status")
        label = name.partition(".")[0]
        output = case.findtext("system-out") or ""
        skipped = [skip for skip in skips_inside(name, output) if not is_allowed(skip)]
        suite = suites[label]
        suite["seconds"] += float(case.get("time") or 0)
        suite["cases"] += len(re.findall(r"^\[       OK \]", output, re.M))
        if status in ("notrun", "disabled") and is_allowed(name):
            suite["skipped"] += 1
            continue
        if status == "run" and not skipped:
            passed += 1
            suite["passed"] += 1
            continue
        failed += 1
        suite["failed"] += 1
        if status == "run":
            complaints.append(f"{preset}: {name} skipped {', '.join(skipped)}")
        else:
            complaints.append(f"{preset}: {name} " + ("failed" if status == "fail" else "was not run"))
    for label in expected.get(preset, "").split():
        if label not in suites:
            failed += 1
            complaints.append(f"{preset}: no test of the suite '{label}' is there")
    for label, suite in sorted(suites.items()):
        rows.append((preset, label, suite["passed"], suite["failed"], suite["skipped"], suite["cases"],
                     f"{suite['seconds']:.0f}"))

columns = ("build", "suite", "passed", "failed", "skipped, allowed", "cases inside", "seconds")
widths = [max(len(str(row[i])) for row in [columns, *rows]) for i in range(len(columns))]
for row in [columns, *rows]:
    print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
for complaint in complaints:
    print(complaint)
print(f"\n{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
