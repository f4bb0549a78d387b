"""What this machine can do, and how long a fit would take if all that it must do ran at that."""
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np


class Machine(NamedTuple):
    sgemm: float  #: operations a second
    dgemm: float
    read: float  #: bytes a second
    copy: float  #: read and written

    def product(self, dtype):
        return self.sgemm if dtype == "float32" else self.dgemm


def best_seconds(run, tries=7):
    best = math.inf
    for _ in range(tries):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best


def product_rate(order, dtype):
    A = np.ones((order, order), dtype=dtype)
    B, out = A.copy(), A.copy()
    return 2 * order**3 / best_seconds(lambda: np.matmul(A, B, out=out))


def measure(threads, shrink=1):
    """Reading and copying: by BLAS's threads and by Python's, whichever is faster."""
    values = np.ones(max(threads, (1 << 26) // shrink))  # 512 MiB, beyond any cache
    other = values.copy()
    parts, others = np.array_split(values, threads), np.array_split(other, threads)
    with ThreadPoolExecutor(threads) as pool:
        read = min(best_seconds(lambda: values @ values), best_seconds(lambda: list(pool.map(np.max, parts))))
        copy = min(best_seconds(lambda: np.copyto(other, values)),
                   best_seconds(lambda: list(pool.map(np.copyto, others, parts))))
    order = max(16, 3072 // shrink)
    return Machine(product_rate(order, "float32"), product_rate(order, "float64"), values.nbytes / read,
                   2 * values.nbytes / copy)


def least_time(problem, components, machine):
    """(seconds, by what): the best of three ways to the answer, with every operation at the rate of a large product and
    every byte at that of reading. A yardstick, no bound: the columns that Lanczos needs are those of experience, for a
    residual of 1e-6."""
    rows, features = problem.rows, problem.features
    size, smaller = rows * features, min(rows, features)
    reading, rate = size * np.dtype(problem.dtype).itemsize / machine.read, machine.product(problem.dtype)
    ways = []
    for width in (4, 8, 16, 32):
        passes = math.ceil((2 * components + 15 + 5 * width) / width)
        if passes * width < smaller:
            product = 4 * size * width / rate
            ways.append((passes * max(reading, product), "lanczos, " + ("flops" if product > reading else "bytes")))
    solve = min(4 / 3 * smaller**3 + 2 * smaller**2 * components, 2 * smaller**2 * (2 * components + 35))
    back = 2 * size * components if rows < features else 0
    compute = (size * smaller + back) / rate + solve / machine.dgemm
    side = "gram" if rows < features else "covariance"
    ways.append((max(reading, compute), f"{side}, " + ("flops" if compute > reading else "bytes")))
    return min(ways)
