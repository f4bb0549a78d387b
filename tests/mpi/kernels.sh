#!/usr/bin/env bash
# Ranks that start themselves again, for better BLAS kernels, find each other.  UNKNOWING_BLAS is the folder of
# tests/support/unknowing_blas.c.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

unset OPENBLAS_CORETYPE
works generate -d 6 -N 200 -k 2 --gap 0.5 -o data.npy
if [[ -z ${UNKNOWING_BLAS:-} || $(LD_LIBRARY_PATH=$UNKNOWING_BLAS ldd "$EIGENMESH") != *"$UNKNOWING_BLAS"* ]] ||
    ! grep -qE '^flags.* avx2' /proc/cpuinfo; then
    echo "skipped: no BLAS that the program can be made to load, or no CPU with AVX2"
    exit 77
fi
export LD_LIBRARY_PATH=$UNKNOWING_BLAS${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} UNKNOWING_BLAS_LOG=$scratch/log/starts

works_together 3 fit data.npy -k 2 --json --engine mpi
says '"rank": 2,'
[[ $(wc -l <"$UNKNOWING_BLAS_LOG") -eq 6 ]] || fail "three ranks did not start twice each: $(cat "$UNKNOWING_BLAS_LOG")"

# One of them speaks.
export OPENBLAS_CORETYPE=Prescott
together 3 fit data.npy -k 2 --engine mpi
[[ $status -eq 0 ]] || fail "status is not 0"
complains "Prescott kernels: made for older CPUs"
