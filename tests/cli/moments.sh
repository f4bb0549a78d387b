#!/usr/bin/env bash
# eigenmesh moments and eigenmesh merge: a file a site, and the components of all; beside NumPy, which shares no code.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
require_numpy

"$python" - <<'PYTHON'
import numpy as np
draw = np.random.default_rng(5)
X = draw.normal(size=(600, 6)) @ np.diag([5, 3, 2, 1, .5, .1]) @ np.linalg.qr(draw.normal(size=(6, 6)))[0] + 1000
np.save("all.npy", X)
names = "a,b,c,d,e,f"
for name, rows in (("berlin", X[:100]), ("paris", X[100:450]), ("rome", X[450:])):
    np.savetxt(name + ".csv", rows, delimiter=",", header=names, comments="", fmt="%.17g")
np.savetxt("turned.csv", X[450:, ::-1], delimiter=",", header=names[::-1], comments="", fmt="%.17g")
np.save("wide.npy", draw.normal(size=(20, 5001)))
X[3, 2] = np.nan
np.savetxt("holes.csv", X[:50], delimiter=",", header=names, comments="", fmt="%.17g")
PYTHON

for site in berlin paris rome; do
    works moments "$site.csv" -o "$site.moments.npz"
    says "shows     the mean and variance of every feature and the covariance of every two"
    says "moments   $site.moments.npz"
done
works merge berlin.moments.npz paris.moments.npz rome.moments.npz -k 3 -o merged.npz
says "600 x 6, moments of 3 sites"
works merge berlin.moments.npz paris.moments.npz rome.moments.npz -o all.moments.npz
works fit all.moments.npz -k 3 -o one.npz
works fit berlin.moments.npz paris.csv rome.moments.npz -k 3 -o mixed.npz --quiet
works fit all.npy -k 3 -o rows.npz --quiet
works moments turned.csv -o turned.moments.npz # matched by the names of its columns
works merge berlin.moments.npz paris.moments.npz turned.moments.npz -k 3 -o turned.npz --quiet
works moments berlin.moments.npz paris.csv -o two.moments.npz --quiet # one day after the other
works merge two.moments.npz rome.moments.npz -k 3 -o days.npz --quiet
works moments berlin.csv paris.csv rome.csv --forget 0.5 -o forgot.npz
says "weight    350, after forgetting"
works moments all.npy --directions 3 -o sketch.npz
says "sketch    3 directions; in any direction it lacks no more variance than"
works fit sketch.npz -k 2 -o sketched.npz
says "read      sketch.npz: moments of rows, and no row"
says "sketch    rows were sketched"
works info sketched.npz --report sketched.html
says "sketch    rows were sketched"
grep -q "of a sketch of the rows, not of all that they say" sketched.html || fail "the page is silent about the sketch"
works transform sketched.npz all.npy --scores t2,q -o sketched.npy
says "sketch    the model is of one: its variances, and with them the limits, may be off by up to"
works info sketch.npz
says "600 x 6, moments of rows"
says "sketch    3 directions; in any direction it lacks no more variance than"
works info forgot.npz
says "weight    350, after forgetting"
says "exact     a fit of them is one of all rows"
works info all.moments.npz
! grep -q "^weight" "$out" || fail "nothing was forgotten"
works info all.moments.npz --quiet
[[ ! -s $out ]] || fail "--quiet says something"
works info forgot.npz --json
cp "$out" forgot.json
works moments all.npy --columns 4,0 -o some.npz --json
says '"samples": 600'
works fit all.moments.npz --columns e,a -k 1 -o picked.npz --quiet

"$python" - <<'PYTHON' || fail "NumPy finds other numbers"
import json
import numpy as np
X = np.load("all.npy")
values, vectors = np.linalg.eigh(np.cov(X.T))
for name in "merged", "one", "mixed", "rows", "turned", "days":
    model = np.load(name + ".npz")
    assert np.allclose(model["explained_variance"], values[::-1][:3], rtol=1e-12, atol=0), name
    for k, x in enumerate(model["components"]):
        q = vectors[:, -1 - k]
        assert np.linalg.norm(x - q * (q @ x)) < 1e-10, name


def covariance(path):
    m = np.load(path)
    d = len(m["mean"])
    C = np.zeros((d, d))
    C[np.tril_indices(d)] = m["scatter"]
    return m, (C + np.tril(C, -1).T) / (m["weight"] - m["weight_squared"] / m["weight"])


