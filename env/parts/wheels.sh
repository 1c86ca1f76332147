# Sourced by env/setup: what comes as wheels from PyPI, unpacked under .deps/site and never installed.
# A piece is one folder. It is made beside its place and renamed into it, so it is whole or absent;
# the file .versions in it says what it is, and another version in env/versions replaces it.
# shellcheck shell=bash disable=SC2034,SC2154

cuda_wheels=(
  "nvidia-cuda-runtime==$(pin CUDA_RUNTIME_WHEEL)" "nvidia-cuda-cupti==$(pin CUDA_CUPTI_WHEEL)"
  "nvidia-cuda-crt==$(pin CUDA_CRT_WHEEL)" "nvidia-cuda-cccl==$(pin CUDA_CCCL_WHEEL)"
)
torch_wheels=("torch==$(pin TORCH)")
nccl_wheels=("nvidia-nccl-cu13==$(pin NCCL_WHEEL)")

# piece_is_there FOLDER WHEEL...
piece_is_there() {
  local folder="$site/$1"
  shift
  [ "$(cat "$folder/.versions" 2>/dev/null)" = "$*" ]
}

# The system's Python where it has pip, so that a pyenv or conda in PATH does not matter.
python_with_pip() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      printf '%s' "$python"
      return
    fi
  done
  fail "$exit_environment" "no Python with pip found: apt-get install python3-pip"
}

# download_wheels FOLDER WHEEL...: the tags are named, so any version of Python fetches the same files.
download_wheels() {
  local folder="$1" python glibc
  local -a tags=(--implementation cp --python-version 3.12 --abi cp312 --platform manylinux2014_x86_64)
  shift
  for glibc in 28 27 26 25 24 18 17; do tags+=(--platform "manylinux_2_${glibc}_x86_64"); done
  python="$(python_with_pip)"
  "$python" -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps \
    --only-binary=:all: "${tags[@]}" --dest "$folder" "$@" ||
    fail "$exit_environment" "pip could not download $* (see above); is PyPI reachable? With a mirror, set PIP_INDEX_URL;" \
      "or set LOCKSTEP_TORCH to a LibTorch $(pin TORCH) that is already there"
}

# fetch_piece FOLDER DOWNLOAD_MB DISK_MB WHEEL...
fetch_piece() {
  local folder="$1" download_mb="$2" disk_mb="$3" work free_mb wheel messages
  shift 3
  mkdir -p "$root/.deps"
  free_mb="$(df -Pm "$root/.deps" | awk 'NR == 2 { print $4 }')"
  step "$* into .deps/site/$folder: about $download_mb MB to download, $disk_mb MB on disk"
  [ "$free_mb" -gt $((download_mb + disk_mb)) ] ||
    fail "$exit_environment" "$root/.deps has $free_mb MB free, needs $((download_mb + disk_mb)) MB for a moment"

  exec 9>"$root/.deps/.lock"
  flock 9 # Two set-ups in one checkout take turns; the second finds the work done.
  if piece_is_there "$folder" "$@"; then return; fi
  rm -rf "$root"/.deps/incoming.* # Left by a set-up that was killed.
  work="$(mktemp -d "$root/.deps/incoming.XXXXXX")"
  # shellcheck disable=SC2064 # The folder's name is meant now.
  trap "rm -rf '$work'" EXIT
  download_wheels "$work/wheels" "$@"
  for wheel in "$work"/wheels/*.whl; do
    # Python's part of torch stays out, and all of CCCL but nv/, which cuda_fp16.h includes. Code 11 of
    # unzip: one of the patterns fits nothing in this wheel.
    messages="$(unzip -q "$wheel" 'torch/include/*' 'torch/lib/*' 'nvidia/*' '*.dist-info/*' -d "$work/tree" \
      -x 'torch/lib/libtorch_python.so' 'torch/lib/libshm*' 'nvidia/cu13/include/cccl/*' 2>&1)" || [ $? -eq 11 ] ||
      fail 70 "cannot unpack $(basename "$wheel"): $messages"
    rm "$wheel"
  done
  cp -r "$work"/tree/*.dist-info "$work/tree/$folder/"
  printf '%s' "$*" >"$work/tree/$folder/.versions"
  mkdir -p "$(dirname "$site/$folder")"
  [ ! -e "$site/$folder" ] || mv "$site/$folder" "$work/old"
  mv "$work/tree/$folder" "$site/$folder"
  rm -rf "$work"
  trap - EXIT
  flock -u 9
}

torch_version() { # FOLDER
  sed -n 's/^#define TORCH_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' \
    "$1/include/torch/headeronly/version.h" 2>/dev/null | paste -sd. - || true
}

# The CUDA toolkit that the cuda preset would take: its folder, or nothing. NCCL counts as part of it.
cuda_toolkit() {
  local folder major
  major="$(pin TORCH_CUDA)"
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [ -n "$folder" ] && grep -q "define CUDART_VERSION *${major%%.*}0" "$folder/include/cuda_runtime_api.h" 2>/dev/null; then
      printf '%s' "$folder"
      return
    fi
  done
}
toolkit_has_nccl() { [ -e "$1/include/nccl.h" ] && compgen -G "$1/lib*/libnccl.so*" >/dev/null; }
