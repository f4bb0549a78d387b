"""What is fitted: the shapes that people have, the goal of each, and its rows."""
import gzip
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, NamedTuple, Tuple

import numpy as np

MEAN_GOAL = 2.0  #: of the geometric mean over the main table
MORE_GOAL = 0.8  #: for the other numbers of components


@dataclass(frozen=True)
class Problem:
    source: str  #: "MNIST", "digits" or "synthetic"
    rows: int
    features: int
    dtype: str
    goals: Dict[int, float]  #: components: the least time of the fastest peer / eigenmesh
    beside: Tuple[str, ...] = ()  #: what else is measured on it: "threads", "transform", "binding"

    def __str__(self):
        return f"{self.rows:,} x {self.features:,} {self.dtype}"

    def more_goals(self):
        """The components of the longer table."""
        smaller = min(self.rows, self.features)
        return {K: MORE_GOAL for K in sorted({2, 50, smaller // 2}) if K <= smaller and K not in self.goals}

    def shrunk(self, factor):
        """The same with fewer rows and features; the digits are few already."""
        if factor == 1 or self.source == "digits":
            return self
        rows, features = (max(4, size // factor) for size in (self.rows, self.features))
        most = {K: min(rows, features) if K == min(self.rows, self.features) else min(rows, features) // 2
                for K in self.goals}
        return replace(self, rows=rows, features=features, goals={min(K, most[K]): self.goals[K] for K in self.goals})

    def load(self):
        """Synthetic rows take the place of images that are not at hand."""
        X = {"MNIST": mnist, "digits": digits}.get(self.source, lambda *shape: None)(self.rows, self.features)
        source = "synthetic" if X is None else self.source
        X = synthetic(self.rows, self.features) if X is None else X
        return Data(self, source, np.ascontiguousarray(X, dtype=self.dtype))


class Data(NamedTuple):
    problem: Problem
    source: str  #: where the rows are from
    X: np.ndarray

    def __str__(self):
        return f"{self.problem}, {self.source}"


PROBLEMS = [
    Problem("MNIST", 60_000, 784, "float64", {10: 2}, ("binding",)),
    Problem("MNIST", 60_000, 784, "float32", {10: 1.75, 50: 1.1}, ("threads", "transform")),
    Problem("synthetic", 200_000, 200, "float32", {10: 1.2}),
    Problem("synthetic", 20_000, 3_000, "float32", {10: 2.5}, ("threads",)),
    Problem("synthetic", 2_000, 2_000, "float64", {2_000: 1}),
    Problem("synthetic", 500, 20_000, "float32", {10: 2}),
    Problem("synthetic", 100, 20_000, "float64", {10: 4}),
    Problem("digits", 1_797, 64, "float64", {10: 1}),
]


def mnist(rows, features):
    """The training images, or None: as scripts/get-datasets leaves them, or in EIGENMESH_SHARED."""
    if features != 784:
        return None
    checkout = Path(__file__).resolve().parents[2]
    shared = Path(os.environ.get("EIGENMESH_SHARED", checkout.parent / "shared"))
    for path in [*checkout.glob("data/mnist/train-images*"), *shared.glob("data/mnist/train-images*")]:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            pixels = np.frombuffer(file.read(), dtype=np.uint8, offset=16)
        return pixels.reshape(-1, features)[:rows] / 255
    return None


def digits(rows, features):
    from sklearn.datasets import load_digits

    return load_digits().data


def synthetic(rows, features):
    """Deviations that fall like those of images, k^-0.7, about a mean of 1."""
    rng = np.random.default_rng(0)
    rank = min(rows, features)
    directions, _ = np.linalg.qr(rng.standard_normal((features, rank)))
    return rng.standard_normal((rows, rank)) / np.arange(1, rank + 1) ** 0.7 @ directions.T + 1
