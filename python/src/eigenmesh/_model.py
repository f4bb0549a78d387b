"""The library's answer, and the file it is kept in."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Optional

import numpy as np

from ._files import FilePath, content_of, loaded, path_of
from ._native import checked, create, doubles, ffi, lib, text_of, whole_numbers

TRACE_FIELDS = ("iteration", "rounds", "messages", "bytes", "units", "seconds", "residual", "consensus", "error")


@dataclass(frozen=True)
class Traffic:
    """What was sent: totals, and the same by purpose in `phases`: "set-up", "method", "stopping" and "report"."""

    rounds: int
    messages: int
    bytes: int
    units: float  #: one unit is one d x K matrix from every node to each of its neighbours
    phases: Dict[str, "Traffic"] = field(default_factory=dict)


class Model:
    """An em_model. It can be copied and pickled, by way of its file."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.steps = np.empty((0, 2))  # of the fit; a file does not keep them

    @classmethod
    def load(cls, path: FilePath) -> "Model":
        return cls(create("em_model", lib.em_model_load, lib.em_model_free, path_of(path)))

    def save(self, path: FilePath) -> None:
        checked(lib.em_model_save, self.handle, path_of(path))

    def truncate(self, components: int) -> None:
        """Keep the first ones alone."""
        checked(lib.em_model_truncate, self.handle, components)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Model":
        return loaded(cls.load, content)

    def __reduce__(self) -> tuple:
        return Model.from_bytes, (content_of(self.save),)

    @property
    def info(self) -> Any:
        """How it was found: an em_info, to be read while the model lives."""
        return lib.em_model_info(self.handle)

    @property
    def components_count(self) -> int:
        return lib.em_model_components_count(self.handle)

    @property
    def features(self) -> int:
        return lib.em_model_features(self.handle)

    @property
    def feature_names(self) -> Optional[np.ndarray]:
        """What they are called, as scikit-learn keeps it; None where nothing names them."""
        names = [lib.em_model_feature_name(self.handle, feature) for feature in range(self.features)]
        return np.array([text_of(name) for name in names], dtype=object) if names[0] else None

    @property
    def samples(self) -> int:
        return lib.em_model_samples(self.handle)

    @property
    def components(self) -> np.ndarray:
        return doubles(lib.em_model_components(self.handle), self.components_count, self.features)

    def per_feature(self, name: str) -> np.ndarray:
        """`mean` or `scale`."""
        return doubles(getattr(lib, f"em_model_{name}")(self.handle), self.features)

    @property
    def scale(self) -> Optional[str]:
        """What the parameter was, as the file says or, of an older version, as its numbers tell."""
        told = text_of(self.info.scale)
        if told:
            return None if told == "none" else told
        factors = np.unique(self.per_feature("scale"))
        return "std" if len(factors) > 1 else None if factors[0] == 1 else "spectral"

    def per_component(self, name: str) -> np.ndarray:
        """`explained_variance`, `singular_values` and the like; NaN where the fit has not computed it."""
        pointer = getattr(lib, f"em_model_{name}")(self.handle)
        return doubles(pointer, self.components_count) if pointer else np.full(self.components_count, np.nan)

    @property
    def clusters(self) -> np.ndarray:
        return whole_numbers(lib.em_model_clusters(self.handle), self.components_count)

    @property
    def noise_variance(self) -> float:
        return lib.em_model_noise_variance(self.handle)

    @property
    def converged(self) -> bool:
        return self.info.reason == lib.EM_CONVERGED

    @property
    def settled(self) -> bool:
        """An inexact method has come to rest: all that it promises."""
        return self.info.reason == lib.EM_SETTLED

    @property
    def stopped_by_user(self) -> bool:
        return self.info.reason == lib.EM_STOPPED_USER

    @property
    def ran_all_iterations(self) -> bool:
        """As it does with a tolerance of 0, that is without any."""
        return self.info.tolerance == 0 and self.info.reason == lib.EM_STOPPED_ITERATIONS

    @property
    def reason(self) -> str:
        return text_of(lib.em_reason_text(self.info.reason))

    @property
    def method(self) -> str:
        return text_of(self.info.method)

    def traffic(self) -> Traffic:
        phases = {}
        for phase in range(lib.EM_PHASES):
            sent = self.info.traffic[phase]
            phases[text_of(lib.em_phase_name(phase))] = Traffic(sent.rounds, sent.messages, sent.bytes, sent.units)
        parts = phases.values()
        return Traffic(sum(part.rounds for part in parts), sum(part.messages for part in parts),
                       sum(part.bytes for part in parts), sum(part.units for part in parts), phases)

    def history(self) -> Dict[str, np.ndarray]:
        """The trace, a row an iteration, the first one before any; NaN where a number does not apply."""
        rows = [lib.em_model_trace_row(self.handle, r) for r in range(lib.em_model_trace_rows(self.handle))]
        kinds = {name: _NUMPY[field.type.cname] for name, field in ffi.typeof("em_trace_row").fields}
        return {name: np.array([getattr(row, name) for row in rows], dtype=kinds[name]) for name in TRACE_FIELDS}


_NUMPY = {"long": np.dtype("long"), "uint64_t": np.dtype("uint64"), "double": np.dtype("float64")}
