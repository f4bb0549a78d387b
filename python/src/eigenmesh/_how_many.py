"""What n_components asks the library for."""
from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Union

from .errors import InvalidArgument


def wanted(asked: Any, rows: int, features: int) -> Union[int, float]:
    """A number, or a fraction of the variance. All of them where the number follows from them; one where none is
    wanted, since the library has no model of none."""
    if rows < 2:
        raise InvalidArgument("X: 1 sample has no variance; try 2 or more")
    most = min(rows, features)
    if asked is None:
        return most
    if isinstance(asked, str) and asked == "mle":
        _check_mle(rows, features)
        return most
    if isinstance(asked, Real) and not isinstance(asked, bool):
        if isinstance(asked, Integral) and 0 <= asked <= most:
            return max(1, int(asked))
        if not isinstance(asked, Integral) and 0 < asked < 1:
            return float(asked)
    raise InvalidArgument(f"n_components={asked!r}: neither between 0 and min(n_samples, n_features)={most} nor a "
                          'fraction of the variance; try 10, 0.95, "mle" or None')


def _check_mle(rows: int, features: int) -> None:
    if rows < features:
        raise InvalidArgument("n_components='mle' is only supported if n_samples >= n_features, not for "
                              f"{rows} < {features}; try a fraction of the variance such as 0.95")
    if features < 2:
        raise InvalidArgument("n_components='mle': one feature leaves nothing to choose; try n_components=1")
