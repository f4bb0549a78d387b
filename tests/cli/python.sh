#!/usr/bin/env bash
# What the program writes, seen by NumPy and by a JSON parser: same shapes, same numbers.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
require_numpy

works generate -d 12 -N 500 -k 3 --gap 0.5 -o data.npy
works fit data.npy -k 3 --tolerance 1e-12 -o model.npz --json --truth compute
cp "$out" fit.json
works fit data.npy -k 3 --nodes 5 -m dsa --iterations 100 --json --trace trace.csv
cp "$out" network.json
works fit data.npy -k 3 --nodes 5 --json --truth compute -o auto.npz
cp "$out" auto.json
for fraction in 0.05 0.3 0.9 0.999999; do
    works fit data.npy -k "$fraction" --nodes 5 -o "some-$fraction.npz" --quiet
done
works fit data.npy -k 0.9 -m krylov -o some-krylov.npz --quiet
works fit data.npy -k 0.9 -m covariance -n 3 -o some-covariance.npz --quiet
works compare data.npy -k 3 --nodes 5 --methods auto,krylov,dsa --iterations 200 -o comparison --json
cp "$out" compare.json
works info model.npz --json
cp "$out" info.json
works transform model.npz data.npy -o scores.npy
works transform model.npz data.npy --whiten -o white.npy
works transform model.npz scores.npy --inverse -o back.npy
works topology er:0.5 -n 9 --json --edges edges.txt
cp "$out" topology.json
works convert data.npy small.npy --dtype f32
works fit data.npy -k 3 --scale std -o scaled.npz --quiet
works transform scaled.npz data.npy -o scaled.npy
works topology $'file:edges.txt' -n 9 --json
cp edges.txt $'odd "name"\\\t\x01\xff.txt'
works topology $'file:odd "name"\\\t\x01\xff.txt' -n 9 --json
cp "$out" odd.json

"$python" - <<'END' >"$out" 2>"$err" || fail "NumPy sees something else"
import json
import numpy as np

data = np.load("data.npy")
assert data.shape == (500, 12) and data.dtype == np.float64
values, vectors = np.linalg.eigh(np.cov(data.T))
values, vectors = values[::-1], vectors[:, ::-1].T
largest = np.abs(vectors).argmax(axis=1)
vectors = vectors * np.sign(vectors[np.arange(12), largest])[:, None]

model = np.load("model.npz")
assert model["components"].shape == (3, 12)
np.testing.assert_allclose(model["components"], vectors[:3], atol=1e-6)
np.testing.assert_allclose(model["explained_variance"], values[:3], rtol=1e-9)
np.testing.assert_allclose(model["explained_variance_ratio"], values[:3] / values.sum(), rtol=1e-9)
np.testing.assert_allclose(model["singular_values"], np.sqrt(values[:3] * 499), rtol=1e-9)
np.testing.assert_allclose(model["mean"], data.mean(axis=0), atol=1e-12)
np.testing.assert_allclose(model["scale"], np.ones(12))
assert int(model["n_samples"]) == 500

scores = (data - data.mean(axis=0)) @ model["components"].T
np.testing.assert_allclose(np.load("scores.npy"), scores, atol=1e-12)
np.testing.assert_allclose(np.load("white.npy"), scores / np.sqrt(model["explained_variance"]), atol=1e-12)
np.testing.assert_allclose(np.load("back.npy"), scores @ model["components"] + data.mean(axis=0), atol=1e-12)

scaled = np.load("scaled.npz")
np.testing.assert_allclose(scaled["scale"], data.std(axis=0, ddof=1), rtol=1e-9)
standard = (data - scaled["mean"]) / scaled["scale"]
np.testing.assert_allclose(np.load("scaled.npy"), standard @ scaled["components"].T, atol=1e-12)

small = np.load("small.npy")
assert small.dtype == np.float32 and (small == data.astype(np.float32)).all()

fit = json.load(open("fit.json"))
assert fit["converged"] is True and fit["nodes"] == 1 and fit["samples"] == 500 and fit["features"] == 12
assert fit["files"] == {"model": "model.npz", "trace": None, "plot": None, "report": None}
assert [c["component"] for c in fit["components"]] == [1, 2, 3]
np.testing.assert_allclose([c["variance"] for c in fit["components"]], values[:3], rtol=1e-9)
np.testing.assert_allclose([c["exact_variance"] for c in fit["components"]], values[:3], rtol=1e-9)
assert all(c["error"] < 1e-12 for c in fit["components"])

