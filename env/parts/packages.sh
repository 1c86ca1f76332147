# Sourced by env/setup: which of the packages in env/packages are there, and how to get the rest.
# shellcheck shell=bash disable=SC2034,SC2154

# installed_version PACKAGE: Debian's version without epoch and revision, or nothing.
installed_version() {
  local state version
  read -r state version < <(dpkg-query -W -f '${db:Status-Abbrev} ${Version}\n' "$1" 2>/dev/null) || true
  [ "${state:-}" = ii ] || return 0
  version="${version#*:}"
  printf '%s' "${version%-*}"
}

# look_for PACKAGE FOUND_BY MINIMUM_KEY: sets found_version, found_path and state (ok, missing, too old).
look_for() {
  local package="$1" found_by="$2" minimum_key="$3" minimum
  found_version="" found_path=""
  if [ "$found_by" = package ]; then
    found_version="$(installed_version "$package")"
    [ -n "$found_version" ] && found_path="Debian package"
  else
    found_path="$(command -v "$found_by" || true)"
    if [ -n "$found_path" ]; then
      found_version="$(installed_version "$package")"
      # Only where a minimum counts is the command itself asked: starting each one costs time.
      if [ -n "$minimum_key" ] || [ -z "$found_version" ]; then
        found_version="$("$found_by" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1 || true)"
      fi
      found_version="${found_version:-?}"
    fi
  fi
  state=ok
  if [ -z "$found_path" ]; then
    state=missing
  elif [ -n "$minimum_key" ]; then
    minimum="$(pin "$minimum_key")"
    version_at_least "$found_version" "$minimum" || state="too old, needs $minimum"
  fi
}

# for_each_package PURPOSES CALLBACK: calls CALLBACK package after look_for, for each line that is for one of PURPOSES.
for_each_package() {
  local purposes="$1" callback="$2" package purpose found_by minimum_key
  while read -r package purpose found_by minimum_key; do
    case "$package" in '' | '#'*) continue ;; esac
    case " $purposes " in *" $purpose "*) ;; *) continue ;; esac
    look_for "$package" "$found_by" "$minimum_key"
    "$callback" "$package"
  done <"$root/env/packages"
}

# install_packages PACKAGE...: says the sizes first, then installs, as root or with sudo.
install_packages() {
  local -a as_root=()
  local sizes
  command -v apt-get >/dev/null ||
    fail "$exit_environment" "this is not Debian (no apt-get); by some other way it needs: $*"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "$exit_environment" "missing: $*. Not root and no sudo, so ask an administrator for: apt-get install $*"
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  step "System packages: $*"
  "${as_root[@]}" apt-get update -qq ||
    fail "$exit_environment" "apt-get update failed (see above); is a Debian mirror reachable?"
  sizes="$("${as_root[@]}" apt-get install --assume-no --no-install-recommends "$@" 2>&1 </dev/null || true)"
  printf '%s\n' "$sizes" | grep -E '^(Need to get|After this operation)' || printf '%s\n' "$sizes" | grep '^E:' || true
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
    </dev/null >/dev/null || fail "$exit_environment" "apt-get could not install: $*"
}
