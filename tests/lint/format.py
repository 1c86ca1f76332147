#!/usr/bin/env python3
"""clang-format, of the major version that env/versions pins, would change nothing."""

import re
import shutil
import subprocess
import sys

from common import ROOT, SKIPPED, is_cpp, main


def find_clang_format():
    pin = re.search(r"^CLANG_FORMAT=(\d+)$", (ROOT / "env/versions").read_text(), re.M).group(1)
    for command in [f"clang-format-{pin}", "clang-format"]:
        path = shutil.which(command)
        if path:
            version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(rf"version {pin}\.", version):
                return path
    print(f"SKIPPED: no clang-format {pin} here (other versions lay out differently); env/setup --for-tests brings it")
    sys.exit(SKIPPED)


CLANG_FORMAT = find_clang_format()


def check(root, names):
    sources = [str(root / name) for name in names if is_cpp(name)]
    run = subprocess.run([CLANG_FORMAT, f"--style=file:{ROOT}/.clang-format", "--dry-run", "-Werror", *sources],
                         capture_output=True, text=True, check=False)
    first = {}
    for path, line in re.findall(r"^(.+?):(\d+):\d+: error:", run.stderr, re.M):
        first.setdefault(path, line)
    problems = [f"{path}:{line}: clang-format -i would change it" for path, line in first.items()]
    return problems or ([run.stderr] if run.returncode else [])


if __name__ == "__main__":
    main(check,
         good={"lib/core/a.hpp": "#pragma once\n\nint a();\n"},
         bad=[({"lib/core/a.cpp": "int  a( ) {return 1;}\n"}, "clang-format -i would change it"),
              ({"lib/core/a.cpp": "int* a;\nint *b;\n"}, "a.cpp:2")])
