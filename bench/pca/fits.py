"""The table of fits: a line a shape and number of components, a column a contender."""
from functools import partial

from accuracy import Covariance, worst_residual
from contenders import NUMPY, OURS, PEERS
from limits import least_time
from race import Result, race, within
from report import verdict

COLUMNS = {contender.name: max(10, len(contender.name)) for contender in [OURS, *PEERS]}  #: and how wide


def heading():
    names = " ".join(f"{name:>{width}}" for name, width in COLUMNS.items())
    judgement = f"peer/ours {'goal':17} residual   peer's  of the limit"
    print(f"{'milliseconds':38} {'K':>5} {names}  {judgement}", flush=True)


def contenders_for(problem, components):
    """Against scikit-learn's own solvers alone on its digits, which are so few that a call is all it takes."""
    peers = [peer for peer in PEERS if not (problem.source == "digits" and peer in NUMPY)]
    return [OURS, *(peer for peer in peers if peer.takes(problem.rows, problem.features, components))]


def too_slow(bench, contender, problem):
    flops = contender.flops(problem.rows, problem.features) if contender.flops else 0
    return flops / bench.machine.product(problem.dtype) > bench.patience


def compare(bench, data, components):
    """A Result by name for everyone who could take part."""
    results, runs = {}, {}
    for contender in contenders_for(data.problem, components):
        results[contender.name] = Result(note=f"would take over {bench.patience:g} s")
        run = partial(contender.fit, data.X, components)
        if contender is OURS:
            runs[contender.name] = run
        elif not too_slow(bench, contender, data.problem):
            runs[contender.name] = partial(within, bench.patience, run)
    return {**results, **race(runs, bench.rounds)}


def fit_rows(bench, data, part, goals):
    """The lines of one table of rows. part: "main" or "more"; goals: by number of components."""
    C = Covariance(data.X) if goals else None
    for components, goal in goals.items():
        results = compare(bench, data, components)
        what = {"data": data, "part": part, "components": components}
        residuals = {name: worst_residual(C, result.answer) for name, result in results.items() if result.answer}
        for name, result in results.items():
            seconds, note = (result.seconds, result.answer.trouble) if result.answer else ("", result.note)
            bench.report.add("fit", name, seconds, "s", residual=residuals.get(name, ""), note=note, **what)
        times = " ".join(f"{shown(results.get(name)):>{width}}" for name, width in COLUMNS.items())
        judgement = judged(bench, data, what, goal, results, residuals)
        print(f"{str(data):38} {components:5} {times}  {judgement}", flush=True)


def judged(bench, data, what, goal, results, residuals):
    """The right half of a line, kept as well: against the fastest peer, and against the machine."""
    ours = results[OURS.name]
    peers = [peer.name for peer in PEERS if peer.counted and peer.name in residuals]
    if not peers:
        return f"no peer within {bench.patience:g} s"
    fastest = min(peers, key=lambda name: results[name].seconds)
    ratio = results[fastest].seconds / ours.seconds
    least, way = least_time(data.problem, what["components"], bench.machine)
    bench.report.add("ratio", fastest, ratio, "times", goal=goal, **what)
    bench.report.add("limit", way, least / ours.seconds, "fraction", **what)
    return (f"{ratio:9.2f} {verdict(ratio, goal):17} {residuals[OURS.name]:8.1e} {residuals[fastest]:8.1e}  "
            f"{least / ours.seconds:.2f} {way}{ours.answer.trouble and '; eigenmesh: ' + ours.answer.trouble}")


def shown(result):
    """Milliseconds; "-" for one that has no answer to this question."""
    if result is None:
        return "-"
    return f"{1e3 * result.seconds:.4g}" if result.answer else "too slow"
