"""Table 1 of the manipulator paper run again: component and system modes side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.manipulator.motions import COMPONENT, SYSTEM, across, compiled
from pliant_gallery.manipulator import FIGURES, Arm
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

END = 2.0 * np.pi  # s, three periods of the torque; the paper does not say how long its runs are
TIMES = np.linspace(0.0, END, 629)
ACCURACY, METHOD = 1e-8, "SDIRK4"  # the defaults; implicit, as ode23tb is
SHARP_ACCURACY, SHARP_METHOD = 1e-9, "DOP853"
LIMIT = 2.0  # s, for each
TABLE_1 = {
    "system modes, U_g 100 m/s": (FIGURES[13], SYSTEM, 147.82),
    "system modes, U_g 40 m/s": (FIGURES[15], SYSTEM, 2723.70),
    "component modes, U_g 100 m/s": (FIGURES[13], COMPONENT, 903.85),
    "component modes, U_g 40 m/s": (FIGURES[15], COMPONENT, 6468.5),
}
"""Arm, model, and seconds on a COMPAQ XP1000 with MATLAB's ode23tb."""


@benchmark("manipulator")
def manipulator() -> Iterator[Comparison]:
    """2R arm, 2 pi s: table 1, four cells in one run; each must take less than 2 s."""
    systems = {name: compiled(arm, **options) for name, (arm, options, _) in TABLE_1.items()}
    laps = race({name: Contender(partial(run, system)) for name, system in systems.items()}, rounds=3)
    for name, (arm, _, printed_seconds) in TABLE_1.items():
        lap, system = laps[name], systems[name]
        yield Comparison(
            f"manipulator, {name}",
            f"{system.freedoms} coordinates",
            lap.seconds,
            peer="table 1 of the paper",
            peer_settings="ode23tb, COMPAQ XP1000; error: tip deflections, m",
            peer_s=printed_seconds,
            pliant_error=error(arm, lap.value, run(system, accuracy=SHARP_ACCURACY, method=SHARP_METHOD)),
            required_ratio=printed_seconds / LIMIT,
        )


def run(system: Any, *, accuracy: float = ACCURACY, method: str = METHOD) -> pl.Result:
    """Compute the motion from rest, sampled 100 times a second."""
    return pl.transient(system, end_time=END, times=TIMES, accuracy=accuracy, method=method)


def error(arm: Arm, found: pl.Result, sharp: pl.Result) -> float:
    """Return the largest difference of the tip deflections of both links (m)."""
    return max(float(np.abs(across(found, arm, k) - across(sharp, arm, k)).max()) for k in (0, 1))
