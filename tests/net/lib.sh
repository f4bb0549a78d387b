# shellcheck shell=bash
# What the tests of studies share: a study of M sites on this machine, its data, its processes.  Sourced with the program in $1.
set -euo pipefail
program=$1
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
cd "$work"
end_all() {
    local pids
    mapfile -t pids < <(jobs -p)
    ((${#pids[@]} == 0)) || kill -KILL "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap end_all EXIT

fail() {
    echo "FAILED: $*" >&2
    for log in err.*; do [[ ! -s $log ]] || sed "s/^/  $log: /" "$log" >&2; done
    exit 1
}

# study_of M [line...]: keys key.N, data data.N.csv and heart.study, a tree of which each site's parent is (N - 1) / 2; the lines go
# into [study].  EIGENMESH_MASKS=yes runs a suite with masks.
masks=${EIGENMESH_MASKS:-no}
study_of() {
    local sites=$1 n id
    shift
    base=$(python3 "$tests/free_ports.py" $((sites + 1))) # and one that is nobody's
    rm -f key.*
    printf '[study]\nname = heart\nmasks = %s\n' "$masks" >heart.study
    printf '%s\n' "$@" >>heart.study
    for ((n = 0; n < sites; n++)); do
        id=$("$program" key new -o "key.$n")
        printf '\n[site s%d]\nid = %s\naddress = 127.0.0.1:%d\n' "$n" "$id" $((base + n)) >>heart.study
        ((n == 0)) || printf 'neighbours = s%d\n' $(((n - 1) / 2)) >>heart.study
    done
    rows_of "$sites" 20
}

# rows_of M D: sites with unequal numbers of rows, with names; and all of them in all.csv.
rows_of() {
    python3 - "$1" "$2" <<'P'
import random, sys
sites, d = int(sys.argv[1]), int(sys.argv[2])
random.seed(5)
names = ["f%d" % c for c in range(d)]
mixes = [[random.gauss(0, 1) for _ in range(d)] for _ in range(d)]
with open("all.csv", "w") as everything:
    print(",".join(names), file=everything)
    for n in range(sites):
        with open("data.%d.csv" % n, "w") as out:
            print(",".join(names), file=out)
            for _ in range(40 + 37 * n):
                z = [random.gauss(0, 3.0 * 0.7 ** k) for k in range(d)]
                row = ",".join("%.17g" % (2 + sum(z[k] * mixes[k][c] for k in range(d))) for c in range(d))
                print(row, file=out)
                print(row, file=everything)
P
}

# load_faults: what points/fault.c does can be asked of a process; not of one with a sanitizer.
load_faults() {
    local cc=${CC:-cc}
    command -v "$cc" >/dev/null || { echo "skipped: there is no $cc"; exit 77; }
    ! grep -qaE '__(asan|tsan)_' "$program" || { echo "skipped: for a build without sanitizers"; exit 77; }
    "$cc" -std=c17 -O1 -fPIC -shared "$tests/points/fault.c" -o fault.so -ldl
    LD_PRELOAD=$work/fault.so "$program" --version >/dev/null || { echo "skipped: nothing is loaded before a program here"; exit 77; }
}

# start N [option...]: site N in the background, with the fault of its state folder, and the kernels of a CPU; its process is in
# pid[N].
declare -A pid fault kernel
suffix=csv  # of the data
options=()  # of every site
patience=120s
start() {
    local n=$1
    shift
    local with=(env)
    [[ ! ${kernel[$n]:-} ]] || with+=(OPENBLAS_CORETYPE="${kernel[$n]}")
    [[ ! ${fault[$n]:-} ]] || with+=(LD_PRELOAD="$work/fault.so" FAULT_UNDER="$PWD/state.$n" FAULT_AT="${fault[$n]}")
    [[ " $* " == *" --patience "* ]] || set -- --patience "$patience" "$@"
    "${with[@]}" "$program" node heart.study "data.$n.$suffix" -o "model.$n.npz" --key "key.$n" --state "$PWD/state.$n" \
        "${options[@]}" "$@" \
        >"out.$n" 2>>"err.$n" &
    pid[$n]=$!
}

# ends N STATUS: that it does, so.
ends() {
    local status=0
    wait "${pid[$1]}" 2>/dev/null || status=$? # bash would say who was killed
    [[ $status == "$2" ]] || fail "site $1 ended with $status, not $2"
}

all_start() {
    local n sites=$1
    shift
    for ((n = 0; n < sites; n++)); do start "$n" "$@"; done
}

all_end_well() {
    local n
    for ((n = 0; n < $1; n++)); do ends "$n" 0; done
    for ((n = 1; n < $1; n++)); do cmp -s model.0.npz "model.$n.npz" || fail "sites 0 and $n have different models"; done
}

# The model is that of all rows in one place, by NumPy.
model_is_right() {
    /usr/bin/python3 - <<'P' || fail "the model is not that of all rows"
import numpy as np
X = np.loadtxt("all.csv", delimiter=",", skiprows=1)
names = open("all.csv").readline().strip().split(",")
m = np.load("model.0.npz")
W = m["components"]
Y = X - X.mean(0)
_, s, V = np.linalg.svd(Y, full_matrices=False)
assert np.allclose(m["mean"], X.mean(0), rtol=1e-12, atol=1e-12)
assert np.allclose(m["explained_variance"], (s**2 / (len(X) - 1))[: len(W)], rtol=1e-9)
for k in range(len(W)):
    assert abs(abs(W[k] @ V[k]) - 1) < 1e-9, k
P
}

# same_answers MODEL...: as the first, but for rounding.
same_answers() {
    /usr/bin/python3 - "$@" <<'P' || fail "the answer is another one"
import sys
import numpy as np
first = np.load(sys.argv[1])
for path in sys.argv[2:]:
    other = np.load(path)
    for name in ("components", "explained_variance", "mean"):
        assert np.allclose(first[name], other[name], rtol=1e-9, atol=1e-9), (path, name)
P
}

logs_agree() {
    "$program" audit check state.*/*/*/log >audit.out 2>&1 || { cat audit.out >&2; fail "the logs do not agree"; }
}
