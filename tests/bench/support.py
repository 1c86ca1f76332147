"""What the benchmarks share: where the programs are, how a run is timed, and the rows at the end."""

import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS_PYTHON = ROOT / ".deps/peers/bin/python"
LIMIT_S = 900  # no single run takes this long; one that hangs must not hold the benchmark


def give_up(message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(69)


def add_arguments(parser):
    parser.add_argument("--lockstep", type=pathlib.Path, default=ROOT / "build/release/bin/lockstep-train",
                        help="the trainer to measure (default: %(default)s)")


def need(settings):
    """Ends with 69 and what to do if a program is missing; else returns the trainer."""
    if not settings.lockstep.exists():
        give_up(f"{settings.lockstep} is missing: build it first "
                "(cmake --preset release && ninja -C build/release), or name one by --lockstep")
    if subprocess.run([ROOT / "tests/bench/setup-peers", "--check"], stderr=subprocess.DEVNULL).returncode != 0:
        give_up("PyTorch is missing in .deps/peers: run tests/bench/setup-peers")
    return settings.lockstep.resolve()


def mpirun(ranks):
    path = shutil.which("mpirun") or give_up("mpirun is missing: apt-get install openmpi-bin")
    # Open MPI treats a machine that it was told to oversubscribe differently: say so only where it is true.
    return [path, "-n", str(ranks)] + (["--oversubscribe"] if os.cpu_count() < ranks else [])


def environment(extra=None):
    env = dict(os.environ, **(extra or {}))
    if os.geteuid() == 0:
        env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return env


class Run:
    """A finished program: its output, its wall time, and how much of the machine other programs used meanwhile."""

    def __init__(self, command, extra_env=None):
        self.command = [str(c) for c in command]
        begin, busy, mine = time.monotonic(), busy_seconds(), own_seconds()
        done = subprocess.run(self.command, env=environment(extra_env), cwd=ROOT, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wall_s = time.monotonic() - begin
        others = busy_seconds() - busy - (own_seconds() - mine)
        self.others = max(0.0, others / (self.wall_s * os.cpu_count()))
        self.stdout, self.stderr, self.code = done.stdout, done.stderr, done.returncode
        if self.code != 0:
            tail = "\n".join((self.stdout + self.stderr).splitlines()[-20:])
            give_up(f"this ended with {self.code}:\n  {' '.join(self.command)}\n{tail}")

    def last_json(self):
        return json.loads(next(line for line in reversed(self.stdout.splitlines()) if line.startswith("{")))


def busy_seconds():
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _iowait, irq, softirq, _steal = map(int, fields)
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


@contextlib.contextmanager
def run_folder():
    """A fresh folder for a run directory, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as folder:
        yield pathlib.Path(folder)


def metrics(folder, event):
    """All events of one kind below `folder`, in order; of a step done twice the last."""
    files = sorted(folder.rglob("metrics.jsonl"))
    if len(files) != 1:
        give_up(f"expected one metrics.jsonl below {folder}, found {len(files)}")
    rows = [json.loads(line) for line in files[0].read_text().splitlines()]
    return list({row.get("step"): row for row in rows if row["event"] == event}.values())


def spread(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f}-{max(values):.1f})"


def row(bench, what, ours, peer, must, aim, smaller_is_better):
    """The line that programs read; ratio > 1 means that lockstep is better."""
    ratio = peer / ours if smaller_is_better else ours / peer
    return json.dumps({"bench": bench, "what": what, "ours": round(ours, 3), "peer": round(peer, 3),
                       "ratio": round(ratio, 3), "must": must, "aim": aim})
