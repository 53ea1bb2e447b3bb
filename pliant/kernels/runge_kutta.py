"""Runge-Kutta tables: classical order 4; P. Bogacki, L.F. Shampine, Appl. Math. Lett. 2, 1989 (3, estimate 2); J.R.
Dormand, P.J. Prince, J. Comput. Appl. Math. 6, 1980 (5, estimate 4); order 8 (7, 1981, as in E. Hairer, S.P.
Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, section II.5); Gauss of order 4 (section II.7).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Table(NamedTuple):
    """Stages of a step of size d, at ``s + node[place[i]] d``; ``error`` has the weights of the error estimate, the
    last one for the end of the step.
    """

    a: np.ndarray  # (stages, stages), strictly lower but for Gauss's method
    b: np.ndarray  # (stages,)
    place: np.ndarray  # (stages,) which node each stage is at
    node: np.ndarray  # (nodes,) 0 to 1, each once
    error: np.ndarray  # (stages + 1,), empty without an estimate
    order: int


def table(order: int | str) -> Table:
    """Return the table of the method called 4, "2/3", "4/5", 8 or "gauss".

    >>> table("4/5").node.round(3).tolist()
    [0.0, 0.2, 0.3, 0.8, 0.889, 1.0]
    """
    rows, b, error, number = _METHODS[order] if order != 8 else _eighth()
    stages = len(rows)
    a = np.zeros((stages, stages))
    for i, row in enumerate(rows):
        a[i, : len(row)] = row
    c = a.sum(axis=1)
    node = np.unique(np.round(np.append(c, (0.0, 1.0)), 12))
    place = np.array([int(np.argmin(np.abs(node - at))) for at in c])
    node = np.array([1.0 if np.isclose(at, 1.0) else at for at in node])
    for k, i in enumerate(place):
        node[i] = c[k]
    return Table(a, np.array(b), place.astype(np.int64), node, np.array(error), number)


def _eighth() -> tuple[Any, Any, Any, int]:
    """Return the twelve stages of order 8 from scipy."""
    from scipy.integrate import DOP853

    return [row[:i] for i, row in enumerate(DOP853.A)], DOP853.B, (), 8


_CLASSICAL = ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0))
_BOGACKI_SHAMPINE = ((), (1 / 2,), (0.0, 3 / 4))
_DORMAND_PRINCE = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
_GAUSS = ((1 / 4, 1 / 4 - 3**0.5 / 6), (1 / 4 + 3**0.5 / 6, 1 / 4))
_METHODS: dict[int | str, tuple[Any, Any, Any, int]] = {
    4: (_CLASSICAL, (1 / 6, 1 / 3, 1 / 3, 1 / 6), (), 4),
    "gauss": (_GAUSS, (1 / 2, 1 / 2), (), 4),
    "2/3": (_BOGACKI_SHAMPINE, (2 / 9, 1 / 3, 4 / 9), (5 / 72, -1 / 12, -1 / 9, 1 / 8), 3),
    "4/5": (
        _DORMAND_PRINCE,
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
        (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
        5,
    ),
}
