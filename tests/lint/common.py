"""What the lints share: the project's files, and a main that first proves that the lint can say no."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def project_files(root):
    """Tracked files and new ones that git does not ignore; in a tree without git, every file."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, text=True, check=False)
    if listing.returncode == 0 and (root / ".git").exists():
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        hidden = {".git", ".deps", "build", "__pycache__"}
        names = [str(path.relative_to(root)) for path in root.rglob("*")
                 if not hidden & set(path.relative_to(root).parts)]
    return sorted(name for name in names if (root / name).is_file())


def is_cpp(name):
    return name.endswith((".cpp", ".hpp"))


def is_shell(root, name):
    if name.endswith((".sh", ".sbatch")) or name == "env/activate":
        return True
    with open(root / name, "rb") as file:
        first = file.readline()
    return first.startswith(b"#!") and first.rstrip().endswith((b"bash", b"/sh"))


def numbered_lines(root, name):
    return enumerate((root / name).read_text(encoding="utf-8", errors="replace").splitlines(), 1)


def self_test(check, good, bad):
    """`good`: {name: text} that the check must accept; `bad`: [({name: text}, words that the complaint holds)]."""
    for files, expected in [(good, None)] + bad:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            problems = check(Path(folder), sorted(files))
        if expected is None and problems:
            sys.exit(f"self-test: complains about good files: {problems}")
        if expected is not None and not any(expected in problem for problem in problems):
            sys.exit(f"self-test: no complaint with '{expected}' about {list(files)}, only {problems}")


def main(check, good, bad):
    """check(root, names) returns complaints, one string each."""
    self_test(check, good, bad)
    names = project_files(ROOT)
    problems = check(ROOT, names)
    for problem in problems:
        print(problem)
    print(f"{len(names)} files, {len(problems)} problems; the self-test's {len(bad)} bad examples were found")
    sys.exit(1 if problems else 0)
