#!/usr/bin/env python3
"""What must not stand in the tree: preprocessor switches and macros in lib/ and apps/, paths of one machine."""

import re

from common import is_cpp, main, numbered_lines

SWITCH = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif|define|undef)\b")
# Home folders and work folders of whoever wrote the line. Written with gaps, so as not to find itself.
MACHINE_PATH = re.compile(r"(?<![\w.}])/(?:" + "|".join(["ro" + "ot", "wo" + "rk", "ho" + r"me/\w+"]) + r")/\w")
STANDARD_ASSERT = re.compile(r"(?<![\w:])assert\s*\(")


def check(root, names):
    problems = []
    for name in names:
        ours = is_cpp(name) and name.startswith(("lib/", "apps/"))
        if ours and name.endswith(".hpp") and not any(line == "#pragma once" for _, line in numbered_lines(root, name)):
            problems.append(f"{name}: no #pragma once")
        for number, line in numbered_lines(root, name):
            if ours and SWITCH.match(line):
                problems.append(f"{name}:{number}: no macros, no #if: what differs is a folder that CMake chooses")
            if ours and STANDARD_ASSERT.search(line.partition("//")[0]):
                problems.append(f"{name}:{number}: assert is gone in a release build: throw an Error")
            if MACHINE_PATH.search(line):
                problems.append(f"{name}:{number}: a path of one machine: {line.strip()[:100]}")
    return problems


if __name__ == "__main__":
    elsewhere = "/ho" + "me/someone/x"
    main(check,
         good={"lib/core/a.hpp": "#pragma once\n#include <string>\nstatic_assert(true);\n",
               "tests/unit/a.cpp": "#define OK 1\n", "README.md": "$PREFIX/wo" + "rk/x build/wo" + "rk/y\n"},
         bad=[({"lib/core/a.cpp": "#ifdef X\n"}, "no macros"), ({"lib/core/a.cpp": "#  define X 1\n"}, "no macros"),
              ({"lib/core/a.hpp": "int a();\n"}, "no #pragma once"),
              ({"lib/core/a.cpp": "void f(int x) { assert(x > 0); }\n"}, "assert is gone"),
              ({"README.md": "see /wo" + "rk/shared\n"}, "a path of one machine"),
              ({"env/a.sh": f"cd {elsewhere}\n"}, "a path of one machine")])
