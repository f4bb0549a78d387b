"""The page of a fit, and what a notebook shows of it."""
import html
import os
import pickle
import re
import shutil
import subprocess

import numpy as np
import pytest
import sklearn

import eigenmesh
from eigenmesh import PCA

RNG = np.random.default_rng(4)
X = RNG.standard_normal((300, 6)) * np.array([5, 3, 2, 1, 0.5, 0.1])
NAMES = ["<script>alert(1)</script>", "名前", "الطول", "a&b", "e", "f"]


def words(path):
    text = re.sub(r"<style>.*?</style>", " ", path.read_text(encoding="utf-8"), flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text))).replace("\u202f", " ")


def table(path, name):
    body = re.search(rf'id="{name}".*?<tbody>(.*?)</tbody>', path.read_text(encoding="utf-8"), re.S)[1]
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall("<tr>(.*?)</tr>", body, re.S)]


def test_numbers_are_those_of_the_estimator(tmp_path):
    pca = PCA(4, nodes=5, topology="cycle", method="deepca").fit(X)
    pca.report(tmp_path / "page.html")
    rows = table(tmp_path / "page.html", "components")
    assert [row[1] for row in rows] == [f"{value:.6g}" for value in pca.explained_variance_]
    assert [row[2] for row in rows] == [f"{100 * value:.2f}%" for value in pca.explained_variance_ratio_]
    assert [row[3] for row in rows] == [f"{100 * value:.2f}%" for value in np.cumsum(pca.explained_variance_ratio_)]
    assert [row[4] for row in rows] == [f"{value:.1e}" for value in pca.residuals_]
    said = words(tmp_path / "page.html")
    assert "PCA(method='deepca', n_components=4, nodes=5, topology='cycle').fit(X)" in said
    assert "5 nodes, 5 links" in said and "Rows are not on this page" in said
    assert "mean residual" in said  # the curve of the trace


def test_rows_and_labels(tmp_path):
    page = tmp_path / "page.html"
    kinds = ["one", "<b>two</b>", None] * 100
    pca = PCA(3).fit(X)
    pca.report(page, X, labels=kinds)
    said = words(page)
    assert "This page shows single rows of the data. They are drawn as points, with their labels" in said
    assert "These are 300 rows." in said and "no label 100" in said and "<b>two</b> 100" in said
    assert "<b>two" not in page.read_text()
    assert page.read_text().count("h.01") == 2 * 300 + 3
    pca.report(page, [X[:100], X[100:]], labels=np.arange(300) / 3)
    assert "0 to 12.5" in words(page)
    pca.report(page, X[:50])
    assert "They are those of this process" in words(page)


def test_names_of_features(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=NAMES)
    labels = pandas.Series(["u", "v"] * 150, name="group <i>")
    PCA(2).fit(frame).report(tmp_path / "page.html", frame, labels)
    said = words(tmp_path / "page.html")
    assert all(name in said for name in NAMES) and "group <i> u 150" in said
    assert "<script" not in (tmp_path / "page.html").read_text()


def test_features_without_names_are_counted_as_python_counts(tmp_path):
    pca = PCA(1).fit(X)
    pca.report(tmp_path / "page.html")
    shown = dict(re.findall(r"feature (\d+) *([-+][\d.]+)", words(tmp_path / "page.html")))
    assert shown == {str(n): f"{weight:+.3f}" for n, weight in enumerate(pca.components_[0])}
    assert "they are counted from 0" in words(tmp_path / "page.html")


def test_what_is_refused(tmp_path):
    page = tmp_path / "page.html"
    with pytest.raises(Exception, match="not fitted"):
        PCA(2).report(page)
    pca = PCA(2).fit(X)
    with pytest.raises(eigenmesh.InvalidArgument, match="no rows that have them"):
        pca.report(page, labels=["a"])
    with pytest.raises(eigenmesh.InvalidArgument, match="for 300 rows"):
        pca.report(page, X, labels=["a"])
    with pytest.raises(ValueError):
        pca.report(page, X[:, :3])
    with pytest.raises(eigenmesh.InvalidArgument, match="about components"):
        PCA(0).fit(X).report(page)
    assert not page.exists()
    with pytest.raises(eigenmesh.EigenmeshError):
        pca.report(tmp_path / "nowhere" / "page.html")


