#!/usr/bin/env bash
# Processes that share a GPU: ranks under mpirun, and three sites of a study with masks and without, each with --device gpu, against
# the CPU.  tests/gpu/together.sh EIGENMESH [EIGENMESH WITH MPI]; without stand-ins where there is a GPU.
[[ -z ${STANDIN:-} ]] || export EIGENMESH_CUDA_PATH=$STANDIN
with_mpi=${2:-}
# shellcheck source=../net/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../net/lib.sh"

# The variances of a report, to four digits.
variances() {
    awk '/^[0-9]+ +[0-9]/ { printf "%.4g\n", $2 }' "$1"
}

same_on_gpu() {
    grep '^device .*gpu:' "$1" >/dev/null || fail "$2: not on the GPU: $(cat "$1")"
    [[ $(variances "$1") == "$(variances cpu.txt)" ]] || fail "$2: $(variances "$1"), not $(variances cpu.txt)"
    echo "ok: $2"
}

sites=3
study_of "$sites" 'components = 4' 'scale = none'
for ((n = 0; n < sites; n++)); do "$program" generate -d 60 -N 3000 -k 4 --gap 0.6 --seed "$n" -o "rows.$n.npy" >/dev/null; done
"$program" fit rows.0.npy rows.1.npy rows.2.npy -k 4 --method krylov --device cpu >cpu.txt

if [[ -z $with_mpi ]]; then
    echo "skipped: the program has no MPI"
elif ! bash "$tests/../mpi/mpirun.sh" -n 1 true >/dev/null 2>&1; then
    echo "skipped: mpirun cannot run"
else
    for method in krylov covariance; do
        bash "$tests/../mpi/mpirun.sh" -n 3 "$with_mpi" fit 'rows.%d.npy' -k 4 --method "$method" --device gpu >mpi.txt 2>err.mpi || fail "$method under MPI"
        same_on_gpu mpi.txt "$method under MPI"
    done
fi

for masks in no yes; do
    sed -i "s/^masks = .*/masks = $masks/" heart.study
    for ((n = 0; n < sites; n++)); do
        timeout 120 "$program" node heart.study "rows.$n.npy" -o "model.$n.npz" --key "key.$n" --state "state.$masks" --device gpu \
            >"out.$n" 2>"err.$n" &
    done
    wait
    for ((n = 0; n < sites; n++)); do
        same_on_gpu "out.$n" "site $n, masks $masks"
        cmp model.0.npz "model.$n.npz" || fail "models differ"
    done
done
