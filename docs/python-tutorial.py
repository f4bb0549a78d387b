# %% [markdown]
# # eigenmesh from Python
#
# Principal components of data that stays where it is. This tutorial runs as it stands, and in any editor that
# knows `# %%` cells. It needs scikit-learn, for the data, and matplotlib, for the pictures.

# %%
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import eigenmesh

place = Path(tempfile.mkdtemp())  # for what is written below

# %% [markdown]
# ## The estimator that you know
#
# `eigenmesh.PCA` has scikit-learn's parameters, methods and attributes where it has the same things, and its numbers.

# %%
digits = load_digits().data
pca = eigenmesh.PCA(n_components=10).fit(digits)
reference = SklearnPCA(n_components=10, svd_solver="full").fit(digits)

print(pca)
print("variances agree to", np.abs(pca.explained_variance_ / reference.explained_variance_ - 1).max())
assert np.allclose(pca.explained_variance_, reference.explained_variance_, rtol=1e-10)

# %% [markdown]
# Signs are a matter of convention: here a component's entry of largest magnitude is positive, whatever the scores are.
# After turning them to the same side, the components are the same.

# %%
signs = np.sign(np.sum(pca.components_ * reference.components_, axis=1))
assert np.allclose(pca.components_ * signs[:, None], reference.components_, atol=1e-8)

# %% [markdown]
# `n_components` may be a fraction of the variance, or `"mle"` for Minka's estimate; features in different units want
# `scale="std"`. In a pipeline:

# %%
cancer = load_breast_cancer()
model = make_pipeline(eigenmesh.PCA(0.95, scale="std"), LogisticRegression(max_iter=1000))
search = GridSearchCV(model, {"pca__n_components": [2, 0.8, 0.95]}, cv=3).fit(cancer.data, cancer.target)
print("best:", search.best_params_, f"accuracy {search.best_score_:.3f}")
assert search.best_score_ > 0.9

# %% [markdown]
# ## Data at several places
#
# Ten nodes on a random network hold a tenth of the rows each and talk to their neighbours only. Every one of them ends
# with the components of *all* rows; `network_` says what that took.

# %%
mesh = eigenmesh.PCA(n_components=10, nodes=10, topology="er:0.5").fit(digits)
assert np.allclose(mesh.components_, pca.components_, atol=1e-8)
print(f"{mesh.method_} ({mesh.choice_})")
print(f"sent {mesh.network_.bytes} bytes in {mesh.network_.rounds} rounds, {mesh.network_.units:.1f} units")

# %% [markdown]
# Where the parts are arrays of their own, a list of them is one node each; they need not be alike, or of one size.

# %%
parts = [digits[:100], digits[100:1000], digits[1000:]]
assert np.allclose(eigenmesh.PCA(10).fit(parts).components_, pca.components_, atol=1e-8)

# %% [markdown]
# On a cluster, every process calls `fit` with the rows that it holds:
#
#     from mpi4py import MPI
#     eigenmesh.PCA(10).fit(my_rows, comm=MPI.COMM_WORLD)      # mpirun -n 4 python3 ...
#
# ## Watching algorithms
#
# `simulate` runs any method over any network, on synthetic data unless it is given some, and keeps what happened: here
# Distributed Sanger's Algorithm, which converges to a neighbourhood of the answer, and DeEPCA, which converges to it.

# %%
ring = {"topology": "cycle", "nodes": 8, "n_components": 3, "max_iter": 300}
runs = [eigenmesh.simulate(method=name, **ring) for name in ("dsa", "deepca")]
for run in runs:
    units = run.history["units"][-1]
    print(f"{run.method}: error {run.error:.1e} after {run.iterations} iterations, {units:.0f} units")
assert runs[1].error < 1e-10 < runs[0].error

eigenmesh.plot.convergence(*runs).figure.savefig(place / "convergence.png")
eigenmesh.plot.network(runs[0]).figure.savefig(place / "network.png")
eigenmesh.plot.scree(pca).figure.savefig(place / "scree.png")
eigenmesh.plot.scores(pca, digits, load_digits().target).figure.savefig(place / "scores.png")

# %% [markdown]
# A callback sees every iteration, and ends the fit by returning true. Ctrl-C ends it too.

# %%
seen = []


def enough(progress):
    seen.append(progress.change)
    return progress.iteration == 50


short = eigenmesh.PCA(3, method="dsa", nodes=10, callback=enough).fit(digits)
assert len(seen) == 50 and not short.converged_

# %% [markdown]
# When rows have been added, the last answer is a good place to start from.

# %%
before = eigenmesh.PCA(3, method="oi").fit(digits[:1700])
cold = eigenmesh.PCA(3, method="oi").fit(digits)
warm = eigenmesh.PCA(3, method="oi").fit(digits, init=before)
print(f"{warm.n_iter_} iterations instead of {cold.n_iter_}")
assert warm.n_iter_ < cold.n_iter_

# %% [markdown]
# Rows need not be kept at all. `partial_fit` adds a batch to their moments, and the model of all rows that were seen,
# which is that of a fit of all of them, is made when it is asked for.

# %%
stream = eigenmesh.PCA(10)
for batch in np.array_split(digits, 20):
    stream.partial_fit(batch)
print(f"of {stream.n_samples_seen_} rows, to", np.abs(stream.components_ - pca.components_).max())
assert np.allclose(stream.components_, pca.components_, atol=1e-9)

# %% [markdown]
# ## Files
#
# A model is the `.npz` that the command line writes and reads: `eigenmesh transform model.npz new.csv -o scores.npy`.

# %%
pca.save(place / "model.npz")
again = eigenmesh.load(place / "model.npz")
assert np.array_equal(again.transform(digits), pca.transform(digits))
print("kept in the file:", ", ".join(np.load(place / "model.npz").files[:6]), "...")