def test_parameters_are_those_of_the_fit(tmp_path):
    pca = PCA(2, nodes=4, topology=[(0, 1), (1, 2), (2, 3)]).fit(X)
    pca.set_params(nodes=9, topology="cycle")
    pca.report(tmp_path / "page.html")
    assert "nodes=4" in words(tmp_path / "page.html") and "4 nodes, 3 links" in words(tmp_path / "page.html")


def again(path, **known):
    """The estimator of the command on the page, fitted by it."""
    shown = re.search(r'<pre id="command"><code>(.*?)</code>', path.read_text(encoding="utf-8"), re.S)[1]
    command = html.unescape(re.sub("</?span>", "", shown))
    first, second = command.split("; ", 1)
    assert first == "from eigenmesh import PCA"
    return second, eval(second, {"PCA": PCA, "X": X, **known})


@pytest.mark.parametrize("source", [np.random.RandomState(3), np.random.default_rng(3), np.int64(3), 3, None])
def test_the_command_has_the_seed_that_was_used(source, tmp_path):
    pca = PCA(2, nodes=5, method="deepca", random_state=source).fit(X)
    pca.report(tmp_path / "page.html")
    command, other = again(tmp_path / "page.html")
    assert f"random_state={pca._fitted_with['seed']}" in command or source is None and "random_state" not in command
    assert (other.components_ == pca.components_).all() and other.network_.bytes == pca.network_.bytes


@pytest.mark.parametrize("nodes", [12, 30, 40])
def test_the_command_has_weights_and_edges(nodes, tmp_path):
    edges = [(n, n + 1) for n in range(nodes - 1)]
    weights = eigenmesh.Graph(edges, nodes).weights
    pca = PCA(2, nodes=nodes, topology=np.array(edges), weights=weights, method="deepca", max_iter=30, tol=1e-3).fit(X)
    pca.report(tmp_path / "page.html")
    command, other = again(tmp_path / "page.html", weights=weights)
    assert (other.components_ == pca.components_).all()
    assert "..." not in command and np.array_equal(other.topology, edges) and np.array_equal(other.weights, weights)
    assert command.endswith(".fit(X)  # weights: a 40 x 40 array, as passed") == (nodes == 40)


def test_the_command_names_what_cannot_be_written(tmp_path):
    seen = []
    PCA(np.int64(2), callback=seen.append, verbose=np.bool_(False)).fit(X).report(tmp_path / "page.html")
    command, other = again(tmp_path / "page.html", callback=seen.append)
    assert command == "PCA(callback=callback, n_components=2, verbose=False).fit(X)  # callback: a builtin_function_or_method, as passed"
    PCA(2, tol=0.1 + 0.2, step="auto", scale="std").fit(X).report(tmp_path / "page.html")
    assert again(tmp_path / "page.html")[0] == "PCA(n_components=2, scale='std', tol=0.30000000000000004).fit(X)"


def test_missing_labels_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    pca = PCA(2).fit(X)
    pca.report(tmp_path / "page.html", X, pandas.Series([1, 2, pandas.NA] * 100, dtype="Int64"))
    assert "300 rows" in words(tmp_path / "page.html") and "no label 100" in words(tmp_path / "page.html")
    pca.report(tmp_path / "page.html", X, ["a", pandas.NA, pandas.NaT] * 100)
    assert "no label 200" in words(tmp_path / "page.html")


