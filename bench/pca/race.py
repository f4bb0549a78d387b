"""Runs in turn, so that all of them meet the same load of the machine; the best time of each counts."""
import gc
import signal
import time
from dataclasses import dataclass
from typing import Any

PAUSE = 0.05  #: seconds before each run: BLAS threads spin for a while after a call, and would disturb the next one
ENOUGH, MOST_ROUNDS = 3.0, 50  #: seconds of rounds, and how many, where runs are short
LONG, FAR_BEHIND = 2.0, 3  #: a run of so many seconds, and so many times the fastest, is not repeated


@dataclass
class Result:
    seconds: float = float("inf")
    answer: Any = None
    note: str = ""  #: why there is no answer


class TooLong(Exception):
    pass


def timed(run):
    gc.collect()
    time.sleep(PAUSE)
    began = time.perf_counter()
    answer = run()
    return time.perf_counter() - began, answer


def within(patience, run):
    """run(), or TooLong: solvers that iterate come back to Python meanwhile, where an alarm reaches them."""

    def give_up(*_):
        raise TooLong(f"over {patience:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, patience)
    try:
        return run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def first(run):
    try:
        return Result(*timed(run))
    except TooLong as error:
        return Result(note=str(error))


def race(runs, rounds):
    """A Result for every name of `runs`, of so many rounds or more."""
    results = {name: first(run) for name, run in runs.items()}
    bound = max(LONG, FAR_BEHIND * min(result.seconds for result in results.values()))
    again = [name for name, result in results.items() if result.seconds < bound]
    began, done = time.perf_counter(), 1
    while done < rounds or (rounds > 1 and done < MOST_ROUNDS and time.perf_counter() - began < ENOUGH):
        for name in again:
            results[name].seconds = min(results[name].seconds, first(runs[name]).seconds)
        done += 1
    return results
