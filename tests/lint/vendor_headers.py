#!/usr/bin/env python3
"""Vendor headers stay in the module that wraps them."""

import re

from common import is_cpp, main, numbered_lines

# header (a regular expression on what stands between the brackets) -> folders where it may be included
HOMES = [
    (r"mpi\.h", ["lib/mpi/"]),
    (r"(hdf5\.h|H5\w*\.h)", ["lib/h5/"]),
    (r"yaml-cpp/.*", ["lib/config/"]),
    (r"(torch|ATen|c10|caffe2)/.*", ["lib/model/", "lib/train/"]),
    (r"(cuda\w*\.h|cublas\w*\.h|cudnn\w*\.h|driver_types\.h)", ["lib/device/cuda/", "lib/comm/cuda/"]),
    (r"nccl\w*\.h", ["lib/comm/cuda/"]),
    (r"(nvml\.h|ucs/.*|ucp/.*)", ["lib/preflight/", "lib/fabric/"]),
    (r"(zlib\.h|jpeglib\.h|turbojpeg\.h|png\.h)", ["lib/data/"]),
    (r"CLI/.*", ["apps/"]),
]
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^>"]+)[>"]')


def check(root, names):
    problems = []
    for name in names:
        # Tests may look at a vendor's side of things.
        if not (is_cpp(name) and name.startswith(("lib/", "apps/"))):
            continue
        for number, line in numbered_lines(root, name):
            for header in INCLUDE.findall(line):
                for pattern, homes in HOMES:
                    if re.fullmatch(pattern, header) and not name.startswith(tuple(homes)):
                        problems.append(f"{name}:{number}: <{header}> belongs in {' or '.join(homes)}")
                if header.startswith("nlohmann/") and header != "nlohmann/json_fwd.hpp" and name.endswith(".hpp"):
                    problems.append(f"{name}:{number}: <{header}> belongs in a .cpp")
    return problems


if __name__ == "__main__":
    main(check,
         good={"lib/mpi/a.hpp": "#include <mpi.h>\n", "lib/train/a.cpp": "#include <ATen/core/Tensor.h>\n",
               "lib/job/a.cpp": "#include <nlohmann/json.hpp>\n", "apps/a.cpp": "#include <CLI/CLI.hpp>\n"},
         bad=[({"lib/comm/a.cpp": "#include <mpi.h>\n"}, "<mpi.h> belongs in lib/mpi/"),
              ({"apps/a.cpp": "#include <torch/torch.h>\n"}, "<torch/torch.h> belongs in"),
              ({"lib/data/a.cpp": "  # include <ATen/ops/ones.h>\n"}, "<ATen/ops/ones.h>"),
              ({"lib/checkpoint/a.cpp": "#include <H5Dpublic.h>\n"}, "belongs in lib/h5/"),
              ({"lib/comm/nccl.hpp": "#include <nccl.h>\n"}, "belongs in lib/comm/cuda/"),
              ({"lib/device/a.cpp": "#include <cuda_runtime_api.h>\n"}, "belongs in lib/device/cuda/"),
              ({"lib/job/a.hpp": "#include <nlohmann/json.hpp>\n"}, "belongs in a .cpp")])
