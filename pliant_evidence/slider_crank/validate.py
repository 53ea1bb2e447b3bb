"""Elastic slider-crank: energy after the drive stops, convergence, how rigid aluminium is; the same by shooting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant.gallery.slider_crank import CRANK, ROD, TORQUE, model, section
from pliant.validation import Row, at_most, case, order
from pliant_evidence import shooting_paper as paper

END, DRIVEN = 3.0, 1.2  # s; length of the run, and of the drive
STEP = 1e-3  # s
INSTANTS = np.linspace(0.0, END, 601)  # s; runs are compared at these
STROKE = 2 * CRANK


@case("slider-crank", source="shooting paper, example 3: table 4, figures 10 to 12")
def slider_crank() -> Iterator[Row]:
    """Energy after the drive stops, aluminium and rubber; convergence of the slider's displacement."""
    for material in ("aluminium", "rubber"):
        run = motion(material, every=1)
        yield from energy_rows(material, run)
        fine = motion(material, elements=80, step=STEP / 4)
        yield at_most(
            f"{material}, slider: 40 elements, 1 ms against 80, 0.25 ms (the paper's two methods differ by 0.3 %)",
            "of the stroke", difference(run, fine), limit=3e-3, kind="itself"
        )  # fmt: skip
    steps = (2.5e-3, 1e-3, 5e-4)
    yield order("aluminium, order of the slider's displacement", steps, step_errors("aluminium", steps), kind="itself")
    # rubber shows no clean order at practical steps (its fast modes are not resolved), so none is claimed
    yield at_most(
        "aluminium, slider against rigid links",
        "of the stroke",
        difference(motion("aluminium"), rigid()),
        limit=1e-3,
        kind="other formulation",
    )


@case("shooting-slider-crank", source="shooting paper, example 3: table 4, figures 10 to 12")
def shooting_slider_crank() -> Iterator[Row]:
    """The paper's settings beside finite elements, aluminium and rubber; energy; order in time."""
    for material in ("aluminium", "rubber"):
        run = shot(material)
        name = f"{material}, slider: shooting against finite elements"
        converged, same = solid(material, step=2e-4), solid(material, newmark=paper.NEWMARK)
        yield at_most(
            f"{name}, converged (paper: 0.3 %)",
            "of the stroke",
            difference(run, converged),
            limit=3e-3,
            kind="other formulation",
        )
        # rods of rubber that keep their length go on for 2.1 s: the trapezoidal rule does not damp their axial forces
        elastica = shot(material, end_time=2.0, extensible=False, shear=False)
        yield at_most(
            f"{name}, elastica, 2 s",
            "of the stroke",
            difference(elastica, converged),
            limit=3e-3,
            kind="other formulation",
        )
        # either Newton may leave 1e-10 of a length a step: 4e-10/h^2 of an acceleration, for three seconds
        yield at_most(
            f"{name}, same time steps", "of the stroke", difference(run, same), limit=1e-4, kind="other formulation"
        )
        yield from energy_rows(material, run)
    steps, sharp = (5e-3, 2.5e-3, 1.25e-3), solid("aluminium", step=2e-4)
    errors = [difference(shot("aluminium", time_step=step), sharp) for step in steps]
    yield order("aluminium, order in time of the slider's displacement", steps, errors, kind="other formulation")


def energy_rows(material: str, run: pl.Result) -> Iterator[Row]:
    """Nothing drives it after 1.2 s, nothing dissipates."""
    kinetic, potential, supplied, _, balance = run.energy.values.T
    energy = (kinetic + potential)[run.time.values >= DRIVEN]
    yield at_most(
        f"{material}, energy after 1.2 s: range",
        "of itself",
        np.ptp(energy) / energy[0],
        limit=1e-3,
        kind="conservation law",
    )
    yield at_most(
        f"{material}, energy less work",
        "of the work",
        np.abs(balance).max() / supplied[-1],
        limit=1e-3,
        kind="conservation law",
    )


def motion(material: str, *, elements: int = 40, step: float = STEP, every: int | None = None) -> pl.Result:
    """Both beams from rest, reported at INSTANTS (or every n-th step)."""
    system = pl.compile(model(material=material), elements={"crank": elements, "rod": elements})
    return pl.transient(system, end_time=END, step=step, every=every or round(INSTANTS[1] / step))


def shot(material: str, *, time_step: float = paper.STEP, end_time: float = END, **changes: Any) -> pl.Result:
    """The same motion by shooting, with the paper's settings unless told otherwise."""
    return paper.motion(paper.shooting(model(material=material), **changes), end_time=end_time, step=time_step)


def solid(material: str, *, step: float = paper.STEP, end_time: float = END, **options: Any) -> pl.Result:
    """The same motion by finite elements whose error in space does not matter."""
    system = pl.compile(model(material=material), elements=paper.FINE)
    return pl.transient(system, end_time=end_time, step=step, **options)


def rigid() -> pl.Result:
    """The same mechanism of rigid links with the mass of the aluminium beams."""
    per_length = section("aluminium").mass_per_length
    m = pl.Model("rigid slider-crank", plane="xy")
    ground, crank, rod = m.add(
        pl.Ground(),
        pl.Link("crank", length=CRANK, mass=per_length * CRANK, angle=0.0),
        pl.Link("rod", length=ROD, mass=per_length * ROD, position=(CRANK + ROD, 0.0), angle=pi),
    )
    m.add(
        pl.Revolute(ground.at(0.0, 0.0), crank.at(s=0)),
        pl.Revolute(crank.at(s=1), rod.at(s=1)),
        pl.Slider(ground.at(0.0, 0.0), rod.at(s=0)),
        pl.Moment(crank.at(s=0), TORQUE),
    )
    return pl.transient(pl.compile(m), end_time=END, step=STEP)


def difference(one: pl.Result, other: pl.Result) -> float:
    """Largest difference of the slider's displacement at INSTANTS, as far as both runs go, as a part of the stroke."""
    end = min(float(run.time[-1]) for run in (one, other))
    instants = INSTANTS[: int(np.searchsorted(INSTANTS, end + 1e-9))]
    here, there = (
        run.position.sel(marker="rod/base", axis="x").sel(time=instants, method="nearest").values
        for run in (one, other)
    )
    return float(np.abs(here - there).max() / STROKE)


def step_errors(material: str, steps: Sequence[float]) -> list[float]:
    """Error of the slider's displacement with each step, 20 elements a beam, against a step of 0.1 ms."""
    fine = motion(material, elements=20, step=1e-4)
    return [difference(motion(material, elements=20, step=step), fine) for step in steps]
