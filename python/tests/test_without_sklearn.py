"""scikit-learn, matplotlib and mpi4py are optional."""
import subprocess
import sys

SCRIPT = """
import sys
for name in ("sklearn", "matplotlib", "mpi4py", "pandas"):
    sys.modules[name] = None  # an import of it fails
import copy, pickle, numpy as np, eigenmesh

X = np.random.default_rng(0).standard_normal((60, 5)) * [5, 4, 3, 2, 1]
pca = eigenmesh.PCA(n_components=2, nodes=3)
scores = pca.fit_transform(X)
assert scores.shape == (60, 2) and pca.converged_ and pca.n_features_in_ == 5
assert np.allclose(pca.transform(X), scores) and np.allclose(pca.inverse_transform(scores), X, atol=20)
single = eigenmesh.PCA(2).fit(X.astype(np.float32))
assert single.components_.dtype == single.transform(X.astype(np.float32)).dtype == np.float32
assert pca.components_.dtype == pca.transform(X.astype(np.float32)).dtype == np.float64
assert list(pca.get_feature_names_out()) == ["pca0", "pca1"]
assert pca.get_params()["nodes"] == 3 and repr(pca) == "PCA(n_components=2, nodes=3)"
assert eigenmesh.PCA().set_params(n_components=1).fit(X.tolist()).n_components_ == 1
assert np.allclose(pickle.loads(pickle.dumps(pca)).transform(X), scores)
assert issubclass(eigenmesh.ConvergenceWarning, UserWarning)
assert np.allclose(eigenmesh.PCA().fit(X).get_covariance(), np.cov(X.T))

assert eigenmesh.PCA("mle").fit(X).n_components_ == 4 and eigenmesh.PCA(0.5).fit(X).n_components_ == 2
none = eigenmesh.PCA(0).fit(X)
assert np.allclose(none.inverse_transform(none.transform(X)), X.mean(axis=0)) and np.isfinite(none.score(X))

stream = eigenmesh.PCA(2)
for part in np.split(X, [1, 20]):
    stream.partial_fit(part)
assert stream.n_samples_seen_ == 60 and np.allclose(stream.components_, eigenmesh.PCA(2).fit(X).components_)
again = pickle.loads(pickle.dumps(stream.partial_fit(X)))
assert copy.copy(again).n_samples_seen_ == 120 and np.allclose(again.transform(X), stream.transform(X))

class Frame:
    def __init__(self, names):
        self.columns = list(names)
    def __array__(self, dtype=None):
        return X

named = eigenmesh.PCA().fit(Frame("abcde"))
assert list(named.feature_names_in_) == list("abcde") and not hasattr(named.fit(X), "feature_names_in_")
named.fit(Frame("abcde")).transform(Frame("abcde"))

def refused(call, text):
    try:
        call()
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)

refused(lambda: eigenmesh.PCA().transform(X), "not fitted")
refused(lambda: stream.partial_fit(X[:, :3]), "expecting 5 features")
refused(lambda: eigenmesh.PCA().refresh(), "no rows were seen")
refused(lambda: eigenmesh.PCA().get_feature_names_out(), "not fitted")
refused(lambda: pca.transform(X[:, :3]), "expecting 5 features")
refused(lambda: pca.transform(X * np.nan), "NaN")
refused(lambda: named.transform(Frame("abced")), "feature names")
refused(lambda: eigenmesh.PCA("mle").fit(X[:4]), "n_samples >= n_features")
refused(lambda: eigenmesh.PCA().fit(X[0]), "shape")
refused(lambda: eigenmesh.PCA().fit(X * 1j), "Complex")
refused(lambda: eigenmesh.PCA().set_params(colour=1), "colour")
refused(lambda: eigenmesh.PCA().fit(X[:1]), "1 sample")
assert not [name for name in sys.modules if name.split(".")[0] == "sklearn" and sys.modules[name]]
print("fine")
"""


def test_without_what_is_optional():
    done = subprocess.run([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "fine\n"
