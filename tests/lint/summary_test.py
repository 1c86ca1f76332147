#!/usr/bin/env python3
"""env/parts/summary.py counts right, and a test that was skipped or is missing counts as failed."""

import subprocess
import sys
import tempfile
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[2] / "env/parts/summary.py"


def junit(*cases):
    return "<testsuite>" + "".join(
        f'<testcase name="{name}" time="1.5" status="{status}"><system-out>{output}</system-out>'
        f'<properties><property name="cmake_labels" value="{label}"/></properties></testcase>'
        for name, label, status, output in cases) + "</testsuite>"


GOOD = ("unit.core", "unit", "run", "[       OK ] Crc.Agrees (0 ms)\n[  PASSED  ] 1 test.")
GTEST_SKIP = ("unit.os", "unit", "run", "[  SKIPPED ] Host.NamesItself (0 ms)\n[  PASSED  ] 0 tests.")
EXAMPLES = [  # what, cases, allowed, expected labels, exit status, last line
    ("all pass", [GOOD], "", "unit", 0, "1 passed, 0 failed"),
    ("one fails", [GOOD, ("mpi.a", "mpi", "fail", "")], "", "unit", 1, "1 passed, 1 failed"),
    ("a skip by CTest", [GOOD, ("lint.a", "lint", "notrun", "")], "", "unit", 1, "1 passed, 1 failed"),
    ("a disabled test", [GOOD, ("lint.a", "lint", "disabled", "")], "", "unit", 1, "1 passed, 1 failed"),
    ("a skip inside a program", [GTEST_SKIP], "", "unit", 1, "0 passed, 1 failed"),
    ("a disabled test inside", [("unit.a", "unit", "run", "YOU HAVE 1 DISABLED TEST")], "", "unit", 1, "0 passed, 1 failed"),
    ("an allowed skip", [GOOD, GTEST_SKIP], "unit.os:Host.NamesItself no network here", "unit", 0, "2 passed, 0 failed"),
    ("an allowed skip by CTest", [GOOD, ("gpu.a", "gpu", "notrun", "")], "gpu.* no GPU here", "unit", 0,
     "1 passed, 0 failed"),
    ("no reason given", [GTEST_SKIP], "unit.os:*", "unit", 1, "0 passed, 1 failed"),
    ("a suite that is missing", [GOOD], "", "unit mpi", 1, "1 passed, 1 failed"),
]

for what, cases, allowed, labels, status, last in EXAMPLES:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "release.xml").write_text(junit(*cases), encoding="utf-8")
        Path(folder, "allowed").write_text(allowed + "\n", encoding="utf-8")
        run = subprocess.run([sys.executable, SUMMARY, "--allowed", f"{folder}/allowed",
                              f"--expect=release={labels}", f"release={folder}/release.xml"],
                             capture_output=True, text=True, check=False)
        if run.returncode != status or run.stdout.splitlines()[-1:] != [last]:
            sys.exit(f"{what}: expected {status} and '{last}', got {run.returncode}:\n{run.stdout}{run.stderr}")
run = subprocess.run([sys.executable, SUMMARY, "--allowed", "/dev/null", "--expect=release=unit", "release=/nonexistent"],
                     capture_output=True, text=True, check=False)
if run.returncode != 1 or "0 passed, 2 failed" not in run.stdout:
    sys.exit(f"a build that never ran its tests: {run.returncode} {run.stdout}{run.stderr}")
print(f"{len(EXAMPLES) + 1} examples agree")
