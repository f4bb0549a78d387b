"""A page about a fit, for people, and what a notebook shows of it. The library writes it; here it is told what is known."""
from __future__ import annotations

import inspect
import os
import time
from numbers import Integral
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from ._conventions import HAVE_SKLEARN, check_is_fitted, lendable, validated
from ._files import content_of, path_of
from ._graph import Graph
from ._model import Model
from ._native import checked, ffi, lend, lib
from .errors import EigenmeshError, InvalidArgument

_NUMBERS_WRITTEN = 1024  # of an array, in the command: more than that nobody reads


class Reported:
    """The pages of an estimator that has a `_model` and knows what it was `_fitted_with`."""

    _model: Model
    _fitted_with: Dict[str, Any]

    def report(self, path: Union[str, "os.PathLike[str]"], X: Any = None, labels: Optional[Sequence[Any]] = None) -> None:
        """Write a page about the fit: one HTML file that refers to nothing outside itself, as `eigenmesh fit --report` does.

        It says what was computed from what, how far it can be trusted, and how to do it again, with pictures of the variances,
        the loadings, the network and the way there.

        Parameters
        ----------
        path : str or path
        X : array, sparse matrix or a list of such, optional
            Rows to draw as points, up to 5000 of them. The page is then as private as they are, and says so.
        labels : sequence, optional
            What the rows of X are called, for their colours; None, NaN and pandas' NA and NaT are no label. A pandas Series tells its name too.

        >>> import tempfile
        >>> from eigenmesh import PCA
        >>> pca = PCA(1).fit([[0, 1], [1, 3], [2, 5.5]])
        >>> with tempfile.TemporaryDirectory() as place:
        ...     pca.report(place + "/page.html", [[0, 1], [1, 3]], labels=["early", "late"])
        ...     "early" in open(place + "/page.html").read()
        True
        """
        check_is_fitted(self)
        if self._model.components_count == 0 or getattr(self, "n_components_", 1) == 0:
            raise InvalidArgument("report: a page is about components; try n_components=1 or more")
        if labels is not None and X is None:
            raise InvalidArgument("labels: there are no rows that have them; try report(path, X, labels)")
        page = _Page(self._model)
        if hasattr(self, "_fitted_with"):
            page.describe(self._command(), self._fitted_with)
        if X is not None:
            several = isinstance(X, (list, tuple)) and len(X) > 0 and all(np.ndim(part) == 2 for part in X)
            parts = X if several else [X]
            page.draw_rows([lendable(validated(self, part, reset=False)) for part in parts], labels)
        checked(lib.em_page_save, page.native, path_of(path))

    def _note_fit(self, nodes: int, seed: int, rows: List[int], processes: int) -> None:
        """What a page tells of a fit beside its model."""
        parameters = {name: value for name, value in vars(self).items() if not (name[0] == "_" or name[-1] == "_")}
        self._fitted_with = {"parameters": parameters, "topology": parameters["topology"], "weights": parameters["weights"],
                             "nodes": nodes, "seed": seed, "rows": rows, "processes": processes}

    def _command(self) -> str:
        """As it was fitted, whatever the parameters are by now: code that does it again. An estimator's repr is for the eye, and
        leaves out what is long."""
        asked = dict(self._fitted_with["parameters"])
        if not (asked["random_state"] is None or isinstance(asked["random_state"], Integral)):
            asked["random_state"] = self._fitted_with["seed"]  # which was drawn from it
        known = inspect.signature(type(self)).parameters
        written = {name: _code(asked[name]) for name in sorted(asked) if name in known}
        arguments = ", ".join(f"{name}={name if code is None else code}" for name, code in written.items()
                              if code != repr(known[name].default))
        remarks = ", ".join(f"{name}: {_kind(asked[name])}, as passed" for name, code in written.items() if code is None)
        name = type(self).__name__
        return f"from eigenmesh import {name}; {name}({arguments}).fit(X)" + (f"  # {remarks}" if remarks else "")

    def _summary(self) -> str:
        """In short, as a piece of HTML for a notebook; "" before there is anything to say. To be shown is no reason to make
        a model of rows that keep coming."""
        if len(vars(self).get("components_", ())) == 0:
            return ""
        page = _Page(self._model)
        page.native.fragment = 1
        return content_of(lambda file: checked(lib.em_page_save, page.native, path_of(file))).decode()

    if HAVE_SKLEARN:  # whose diagram stays first, and whose configuration decides whether there is any HTML

        def _repr_html_inner(self) -> str:
            return super()._repr_html_inner() + self._summary()  # type: ignore[misc]

        def _repr_mimebundle_(self, **how: Any) -> Dict[str, Any]:
            shown = super()._repr_mimebundle_(**how)  # type: ignore[misc]
            if "text/html" in shown:
                shown["text/html"] += self._summary()
            return shown

    else:

        def _repr_html_(self) -> Optional[str]:
            return self._summary() or None


