"""Simulations and their pictures."""
import numpy as np
import pytest
from data import spectrum

import eigenmesh

METHODS = [method["name"] for method in eigenmesh.methods()]


@pytest.mark.parametrize("method", METHODS)
def test_every_method(method):
    single = next(info["single_node"] for info in eigenmesh.methods() if info["name"] == method)
    run = eigenmesh.simulate(method=method, nodes=1 if single else 6, n_components=2, features=10, samples=600,
                             max_iter=400)
    assert run.method == method
    assert len(run.history["error"]) == run.iterations + 1
    assert run.history["error"][-1] < 3e-2 < 0.2 < run.history["error"][0]
    np.testing.assert_allclose(run.explained_variance, run.exact_variance, rtol=0.05)
    assert (run.network.bytes > 0) == (not single)


TOPOLOGIES = "er:0.5 cycle star path complete grid:2x4 torus:2x4 regular:3 smallworld:4:0.2 scalefree:2".split()


@pytest.mark.parametrize("topology", TOPOLOGIES + [[(n, n + 1) for n in range(7)]])
def test_every_topology(topology):
    run = eigenmesh.simulate(method="krylov", topology=topology, nodes=8, n_components=3)
    assert run.converged and run.error < 1e-12
    assert run.graph.edges.max() == 7


def test_own_data_and_options():
    parts = [spectrum(50, 6, seed) for seed in range(4)]
    how = {"method": "sdot", "nodes": 4, "n_components": 2, "consensus_rounds": 20, "max_iter": 100}
    split = eigenmesh.simulate(parts, **how)
    whole = eigenmesh.simulate(np.vstack(parts), **how)
    np.testing.assert_array_equal(split.history["error"], whole.history["error"])
    with pytest.raises(eigenmesh.InvalidArgument, match="volume: no such option"):
        eigenmesh.simulate(volume=11)
    with pytest.raises(eigenmesh.InvalidArgument, match="consensus-rounds: not used"):
        eigenmesh.simulate(method="dsa", consensus_rounds=3)


def test_runs_repeat():
    first, again, other = (eigenmesh.simulate(max_iter=50, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.history["error"], again.history["error"])
    assert not np.array_equal(first.history["error"], other.history["error"])


def test_graph_measures():
    star = eigenmesh.Graph("star", nodes=6)
    measures = star.measure()
    assert (measures.nodes, measures.edges, measures.degree_max, measures.diameter) == (6, 5, 5, 2)
    W = star.weights
    np.testing.assert_allclose(W.sum(axis=0), 1)
    np.testing.assert_allclose(measures.beta, np.sort(np.abs(np.linalg.eigvalsh(W)))[-2])
    np.testing.assert_array_equal(star.edges, [(0, n) for n in range(1, 6)])
    with pytest.raises(eigenmesh.InvalidArgument, match="edges of shape"):
        eigenmesh.Graph([1, 2, 3], nodes=3)


# ---- pictures ---------------------------------------------------------------------------------------

@pytest.fixture
def plot():
    pytest.importorskip("matplotlib")
    return eigenmesh.plot


def test_convergence(plot, tmp_path):
    runs = [eigenmesh.simulate(method=name, max_iter=60) for name in ("dsa", "deepca")]
    ax = plot.convergence(*runs)
    assert [line.get_label() for line in ax.lines] == ["dsa", "deepca"]
    assert ax.get_yscale() == "log" and ax.get_ylabel() == "error"
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), runs[0].history["error"])
    ax.figure.savefig(tmp_path / "convergence.png")
    assert plot.convergence(*runs, x="bytes", y="consensus", labels=["a", "b"]).get_xlabel() == "bytes sent"
    with pytest.raises(eigenmesh.InvalidArgument, match="no column"):
        plot.convergence(*runs, x="luck")
    with pytest.raises(eigenmesh.InvalidArgument, match="nothing to draw"):
        plot.convergence()


def test_convergence_of_an_estimator(plot):
    pca = eigenmesh.PCA(2, nodes=5, method="deepca").fit(spectrum(200, 8))
    ax = plot.convergence(pca)
    assert ax.get_ylabel() == "residual" and len(ax.lines[0].get_xdata()) > 3


def test_network(plot, tmp_path):
    ax = plot.network(eigenmesh.simulate(topology="torus:3x4", nodes=12, max_iter=5))
    assert len(ax.lines) == 24
    ax.figure.savefig(tmp_path / "network.svg")
    assert len(plot.network(eigenmesh.Graph("star", nodes=50)).texts) == 0


def test_scree(plot):
    import matplotlib.pyplot as plt

    pca = eigenmesh.PCA(4).fit(spectrum(100, 6))
    _, ax = plt.subplots()
    assert plot.scree(pca, ax=ax) is ax
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], pca.explained_variance_ratio_)
    beside = next(other for other in ax.figure.axes if other is not ax)
    np.testing.assert_allclose(beside.lines[0].get_ydata(), np.cumsum(pca.explained_variance_ratio_))


def test_scores(plot, tmp_path):
    X = spectrum(90, 6)
    pca = eigenmesh.PCA(3).fit(X)
    species = np.repeat(["setosa", "virginica", "versicolor"], 30)
    ax = plot.scores(pca, X, species)
    assert ax.get_xlabel().startswith("component 1 (") and ax.get_ylabel().startswith("component 2 (")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["setosa", "versicolor", "virginica"]
    np.testing.assert_allclose(ax.collections[2].get_offsets(), pca.transform(X)[30:60, :2])
    ax.figure.savefig(tmp_path / "scores.png")
    assert plot.scores(pca, X).get_legend() is None
    assert len(plot.scores(pca, X, np.arange(90.0)).figure.axes) == 2  # the second is the scale
    with pytest.raises(eigenmesh.InvalidArgument, match="90 different labels"):
        plot.scores(pca, X, [f"row {n}" for n in range(90)])
    with pytest.raises(eigenmesh.InvalidArgument, match="for 90 rows"):
        plot.scores(pca, X, species[:5])


def test_scores_of_one_component(plot):
    X = spectrum(90, 6)
    pca = eigenmesh.PCA(1).fit(X)
    assert sum(bar.get_height() for bar in plot.scores(pca, X).patches) == 90
    assert len(plot.scores(pca, X, np.arange(90) % 3).collections) == 3
    assert len(plot.scores(pca, X, np.arange(90)).collections[0].get_offsets()) == 90
