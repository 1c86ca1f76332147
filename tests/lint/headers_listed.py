#!/usr/bin/env python3
"""Every header of lib/ is in its module's HEADERS, and so among those that are compiled alone."""

import re

from common import main


def check(root, names):
    problems = []
    for name in names:
        if not (name.startswith("lib/") and name.endswith(".hpp")):
            continue
        folder, module = name.split("/")[:2]
        lists = f"{folder}/{module}/CMakeLists.txt"
        if lists not in names:
            problems.append(f"{name}: the module has no {lists}")
            continue
        inside = name.removeprefix(f"{folder}/{module}/")
        if not re.search(rf"(?<![\w/.]){re.escape(inside)}(?![\w.])", (root / lists).read_text()):
            problems.append(f"{name}: not in {lists}")
    return problems


if __name__ == "__main__":
    main(check,
         good={"lib/os/a.hpp": "", "lib/os/cuda/b.hpp": "", "lib/os/CMakeLists.txt": "HEADERS a.hpp cuda/b.hpp)"},
         bad=[({"lib/os/a.hpp": "", "lib/os/CMakeLists.txt": "HEADERS b.hpp aa.hpp)"}, "lib/os/a.hpp: not in"),
              ({"lib/os/a.hpp": ""}, "has no lib/os/CMakeLists.txt")])
