#!/usr/bin/env bash
# Ranks on CPUs of different make: OpenBLAS has kernels for each, which round differently.  They must come to one answer,
# that of one process.  SAME_MODEL names the program in which every rank compares its model with the first one's.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=../support/kernels.sh
. "$(dirname "$0")/../support/kernels.sh"
require_python

works generate -d 10 -N 331 -k 3 --gap 0.7 -o data.npy
find_kernels "$EIGENMESH" "$scratch/here/data.npy"
if [[ ${#kernels[@]} -lt 2 ]]; then
    echo "SKIPPED: OpenBLAS has kernels for ${#kernels[@]} of the CPUs that this one can stand in for" >&2
    exit 77
fi
echo "kernels: ${kernels[*]}"

# unlike "CORE CORE..." COMMAND ARGUMENT...: a rank on each of these.
unlike()
{
    local kinds=$1 kind arguments=()
    shift
    for kind in $kinds; do arguments+=(${arguments:+:} -n 1 env "OPENBLAS_CORETYPE=$kind" "$@"); done
    launch "${arguments[@]}"
    ran="(on $kinds) $*"
}

# agree LIMIT HERE.npz THERE.npz: variances, each relative to its own, and the subspaces of what is alike.
agree()
{
    python3 - "$@" <<'END' || fail "not the answer of one process"
import ast, math, struct, sys, zipfile

def read(path):
    found = {}
    with zipfile.ZipFile(path) as model:
        for name in ("components", "explained_variance", "clusters", "rank"):
            raw = model.read(name + ".npy")
            size = struct.unpack("<H", raw[8:10])[0]
            header = ast.literal_eval(raw[10:10 + size].decode())
            kind = {"<f8": "d", "<i8": "q", "<i4": "i"}[header["descr"]]
            flat = raw[10 + size:]
            found[name] = (header["shape"], struct.unpack(f"<{len(flat) // struct.calcsize(kind)}{kind}", flat))
    return found

limit, here, there = float(sys.argv[1]), read(sys.argv[2]), read(sys.argv[3])
shape, X = here["components"]
assert there["components"][0] == shape, (shape, there["components"][0])
K, d = shape
rank = here["rank"][1][0]
assert there["rank"][1][0] == rank, "ranks differ"
A = [X[k * d:(k + 1) * d] for k in range(K)]
B = [there["components"][1][k * d:(k + 1) * d] for k in range(K)]
cluster = here["clusters"][1]
assert cluster == there["clusters"][1], "clusters differ"
for k in range(rank):
    a, b = here["explained_variance"][1][k], there["explained_variance"][1][k]
    assert abs(a - b) <= limit * a, (k, a, b)
    rest = list(B[k])
    for other in (A[j] for j in range(K) if cluster[j] == cluster[k]):
        along = sum(x * y for x, y in zip(rest, other))
        rest = [x - along * y for x, y in zip(rest, other)]
    off = math.sqrt(sum(x * x for x in rest))
    assert off <= limit, f"component {k + 1} is off by {off}"
END
}

# same LIMIT ARGUMENT...: in one process; then on two ranks, each way round, and on three, with status 0 and its answer.
same()
{
    local most=$1 kinds
    shift
    works fit "$@" --engine local --quiet -o here.npz
    for kinds in "${kernels[0]} ${kernels[-1]}" "${kernels[-1]} ${kernels[0]}" "${kernels[-1]} ${kernels[-2]} ${kernels[0]}"; do
        rm -f there.npz
        unlike "$kinds" "$EIGENMESH" fit "$@" --engine mpi --quiet -o there.npz
        [[ $status -eq 0 && ! -s $scratch/log/all ]] || fail "status is not 0, or something is on stderr"
        agree "$most" here.npz there.npz
    done
}

for method in krylov covariance deepca fastpca; do same 1e-9 data.npy -k 3 -n 6 -m "$method" --tolerance 1e-11; done
works generate -d 10 -N 331 -k 2 --gap 0.3 -o easy.npy # those that settle do so within their limits
for method in sdot sadot seqdistpm dsa dpgd; do same 1e-4 easy.npy -k 2 -n 6 -t complete -m "$method"; done

same 1e-9 data.npy -n 6 -k 0.9 --tolerance 1e-11
same 1e-9 data.npy -n 6 -k 3 -m krylov --scale spectral --tolerance 1e-11
same 1e-9 data.npy -n 6 -k 3 -m krylov --truth compute --tolerance 1e-11
works fit data.npy -n 6 -k 3 -m krylov --tolerance 1e-11 --quiet -o here.npz
unlike "${kernels[0]} ${kernels[-1]}" "$EIGENMESH" fit data.npy -n 6 -k 3 -m krylov --tolerance 1e-11 --average allreduce \
    --engine mpi --quiet -o there.npz
[[ $status -eq 0 ]] || fail "status is not 0"
agree 1e-9 here.npz there.npz

# More components than the data has dimensions; and components that are alike.
awk 'BEGIN { for (n = 0; n < 90; n++) { a = n % 7 - 3; b = n % 5; c = n % 3; print a "," b "," a + b "," c "," a - c "," b } }' >flat.csv
works convert flat.csv flat.npy --header no
for method in krylov covariance; do same 1e-9 flat.npy -k 5 -n 3 -m "$method" --tolerance 1e-11; done
awk 'BEGIN { for (i = 1; i <= 12; i++) for (s = -1; s <= 1; s += 2) { for (n = 1; n <= 12; n++) printf "%s%d", (n > 1 ? "," : ""), (n == i ? s * (i < 4 ? 5 : i < 9 ? 3 : i) : 0); print "" } }' >alike.csv
works convert alike.csv alike.npy --header no
for method in krylov covariance; do same 1e-9 alike.npy -k 4 -n 3 -m "$method" --tolerance 1e-11; done

# Many steps, in which nodes that each did the small algebra would come apart.
works generate -d 300 -N 4000 -k 5 --gap 0.999 -o slow.npy
works fit slow.npy -k 5 -n 3 -m krylov --tolerance 1e-11 --json
awk -F': ' '/^  "iterations"/ { exit !($2 + 0 >= 20) }' "$out" || fail "not a slow problem"
same 1e-9 slow.npy -k 5 -n 3 -m krylov --tolerance 1e-11
same 1e-9 slow.npy -k 5 -n 3 -m covariance
for first in "${kernels[@]}"; do
    for second in "${kernels[@]}"; do
        [[ $first != "$second" ]] || continue
        unlike "$first $second" "$EIGENMESH" fit slow.npy -k 5 -n 2 -m krylov --engine mpi --quiet
        [[ $status -eq 0 ]] || fail "status is not 0"
    done
done

# Eigenvalues that lie close: Lanczos, for the scale, takes all its steps, and where it stops depends on the last bits.
for features in 40 80 120; do
    works generate -d "$features" -N 1200 -k $((features - 1)) --gap 1 -o flat.npy
    for kinds in "${kernels[0]} ${kernels[-1]}" "${kernels[-1]} ${kernels[0]}"; do
        unlike "$kinds" "$EIGENMESH" fit flat.npy -k 1 -n 4 --scale spectral --iterations 3 --tolerance 0 --engine mpi \
            -m deepca --truth compute --quiet
        [[ $status -eq 0 ]] || fail "status is not 0"
    done
done

# Whichever rank is asked.

for kinds in "${kernels[0]} ${kernels[-1]}" "${kernels[-2]} ${kernels[-1]} ${kernels[0]}"; do
    unlike "$kinds" "${SAME_MODEL:?the program that compares}"
    [[ $status -eq 0 ]] || fail "ranks have different models: $(grep 'ranks differ' "$scratch/log/all" | sort | uniq -c)"
done
