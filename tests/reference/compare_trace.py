#!/usr/bin/python3
"""Compare a trace of `eigenmesh fit --trace` with a golden one, row by row.

    compare_trace.py GOLDEN.csv TRACE.csv [--rtol 1e-10]

Prints the worst relative deviation of every column; exit status 1, naming the first
bad row, where one is above the tolerance.
"""
import argparse
import csv
import math
import sys

# Differences under the floor are rounding: residual and consensus may be 0 up to that.
FLOORS = {"units": 0.0, "residual": 1e-13, "consensus": 1e-13, "error": 0.0}


def read_trace(path):
    try:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as problem:
        sys.exit(f"{path}: {problem.strerror}")
    missing = {"iteration", *FLOORS} - set(rows[0] if rows else ())
    if missing:
        sys.exit(f"{path}: no column {', '.join(sorted(missing))}, or no rows")
    return rows


def number(row, column, path, line):
    try:
        return float(row[column])
    except (TypeError, ValueError):
        sys.exit(f"{path}, line {line}: {column} is {row[column]!r}, not a number")


def deviation(wanted, found, floor):
    difference = abs(wanted - found)
    if difference <= floor:
        return 0.0
    if not math.isfinite(difference) or wanted == 0:
        return math.inf
    return difference / abs(wanted)


def main():
    parser = argparse.ArgumentParser(description="compare a trace with a golden one")
    parser.add_argument("golden")
    parser.add_argument("trace")
    parser.add_argument("--rtol", type=float, default=1e-10)
    args = parser.parse_args()

    golden, trace = read_trace(args.golden), read_trace(args.trace)
    worst = dict.fromkeys(FLOORS, (0.0, 0))  # the deviation, and its row
    first_bad = None
    for t, (want, have) in enumerate(zip(golden, trace)):
        line = t + 2  # after the header, counted from 1
        if want["iteration"] != have["iteration"]:
            sys.exit(f"{args.trace}, line {line}: iteration {have['iteration']}, "
                     f"expected {want['iteration']}")
        for column, floor in FLOORS.items():
            wanted = number(want, column, args.golden, line)
            found = number(have, column, args.trace, line)
            off = deviation(wanted, found, floor)
            worst[column] = max(worst[column], (off, t))
            if off > args.rtol and first_bad is None:
                first_bad = (f"{args.trace}: iteration {t}: {column} is {found:.17g}, "
                             f"expected {wanted:.17g} (relative deviation {off:.2g})")

    for column, (off, t) in worst.items():
        print(f"{column:10s} worst deviation {off:.2e} at iteration {t}")
    if first_bad:
        sys.exit(first_bad)
    if len(golden) != len(trace):
        sys.exit(f"{args.trace}: {len(trace)} rows, expected {len(golden)}")


if __name__ == "__main__":
    main()
