"""What the binding promises of memory, threads and interrupts."""
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from data import spectrum

import eigenmesh

LONG = dict(method="dsa", nodes=8, topology="cycle", max_iter=10 ** 8, tol=0)  # minutes, unless it is stopped


@pytest.mark.parametrize("code", [
    "X = np.ones((40_000, 600)); X[::2] = 2; X[0, 0] = 3",
    "X = np.ones((80_000, 600), dtype=np.float32); X[::2] = 2; X[0, 0] = 3",
    "X = np.asfortranarray(np.ones((40_000, 600))); X[::2] = 2; X[0, 0] = 3",
])
def test_a_fit_does_not_copy_its_data(code):
    """192 MB of data, of which a copy would be seen."""
    script = f"""
import resource, numpy as np, eigenmesh
{code}
eigenmesh.PCA(2).fit(X[:100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
pca = eigenmesh.PCA(2).fit(X)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
assert grown < X.nbytes / 3, (grown, X.nbytes)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


def test_data_is_not_written():
    X = spectrum(100, 5)
    X.setflags(write=False)
    assert eigenmesh.PCA(2, scale="std").fit(X).converged_


def test_other_threads_run_during_a_fit():
    stop = threading.Event()
    done = []
    fit = threading.Thread(target=lambda: done.append(eigenmesh.PCA(
        2, callback=lambda progress: stop.is_set(), **{**LONG, "nodes": 50}).fit(spectrum(5000, 300))))
    fit.start()
    began, ticks = time.perf_counter(), 0
    while ticks < 100 and time.perf_counter() - began < 60:
        time.sleep(0.001)
        ticks += 1
    assert ticks == 100 and fit.is_alive()
    stop.set()
    fit.join(timeout=60)
    assert done


def test_two_fits_at_once():
    tables = [spectrum(500, 20, seed) for seed in range(4)]
    expected = [eigenmesh.PCA(3, nodes=4).fit(table).components_ for table in tables]
    results = [None] * 4

    def work(n):
        for _ in range(10):
            results[n] = eigenmesh.PCA(3, nodes=4).fit(tables[n]).components_

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result, truth in zip(results, expected):
        np.testing.assert_allclose(result, truth, atol=1e-12)


@pytest.mark.parametrize("how", ["", "callback=lambda progress: False"])
def test_ctrl_c(how):
    script = f"""
import signal, numpy as np, eigenmesh
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with it ignored
X = np.random.default_rng(0).standard_normal((200, 10))
print("ready", flush=True)
try:
    eigenmesh.PCA(2, **{LONG!r}, {how}).fit(X)
except KeyboardInterrupt:
    print("interrupted", eigenmesh.PCA(2).fit(X).converged_)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted True\n"


def test_handles_are_released():
    """A fit leaves nothing behind: a model of 3 MB eighty times over would be seen."""
    script = """
import resource, numpy as np, eigenmesh
X = np.random.default_rng(0).standard_normal((5, 100_000))
for n in range(40):
    eigenmesh.PCA(4, method="krylov", tol=0, max_iter=1).fit(X)
    if n == 5: before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
