"""A fault that no single sensor shows, found in telemetry by T^2 and Q.

Twenty-four sensors of a plant at three sites follow three hidden loads. A model of two weeks, for which no site has sent a row,
knows how they go together. In the week after, a sensor begins to drift, slowly and well within its own range: Q, the squared
distance from what the model can explain, passes its limit within a day. Later the loads themselves go where they never were, all sensors
still in step: that is T^2's to say. Made data; run as it is, with the name of a picture to draw:

    python3 telemetry.py anomalies.svg
"""
import sys

from eigenmesh import PCA  # before NumPy, so that it may choose the kernels of its BLAS

import numpy as np

SENSORS, LOADS, HOURS, WEEK = 24, 3, 60, 7 * 24 * 60  # a row a minute
DRIFT, DRIFTING = 2 * 24 * HOURS, 7  # from when on, and which
PUSH, PUSH_END = 5 * 24 * HOURS, 5 * 24 * HOURS + 3 * HOURS


def loads(minutes: int, rng: np.random.Generator) -> np.ndarray:
    """Loads that change over hours, normal at any time."""
    memory = np.array([0.995, 0.99, 0.98])
    found, now = np.empty((minutes, LOADS)), rng.standard_normal(LOADS)
    for minute in range(minutes):
        now = memory * now + np.sqrt(1 - memory ** 2) * rng.standard_normal(LOADS)
        found[minute] = now
    return found * [3, 2, 1.5]


def sensors(hidden: np.ndarray, mixing: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    noise = 0.3 * rng.standard_normal((len(hidden), SENSORS))
    return 20 + hidden @ mixing + noise


def first_alarm(scores: np.ndarray, limit: float, begin: int) -> float:
    """Hours from `begin` until five minutes of an hour lie above the limit, where one in a thousand is usual."""
    above = np.convolve(scores[begin:] > limit, np.ones(HOURS))[:len(scores) - begin] >= 5
    return int(np.argmax(above)) / HOURS if above.any() else float("inf")


def draw(path: str, t2: np.ndarray, q: np.ndarray, limits: tuple) -> None:
    import matplotlib
    matplotlib.use("svg" if path.endswith(".svg") else "agg")
    matplotlib.rcParams["svg.hashsalt"] = "eigenmesh"  # the same picture every time
    from matplotlib import pyplot

    figure, places = pyplot.subplots(2, 1, sharex=True, figsize=(8, 4.6), layout="constrained")
    days, step = np.arange(len(t2)) / (24 * HOURS), 10
    for place, scores, limit, name in zip(places, (t2, q), limits, ("$T^2$", "$Q$")):
        place.axvspan(DRIFT / (24 * HOURS), days[-1], color="#f3e3c8", lw=0, label=f"sensor {DRIFTING} drifts")
        place.axvspan(PUSH / (24 * HOURS), PUSH_END / (24 * HOURS), color="#cfdcea", lw=0, label="unusual loads")
        place.plot(days[::step], scores[::step], color="#33475b", lw=0.6)
        place.axhline(limit, color="#b03a2e", lw=1.2, label="limit, 99.9 %")
        place.set_yscale("log")
        place.set_ylim(limit / 100, max(scores.max() * 2, limit * 10))
        place.set_ylabel(name)
        place.margins(x=0)
    places[0].legend(loc="upper left", fontsize=8, ncols=3, framealpha=0.9)
    places[1].set_xlabel("days of the week after")
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> None:
    rng = np.random.default_rng(7)
    mixing = rng.standard_normal((LOADS, SENSORS))
    before = sensors(loads(2 * WEEK, rng), mixing, rng)
    hidden = loads(WEEK, rng)
    hidden[PUSH:PUSH_END] += [12, -9, 7]
    week = sensors(hidden, mixing, rng)
    week[DRIFT:, DRIFTING] += np.arange(WEEK - DRIFT) / (24 * HOURS)  # one unit a day

    # Three sites, each with some of the rows; limits=True finds what Q's limit needs.
    pca = PCA(LOADS, nodes=3, topology="complete", limits=True).fit(np.array_split(before, 3))
    t2, q = pca.t2_scores(week), pca.q_scores(week)
    limits = pca.t2_limit(0.999), pca.q_limit(0.999)

    quiet = slice(0, DRIFT)
    drift, push = first_alarm(q, limits[1], DRIFT), first_alarm(t2, limits[0], PUSH)
    alone = np.abs(week[:, DRIFTING] - before[:, DRIFTING].mean()) > 4 * before[:, DRIFTING].std()
    print(f"before the fault, {np.mean(q[quiet] > limits[1]):.2%} of the minutes lie above the limit of Q, which is to be 0.10%")
    print(f"the drift is seen by Q after {drift:.1f} hours, when it is {drift / 24:.2f} units: "
          f"{drift / 24 / before[:, DRIFTING].std():.2f} of the sensor's own standard deviations")
    print(f"the sensor's own range, four of these, is left in {np.mean(alone[DRIFT:PUSH]):.2%} of the minutes until day 5")
    print(f"the unusual loads are seen by T^2 after {push:.1f} hours")
    blame = np.abs((week - pca.inverse_transform(pca.transform(week)))[DRIFT + 24 * HOURS:]).mean(axis=0).argmax()
    print(f"what Q is made of points to sensor {blame}")
    assert drift < 24 and push < 1 and blame == DRIFTING and np.mean(q[quiet] > limits[1]) < 0.01
    if len(sys.argv) > 1:
        draw(sys.argv[1], t2, q, limits)


if __name__ == "__main__":
    main()
