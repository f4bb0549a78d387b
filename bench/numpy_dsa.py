#!/usr/bin/python3
"""Iterations per second of dsa in plain NumPy, to compare `eigenmesh fit -m dsa` with.

    numpy_dsa.py [--style loops|stacked] [--nodes M] [--features d] [--components K] [--iterations T]

loops: the algorithm as the paper writes it, node by node and neighbour by neighbour.
stacked: the fastest NumPy found for small blocks: all nodes in one array, batched products,
W as a dense matrix.  Prints `iterations_per_second X`.
"""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one thread: on small blocks more only cost time

import argparse
import sys
import time

import numpy as np


def erdos_renyi_weights(rng, M, probability=0.5):
    """Metropolis weights of a random graph, drawn again until connected."""
    while True:
        upper = np.triu(rng.random((M, M)) < probability, 1)
        adjacent = upper | upper.T
        degree = adjacent.sum(axis=1)
        W = np.where(adjacent, 1 / (1 + np.maximum.outer(degree, degree)), 0.0)
        np.fill_diagonal(W, 1 - W.sum(axis=1))
        if M == 1 or np.linalg.eigvalsh(W)[-2] < 1 - 1e-9:
            return W


def covariances(rng, M, d, rows=200):
    Y = rng.standard_normal((M, rows, d)) * np.sqrt(np.linspace(1, 0.1, d))
    return Y.transpose(0, 2, 1) @ Y / rows


def dsa_loops(C, W, X, step, iterations):
    """X_i <- sum_j w_ij X_j + a (C_i X_i - X_i U(X_i^T C_i X_i)), node by node."""
    M = len(X)
    neighbours = [np.flatnonzero(W[i]) for i in range(M)]  # and the node itself
    X = list(X)
    for _ in range(iterations):
        following = []
        for i in range(M):
            mixed = sum(W[i, j] * X[j] for j in neighbours[i])
            CX = C[i] @ X[i]
            following.append(mixed + step * (CX - X[i] @ np.triu(X[i].T @ CX)))
        X = following
    return np.array(X)


def dsa_stacked(C, W, X, step, iterations):
    """X_i <- sum_j w_ij X_j + a (C_i X_i - X_i U(X_i^T C_i X_i)), for all i at once."""
    M, d, K = X.shape
    upper = np.triu(np.ones((K, K)))
    for _ in range(iterations):
        CX = C @ X
        H = CX - X @ (upper * (X.transpose(0, 2, 1) @ CX))
        X = (W @ X.reshape(M, d * K)).reshape(M, d, K) + step * H
    return X


def main():
    parser = argparse.ArgumentParser(description="time dsa in plain NumPy")
    parser.add_argument("--style", choices=["loops", "stacked"], default="loops")
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--components", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=10000)
    args = parser.parse_args()

    rng = np.random.default_rng(0)
    W = erdos_renyi_weights(rng, args.nodes)
    C = covariances(rng, args.nodes, args.features)
    start, _ = np.linalg.qr(rng.standard_normal((args.features, args.components)))
    X = np.array([start] * args.nodes)
    step = 0.5 / max(np.linalg.eigvalsh(C_i)[-1] for C_i in C)

    dsa = dsa_loops if args.style == "loops" else dsa_stacked
    dsa(C, W, X, step, min(args.iterations, 10))  # warm caches and the allocator
    began = time.perf_counter()
    X = dsa(C, W, X, step, args.iterations)
    seconds = time.perf_counter() - began

    norms = np.linalg.norm(X, axis=1)
    if not np.isfinite(X).all() or norms.max() > 2:
        sys.exit("numpy_dsa: the iteration diverged")
    print(f"iterations_per_second {args.iterations / seconds:.1f}")


if __name__ == "__main__":
    main()
