# Sourced by the scripts in env/: where things are, how they speak, and the pinned versions.
# shellcheck shell=bash disable=SC2034,SC2154

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
site="$root/.deps/site"

if [ -n "${LOCKSTEP_TORCH:-}" ]; then
  LOCKSTEP_TORCH="$(realpath -m "$LOCKSTEP_TORCH")"
  export LOCKSTEP_TORCH
fi

# Exit codes as in lib/job/exit_code.hpp.
readonly exit_usage=64 exit_environment=69

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
fail() {
  local code="$1"
  shift
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# Prints the help, which is the comment at the top of the calling script.
show_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

# pin NAME: the value of NAME in env/versions.
pin() {
  local value
  value="$(sed -n "s/^$1=//p" "$root/env/versions")"
  [ -n "$value" ] || fail 70 "env/versions has no $1"
  printf '%s' "$value"
}

# version_at_least FOUND MINIMUM
version_at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}
