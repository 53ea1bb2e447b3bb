"""Elastic slider-crank: energy after the drive stops, convergence, how rigid aluminium is; the same by shooting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence import shooting_paper as paper
from pliant_evidence.conservation import energy_kept
from pliant_evidence.exudyn_beams import VARIANTS, Plan, peer
from pliant_evidence.slider_crank import equations
from pliant_evidence.slider_crank.bench import mechanism
from pliant_gallery.slider_crank import CRANK, model
from pliant_testing.validation import Row, at_most, case, order, skipped

END, DRIVEN = 3.0, 1.2  # s; length of the run, and of the drive
STEP = 1e-3  # s
INSTANTS = np.linspace(0.0, END, 601)  # s; runs are compared at these
STROKE = 2 * CRANK
MATERIALS = ("aluminium", "rubber")


@case("slider-crank", source="shooting paper, example 3: table 4, figures 10 to 12")
def slider_crank() -> Iterator[Row]:
    """Energy after the drive stops, aluminium and rubber; convergence of the slider's displacement."""
    for material in MATERIALS:
        yield from outside(material)
        run, fine = motion(material), motion(material, elements=80, step=STEP / 4)
        yield at_most(
            f"{material}, slider: 40 elements, 1 ms against 80, 0.25 ms (the paper's two methods differ by 0.3 %)",
            "of the stroke", difference(run, fine), limit={"aluminium": 1e-4, "rubber": 2e-3}[material], kind="itself"
        )  # fmt: skip
    steps = (2.5e-3, 1e-3, 5e-4)
    yield order("aluminium, order of the slider's displacement", steps, step_errors("aluminium", steps), kind="itself")
    # rubber shows no clean order at practical steps (its fast modes are not resolved), so none is claimed


def outside(material: str) -> Iterator[Row]:
    """Check against references from outside: energy, Lagrange's equations, Exudyn."""
    run = motion(material, every=1)
    yield from energy_rows(material, run, limit=1e-4)
    yield by_lagrange(material, run)
    # The same elements, scheme and step: what either Newton leaves in a step, 1e-8 of a length, summed up.
    yield by_a_peer(material, run, limit=1e-6)


@case("shooting-slider-crank", source="shooting paper, example 3: table 4, figures 10 to 12")
def shooting_slider_crank() -> Iterator[Row]:
    """The paper's settings beside finite elements, aluminium and rubber; energy; order in time."""
    for material in MATERIALS:
        run = shot(material)
        name = f"{material}, slider: shooting against finite elements"
        converged, same = solid(material, step=2e-4), solid(material, newmark=paper.NEWMARK)
        yield near(f"{name}, converged (paper: 0.3 %)", difference(run, converged), limit=3e-3)
        # rods of rubber that keep their length go on for 2.1 s: the trapezoidal rule does not damp their axial forces
        elastica = shot(material, end_time=2.0, extensible=False, shear=False)
        yield near(f"{name}, elastica, 2 s", difference(elastica, converged), limit=3e-3)
        # either Newton may leave 1e-10 of a length a step: 4e-10/h^2 of an acceleration, for three seconds
        yield near(f"{name}, same time steps", difference(run, same), limit=1e-4)
        yield from outside_by_shooting(material, run)
    steps, sharp = (5e-3, 2.5e-3, 1.25e-3), solid("aluminium", step=2e-4)
    errors = [difference(shot("aluminium", time_step=step), sharp) for step in steps]
    yield order("aluminium, order in time of the slider's displacement", steps, errors, kind="other formulation")


def outside_by_shooting(material: str, run: pl.Result) -> Iterator[Row]:
    """Check against references from outside: Exudyn, energy."""
    yield by_a_peer(material, run, limit=3e-3)
    yield from energy_rows(material, run, limit=1e-3)  # steps of 5 ms: 25 times as much, and no damping