assert fit["auto"] is True and fit["choice"] and fit["clusters"] == [1, 2, 3] and fit["open_cluster"] is False
assert fit["worst_residual"] == max(c["residual"] for c in fit["components"])

# The default is exact over a network too.
auto = json.load(open("auto.json"))
assert auto["converged"] is True and auto["choice"].startswith("about ") and auto["worst_residual"] <= 1e-6
assert auto["error"] < 1e-12
np.testing.assert_allclose(np.load("auto.npz")["components"], vectors[:3], atol=1e-6)

# A fraction: the fewest components that explain more.
def fewest(fraction):
    return int(np.searchsorted(np.cumsum(values) / values.sum(), fraction, side="right")) + 1

for name, fraction in [(f, float(f)) for f in ("0.05", "0.3", "0.9", "0.999999")] + [("krylov", 0.9), ("covariance", 0.9)]:
    some = np.load(f"some-{name}.npz")
    K = fewest(fraction)
    assert some["components"].shape == (K, 12), (name, K, some["components"].shape)
    assert some["explained_variance_ratio"].sum() > fraction >= some["explained_variance_ratio"][:-1].sum(), name
    np.testing.assert_allclose(some["explained_variance"], values[:K], rtol=1e-9)
assert fewest(0.05) == 1 and fewest(0.999999) == 12 and 3 < fewest(0.9) < 12

network = json.load(open("network.json"))
assert network["auto"] is False and network["choice"] is None
assert network["nodes"] == 5 and network["iterations"] == 100 and network["error"] is None
assert network["network"]["topology"] == "er:0.5" and network["files"]["trace"] == "trace.csv"
trace = np.genfromtxt("trace.csv", delimiter=",", names=True)
assert len(trace) == 101 and np.isnan(trace["error"]).all()
assert trace["iteration"][-1] == 100 and (np.diff(trace["bytes"]) >= 0).all()
for count in ("rounds", "messages", "bytes", "units"):
    phases = network["sent"].copy()
    total = phases.pop("total")
    assert trace[count][-1] == phases["method"][count]
    np.testing.assert_allclose(sum(phase[count] for phase in phases.values()), total[count])

compare = json.load(open("compare.json"))
assert [m["name"] for m in compare["methods"]] == ["auto", "krylov", "dsa"]
assert compare["methods"][0]["method"] in ("krylov", "covariance", "deepca")
assert all(m["failure"] is None and m["nodes"] == 5 for m in compare["methods"])
traces = np.genfromtxt("comparison/compare.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
starts = []
for method in compare["methods"]:
    rows = traces[traces["method"] == method["name"]]
    starts.append((rows["iteration"][0], rows["error"][0]))
    assert rows["iteration"][-1] == method["iterations"] and rows["units"][-1] == method["sent"]["method"]["units"]
    for goal, units in method["units_to"].items():
        reached = rows["units"][rows["error"] <= float(goal)]
        assert units == (reached[0] if len(reached) else None), (method["name"], goal)
np.testing.assert_allclose(starts, [starts[0]] * 3, rtol=1e-14)  # of dsa's it is the mean of equal numbers
assert compare["methods"][1]["units_to"]["1e-10"] is not None and compare["methods"][2]["units_to"]["1e-10"] is None

info = json.load(open("info.json"))
for key in ("method", "samples", "features", "nodes", "seed", "iterations", "converged", "choice", "worst_residual", "clusters",
            "open_cluster"):
    assert info[key] == fit[key], key
np.testing.assert_allclose([c["variance"] for c in info["components"]], [c["variance"] for c in fit["components"]])

topology = json.load(open("topology.json"))
edges = np.loadtxt("edges.txt", dtype=int)
assert topology["edges"] == len(edges) and topology["nodes"] == 9
degrees = np.bincount(edges.ravel(), minlength=9)
assert topology["degree_min"] == degrees.min() and topology["degree_max"] == degrees.max()
W = np.zeros((9, 9))
for i, j in edges:
    W[i, j] = W[j, i] = 1 / (1 + max(degrees[i], degrees[j]))
W += np.diag(1 - W.sum(axis=1))
beta = np.sort(np.abs(np.linalg.eigvalsh(W)))[-2]
np.testing.assert_allclose(topology["beta"], beta, rtol=1e-6)
np.testing.assert_allclose(topology["min_self_weight"], W.diagonal().min(), rtol=1e-9)

odd = json.load(open("odd.json", encoding="utf-8"))
assert odd["topology"] == 'file:odd "name"\\\t\x01\ufffd.txt', odd["topology"]
END
