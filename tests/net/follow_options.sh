#!/usr/bin/env bash
# A study that follows, with all that a site may ask for beside: sketches, a number of models, rows with holes, a rehearsal, other
# methods.
# shellcheck source=tests/net/follow_lib.sh
source "$(dirname "$0")/follow_lib.sh" "$1"

# ---- a sketch at some sites, and a number of models ------------------------------------------------------------------------------------

study_that_follows "components = 2"
for n in 0 1; do # one file: the first model is of all of it
    head -29 "data.$n.csv" >"first.$n.csv"
    put "$n" "first.$n.csv"
done
follow 0 in.0 --follow --every 0.3s --models 2 --directions 6
follow 1 in.1 --follow --directions 6 --json
follow 2 data.2.csv
sees 0 ": 170 rows"
put 0 batch.0.04.csv
all_end_well 3
grep -q "^sketch " out.0 || fail "the root's report says nothing of a sketch"
[[ $(grep -c '^{"model": ' out.1) == 2 ]] || fail "it did not end after two models"
/usr/bin/python3 - <<'P' || fail "the bound of the sketch does not hold"
import glob
import json
import numpy as np
m = np.load("model.0.npz")
X = np.vstack([np.loadtxt(f, delimiter=",", skiprows=1) for f in glob.glob("in.*/*.csv") + ["data.2.csv"]])
values = np.linalg.eigvalsh(np.cov(X.T))[::-1][:2]
lacks = values - m["explained_variance"]
assert m["n_samples"] == len(X) == 177
assert m["sketch_bound"] > 0 and (lacks > -1e-9).all() and (lacks <= m["sketch_bound"] * (1 + 1e-9)).all(), lacks
assert np.abs(m["mean"] - X.mean(0)).max() < 1e-12 * np.abs(X).max()
said = [json.loads(line) for line in open("out.1")]
assert all(line["sketch_bound"] > 0 for line in said), said
P
logs_agree
for directions in "" "--directions 7"; do
    # shellcheck disable=SC2086 # two words, or none
    follow 1 in.1 --follow --again $directions
    ends 1 2
done
sees 1 "--directions: none, and the rows of before are a sketch of 6; try --directions 6, or another --state"
sees 1 "--directions: 7, and the rows of before are a sketch of 6; try --directions 6, or another --state"
echo "ok: sketches, and two models"

# ---- rows with holes -------------------------------------------------------------------------------------------------------------------

study_that_follows "components = 3" "tolerance = 1e-12"
{ head -4 batch.1.00.csv; sed -n 5p batch.1.00.csv | sed 's/^[^,]*,/NA,/'; tail -n +6 batch.1.00.csv; } >holes.csv
{ head -4 batch.1.00.csv; tail -n +6 batch.1.00.csv; } >whole.csv
put 0 data.0.csv
put 1 holes.csv
touch in.0/end in.1/end
{ head -3 data.2.csv; sed -n 4p data.2.csv | sed 's/,[^,]*$/,/'; tail -n +5 data.2.csv; } >holes.lines
{ head -3 data.2.csv; tail -n +5 data.2.csv; } >whole.2.csv
follow 0 in.0 --follow --every 0.2s --missing drop
follow 1 in.1 --follow --missing drop
follow 2 - --follow --missing drop <holes.lines
all_end_well 3
model_is model.0.npz data.0.csv whole.csv whole.2.csv
sees 1 "dropped   1 row with missing values"
sees 2 "dropped   1 row with missing values"
echo "ok: rows with holes"

# ---- a rehearsal -----------------------------------------------------------------------------------------------------------------------

study_that_follows "components = 3" "tolerance = 1e-12"
for n in 0 1; do put "$n" "batch.$n.00.csv"; done
follow 0 in.0 --follow --dry-run
follow 1 in.1 --follow --dry-run
follow 2 data.2.csv --dry-run
for n in 0 1 2; do ends "$n" 0; done
! ls model.* 2>/dev/null || fail "a rehearsal left a model"
for n in 0 1; do touch "in.$n/end"; done
follow 0 in.0 --follow --every 0.2s
follow 1 in.1 --follow
follow 2 data.2.csv
all_end_well 3
model_is model.0.npz batch.[01].00.csv data.2.csv
echo "ok: a rehearsal, and then the study"

# ---- methods whose nodes only mix ------------------------------------------------------------------------------------------------------

for method in deepca dsa; do
    study_that_follows "components = 2" "method = $method" "tolerance = 1e-7"
    for n in 0 1 2; do
        head -22 "data.$n.csv" >"first.$n.csv"
        put "$n" "first.$n.csv"
    done
    follow 0 in.0 --follow --every 0.3s
    follow 1 in.1 --follow
    follow 2 in.2 --follow
    sees 0 ": 63 rows, $method"
    for n in 0 1 2; do put "$n" "batch.$n.03.csv"; touch "in.$n/end"; done
    all_end_well 3
    sees 0 "turned by"
    /usr/bin/python3 - <<'P' || fail "$method finds another subspace"
import glob
import numpy as np
m = np.load("model.0.npz")
X = np.vstack([np.loadtxt(f, delimiter=",", skiprows=1) for f in sorted(glob.glob("in.*/*.csv"))])
assert m["n_samples"] == len(X) == 84
V = np.linalg.svd(X - X.mean(0), full_matrices=False)[2][:2]
sines = np.linalg.svd(m["components"] - m["components"] @ V.T @ V)[1]
assert sines.max() < 1e-2, sines
P
    logs_agree
    echo "ok: $method"
done
