#!/usr/bin/python3
"""Golden traces: the methods of the paper and two more, written a second time in plain NumPy.

Shares nothing with the C library but the mathematics, so that agreement to ten digits
means both are right.  Symbols: X[i] is node i's d x K estimate, C[i] its covariance,
W the mixing weights, Q the true eigenvectors.

    python3 make_golden.py [DIRECTORY]        (default: golden/ beside this script)
"""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the same sums in the same order on every run

import sys
from pathlib import Path

import numpy as np

d, K, M = 8, 3, 6
SIZES = [50, 32, 44, 36, 47, 31]  # rows a node: unequal, so that wrong weights show
N = sum(SIZES)
EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]  # degrees 2 2 4 2 3 1
# Neighbours this close keep oi at E > 1e-6 after 300 iterations: rounding in C moves its
# fixed point by some 1e-15, and E must stand far enough above that to agree to 1e-10.
SPECTRUM = np.array([1.0, 0.97, 0.945, 0.925, 0.7, 0.5, 0.3, 0.1])

ITERATIONS = 300
STEP = 0.25
CONSENSUS_ROUNDS = 5  # seqdistpm's T_c
SDOT_ROUNDS = 3
FASTPCA_STEP = 0.1


# ---- the problem ---------------------------------------------------------------------

def make_data(rng):
    """N rows around a nonzero mean, whose sample covariance has exactly SPECTRUM."""
    G = rng.standard_normal((N, d))
    G -= G.mean(axis=0)
    white = np.linalg.solve(np.linalg.cholesky(G.T @ G / N), G.T).T
    basis = random_basis(rng, d)
    return white * np.sqrt(SPECTRUM) @ basis.T + rng.uniform(-3, 3, d)


def random_basis(rng, columns):
    return positive_qr(rng.standard_normal((d, columns)))


def metropolis(edges, nodes):
    degree = np.bincount(np.ravel(edges), minlength=nodes)
    W = np.zeros((nodes, nodes))
    for i, j in edges:
        W[i, j] = W[j, i] = 1 / (1 + max(degree[i], degree[j]))
    np.fill_diagonal(W, 1 - W.sum(axis=1))
    return W


def local_covariances(data, sizes):
    """C_i = (M/N) sum over node i of (y - mu)(y - mu)^T, mu the mean of all rows."""
    centred = data - data.mean(axis=0)
    shards = np.split(centred, np.cumsum(sizes)[:-1])
    return np.array([len(sizes) / len(data) * Y.T @ Y for Y in shards])


def top_eigenvectors(C):
    _, vectors = np.linalg.eigh(C)  # rising order
    Q = vectors[:, ::-1][:, :K]
    largest = np.abs(Q).argmax(axis=0)
    return Q * np.sign(Q[largest, range(K)])


# ---- the methods: each a generator of X after every iteration ---------------------------

def positive_qr(A):
    """The Q of A = QR with a positive diagonal in R."""
    Q, R = np.linalg.qr(A)
    return Q * np.sign(np.diag(R))


def sanger(C_i, X_i):
    """H_i(X) = C_i X - X U(X^T C_i X), U keeps the upper triangle and the diagonal."""
    return C_i @ X_i - X_i @ np.triu(X_i.T @ C_i @ X_i)


def mix(W, Z):
    """Z_i <- sum_j w_ij Z_j."""
    return np.array([sum(W[i, j] * Z[j] for j in range(len(Z))) for i in range(len(Z))])


def dsa(C, W, X, step):
    """X_i <- sum_j w_ij X_j + a H_i(X_i); on one node with W = 1, gha."""
    for t in range(ITERATIONS):
        H = np.array([sanger(C_i, X_i) for C_i, X_i in zip(C, X)])
        X = mix(W, X) + step(t) * H
        yield X


def oi(C, X):
    """X <- qr(C X)."""
    for _ in range(ITERATIONS):
        X = np.array([positive_qr(C[0] @ X[0])])
        yield X


def dpgd(C, W, X, step):
    """X_i <- qr(sum_j w_ij X_j + a C_i X_i)."""
    for t in range(ITERATIONS):
        ascent = mix(W, X) + step(t) * np.array([C_i @ X_i for C_i, X_i in zip(C, X)])
        X = np.array([positive_qr(A) for A in ascent])
        yield X


