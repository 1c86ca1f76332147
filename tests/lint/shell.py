#!/usr/bin/env python3
"""shellcheck is content with every shell script: env/, .ci/run, slurm/*.sbatch, tests/."""

import shutil
import subprocess
import sys

from common import SKIPPED, is_shell, main

if not shutil.which("shellcheck"):
    print("SKIPPED: no shellcheck here; env/setup --for-tests brings it")
    sys.exit(SKIPPED)


def check(root, names):
    scripts = [name for name in names if is_shell(root, name)]
    if not scripts:
        return []
    run = subprocess.run(["shellcheck", "--external-sources", "--format=gcc", *scripts],
                         cwd=root, capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr).splitlines()


if __name__ == "__main__":
    main(check,
         good={"env/a": "#!/usr/bin/env bash\nset -eu\necho \"$1\"\n"},
         bad=[({"env/a": "#!/usr/bin/env bash\nrm $1\n"}, "SC2086"),
              ({"slurm/a.sbatch": "#!/bin/bash\ncd $SLURM_SUBMIT_DIR\n"}, "SC2164"),
              ({"tests/slurm/a.sh": "# shellcheck shell=bash\necho `date`\n"}, "SC2006")])
