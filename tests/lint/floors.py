#!/usr/bin/env python3
"""A module of lib/ includes, and links to, only itself and modules of lower floors."""

import re

from common import is_cpp, main, numbered_lines

FLOORS = [
    ["core"],
    ["os", "mpi", "h5", "device"],
    ["config", "job", "fabric"],
    ["comm", "data", "checkpoint", "model"],
    ["train", "preflight", "supervise", "report"],
]
FLOOR = {module: floor for floor, modules in enumerate(FLOORS) for module in modules}

# On the same floor, and why.
NEIGHBOURS = {
    ("mpi", "os"): "which MPI and UCX libraries are really loaded is a question to the system",
    ("h5", "os"): "the same for HDF5, and files are opened by os",
}

INCLUDE = re.compile(r'\s*#\s*include\s+"([a-z0-9_]+)/')
LINK = re.compile(r"lockstep::([a-z0-9_]+)")


def check(root, names):
    problems = []
    for name in names:
        parts = name.split("/")
        if parts[0] != "lib" or len(parts) < 3:
            continue
        module = parts[1]
        if module not in FLOOR:
            problems.append(f"{name}: the module '{module}' has no floor in tests/lint/floors.py")
            continue
        pattern = INCLUDE if is_cpp(name) else LINK if parts[-1] == "CMakeLists.txt" else None
        for number, line in numbered_lines(root, name) if pattern else []:
            for other in pattern.findall(line):
                allowed = other == module or (module, other) in NEIGHBOURS or (
                    other in FLOOR and FLOOR[other] < FLOOR[module])
                if not allowed:
                    where = f"floor {FLOOR[other]}" if other in FLOOR else "no module of lib/"
                    problems.append(f"{name}:{number}: {module} (floor {FLOOR[module]}) uses {other} ({where})")
    return problems


if __name__ == "__main__":
    main(check,
         good={"lib/train/a.cpp": '#include "config/schema.hpp"\n#include "train/b.hpp"\n',
               "lib/mpi/a.cpp": '#include "os/host.hpp"\n',
               "lib/os/CMakeLists.txt": "lockstep_module(os DEPENDS lockstep::core)\n"},
         bad=[({"lib/os/a.hpp": '#include "train/b.hpp"\n'}, "os (floor 1) uses train (floor 4)"),
              ({"lib/data/a.cpp": '#include "comm/b.hpp"\n'}, "data (floor 3) uses comm"),
              ({"lib/os/a.cpp": '#include "mpi/comm.hpp"\n'}, "os (floor 1) uses mpi"),
              ({"lib/job/CMakeLists.txt": "DEPENDS lockstep::data)\n"}, "job (floor 2) uses data"),
              ({"lib/misc/a.hpp": "\n"}, "'misc' has no floor")])
