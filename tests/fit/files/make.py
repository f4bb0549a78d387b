"""Make names.npy, an array of feature names as NumPy writes it, and names.npz, a model that holds it.

Run it with a Python that has NumPy; what it makes is kept, so that the tests need none.
"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
NAMES = np.array(["height", "", "Größe in µm", "体重 \U0001f600"])

np.save(HERE / "names.npy", NAMES)
with np.load(HERE / "format-1" / "plain.npz") as model:
    np.savez(HERE / "names.npz", **model, feature_names=NAMES, format_version=np.int64(2))
