"""Coefficients of Runge-Kutta methods (see `runge_kutta.Tableau`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK23, RK45

from pliant.solvers.ode.runge_kutta import Tableau

EXPLICIT = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
_NONE_WITHIN = np.zeros((0, 0)), np.zeros(0), np.zeros((4, 0))


def coefficients(method: str, *, within: bool = False) -> Tableau:
    """Return the table of a method; explicit ones are scipy's. ``within``: with extra stages for instants in steps."""
    if method in IMPLICIT:
        return IMPLICIT[method]()
    known: Any = EXPLICIT[method]
    main = known.E5 if hasattr(known, "E5") else known.E
    second = known.E3 if hasattr(known, "E3") else np.zeros_like(main)
    stages = known.C.size
    a = np.zeros((stages, stages))
    a[:, : known.A.shape[1]] = known.A
    b, c, e, e3 = (np.ascontiguousarray(x, float) for x in (known.B, known.C, main, second))
    inner: Any = _NONE_WITHIN
    if within and hasattr(known, "A_EXTRA"):
        inner = tuple(np.ascontiguousarray(x, float) for x in (known.A_EXTRA, known.C_EXTRA, known.D))
    return Tableau(a, b, c, e, e3, float(known.error_estimator_order), 0.0, *inner)


def _sdirk4() -> Tableau:
    """Return five implicit stages of order 4, L-stable, estimate of order 3 (Hairer, Wanner, Solving Ordinary
    Differential Equations II, 1996, table IV.6.5), after a first stage that only holds the start.
    """
    a = np.zeros((6, 6))
    a[1, 1] = 1 / 4
    a[2, 1:3] = 1 / 2, 1 / 4
    a[3, 1:4] = 17 / 50, -1 / 25, 1 / 4
    a[4, 1:5] = 371 / 1360, -137 / 2720, 15 / 544, 1 / 4
    a[5, 1:6] = 25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4
    third = np.array([0.0, 59 / 48, -17 / 96, 225 / 32, -85 / 12, 0.0])
    e = np.append(a[5] - third, 0.0)
    return Tableau(a, a[5].copy(), a.sum(axis=1), e, np.zeros(7), 3.0, 1 / 4, *_NONE_WITHIN)


def _trbdf2() -> Tableau:
    """Return two implicit stages of order 2, L-stable, estimate of order 3 (M. E. Hosea, L. F. Shampine, Appl. Numer.
    Math. 20, 1996, 21-37, section 4); the first stage is the start.
    """
    d, w = 1.0 - np.sqrt(0.5), np.sqrt(2.0) / 4.0
    a = np.zeros((3, 3))
    a[1, :2] = d, d
    a[2] = w, w, d
    third = np.array([(1.0 - w) / 3.0, (3.0 * w + 1.0) / 3.0, d / 3.0])
    e = np.append(a[2] - third, 0.0)
    return Tableau(a, a[2].copy(), a.sum(axis=1), e, np.zeros(4), 2.0, float(d), *_NONE_WITHIN)


IMPLICIT = {"SDIRK4": _sdirk4, "TRBDF2": _trbdf2}