def seqdistpm(C, W, X):
    """For k = 1..K in turn: x <- (I - X_<k X_<k^T) C_i x, T_c mixes, normalise."""
    X = X.copy()
    for k in range(K):
        for _ in range(ITERATIONS // K):
            z = np.array([deflate(X_i[:, :k], C_i @ X_i[:, k]) for C_i, X_i in zip(C, X)])
            for _ in range(CONSENSUS_ROUNDS):
                z = mix(W, z)
            X[:, :, k] = z / np.linalg.norm(z, axis=1, keepdims=True)
            yield X


def sdot(C, W, X):
    """X_i <- qr(T mixes of C_i X_i)."""
    for _ in range(ITERATIONS):
        Z = np.array([C_i @ X_i for C_i, X_i in zip(C, X)])
        for _ in range(SDOT_ROUNDS):
            Z = mix(W, Z)
        X = np.array([positive_qr(Z_i) for Z_i in Z])
        yield X


def fastpca(C, W, X):
    """X_i <- (X_i + sum_j w_ij X_j)/2 + a S_i; S_i, mixed likewise, tracks the mean of H_i."""
    H = np.array([sanger(C_i, X_i) for C_i, X_i in zip(C, X)])
    S = H
    for _ in range(ITERATIONS):
        X = (X + mix(W, X)) / 2 + FASTPCA_STEP * S
        H_before, H = H, np.array([sanger(C_i, X_i) for C_i, X_i in zip(C, X)])
        S = (S + mix(W, S)) / 2 + H - H_before
        yield X


def deflate(found, v):
    return v - found @ (found.T @ v)


# ---- what a trace measures ---------------------------------------------------------------

def error(X, Q):
    """E, as ||x - (x^T q) q||^2 of unit columns x, averaged over nodes and columns."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    along = np.einsum("idk,dk->ik", unit, Q)
    off = unit - along[:, None, :] * Q
    return np.mean(np.sum(off**2, axis=1))


def residual(X, C):
    """Mean over k of ||C x_k - theta_k x_k|| / theta_k, x_k the nodes' normalised mean."""
    mean = X.mean(axis=0)
    x = mean / np.linalg.norm(mean, axis=0)
    Cx = C @ x
    theta = np.sum(x * Cx, axis=0)
    return np.mean(np.linalg.norm(Cx - theta * x, axis=0) / theta)


def consensus(X):
    """max_i ||X_i - Xbar||_F / ||Xbar||_F."""
    mean = X.mean(axis=0)
    return max(np.linalg.norm(X_i - mean) for X_i in X) / np.linalg.norm(mean)


def write_trace(path, X0, iterates, units_each, C, Q):
    with open(path, "w") as out:
        out.write("iteration,units,residual,consensus,error\n")

        def row(t, X):
            numbers = (t * units_each, residual(X, C), consensus(X), error(X, Q))
            out.write(",".join([str(t)] + ["%.17g" % v for v in numbers]) + "\n")

        row(0, X0)
        for t, X in enumerate(iterates, start=1):
            row(t, X)


# ---- everything, into one directory ---------------------------------------------------------

def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20240501)
    data = make_data(rng)
    X0 = random_basis(rng, K)
    W = metropolis(EDGES, M)
    C_local = local_covariances(data, SIZES)
    C_pooled = local_covariances(data, [N])
    C = C_pooled[0]
    Q = top_eigenvectors(C)
    assert STEP < 0.5 / max(np.linalg.eigvalsh(C_i)[-1] for C_i in C_local)

    np.save(directory / "data.npy", data)
    np.save(directory / "X0.npy", X0)
    np.save(directory / "W.npy", W)
    np.save(directory / "Q.npy", Q)
    (directory / "edges.txt").write_text("".join(f"{i} {j}\n" for i, j in EDGES))
    (directory / "sizes.txt").write_text(",".join(map(str, SIZES)) + "\n")

    def constant(t):
        return STEP

    def sqrt_decay(t):
        return STEP / np.sqrt(t + 1)

    def power_decay(t):
        return STEP / (t + 1) ** 0.2

    alone = np.array([X0])  # one node, which holds all rows
    start = np.array([X0] * M)
    one = np.ones((1, 1))
    runs = [  # name, start, iterates, units an iteration
        ("gha", alone, dsa(C_pooled, one, alone, constant), 0),
        ("oi", alone, oi(C_pooled, alone), 0),
        ("dsa", start, dsa(C_local, W, start, constant), 1),
        ("dsa_sqrt", start, dsa(C_local, W, start, sqrt_decay), 1),
        ("dsa_power", start, dsa(C_local, W, start, power_decay), 1),
        ("dpgd", start, dpgd(C_local, W, start, constant), 1),
        ("seqdistpm", start, seqdistpm(C_local, W, start), CONSENSUS_ROUNDS / K),
        ("sdot", start, sdot(C_local, W, start), SDOT_ROUNDS),
        ("fastpca", start, fastpca(C_local, W, start), 2),
    ]
    for name, X, iterates, units_each in runs:
        write_trace(directory / f"{name}.csv", X, iterates, units_each, C, Q)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "golden")
