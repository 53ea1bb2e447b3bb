"""Rate of the fastest motion of a system, for the step limit of explicit methods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pliant.errors import StiffMotion, warn

SOME = 1_000  # steps after which the rate is computed
MANY = 20_000  # steps, from which on a warning is given
ITERATIONS = 12  # of the power method
CLOSE = 0.05  # relative change of its result at which it ends
SMALL = 1e-6  # displacement for differences, in lengths of the model and radians
STABLE = {"DOP853": 6.1, "RK45": 3.3, "RK23": 2.5}  # h |eigenvalue|: ends of the stability regions on the real axis

Accelerations = Callable[[np.ndarray, np.ndarray], np.ndarray]


def fastest(accelerations: Accelerations, units: np.ndarray) -> float:
    """Compute the size of the largest eigenvalue (1/s) of J, derivative of (v, x'') by z = (x, v): by the power method
    on J^2, which has one real eigenvalue per vibration.

    accelerations  x'' after displacements (dx, dv) from a state
    units          scales of the coordinates

    >>> round(fastest(lambda x, v: -1e6 * x, np.ones(1)))  # a spring
    1000
    >>> round(fastest(lambda x, v: -50.0 * v, np.ones(2)))  # a damper
    50
    """
    x, v = np.random.default_rng(0).standard_normal((2, units.size))
    growth = 0.0
    for _ in range(ITERATIONS):
        for _ in range(2):
            size = max(float(np.max(np.abs(x))), 1e-6 * float(np.max(np.abs(v))))
            if not 0.0 < size < np.inf:
                return 0.0
            step = SMALL / size
            change = accelerations(step * units * x, step * units * v) - accelerations(
                -step * units * x, -step * units * v
            )
            x, v = v, change / (2.0 * step * units)
        before, growth = growth, float(np.max(np.abs(x)))
        if not 0.0 < growth < np.inf:
            return 0.0
        if abs(growth - before) < CLOSE * growth:
            break
        x, v = x / growth, v / growth
    return float(np.sqrt(growth))


def warn_of_many_steps(name: str, method: str, rate: float, duration: float) -> None:
    """Warn if an explicit method must take very many steps for the fastest motion, whatever the accuracy."""
    steps = rate * duration / STABLE[method] if method in STABLE else 0.0
    if steps > MANY:
        warn(
            StiffMotion,
            f"The fastest motion of {name!r} ({rate:.2g} 1/s) leaves {method} steps of about {duration / steps:.1g} s, "
            f"{steps:.2g} of them, whatever the accuracy. Take method='SDIRK4' or, for low accuracy, 'TRBDF2'.",
        )
