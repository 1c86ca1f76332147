#!/usr/bin/env bash
# What cmake --install makes runs after it was moved: install.sh CMAKE BUILD_FOLDER. The build's own LibTorch
# must not be what it runs with, and no path of the build may stand in the programs' run paths.
set -euo pipefail
cmake="$1" build="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/moved"
bin="$work/moved/bin"
bundled="$(find "$work/moved" -name libtorch_cpu.so)"

for program in "$bin"/*; do
  echo "$program"
  run_path="$(readelf -d "$program" | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p')"
  # shellcheck disable=SC2016 # $ORIGIN is the loader's.
  if [ -n "$bundled" ] && [[ "$run_path" != '$ORIGIN'* || "$run_path" == *:* ]]; then
    echo "$program: the run path leaves the tree: '$run_path'" && exit 1
  fi
  if ldd "$program" | grep 'not found'; then echo "$program: libraries are missing" && exit 1; fi
  if [ -n "$bundled" ] && ldd "$program" | grep -E 'lib(torch|c10|cudart|cupti|gomp)' | grep -v "$work/moved"; then
    echo "$program: LibTorch comes from outside the tree" && exit 1
  fi
done
env -i PATH=/usr/bin:/bin "$bin/lockstep-train" --help >"$work/help" || { cat "$work/help" && exit 1; }
[ -s "$work/help" ] || { echo "lockstep-train --help says nothing" && exit 1; }
# shellcheck source=/dev/null
(source "$work/moved/share/lockstep/env/activate" && [ "$(command -v lockstep-train)" = "$bin/lockstep-train" ]) ||
  { echo "share/lockstep/env/activate does not find bin/" && exit 1; }
if [ -z "$bundled" ]; then echo "LibTorch is not env/setup's, so it was not copied"; fi
