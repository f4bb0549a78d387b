#!/usr/bin/env bash
# mpirun for tests: more ranks than cores, as root too; 77, visibly, where it cannot run.  MPIRUN may name another one.
set -euo pipefail

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # MPI libraries keep what they were given
command=("${MPIRUN:-mpirun}")
version=$("${command[0]}" --version 2>/dev/null || true)
if [[ $version == *'Open MPI'* || $version == *OpenRTE* ]]; then command+=(--oversubscribe); fi
if [[ -z ${MPIRUN_WORKS:-} ]] && ! timeout 20 "${command[@]}" -n 1 true >/dev/null 2>&1; then
    echo "SKIPPED: ${command[0]} cannot run" >&2
    exit 77
fi
exec "${command[@]}" "$@"
