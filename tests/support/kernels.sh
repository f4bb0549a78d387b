# shellcheck shell=bash
# Which CPUs this one can stand in for: OpenBLAS has kernels for each, which round differently.

# find_kernels PROGRAM DATA: those that this CPU can run and this OpenBLAS has, in `kernels`.
find_kernels() {
    local flags
    flags=" $(grep -m1 '^flags' /proc/cpuinfo 2>/dev/null || true) "
    kernels=()
    consider_kernel "$1" "$2" Prescott pni
    consider_kernel "$1" "$2" Nehalem sse4_2
    consider_kernel "$1" "$2" Haswell avx2 fma
    consider_kernel "$1" "$2" SkylakeX avx512f avx512bw avx512dq avx512vl
    consider_kernel "$1" "$2" Zen avx2 fma
}

consider_kernel() {
    local program=$1 data=$2 kernel=$3 flag said
    shift 3
    for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 0; done
    said=$(OPENBLAS_VERBOSE=2 OPENBLAS_CORETYPE=$kernel "$program" fit "$data" -k 3 --quiet 2>&1 || true)
    grep -qi "^Core: $kernel" <<<"$said" || return 0
    kernels+=("$kernel")
}
