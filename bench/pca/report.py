"""Every number once: a line for people as soon as it is known, and a row of a CSV."""
import csv
import os

COLUMNS = "kind part data rows features dtype components name value unit goal residual note".split()


class Report:
    def __init__(self):
        self.rows = []

    def add(self, kind, name, value="", unit="", data=None, **others):
        """A row. data: what was fitted; others: further columns by name."""
        row = dict.fromkeys(COLUMNS, "")
        row.update(kind=kind, name=name, value=value, unit=unit, **others)
        if data:
            problem = data.problem
            row.update(data=data.source, rows=problem.rows, features=problem.features, dtype=problem.dtype)
        self.rows.append(row)

    def values(self, kind, part):
        return [row["value"] for row in self.rows if row["kind"] == kind and row["part"] == part]

    def write(self, path):
        """Whole or not at all."""
        with open(f"{path}.new", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        os.replace(f"{path}.new", path)


def verdict(value, goal):
    return f">= {goal:<4g} {'met' if value >= goal else 'NOT MET'}"


def line(what, measured, goal=None):
    print(f"  {what:68} {measured:28} {goal or ''}".rstrip(), flush=True)
