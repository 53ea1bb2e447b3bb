"""Spin-up of a flexible arm against the shooting paper and the closed form of the steady extension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.integrate import simpson

import pliant as pl
from pliant_evidence import shooting_paper as paper
from pliant_gallery.spinning_beam import Data, data, model
from pliant_testing.validation import Row, absolute, at_most, case, order, relative

ELEMENTS = 20
STEP = 5e-3  # s


@case("spinning-beam", source="shooting paper, example 2: tables 2 and 3, figures 7 and 8")
def spinning_beam() -> Iterator[Row]:
    """Deflection while spinning up, steady extension with and without damping."""
    for number in (1, 2):
        given = data(number)
        time, along, across = tip(given, spin_up(number, end_time=45.0))
        if number == 1:
            deepest = int(np.argmin(across))
            name = "case 1, largest tip deflection"
            yield absolute(name, "m", -0.280, across[deepest], tolerance=0.001, kind="published")
            yield absolute(f"{name}, when", "s", 7.0, time[deepest], tolerance=0.05, kind="published")
        steady = along[time >= given.rise_time]
        name = f"case {number}, steady tip extension"
        yield relative(
            f"{name}: mean, undamped (residual bending shortens it)",
            "m", given.steady_extension, steady.mean(), tolerance=3e-3, kind="exact"
        )  # fmt: skip
        _, settling, _ = tip(given, spin_up(number, end_time=60.0, stiffness_damping=0.05))
        yield relative(
            f"{name}: relative equilibrium (damped)",
            "m",
            given.steady_extension,
            settling[-1],
            tolerance=5e-4,
            kind="exact",
        )
        last = settling[-round(5.0 / STEP) :]
        yield at_most(
            f"{name}: change in the last 5 s, damped",
            "m",
            np.ptp(last),
            limit=1e-5 * given.steady_extension,
            kind="itself",
        )
    yield order("case 1, order of the tip's position at 10 s", STEPS, errors_at(10.0), kind="itself")


PUBLISHED = {1: 2.7393e-5, 2: 5.14e-4}  # m; table 3
SCHEMES: dict[int, dict[str, Any]] = {1: {"newmark": paper.NEWMARK}, 2: {"spectral_radius": 0.9}}
"""With the paper's trapezoidal rule the axial vibration of case 2 grows until Newton fails, after 20 s."""


@case("shooting-spinning-beam", source="shooting paper, example 2: tables 2 and 3, figures 7 and 8; ERRATA 4")
def shooting_spinning_beam() -> Iterator[Row]:
    """The paper's settings: deflection while spinning up, steady extension, finite elements beside it."""
    for number in (1, 2):
        given, run = data(number), shot(number, end_time=30.0)
        time, along, across = tip(given, run)
        if number == 1:
            deepest = int(np.argmin(across))
            name = "case 1, largest tip deflection"
            yield absolute(name, "m", -0.280, across[deepest], tolerance=0.001, kind="published")
            yield absolute(f"{name}, when", "s", 7.0, time[deepest], tolerance=0.05, kind="published")
            solid = pl.compile(model(case=1), elements=paper.FINE)
            _, x, y = tip(given, paper.motion(solid, end_time=30.0))
            apart = float(np.hypot(along - x, across - y).max() / given.length)
            yield at_most(
                "case 1, tip: shooting against finite elements, same steps",
                "of the length",
                apart,
                limit=1e-5,
                kind="other formulation",
            )
        extension = float(stretch(given, run)[time >= given.rise_time].mean())
        name = f"case {number}, steady extension along the arm"
        yield relative(f"{name}, table 3", "m", PUBLISHED[number], extension, tolerance=1e-3, kind="published")
        yield relative(f"{name}, closed form", "m", given.steady_extension, extension, tolerance=1e-3, kind="exact")


STEPS = (1e-2, 5e-3, 2.5e-3)


def errors_at(time: float) -> list[float]:
    """Return the error of the tip's position with each of STEPS against a step four times finer than the last."""
    places = [spin_up(1, end_time=time, step=h).position.sel(marker="arm/tip")[-1] for h in (*STEPS, STEPS[-1] / 4)]
    return [float(np.linalg.norm(place - places[-1])) for place in places[:-1]]


def spin_up(number: int, *, end_time: float, step: float = STEP, stiffness_damping: float = 0.0) -> pl.Result:
    """Compute the motion of the arm from rest."""
    system = pl.compile(model(case=number, stiffness_damping=stiffness_damping), elements={"arm": ELEMENTS})
    return pl.transient(system, end_time=end_time, step=step, estimate=False)


def shot(number: int, *, end_time: float) -> pl.Result:
    """Compute the motion by shooting, with the paper's settings."""
    system = paper.shooting(model(case=number))
    return pl.transient(system, end_time=end_time, step=paper.STEP, estimate=False, **SCHEMES[number])


def stretch(given: Data, run: pl.Result) -> np.ndarray:
    """Return e(1) of the paper's eq. 8: extension along the arm, its axial force over EA by Simpson's rule (m)."""
    axial = run.resultant.sel(component="N")
    s, nodes = np.unique(axial.section_s.values, return_index=True)
    strain = axial.values[:, nodes] / given.section.axial_stiffness
    return np.asarray(given.length * simpson(strain, s))


def tip(given: Data, run: pl.Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, extension and deflection of the tip, in axes that turn with the hub."""
    time = run.time.values
    x, y = run.position.sel(marker="arm/tip").values.T
    turn = np.exp(-1j * given.hub_angle(time)) * (x + 1j * y)
    return time, turn.real - given.length, turn.imag
