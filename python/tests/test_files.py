"""The model file is the command line's."""
import subprocess
from pathlib import Path

import numpy as np
import pytest
from data import spectrum

import eigenmesh

X = spectrum(120, 9)


def test_what_python_saves_the_program_reads(program, tmp_path):
    pca = eigenmesh.PCA(3, nodes=4, scale="std").fit(X)
    pca.save(tmp_path / "model.npz")
    np.save(tmp_path / "rows.npy", X)
    subprocess.run([program, "transform", "model.npz", "rows.npy", "-o", "scores.npy"], cwd=tmp_path, check=True)
    np.testing.assert_allclose(np.load(tmp_path / "scores.npy"), pca.transform(X), atol=1e-12)


def test_what_the_program_writes_python_loads(program, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    options = "-k 3 -n 5 -t star -m krylov --tolerance 1e-12 --seed 7 -o model.npz --quiet".split()
    subprocess.run([program, "fit", "rows.npy", *options], cwd=tmp_path, check=True)
    loaded = eigenmesh.load(tmp_path / "model.npz")
    fitted = eigenmesh.PCA(3, nodes=5, topology="star", method="krylov", random_state=7).fit(X)
    for name in ("components_", "mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(fitted, name))
    assert loaded.network_ == fitted.network_ and loaded.converged_ and loaded.n_iter_ == fitted.n_iter_
    assert (loaded.n_samples_, loaded.n_features_in_, loaded.method_) == (120, 9, "krylov")
    np.testing.assert_array_equal(loaded.transform(X), fitted.transform(X))


def test_both_write_the_same_entries(program, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    subprocess.run([program, "fit", "rows.npy", "-k", "2", "-o", "cli.npz", "-q"], cwd=tmp_path, check=True)
    eigenmesh.PCA(2).fit(X).save(tmp_path / "python.npz")
    with np.load(tmp_path / "cli.npz") as cli, np.load(tmp_path / "python.npz") as python:
        assert sorted(cli.files) == sorted(python.files)
        for name in ("components", "mean", "scale", "explained_variance", "n_samples", "method", "version"):
            np.testing.assert_array_equal(cli[name], python[name])


@pytest.mark.parametrize("scale", [None, "std", "spectral"])
def test_round_trip(scale, tmp_path):
    pca = eigenmesh.PCA(4, scale=scale).fit(X)
    pca.save(str(tmp_path / "model.npz"))
    loaded = eigenmesh.load(tmp_path / "model.npz")
    assert loaded.scale == scale and loaded.noise_variance_ == pca.noise_variance_
    np.testing.assert_array_equal(loaded.transform(X), pca.transform(X))
    np.testing.assert_array_equal(loaded.get_covariance(), pca.get_covariance())
    np.testing.assert_allclose(loaded.fit(X).components_, pca.components_, atol=1e-10)


OLD = Path(__file__).parents[2] / "tests" / "fit" / "files"


@pytest.mark.parametrize("name", ["plain", "std", "rank", "python"])
def test_models_of_the_first_format(name):
    old = eigenmesh.load(OLD / "format-1" / f"{name}.npz")
    rows = np.loadtxt(OLD / "format-1" / f"{name}-rows.csv", delimiter=",")
    scores = np.loadtxt(OLD / "format-1" / f"{name}-scores.csv", delimiter=",")
    np.testing.assert_allclose(old.transform(rows), scores, atol=1e-13)
    assert old.converged_ and old.rank_ == (3 if name == "rank" else 2)


def test_models_of_a_later_format(tmp_path):
    with np.load(OLD / "names.npz") as model:
        entries = dict(model)
    np.savez(tmp_path / "later.npz", **{**entries, "format_version": np.int64(3)})
    with pytest.raises(eigenmesh.DataError, match="newer eigenmesh .format 3, this one reads up to 2."):
        eigenmesh.load(tmp_path / "later.npz")


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(eigenmesh.ReadError, match="none.npz"):
        eigenmesh.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("not a model")
    with pytest.raises(eigenmesh.DataError, match="text.npz"):
        eigenmesh.load(tmp_path / "text.npz")
    with pytest.raises(eigenmesh.EigenmeshError, match="nowhere/model.npz: cannot be written"):
        eigenmesh.PCA(1).fit(X).save(tmp_path / "nowhere" / "model.npz")


def test_names_of_features_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    names = ["a", "été", "name with, comma"]
    frame = pandas.DataFrame(np.random.default_rng(3).normal(size=(20, 3)), columns=names)
    fitted = eigenmesh.PCA(2).fit(frame)
    fitted.save(tmp_path / "named.npz")
    assert list(np.load(tmp_path / "named.npz")["feature_names"]) == names
    loaded = eigenmesh.load(tmp_path / "named.npz")
    assert list(loaded.feature_names_in_) == names
    np.testing.assert_array_equal(loaded.transform(frame), fitted.transform(frame))
    with pytest.raises(ValueError, match="feature names"):
        loaded.transform(frame[names[::-1]])
    eigenmesh.PCA(2).fit(frame.to_numpy()).save(tmp_path / "plain.npz")
    assert "feature_names" not in np.load(tmp_path / "plain.npz")
    assert not hasattr(eigenmesh.load(tmp_path / "plain.npz"), "feature_names_in_")
