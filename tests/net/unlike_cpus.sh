#!/usr/bin/env bash
# Sites on CPUs of different make, with different numbers of threads: what each finds must be what the root found, bit for bit, and
# all end with the same bytes.
# shellcheck source=tests/net/lib.sh
source "$(dirname "$0")/lib.sh" "$1"
# shellcheck source=tests/support/kernels.sh
source "$tests/../support/kernels.sh"

"$program" generate -d 40 -N 500 -k 5 --gap 0.9 -o data.npy >/dev/null
find_kernels "$program" data.npy
((${#kernels[@]} >= 2)) || { echo "skipped: OpenBLAS has kernels for ${#kernels[@]} of the CPUs that this one can stand in for"; exit 77; }
echo "kernels: ${kernels[*]}"

# unlike LINE...: at the root the oldest CPU, then the newest.
unlike() {
    local n first last=$((${#kernels[@]} - 1))
    for first in 0 "$last"; do
        rm -rf state.* err.* model.*
        study_of 4 "$@"
        for n in 0 1 2 3; do
            kernel[$n]=${kernels[(first + n) % ${#kernels[@]}]}
            start "$n" --threads $((1 + (n + first) % 3))
        done
        all_end_well 4
        [[ $* == *scale* ]] || model_is_right
        logs_agree
    done
    echo "ok: $*"
}

unlike "components = 3" "method = krylov" "tolerance = 1e-11"
unlike "components = 12" "method = krylov" "tolerance = 1e-11" "scale = std"
unlike "components = 3" "method = krylov" "scale = spectral"
unlike "components = 3" "method = covariance" "scale = std"
unlike "components = 0.9"
unlike "components = 2" "method = deepca" "tolerance = 1e-9"
