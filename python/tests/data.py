"""Tables that many tests look at."""
import numpy as np


def spectrum(rows, columns, seed=0, decay=0.9):
    """Gaussian rows whose variances fall geometrically in random directions, far from the origin."""
    rng = np.random.default_rng(seed)
    directions, _ = np.linalg.qr(rng.standard_normal((columns, columns)))
    scores = rng.standard_normal((rows, columns)) * decay ** (np.arange(columns) / 2)
    return scores @ directions.T + rng.standard_normal(columns)


def aligned(components, reference):
    """Components turned to the side of the reference's."""
    return components * np.sign(np.sum(components * reference, axis=1))[:, None]