def test_copies_have_pages(tmp_path):
    pca = PCA(2, nodes=3).fit([X[:50], X[50:120], X[120:]])
    pca.report(tmp_path / "page.html")
    assert [row[1] for row in table(tmp_path / "page.html", "nodes")] == ["50", "70", "180"]
    pickle.loads(pickle.dumps(pca)).report(tmp_path / "copy.html")
    assert table(tmp_path / "copy.html", "components") == table(tmp_path / "page.html", "components")
    pca.save(tmp_path / "model.npz")
    eigenmesh.load(tmp_path / "model.npz").report(tmp_path / "loaded.html")
    assert "Who was linked with whom, a model does not keep" in words(tmp_path / "loaded.html")


def test_iterations_on_one_node(tmp_path):
    pca = PCA(3, method="oi").fit(X)
    pca.report(tmp_path / "page.html")
    assert pca.n_iter_ > 5 and "What decides when to stop after each iteration" in words(tmp_path / "page.html")


def test_sparse_and_missing(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    S = sparse.random(200, 40, density=0.1, random_state=1, format="csr")
    PCA(2).fit(S).report(tmp_path / "page.html", S)
    assert "These are 200 rows." in words(tmp_path / "page.html")


@pytest.mark.parametrize("display", ["diagram", "text"])
def test_notebooks_show_scikit_learns_diagram_and_the_answer(display):
    pca = PCA(2)
    with sklearn.config_context(display=display):
        before = pca._repr_mimebundle_()
        pca.fit(X)
        bundle = pca._repr_mimebundle_()
        assert ("text/html" in before) == ("text/html" in bundle) == hasattr(pca, "_repr_html_") == (display == "diagram")
        assert bundle["text/plain"] == repr(pca)
        if display == "text":
            return
        assert "em-part" not in before["text/html"]
        for shown in (bundle["text/html"], pca._repr_html_()):
            assert shown.index("sk-") < shown.index('<div class="em em-part">')
            assert "Converged." in shown and "<html" not in shown
        assert len(bundle["text/html"]) < 60_000


def test_a_notebook_says_what_rounding_forbids():
    shown = PCA(3, method="krylov").fit(X * np.array([1e8, 1, 1, 1, 1, 1]))._repr_html_()
    assert "as accurate as numbers in a computer allow; 2 of them are less accurate than was asked for." in shown
    assert "as accurate as was asked for" not in shown


def test_a_pipeline_is_shown_as_scikit_learn_shows_it():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), PCA(2)).fit(X)
    assert "em-part" not in pipeline._repr_html_()


def test_the_same_page_as_the_programs(program, tmp_path):
    np.save(tmp_path / "data.npy", X)
    subprocess.run([program, "fit", "data.npy", "-k", "3", "-m", "covariance", "--tolerance", "1e-10", "--report", "page.html", "-q"],
                   cwd=tmp_path, check=True)
    PCA(3, method="covariance").fit(X).report(tmp_path / "ours.html")
    ours, theirs = (table(tmp_path / name, "components") for name in ("ours.html", "page.html"))
    assert [row[:4] for row in ours] == [row[:4] for row in theirs]


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_a_notebook_cell_in_a_browser(tmp_path):
    """Two of them on one page, which keeps its own looks."""
    pca = PCA(2).fit(X)
    (tmp_path / "cell.html").write_text("<!DOCTYPE html><meta charset=utf-8><title>t</title><h2 id=mine>mine</h2><table><tr><td>x</table>"
                                        + pca._repr_html_() * 2 + "<script>const of = s => getComputedStyle(document.querySelector(s));"
                                        "document.title = [of('#mine').borderBottomWidth, of('table td').borderBottomWidth,"
                                        "document.querySelectorAll('.em-part figure svg').length].join(' ')</script>")
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer's library hangs the browser
    seen = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                           "--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path}/profile", "--enable-logging=stderr",
                           "--dump-dom", f"file://{tmp_path}/cell.html"], capture_output=True, text=True, timeout=100,
                          env={**clean, "HOME": str(tmp_path)})
    assert "<title>0px 0px 2</title>" in seen.stdout, re.findall("<title>.*", seen.stdout)
    assert "CONSOLE" not in seen.stderr
