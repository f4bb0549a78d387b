"""A program in a locale with a decimal comma: numbers in text still have points."""
import locale
import subprocess

import numpy as np
import pytest
from data import spectrum

import eigenmesh

X = spectrum(120, 8)


@pytest.fixture
def comma(tmp_path, monkeypatch):
    """The process in such a locale, made here where the machine has none."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    except locale.Error:
        try:
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], check=True,
                           capture_output=True)
            monkeypatch.setenv("LOCPATH", str(tmp_path))
            locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        except (OSError, subprocess.CalledProcessError, locale.Error):
            pytest.skip("no locale with a decimal comma; try scripts/setup test")
    assert locale.localeconv()["decimal_point"] == ","
    yield
    locale.setlocale(locale.LC_ALL, before)


def fitted():
    return eigenmesh.PCA(3, nodes=6, topology="er:0.5", method="dsa", step=0.05, tol=2.5e-4).fit(X)


def test_a_fit_is_the_same(request):
    plain = fitted()
    request.getfixturevalue("comma")
    here = fitted()
    assert np.array_equal(here.components_, plain.components_)
    assert here.n_iter_ == plain.n_iter_


def test_the_method_that_is_chosen(comma):
    model = eigenmesh.PCA(3, nodes=6, topology="er:0.5").fit(X)
    assert model.components_.shape == (3, 8)
