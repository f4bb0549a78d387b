# shellcheck shell=bash
# What the tests of studies that follow share.  Sourced with the program in $1.
# shellcheck source=tests/net/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh" "$1"

# batches: of the rows of each site, batch.SITE.K.csv, K from 0, of seven rows each.
batches() {
    local n
    for n in 0 1 2; do
        awk -v n="$n" 'NR == 1 { head = $0; next }
            { file = sprintf("batch.%d.%02d.csv", n, int((NR - 2) / 7)); if (!(file in seen)) { print head >file; seen[file] = 1 }
              print >file }' "data.$n.csv"
    done
}

# put SITE FILE...: into its folder, as one should.
put() {
    local n=$1 file
    shift
    for file in "$@"; do
        cp "$file" "in.$n/.$file.part"
        touch -d '1 hour ago' "in.$n/.$file.part"
        mv "in.$n/.$file.part" "in.$n/$file"
    done
}

# follow SITE INPUT [option...]: in the background; with `follow`, rows keep coming.
follow() {
    local n=$1 input=$2
    shift 2
    "$program" node follow.study "$input" -o "model.$n.npz" --key "key.$n" --state "$PWD/state.$n" --threads 1 \
        --patience 60s "$@" <&0 7>&- >>"out.$n" 2>>"err.$n" &
    pid[$n]=$!
}

study_that_follows() {
    study_of 3 "follow = yes" "$@"
    mv heart.study follow.study
    rm -rf in.* out.* err.* state.* model.* batch.*
    mkdir in.0 in.1 in.2
    batches
}

# sees SITE TEXT: in what it said, within 20 s.
sees() {
    local n
    for ((n = 0; n < 200; n++)); do
        ! grep -qsF -- "$2" "out.$1" "err.$1" || return 0
        sleep 0.1
    done
    fail "site $1 never said '$2': $(cat "out.$1")"
}

# model_is MODEL FILE...: of all rows of these, each with a header.
model_is() {
    /usr/bin/python3 - "$@" <<'P' || fail "the model is not that of $2 ..."
import sys
import numpy as np
m = np.load(sys.argv[1])
X = np.vstack([np.loadtxt(f, delimiter=",", skiprows=1, ndmin=2) for f in sys.argv[2:]])
W, var = m["components"], m["explained_variance"]
_, s, V = np.linalg.svd(X - X.mean(0), full_matrices=False)
true = (s**2 / (len(X) - 1))[: len(W)]
assert m["n_samples"] == len(X), (m["n_samples"], len(X))
assert np.abs(m["mean"] - X.mean(0)).max() < 1e-12 * np.abs(X).max()
assert np.abs(var - true).max() < 1e-12 * true[0], np.abs(var / true - 1)
for k in range(len(W)):
    assert min(np.linalg.norm(W[k] - V[k]), np.linalg.norm(W[k] + V[k])) < 1e-10, k
P
}
