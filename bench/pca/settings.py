"""What a run was asked for, and what it knows of the machine and has found so far."""
from dataclasses import dataclass, field

from limits import Machine
from report import Report


@dataclass
class Bench:
    machine: Machine
    threads: int
    rounds: int  #: of each race, at least
    patience: float  #: seconds that a peer may take
    report: Report = field(default_factory=Report)