def by_lagrange(material: str, run: pl.Result) -> Row:
    """Compare the slider by Lagrange's equations, with beams that keep their length.

    Aluminium bends by 1e-5 of the stroke: rigid beams, the whole run. Rubber: five modes a beam, while it is driven;
    axial forces of 0.2 N stretch it by 1e-3.
    """
    modes, end, limit = {"aluminium": (1, END, 1e-4), "rubber": (5, DRIVEN, 2e-3)}[material]
    instants = INSTANTS[: int(np.searchsorted(INSTANTS, end + 1e-9))]
    off = np.abs(slider(run, instants) - equations.slider(material, instants, modes=modes)).max() / STROKE
    name = f"{material}, slider: Lagrange's equations, {modes} modes a beam, {end:g} s"
    return at_most(name, "of the stroke", float(off), limit=limit, kind="independent code")


def by_a_peer(material: str, run: pl.Result, *, limit: float) -> Row:
    """Compare the slider by Exudyn."""
    name, theirs = f"{material}, slider: Exudyn, 40 elements, 1 ms", in_exudyn(material)
    if theirs is None:
        return skipped(name, "of the stroke", "Exudyn is not installed or failed", kind="independent code")
    off = np.abs(slider(run, INSTANTS) - theirs).max() / STROKE
    return at_most(name, "of the stroke", float(off), limit=limit, kind="independent code")


@cache
def in_exudyn(material: str) -> np.ndarray | None:
    """Return the x of the slider (m) at INSTANTS, 40 elements a beam, steps of 1 ms; None without Exudyn."""
    found = peer()
    if found is None:
        return None
    plan = Plan(END, round(END / STEP), report=INSTANTS[1], marker="rod/base", size=STROKE)
    beams = mechanism(found.module, material=material, elements=40)
    theirs = beams.solve(beams.settings(plan, VARIANTS[0], 1e-8))
    return None if theirs is None else theirs[:, 0]


def near(quantity: str, share: float, *, limit: float) -> Row:
    """Check that another formulation is not farther away than a share of the stroke."""
    return at_most(quantity, "of the stroke", share, limit=limit, kind="other formulation")


def energy_rows(material: str, run: pl.Result, *, limit: float) -> Iterator[Row]:
    """Check the energy: nothing drives it after 1.2 s, nothing dissipates."""
    kinetic, potential, supplied, _, balance = run.energy.values.T
    energy = (kinetic + potential)[run.time.values >= DRIVEN]
    yield energy_kept(f"{material}, energy after 1.2 s: range", energy, limit=limit)
    yield at_most(
        f"{material}, energy less work",
        "of the work",
        np.abs(balance).max() / supplied[-1],
        limit=limit,
        kind="conservation law",
    )


def motion(material: str, *, elements: int = 40, step: float = STEP, every: int | None = None) -> pl.Result:
    """Compute both beams from rest, reported at INSTANTS (or every n-th step)."""
    system = pl.compile(model(material=material), elements={"crank": elements, "rod": elements})
    return pl.transient(system, end_time=END, step=step, every=every or round(INSTANTS[1] / step))


def shot(material: str, *, time_step: float = paper.STEP, end_time: float = END, **changes: Any) -> pl.Result:
    """Compute the motion by shooting, with the paper's settings unless `changes` replace them."""
    return paper.motion(paper.shooting(model(material=material), **changes), end_time=end_time, step=time_step)


def solid(material: str, *, step: float = paper.STEP, end_time: float = END, **options: Any) -> pl.Result:
    """Compute the motion by finite elements whose error in space does not matter."""
    system = pl.compile(model(material=material), elements=paper.FINE)
    return pl.transient(system, end_time=end_time, step=step, **options)


def difference(one: pl.Result, other: pl.Result) -> float:
    """Return the largest difference of the slider's displacement at INSTANTS, until one run ends, over the stroke."""
    end = min(float(run.time[-1]) for run in (one, other))
    instants = INSTANTS[: int(np.searchsorted(INSTANTS, end + 1e-9))]
    return float(np.abs(slider(one, instants) - slider(other, instants)).max() / STROKE)


def slider(run: pl.Result, instants: np.ndarray) -> np.ndarray:
    """Return the x of the slider (m)."""
    return np.asarray(run.position.sel(marker="rod/base", axis="x").sel(time=instants, method="nearest").values)


def step_errors(material: str, steps: Sequence[float]) -> list[float]:
    """Return the error of the slider's displacement with each step, 20 elements a beam, against a step of 0.1 ms."""
    fine = motion(material, elements=20, step=1e-4)
    return [difference(motion(material, elements=20, step=step), fine) for step in steps]
