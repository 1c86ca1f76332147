#!/usr/bin/env python3
"""No source file is above 300 lines unless long_files.txt says why, and the median is at most 100."""

import statistics

from common import is_cpp, is_shell, main, numbered_lines

LIMIT = 300
MEDIAN = 100
LIST = "tests/lint/long_files.txt"


def check(root, names):
    explained = {}
    for _, line in numbered_lines(root, LIST) if LIST in names else []:
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            explained[name] = reason.strip()

    sources = [name for name in names
               if is_cpp(name) or name.endswith((".py", ".cmake", "CMakeLists.txt")) or is_shell(root, name)]
    lengths = {name: sum(1 for _ in numbered_lines(root, name)) for name in sources}
    problems = [f"{name}: {length} lines, above {LIMIT} with no reason in {LIST}"
                for name, length in lengths.items() if length > LIMIT and not explained.get(name)]
    problems += [f"{LIST}: {name} is gone or short: remove the entry"
                 for name in explained if lengths.get(name, 0) <= LIMIT]
    cpp = [length for name, length in lengths.items() if is_cpp(name)]
    if cpp and statistics.median(cpp) > MEDIAN:
        problems.append(f"the median C++ file has {statistics.median(cpp)} lines, above {MEDIAN}")
    return problems


if __name__ == "__main__":
    long_file = "\n" * (LIMIT + 1)
    short = {"lib/core/b.hpp": "\n", "lib/core/c.hpp": "\n"}
    main(check,
         good={**short, "lib/core/a.cpp": long_file, LIST: "lib/core/a.cpp one table, read from top to bottom\n"},
         bad=[({**short, "lib/core/a.cpp": long_file}, "lib/core/a.cpp: 301 lines"),
              ({**short, "lib/core/a.cpp": long_file, LIST: "lib/core/a.cpp\n"}, "lib/core/a.cpp: 301 lines"),
              ({**short, "env/a": "#!/bin/bash" + long_file}, "env/a: 301 lines"),
              ({**short, LIST: "lib/core/b.hpp was long once\n"}, "remove the entry"),
              ({"lib/core/a.cpp": "\n" * (MEDIAN + 1)}, "median")])