m, C = covariance("all.moments.npz")
assert m["format_version"] == 1 and list(m["feature_names"]) == list("abcdef")
assert np.allclose(C, np.cov(X.T), rtol=1e-12, atol=1e-12) and np.allclose(m["mean"], X.mean(axis=0), rtol=1e-15)
w = np.repeat([.25, .5, 1], [100, 350, 150])
m, C = covariance("forgot.npz")
assert np.allclose(C, np.cov(X.T, aweights=w), rtol=1e-12, atol=1e-12)
assert np.allclose(m["mean"], np.average(X, axis=0, weights=w), rtol=1e-15) and m["n_samples"] == 600
said = json.load(open("forgot.json"))
assert said["samples"] == 600 and said["features"] == 6 and said["weight"] == 350 and said["sketch_bound"] == 0
assert said["feature_names"] == list("abcdef") and np.allclose(said["mean"], m["mean"], rtol=1e-15)
m, C = covariance("some.npz")
assert np.allclose(C, np.cov(X[:, [4, 0]].T), rtol=1e-12)
picked = np.load("picked.npz")
assert np.allclose(picked["explained_variance"], np.linalg.eigvalsh(np.cov(X[:, [4, 0]].T))[-1], rtol=1e-12)
m, model = np.load("sketch.npz"), np.load("sketched.npz")
lacks = np.cov(X.T) - m["directions"].T @ m["directions"] / 599
assert -1e-12 < np.linalg.eigvalsh(lacks)[0] and np.linalg.eigvalsh(lacks)[-1] <= m["shed"] / 599 * (1 + 1e-12)
assert np.isclose(model["sketch_bound"], m["shed"] / 599)
assert not any(np.isclose(a, b).all() for a in m["directions"] for b in X - X.mean(axis=0)), "a row is in the file"
PYTHON

# A table without names has the others', and that is told though it is closed by then.
works moments berlin.csv all.npy -o named.npz
says "names     those of berlin.csv, by position in all.npy, which has none"
refuses 2 "has names of columns, where all.npy, the first, has none" moments all.npy berlin.csv -o x.npz
refuses 2 "./berlin.moments.npz: is given twice, and its rows would count twice" merge berlin.moments.npz ./berlin.moments.npz -o x.npz

# What would be done, and nothing is.
before=$(ls)
works moments berlin.csv paris.csv -o planned.npz --dry-run
says "450 x 6, of 2 inputs"
says "exact     6 x 6 sums of squares and products"
works moments wide.npy -o planned.npz --directions 10 --dry-run
says "sketch    10 directions, 0.8 MB; not exact"
works moments wide.npy -o planned.npz --directions 10 --dry-run --json
says '"memory": 800160'
refuses 2 "of 5001 features, and they are held of up to 5000" moments wide.npy -o planned.npz --dry-run
refuses 2 "all.npy: has 6 columns, where the first has 5001" moments wide.npy all.npy --directions 10 -o x.npz --dry-run
works fit berlin.csv -k 2 --dry-run
says "moments   can be held of these features"
works fit wide.npy -k 2 --dry-run
says "moments   are not held of so many features: where rows keep coming, keep them and go on with --init"
works fit wide.npy -k 2 --dry-run --json
says '"moments_memory": 0'
[[ $(ls) == "$before" ]] || fail "a dry run left files"

# What needs rows says that there are none.
refuses 2 "berlin.moments.npz: holds the moments of rows, and no row" convert berlin.moments.npz x.csv
refuses 2 "berlin.moments.npz: holds the moments of rows, and no row" transform rows.npz berlin.moments.npz -o x.npy
refuses 2 "berlin.moments.npz: holds the moments of rows, and no model; try eigenmesh fit" transform berlin.moments.npz all.npy -o x.npy
refuses 2 "--plot: is of a model, and berlin.moments.npz holds moments" info berlin.moments.npz --plot x.svg
refuses 2 "moments are one node's, whole" fit all.moments.npz -k 2 --nodes 3
refuses 2 "holds moments, and --scale binomial is of genotypes" fit all.moments.npz -k 2 --scale binomial
if "$EIGENMESH" help key >/dev/null 2>&1; then
    refuses 2 "holds moments, and masks are of rows alone" fit berlin.csv paris.csv rome.moments.npz -k 2 --masks
fi
refuses 2 "rome.csv: holds rows, and no moments" merge berlin.moments.npz rome.csv -o x.npz
refuses 2 "no moments, it is no .npz" merge rome.csv berlin.moments.npz -o x.npz
refuses 2 "line 5, column 3 (c): the value is missing" moments holes.csv -o x.npz
refuses 2 "is missing, and moments take whole rows" moments holes.csv --missing mean -o x.npz
works moments holes.csv --missing drop -o x.npz
says "49 x 6"
rm x.npz
refuses 2 "held of up to 5000; try keeping the rows, which are fitted as they are, or --directions=200 for a sketch" moments wide.npy -o x.npz
works moments wide.npy --directions 10 -o wide.npz
rm wide.npz
refuses 2 "directions: 7 of them, and there are 6 features" moments berlin.csv --directions 7 -o x.npz
refuses 2 "a factor of 0" moments berlin.csv --forget 0 -o x.npz
refuses 2 "with 3 directions, and these are with 0" merge all.moments.npz sketch.npz -o x.npz
refuses 2 "is the file of" merge berlin.moments.npz paris.moments.npz -o paris.moments.npz
refuses 2 "--output" moments berlin.csv
refuses 1 "/dev/full" moments berlin.csv -o /dev/full
head -c -60 berlin.moments.npz >cut.npz
refuses 2 "cut.npz" merge cut.npz -o x.npz
refuses 2 "cut.npz" info cut.npz
