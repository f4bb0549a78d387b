#!/usr/bin/env bash
# Processors of two kinds, on which BLAS rounds differently: whatever is decided must be decided once.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    echo "SKIPPED: no processor that runs the kernels of two kinds" >&2
    exit 77
fi

# Rank 0 with the kernels of one kind, rank 1 with those of the other.
works_on_two_kinds()
{
    local kinds=("$1" "$2")
    shift 2
    launch -n 1 env OPENBLAS_CORETYPE="${kinds[0]}" "$EIGENMESH" "$@" : \
        -n 1 env OPENBLAS_CORETYPE="${kinds[1]}" "$EIGENMESH" "$@"
    [[ $status -eq 0 ]] || fail "status is not 0"
}

# Eigenvalues that lie close: Lanczos takes all its steps, and where it stops depends on the last bits.
for features in 40 80 120; do
    works generate -d "$features" -N 1200 -k $((features - 1)) --gap 1 -o flat.npy
    common=(fit flat.npy -k 1 -n 4 --scale spectral --iterations 3 --engine mpi)
    works_on_two_kinds Prescott Haswell "${common[@]}" -m dsa --truth compute
    works_on_two_kinds Haswell Prescott "${common[@]}" -m deepca --tolerance 0
done
