#!/usr/bin/python3
"""eigenmesh.PCA against its peers, side by side in one run: PYTHONPATH=build/python python3 bench/pca, after a build.

Every fit is by default options; each time is the best of several rounds in which all contenders take turns. Peers:
scikit-learn's solvers, and covariance + eigh in NumPy and SciPy, with the largest eigenpairs or with all. gram+eigh,
what one would write by hand for few rows, is shown and does not count. A residual is the largest |C x - l x| / l of
the components, in double against the covariance of the rows. `of the limit`: what a fit would take at the rates of a
large product and of reading memory, by the way that is best then, over what it took.
"""
import argparse
import math
import os
import platform
import sys


def options():
    usage, _, meaning = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="bench/pca", description=usage, epilog=meaning)
    parser.add_argument("--more", action="store_true", help="also K = 2, 50 and half of the most; takes many minutes")
    parser.add_argument("--only", metavar="TEXT", default="", help='only data with this in its name: "3,000 float32"')
    parser.add_argument("--csv", metavar="FILE", help="write all numbers there")
    parser.add_argument("--threads", type=int, default=2, help="of everyone (2)")
    parser.add_argument("--rounds", type=int, default=5, help="at least (5); more where they are short")
    parser.add_argument("--patience", type=float, default=30, help="seconds that a peer may take (30)")
    parser.add_argument("--shrink", type=int, default=1, metavar="F", help="all sizes divided by F, to try it out")
    args = parser.parse_args()
    if min(args.threads, args.rounds, args.shrink) < 1 or args.patience <= 0:
        parser.error("--threads, --rounds, --shrink, --patience: not above 0; try 1 or more")
    if args.csv and not os.access(os.path.dirname(args.csv) or ".", os.W_OK):
        parser.error(f"--csv {args.csv}: no folder to write to; try one that exists")
    return args


def machine_rows(bench):
    """The limits of this machine, and what runs on it."""
    import numpy
    import scipy
    import sklearn
    from kernels import cpu, kernels
    from report import line

    print("This machine")
    texts = {"cpu": cpu(), "BLAS": kernels(), "threads": str(bench.threads), "Python": platform.python_version(),
             "NumPy": numpy.__version__, "SciPy": scipy.__version__, "scikit-learn": sklearn.__version__}
    for name, text in texts.items():
        bench.report.add("version", name, note=text)
        line(name, text)
    for name, rate in bench.machine._asdict().items():
        unit = "GFLOP/s" if name.endswith("gemm") else "GB/s"
        bench.report.add("machine", name, rate / 1e9, unit)
        line(f"large {name}" if unit == "GFLOP/s" else f"memory, {name}", f"{rate / 1e9:.4g} {unit}")


def mean_row(bench, problems):
    """Of the whole main table, or none."""
    from problems import MEAN_GOAL
    from report import line, verdict

    ratios = bench.report.values("ratio", "main")
    if len(ratios) < sum(len(problem.goals) for problem in problems):
        return
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    bench.report.add("mean", "geometric mean", mean, "times", goal=MEAN_GOAL)
    line("geometric mean of peer/ours, main rows", f"{mean:.2f} times", verdict(mean, MEAN_GOAL))


def main():
    args = options()
    # BLAS looks once, when it is loaded: before the imports.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(args.threads)
    import beside
    import fits
    from limits import measure
    from problems import PROBLEMS
    from settings import Bench

    problems = [problem.shrunk(args.shrink) for problem in PROBLEMS if args.only in f"{problem}, {problem.source}"]
    if not problems:
        print(f'bench/pca: --only {args.only}: no such data; try "MNIST" or "float32"', file=sys.stderr)
        sys.exit(2)
    bench = Bench(measure(args.threads, args.shrink), args.threads, args.rounds, args.patience)
    machine_rows(bench)
    print()
    fits.heading()
    for problem in problems:
        data = problem.load()
        fits.fit_rows(bench, data, "main", problem.goals)
        if args.more:
            fits.fit_rows(bench, data, "more", problem.more_goals())
    print()
    if not args.only:
        mean_row(bench, problems)
    for problem in problems:
        data = problem.load() if problem.beside else None
        for name in problem.beside:
            beside.ROWS[name](bench, data)
    if args.csv:
        bench.report.write(args.csv)
        print(f"\nwritten: {args.csv}")


if __name__ == "__main__":
    main()