class _Page:
    """An em_page and the memory that it points to."""

    def __init__(self, model: Model) -> None:
        self.native = ffi.new("em_page *", {"size": ffi.sizeof("em_page"), "model": model.handle, "made": int(time.time())})
        self._kept: List[Any] = [model]
        steps = [(int(iteration), change) for iteration, change in model.steps]
        self.native.steps, self.native.step_count = self._keep(ffi.new("em_page_step[]", steps)), len(steps)

    def _keep(self, kept: Any) -> Any:
        self._kept.append(kept)
        return kept

    def _text(self, text: str) -> Any:
        return self._keep(ffi.new("char[]", text.replace("\0", "�").encode(errors="replace")))

    def describe(self, command: str, fitted_with: Dict[str, Any]) -> None:
        """The network is drawn again, as everything random follows from the seed; a file of edges may be gone by now."""
        self.native.command = self._text(command)
        self.native.processes = fitted_with["processes"]
        try:
            graph = self._keep(Graph(*(fitted_with[name] for name in ("topology", "nodes", "weights", "seed"))))
        except EigenmeshError:
            return
        self.native.graph = graph.handle
        self.native.topology = self._text(graph.topology)
        if len(fitted_with["rows"]) == graph.nodes:
            self.native.node_rows = self._keep(ffi.new("uint64_t[]", fitted_with["rows"]))

    def draw_rows(self, tables: List[Any], labels: Optional[Sequence[Any]]) -> None:
        rows = sum(table.shape[0] for table in tables)
        handles = self._keep([lend(table) for table in self._keep(tables)])
        self.native.tables = self._keep(ffi.new("em_data *[]", handles))
        self.native.table_count = len(handles)
        if labels is None:
            return
        if np.ndim(labels) != 1 or len(labels) != rows:
            raise InvalidArgument(f"labels: of shape {np.shape(labels)} for {rows} rows; try one a row")
        self.native.label = self._text(str(getattr(labels, "name", None) or "label"))
        kinds: Dict[str, Any] = {}  # one text for all rows that have it
        texts = [_label(value) for value in labels]
        for text in texts:
            if text not in kinds:
                kinds[text] = self._text(text)
        self.native.labels = self._keep(ffi.new("char *[]", [kinds[text] for text in texts]))


def _code(value: Any) -> Optional[str]:
    """An expression of this value, to the last bit; None where there is none that one would want to read."""
    if value is None or isinstance(value, (str, bool)):
        return repr(value)
    if callable(value) or np.size(value) > _NUMBERS_WRITTEN:
        return None
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biuf" or not np.isfinite(numbers).all():
        return None
    return repr(numbers.tolist())


def _kind(value: Any) -> str:
    shape = np.shape(value)
    return f"a {' x '.join(map(str, shape))} array" if shape else f"a {type(value).__name__}"


def _label(value: Any) -> str:
    """A class or a number; "" for none, such as pandas' NA, which compares with nothing."""
    if value is None or type(value).__name__ == "NAType" or value != value:
        return ""
    return f"{float(value):.12g}" if isinstance(value, (float, np.floating)) else str(value)
