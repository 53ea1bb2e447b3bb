"""Settings of the shooting paper's examples 2 to 4 (C.-C. Lan, K.-M. Lee, J.-H. Liou, Mech. Mach. Theory 44, 2009).

"We use intervals N = 20, time step size 0.005 s, and Newmark parameters (a1, a2) = (0.5, 0.5) [...] A fourth-order
Runge-Kutta method with step size d = 0.005" (section 5): ten steps of Runge-Kutta in each of 20 subintervals, and the
trapezoidal rule in time, beta = a2/2 = 1/4 and gamma = a1 = 1/2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pliant as pl

STEP = 5e-3  # s
NEWMARK = (0.25, 0.5)
SETTINGS: dict[str, Any] = {"subintervals": 20, "order": 4, "step": 0.005}
FINE = pl.Exact(8, order=4)
"""Finite elements beside it: their error in space is far below that of any time step used."""


def shooting(model: pl.Model, **changes: Any) -> Any:
    """Return the model compiled for shooting with the paper's settings, or others."""
    return pl.compile(model, formulation="shooting", **(SETTINGS | changes))


def motion(system: Any, *, end_time: float, step: float = STEP, **options: Any) -> pl.Result:
    """Compute a motion by the trapezoidal rule; the reference measures its error, so no estimate."""
    return pl.transient(system, end_time=end_time, step=step, newmark=NEWMARK, estimate=False, **options)


def frequency(time: np.ndarray, signal: np.ndarray) -> float:
    """Return the frequency of a vibration about zero (Hz), from the slope of its upward crossings over their number."""
    before = np.flatnonzero((signal[:-1] < 0.0) & (signal[1:] >= 0.0))
    share = signal[before] / (signal[before] - signal[before + 1])
    crossings = time[before] + share * np.diff(time)[before]
    return float(1.0 / np.polyfit(np.arange(crossings.size), crossings, 1)[0])


def of_the_trapezoidal_rule(frequency_hz: float, step: float = STEP) -> float:
    """Return the frequency at which the trapezoidal rule lets a linear vibration go: ``tan(w' h/2) = w h/2``."""
    return float(np.arctan(np.pi * frequency_hz * step) / (np.pi * step))
