"""How good an answer is: residuals in double against the covariance of the rows themselves."""
import numpy as np

AT_ONCE = 4096  # rows


class Covariance:
    """C of the rows in double: formed where it is the smaller side, else applied row by row."""

    def __init__(self, X):
        self.X = X
        self.mean = X.mean(axis=0, dtype=np.float64)
        self.dense = None
        if X.shape[1] <= X.shape[0]:
            self.dense = sum(rows.T @ rows for rows in self._centred()) / (len(X) - 1)

    def _centred(self):
        for first in range(0, len(self.X), AT_ONCE):
            yield self.X[first:first + AT_ONCE] - self.mean

    def __matmul__(self, V):
        if self.dense is not None:
            return self.dense @ V
        return sum(rows.T @ (rows @ V) for rows in self._centred()) / (len(self.X) - 1)


def worst_residual(C, answer):
    """The largest |C x - l x| / x'Cx. Components whose variance is rounding beside the first have no direction, and are
    left out."""
    V = answer.components.T.astype(np.float64)
    CV = C @ V
    quotients = np.einsum("ij,ij->j", V, CV)
    known = quotients > quotients.max() * np.finfo(np.float64).eps * max(C.X.shape)
    residuals = np.linalg.norm(CV - V * answer.variances.astype(np.float64), axis=0)
    return float((residuals[known] / quotients[known]).max())
