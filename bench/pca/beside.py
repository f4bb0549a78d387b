"""What is measured beside the fits: threads, transform, and what the binding adds."""
import os
import time
from functools import partial

import eigenmesh
from eigenmesh import _fitting
from race import race, timed
from report import line, verdict
from sklearn.decomposition import PCA

COMPONENTS = 10
THREADS_GOAL, TRANSFORM_GOAL = 1.8, 0.8
BINDING_GOALS = 2e-3, 0.02  #: seconds, or a fraction of the library's


def thread_rows(bench, data):
    """One method on one thread and on all of them: eigenmesh asks the environment at each fit."""

    def fit(method, threads):
        os.environ["OMP_NUM_THREADS"] = str(threads)
        eigenmesh.PCA(COMPONENTS, method=method).fit(data.X)

    if bench.threads == 1:
        return
    for method in ("krylov", "covariance"):
        results = race({threads: partial(fit, method, threads) for threads in (1, bench.threads)}, bench.rounds)
        os.environ["OMP_NUM_THREADS"] = str(bench.threads)
        gain = results[1].seconds / results[bench.threads].seconds
        goal = THREADS_GOAL if bench.threads == 2 else None
        bench.report.add("threads", method, gain, "times", data, components=COMPONENTS, goal=goal or "",
                         note=f"{bench.threads} threads against 1")
        line(f"{method}, {data}: {bench.threads} threads against 1", f"{gain:.2f} times", goal and verdict(gain, goal))


def transform_rows(bench, data):
    """Scores of all rows: bytes of rows a second, beside what the machine can read."""
    fitted = {"eigenmesh": eigenmesh.PCA(COMPONENTS).fit(data.X),
              "scikit-learn": PCA(COMPONENTS, svd_solver="randomized", random_state=0).fit(data.X)}
    results = race({name: partial(pca.transform, data.X) for name, pca in fitted.items()}, bench.rounds)
    for name, result in results.items():
        rate = data.X.nbytes / result.seconds
        fraction, goal = rate / bench.machine.read, TRANSFORM_GOAL if name == "eigenmesh" else None
        bench.report.add("transform", name, fraction, "fraction", data, components=COMPONENTS, goal=goal or "",
                         note=f"{rate / 1e9:.3g} GB/s")
        line(f"transform, {data}: {name}", f"{rate / 1e9:.3g} GB/s, {fraction:.2f} of reading",
             goal and verdict(fraction, goal))


def binding_row(bench, data):
    """What a fit takes beyond the library's own calls: the best of several."""
    inside, create = [], _fitting.create

    def watched(*arguments):
        began = time.perf_counter()
        made = create(*arguments)
        inside.append(time.perf_counter() - began)
        return made

    measured = []
    _fitting.create = watched
    for _ in range(bench.rounds):
        inside.clear()
        wall, _ = timed(lambda: eigenmesh.PCA(COMPONENTS).fit(data.X))
        measured.append((wall - sum(inside), sum(inside)))
    _fitting.create = create
    extra, library = min(measured)
    met = extra <= BINDING_GOALS[0] or extra <= BINDING_GOALS[1] * library
    bench.report.add("binding", "eigenmesh", extra, "s", data, components=COMPONENTS, goal=BINDING_GOALS[0],
                     note=f"{extra / library:.2%} of the library's time")
    line(f"the binding, {data}", f"{1e3 * extra:.2f} ms, {extra / library:.2%}",
         f"under 2 ms or 2 % {'met' if met else 'NOT MET'}")


ROWS = {"threads": thread_rows, "transform": transform_rows, "binding": binding_row}
