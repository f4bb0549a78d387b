#!/usr/bin/env bash
# BLAS kernels that are slow on this CPU are mended where nobody chose them, and said where somebody did.  UNKNOWING_BLAS is
# the folder of tests/support/unknowing_blas.c.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A choice of the caller's would be in the way.
unset OPENBLAS_CORETYPE
export UNKNOWING_BLAS_LOG=$scratch/log/starts
works --version
if ! grep -qE '^runs on  OpenBLAS .*kernels' "$out" || ! grep -qE '^flags.* avx2' /proc/cpuinfo; then
    echo "skipped: no OpenBLAS, or no CPU with AVX2"
    exit 77
fi
works generate -d 6 -N 200 -k 2 --gap 0.5 -o data.npy

# ---- a choice of the user's is kept ----------------------------------------------------------------------------------

export OPENBLAS_CORETYPE=Prescott
works --version
says ", Prescott kernels (slow on this CPU; try OPENBLAS_CORETYPE="
for command in "fit data.npy -k 2" "fit data.npy -k 2 --json" "generate -d 6 -N 20 -k 2 --gap 0.5 -o other.npy"; do
    # shellcheck disable=SC2086 # words
    run $command
    [[ $status -eq 0 ]] || fail "status is not 0"
    complains ", Prescott kernels: made for older CPUs, and slow on this one; try OPENBLAS_CORETYPE="
    # shellcheck disable=SC2086
    works $command --quiet
done
works convert data.npy data.csv # which multiplies nothing
OPENBLAS_CORETYPE=Haswell works fit data.npy -k 2
unset OPENBLAS_CORETYPE

# ---- what OpenBLAS chose by itself is mended ---------------------------------------------------------------------------

if [[ -z ${UNKNOWING_BLAS:-} || $(LD_LIBRARY_PATH=$UNKNOWING_BLAS ldd "$EIGENMESH") != *"$UNKNOWING_BLAS"* ]]; then
    echo "skipped: what needs a BLAS that the program can be made to load"
    exit 0
fi
export LD_LIBRARY_PATH=$UNKNOWING_BLAS${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# starts COUNT: so often was the program started since this was last asked.
starts()
{
    [[ $(wc -l <"$UNKNOWING_BLAS_LOG") -eq $1 ]] || fail "not $1 start(s): $(cat "$UNKNOWING_BLAS_LOG")"
    rm "$UNKNOWING_BLAS_LOG"
}

works --version
grep -qE '^runs on  OpenBLAS .*, (SkylakeX|Haswell) kernels$' "$out" || fail "the kernels are not this CPU's"
starts 2
works fit data.npy -k 2 -o model.npz
starts 2
refuses 2 "no such command" "no such" "two  words" # arguments arrive as they were
starts 2
works transform model.npz data.npy -o -
starts 2
"$EIGENMESH" transform model.npz - -o - <data.npy | cmp - "$out" || fail "a table by pipe is not what it was"
starts 2
OPENBLAS_CORETYPE='' works --version # is no choice
starts 2

# It starts once where the kernels were chosen, well or badly, or are right: those of Haswell do for all CPUs after it.
for core in Haswell Prescott; do
    OPENBLAS_CORETYPE=$core works --version
    says "$core kernels"
    starts 1
done
for core in Haswell SkylakeX of_next_year; do
    UNKNOWING_BLAS_CLAIMS=$core works fit data.npy -k 2
    starts 1
done

# Found by PATH, by a relative name and by a link, under the name that it was called by.
ln -s "$EIGENMESH" ./linked
for name in "$EIGENMESH" ./linked linked; do
    PATH=$PWD:$PATH "$name" --version >"$out"
    grep -qE ', (SkylakeX|Haswell) kernels$' "$out" || fail "$name was not started again"
    starts 2
done

# An OpenBLAS that cannot be told is used as it is, and the program does not start again and again.
export UNKNOWING_BLAS_CLAIMS=Sandybridge
run fit data.npy -k 2
[[ $status -eq 0 ]] || fail "status is not 0"
complains "Sandybridge kernels: made for older CPUs, and slow on this one; try a newer OpenBLAS"
starts 2
unset UNKNOWING_BLAS_CLAIMS

# Where the program cannot be started again, such as under the dynamic linker's own name, it goes on. (What the linker keeps is no leak of ours.)
linker=$(ldd "$EIGENMESH" | grep -oE '/[^ ]*/ld-[^ ]*')
status=0
ASAN_OPTIONS=detect_leaks=0 "$linker" "$EIGENMESH" fit data.npy -k 2 >"$out" 2>"$err" || status=$?
[[ $status -eq 0 ]] || fail "status is not 0"
complains "Prescott kernels: made for older CPUs, and slow on this one, and the program cannot start itself again with better ones; try OPENBLAS_CORETYPE="
starts 1
