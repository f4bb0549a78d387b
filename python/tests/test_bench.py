"""bench/pca on shapes that are 25 times smaller, and what bench/readme-table makes of it: everything but the times."""
import csv
import subprocess
import sys
import time
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
BEGIN, END = "<!-- speed: begin; bench/readme-table writes what follows -->\n", "<!-- speed: end -->\n"
WHAT = ("part", "data", "rows", "features", "dtype", "components")


def of(rows, kind):
    return [row for row in rows if row["kind"] == kind]


def bench(*options):
    return subprocess.run([sys.executable, BENCH / "pca", "--rounds", "1", *options], capture_output=True, text=True)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The CSV of a whole run."""
    path = tmp_path_factory.mktemp("bench") / "speed.csv"
    run = bench("--shrink", "25", "--more", "--csv", str(path))
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return path


@pytest.fixture(scope="module")
def rows(table):
    with open(table, newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def fits(rows):
    """For each line of the table: its ratio, its fits by name, its fraction of the limit."""

    def line(ratio):
        what = tuple(ratio[name] for name in WHAT)
        same = [row for row in rows if tuple(row[name] for name in WHAT) == what]
        (limit,) = of(same, "limit")
        return what, (ratio, {row["name"]: row for row in of(same, "fit")}, limit)

    return dict(line(ratio) for ratio in of(rows, "ratio"))


@pytest.fixture
def modules(monkeypatch):
    """The modules of bench/pca, by name."""
    monkeypatch.syspath_prepend(BENCH / "pca")
    return lambda name: __import__(name)


def test_every_shape_and_goal_of_the_main_table(fits):
    lines = [(what[2:6], float(ratio["goal"])) for what, (ratio, _, _) in fits.items() if what[0] == "main"]
    assert lines == [
        (("2400", "31", "float64", "10"), 2), (("2400", "31", "float32", "10"), 1.75),
        (("2400", "31", "float32", "15"), 1.1), (("8000", "8", "float32", "4"), 1.2),
        (("800", "120", "float32", "10"), 2.5), (("80", "80", "float64", "80"), 1),
        (("20", "800", "float32", "10"), 2), (("4", "800", "float64", "2"), 4), (("1797", "64", "float64", "10"), 1)]


def test_more_numbers_of_components_on_request(fits):
    more = [(what, ratio) for what, (ratio, _, _) in fits.items() if what[0] == "more"]
    assert {what[5] for what, _ in more if what[3] == "120"} == {"2", "50", "60"}
    assert {what[5] for what, _ in more if what[3] == "64"} == {"2", "32", "50"}
    assert {ratio["goal"] for _, ratio in more} == {"0.8"}


def test_ratios_are_those_of_the_fastest_peer_that_counts(fits):
    for ratio, by_name, _ in fits.values():
        times = {name: float(row["value"]) for name, row in by_name.items()}
        ours = times.pop("eigenmesh")
        times.pop("gram+eigh", None)
        assert ratio["name"] == min(times, key=times.get)
        assert float(ratio["value"]) == pytest.approx(times[ratio["name"]] / ours)


def test_who_takes_part(fits):
    for (_, data, rows, features, _, components), (_, by_name, _) in fits.items():
        peers = set(by_name) - {"eigenmesh", "covariance_eigh"}
        wanted = {"full", "randomized"} | ({"arpack"} if int(components) < min(int(rows), int(features)) else set())
        if data != "digits":
            wanted |= {"cov+eigh", "cov+eigh all"} | ({"gram+eigh"} if int(rows) < int(features) else set())
        assert peers == wanted


def test_accuracy_of_every_answer(fits):
    worst = {}
    for what, (_, by_name, _) in fits.items():
        for name, row in by_name.items():
            worst.setdefault((name, what[4]), []).append(float(row["residual"]))
            assert name != "eigenmesh" or row["note"] == ""  # it converged
    assert max(worst["eigenmesh", "float64"]) < 1e-7
    assert max(worst["eigenmesh", "float32"]) < 1e-5
    assert max(worst["full", "float64"]) < 1e-5
    assert max(worst["randomized", "float64"]) > 1e-4  # an approximation, and the measure sees it


def test_limits(rows, fits):
    assert [row["name"] for row in of(rows, "machine")] == ["sgemm", "dgemm", "read", "copy"]
    assert all(float(row["value"]) > 0 for row in of(rows, "machine"))
    for _, _, limit in fits.values():
        assert float(limit["value"]) > 0
        assert limit["name"].split(", ")[0] in ("lanczos", "covariance", "gram")
        assert limit["name"].split(", ")[1] in ("flops", "bytes")


def test_geometric_mean(rows):
    ratios = [float(row["value"]) for row in of(rows, "ratio") if row["part"] == "main"]
    (mean,) = of(rows, "mean")
    assert float(mean["value"]) == pytest.approx(exp(sum(map(log, ratios)) / len(ratios)))
    assert float(mean["goal"]) == 2


def test_beside_the_fits(rows):
    assert [(row["name"], row["features"], row["goal"]) for row in of(rows, "threads")] == [
        ("krylov", "31", "1.8"), ("covariance", "31", "1.8"), ("krylov", "120", "1.8"), ("covariance", "120", "1.8")]
    assert [(row["name"], row["goal"]) for row in of(rows, "transform")] == [("eigenmesh", "0.8"), ("scikit-learn", "")]
    (binding,) = of(rows, "binding")
    assert float(binding["value"]) > 0
    assert {"cpu", "BLAS", "threads", "NumPy", "SciPy", "scikit-learn"} <= {row["name"] for row in of(rows, "version")}


def test_residual_measures_what_is_off(modules):
    """Two components in the plane of the second and third eigenvector, turned by 1e-3: |l2 - l3| sin cos / l."""
    accuracy, contenders = modules("accuracy"), modules("contenders")
    X = np.random.default_rng(1).standard_normal((300, 5)) * [5, 3, 2, 1, 0.5] + 7
    values, vectors = np.linalg.eigh(np.cov(X.T))
    values, vectors = values[::-1], vectors.T[::-1].copy()
    for rows in (X, X.astype(np.float32)):
        assert accuracy.worst_residual(accuracy.Covariance(rows), contenders.Answer(values, vectors)) < 1e-5
    turned = vectors[:2].copy()
    turned[1] = np.cos(1e-3) * vectors[1] + np.sin(1e-3) * vectors[2]
    expected = 1e-3 * (values[1] - values[2]) / values[1]
    measured = accuracy.worst_residual(accuracy.Covariance(X), contenders.Answer(values[:2], turned))
    assert measured == pytest.approx(expected, rel=0.01)


def test_few_rows_are_measured_as_many_are(modules):
    accuracy, contenders = modules("accuracy"), modules("contenders")
    X = modules("problems").synthetic(20, 90)
    exact = contenders.gram(X, 5)
    wrong = contenders.Answer(exact.variances * 1.01, exact.components)
    assert accuracy.worst_residual(accuracy.Covariance(X), exact) < 1e-12
    assert accuracy.worst_residual(accuracy.Covariance(X), wrong) == pytest.approx(0.01, rel=1e-3)


def test_a_run_that_takes_too_long_has_no_time(modules):
    race = modules("race")

    def endless():
        while True:
            time.sleep(0.01)

    results = race.race({"quick": lambda: 7, "endless": lambda: race.within(0.1, endless)}, 2)
    assert results["quick"].answer == 7
    assert results["endless"].answer is None
    assert results["endless"].note == "over 0.1 s"


def test_peers_that_would_take_too_long_are_left_out(tmp_path):
    run = bench("--only", "digits", "--patience", "1e-6", "--csv", str(tmp_path / "some.csv"))
    assert run.returncode == 0, run.stderr
    assert "no peer within 1e-06 s" in run.stdout
    with open(tmp_path / "some.csv", newline="") as file:
        some = list(csv.DictReader(file))
    notes = {row["name"]: row["note"] for row in of(some, "fit")}
    assert notes["full"] == "would take over 1e-06 s"
    assert notes["arpack"] == "over 1e-06 s"
    assert not of(some, "ratio") and not of(some, "mean")


@pytest.mark.parametrize("options", [["--only", "nothing"], ["--rounds", "0"], ["--csv", "/nowhere/at/all.csv"]])
def test_bad_options_are_refused(options):
    run = bench(*options)
    assert run.returncode == 2
    assert "; try " in run.stderr.splitlines()[-1]


# ---- README ------------------------------------------------------------------------------------------


def into(readme, table):
    return subprocess.run([sys.executable, BENCH / "readme-table", table, readme], capture_output=True, text=True)


def test_the_table_replaces_what_is_between_the_marks(tmp_path, table, rows):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n\n{BEGIN}old numbers\n{END}\nafter\n")
    assert into(readme, table).returncode == 0
    text = readme.read_text()
    assert text.startswith(f"before\n\n{BEGIN}") and text.endswith(f"{END}\nafter\n")
    assert "old numbers" not in text
    lines = [line.split(" | ") for line in text.splitlines() if line.startswith("| ") and " x " in line]
    main = [row for row in of(rows, "ratio") if row["part"] == "main"]
    assert [line[4] for line in lines if len(line) == 8] == [f"{float(row['value']):.2f}" for row in main]
    assert len([line for line in lines if len(line) == 3]) == 7  # threads, transform, binding
    assert into(readme, table).returncode == 0
    assert readme.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_readme_has_its_place_for_the_table(tmp_path, table):
    readme = tmp_path / "README.md"
    readme.write_text((BENCH.parent / "README.md").read_text())
    assert into(readme, table).returncode == 0


@pytest.mark.parametrize("text", ["no marks\n", f"{END}{BEGIN}"])
def test_without_marks_nothing_is_written(tmp_path, table, text):
    readme = tmp_path / "README.md"
    readme.write_text(text)
    refused = into(readme, table)
    assert refused.returncode == 2 and "no place for the table; try" in refused.stderr
    assert readme.read_text() == text


def test_part_of_a_run_is_no_table(tmp_path, table):
    readme, part = tmp_path / "README.md", tmp_path / "part.csv"
    readme.write_text(f"{BEGIN}{END}")
    part.write_text("".join(line for line in table.read_text().splitlines(True) if not line.startswith("mean")))
    refused = into(readme, part)
    assert refused.returncode == 2 and "try make bench" in refused.stderr
    assert readme.read_text() == f"{BEGIN}{END}"


def test_rows_in_batches_beside_incremental_pca():
    """bench/streaming.py on few rows: ours are exact in both types, and theirs are not."""
    run = subprocess.run([sys.executable, BENCH / "streaming.py", "--rows", "2000", "--batch", "250", "--rounds", "1",
                          "-k", "4", "--single-rows", "200", "--markdown"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in run.stdout.splitlines() if "e-" in line]
    found = [(name, float(subspace), float(component)) for _, name, _, _, subspace, component in lines]
    assert [name for name, _, _ in found] == 2 * ["eigenmesh", "eigenmesh, with a model a batch", "IncrementalPCA"]
    for place, (name, subspace, component) in enumerate(found):
        bound = 1e-9 if place < 3 else 1e-5
        assert component > 1e-3 if name == "IncrementalPCA" else subspace < bound and component < bound
    assert "200 batches of one row of 10 features: " in run.stdout
