#!/usr/bin/env bash
# Every header compiles alone: headers_alone.sh CMAKE BUILD_FOLDER. First a small project with a header that
# does not must fail, so that a success means something.
set -euo pipefail
cmake="$1" build="$2"
source_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/lib/sample"
cat >"$work/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.25)
project(sample CXX)
include("$source_root/env/cmake/LockstepBuild.cmake")
lockstep_module(sample SOURCES lib/sample/a.cpp HEADERS lib/sample/a.hpp)
TEXT
printf '#include <string>\n#include "sample/a.hpp"\nstd::string name() { return {}; }\n' >"$work/lib/sample/a.cpp"
try() { # HEADER_TEXT
  printf '#pragma once\n%s\n' "$1" >"$work/lib/sample/a.hpp"
  "$cmake" -G Ninja -S "$work" -B "$work/build" >/dev/null &&
    "$cmake" --build "$work/build" --target all all_verify_interface_header_sets >"$work/log" 2>&1
}
if ! try $'#include <string>\nstd::string name();'; then
  cat "$work/log" && echo "self-test: a good header does not compile alone" && exit 1
fi
if try 'std::string name();'; then echo "self-test: a header without its include went through" && exit 1; fi
grep -q 'a.hpp' "$work/log" || { cat "$work/log" && echo "self-test: failed for another reason" && exit 1; }

"$cmake" --build "$build" --target all_verify_interface_header_sets
