#!/usr/bin/env bash
# ucx.sh PROGRAM MPIRUN: over UCX for real (shared memory), and the start event says so.
# shellcheck source=tests/support/train.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/train.sh"

train 0 2 "$config" --set run.name=default --set train.steps=8
export OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
train 0 2 "$config" --set train.steps=8
[ "$(metrics get "$run/metrics.jsonl" start versions.mpi.pml)" = ucx ] || fail "another pml than ucx"
version="$(metrics get "$run/metrics.jsonl" start versions.ucx.version)"
[[ "$version" =~ ^[0-9]+\.[0-9]+ ]] || fail "UCX's version is '$version'"
library="$(metrics get "$run/metrics.jsonl" start versions.ucx.path)"
[ -f "$library" ] || fail "UCX's library is '$library'"
metrics same "$work/runs/default/metrics.jsonl" "$run/metrics.jsonl" || fail "other numbers than without UCX"
pass "UCX $version from $library"
