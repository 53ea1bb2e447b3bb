"""Numbers of two runs of the scenarios: where they differ by more than rounding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

CLOSE = 1e-9  # of the largest number of the same name
ROUNDING = 1e-14  # of the largest number of a scenario: what is zero but for rounding (the power of an elastic force)


def differences(plain: dict[str, Any], compiled: dict[str, Any]) -> Iterator[str]:
    """Yield a line for every array of numbers that is not the same in both.

    >>> list(differences({"a": {"x": [1.0, 2.0]}}, {"a": {"x": [1.0, 2.0 + 1e-9]}}))
    []
    >>> list(differences({"a": {"x": [1.0, 2.0]}}, {"a": {"x": [1.0, 2.1]}}))
    ['a: x differs by 0.1 of 2.1']
    >>> list(differences({"a": {"x": 1.0}}, {"a": {"y": float("nan")}, "b": {}}))
    ['b: not in both runs', 'a: other names or shapes']
    """
    for name in sorted(plain.keys() ^ compiled.keys()):
        yield f"{name}: not in both runs"
    for name in sorted(plain.keys() & compiled.keys()):
        one, other = ({key: np.asarray(value) for key, value in each[name].items()} for each in (plain, compiled))
        if {key: x.shape for key, x in one.items()} != {key: x.shape for key, x in other.items()}:
            yield f"{name}: other names or shapes"
            continue
        largest = max(_size(x) for x in (*one.values(), *other.values()))
        for key, x in one.items():
            off, size = _size(x - other[key]), max(_size(x), _size(other[key]))
            if not off <= CLOSE * size + ROUNDING * largest:
                yield f"{name}: {key} differs by {off:.3g} of {size:.3g}"


def _size(x: np.ndarray) -> float:
    return float(np.max(np.abs(x), initial=0.0))
