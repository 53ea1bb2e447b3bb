"""Crank-slider at the tolerances of the Udwadia-Kalaba paper, against real time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pliant as pl
from pliant_gallery.crank_slider import DAMPED, ELEMENTS, forcing, model
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

RIGID, FLEXIBLE = (1e-6, 1e-8), (1e-8, 1e-10)  # relative and absolute tolerances of the paper (MATLAB's ode15s)
SHARP = (1e-11, 1e-12)
RIGID_END, FLEXIBLE_END = 20.0, 30.0  # s


@benchmark("crank-slider")
def crank_slider() -> Iterator[Comparison]:
    """Rigid, 20 s, and with a crank of 20 elements (63 coordinates, 43 constraints), 30 s; free and under 5 N."""
    for force in (0.0, 5.0):
        load = f"{force:g} N"
        yield against_the_clock(
            f"crank-slider, rigid, {load}", model(push=forcing(force)), end_time=RIGID_END, tolerances=RIGID
        )
        yield against_the_clock(
            f"crank-slider, flexible, {load}",
            model(DAMPED, flexible=True, push=forcing(force)),
            end_time=FLEXIBLE_END,
            tolerances=FLEXIBLE,
        )


def against_the_clock(case: str, given: pl.Model, *, end_time: float, tolerances: tuple[float, float]) -> Comparison:
    """Compare the time of a motion, sampled 50 times a second, with its duration; error of the crank angle (rad)."""
    system = pl.compile(given, formulation="udwadia_kalaba", elements=ELEMENTS)
    times = np.linspace(0.0, end_time, round(50.0 * end_time) + 1)
    sharp = pl.transient(system, end_time=end_time, times=times, tolerances=SHARP, method="DOP853")
    job = Contender(lambda: pl.transient(system, end_time=end_time, times=times, tolerances=tolerances))
    lap = race({"pliant": job}, rounds=3)["pliant"]
    return Comparison(
        case,
        f"{system.freedoms} coordinates",
        lap.seconds,
        peer="real time",
        peer_settings=f"tolerances {tolerances[0]:g}, {tolerances[1]:g}",
        peer_s=end_time,
        pliant_error=float(np.abs(lap.value.angle - sharp.angle).sel(body="crank").max()),
        required_ratio=1.0,
    )
