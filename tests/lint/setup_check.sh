#!/usr/bin/env bash
# env/setup --check: says what is there, and with 69 what is missing and how to get it; changes nothing.
set -euo pipefail
source_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
fail() { echo "$1" && cat "$work/out" && exit 1; }

# A machine where nothing but the shell's tools is installed, by a dpkg-query that knows no package.
mkdir "$work/bin"
for tool in bash sh cat sed grep sort head tail awk basename dirname paste env ls mktemp rm realpath; do
  ln -s "$(command -v "$tool")" "$work/bin/$tool"
done
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin/dpkg-query"
status=0
env -i PATH="$work/bin" LOCKSTEP_TORCH="$work/no-torch" bash "$source_root/env/setup" --check >"$work/out" 2>&1 || status=$?
[ "$status" -eq 69 ] || fail "a bare machine: expected 69, got $status"
grep -q 'apt-get install .* cmake .*libopenmpi-dev .*dataset-fashion-mnist' "$work/out" || fail "no apt-get line"
grep -Eq '^LibTorch [0-9.]+ .*missing' "$work/out" || fail "LibTorch is not called missing"

# Too old is not there.
printf '#!/bin/sh\necho cmake version 3.10.2\n' >"$work/bin/cmake"
chmod +x "$work/bin/cmake"
env -i PATH="$work/bin" bash "$source_root/env/setup" --check >"$work/out" 2>&1 || true
grep -Eq '^cmake .*3\.10\.2.*too old, needs 3\.25' "$work/out" || fail "an old cmake passes"

status=0
bash "$source_root/env/setup" --chekc >"$work/out" 2>&1 || status=$?
[ "$status" -eq 64 ] || fail "an unknown option: expected 64, got $status"
