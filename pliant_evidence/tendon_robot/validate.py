"""Rods that tendons bend: exact arcs, a boundary value problem, and a silicone arm that others measured."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import cos, pi, sin, tau
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.tendon_robot import models, theory
from pliant_evidence.tendon_robot.models import AXIAL, BENDING, LENGTH, SHEAR, TORSION
from pliant_testing.validation import Row, absolute, at_most, case, order, relative

ASIDE = 0.01  # m, offset of the channels
FINE = pl.Exact(8, order=3)
ROUNDING = 1e-8  # of the length, where elements of order 3 are all but exact


@case(
    "tendon-robot",
    source="closed forms; Rucker & Webster 2011, written separately; poses measured with SoRoMoX (TU Delft, 2026)",
)
def tendon_robot() -> Iterator[Row]:
    """Tendons in channels along rods, in the plane and in space."""
    yield from arcs()
    yield from orders()
    yield from against_boundary_values()
    yield from symmetry()
    yield from rubbing()
    yield from rubbing_in_motion()
    yield from silicone()


def tip(model: pl.Model, elements: Any = FINE) -> np.ndarray:
    """Return (2,) or (3,) place of the tip at rest."""
    return np.asarray(pl.statics(pl.compile(model, elements=elements)).position.sel(marker="arm/tip"))


def arc(tension: float) -> np.ndarray:
    """Return the tip of the arc of curvature T y / EI, shortened by T / EA."""
    k, e = tension * ASIDE / BENDING, 1.0 - tension / AXIAL
    return e / k * np.array([sin(k * LENGTH), 1.0 - cos(k * LENGTH)])


def arcs() -> Iterator[Row]:
    """Check that a straight channel bends a straight rod to an arc."""
    for tension in (1.0, 5.0, 15.0):
        for words, plane, offset in (("plane", "xy", ASIDE), ("space", None, (ASIDE, 0.0))):
            found = tip(models.rod([(offset, tension)], plane=plane))
            off = float(np.linalg.norm(found[:2] - arc(tension))) / LENGTH
            yield at_most(f"{words}: tip of the arc at {tension:g} N", "L", off, limit=ROUNDING, kind="exact")


def orders() -> Iterator[Row]:
    """Check that errors fall as the elements' own."""
    exact = arc(15.0)
    for p, meshes in ((1, (16, 32)), (2, (8, 16)), (3, (4, 8))):
        for words, plane, offset in (("plane", "xy", ASIDE), ("space", None, (ASIDE, 0.0))):
            model = models.rod([(offset, 15.0)], plane=plane)
            off = [float(np.linalg.norm(tip(model, pl.Exact(n, order=p))[:2] - exact)) for n in meshes]
            steps = [1.0 / n for n in meshes]
            yield order(f"{words}: order of elements of order {p}", steps, off, kind="exact", expected=2.0 * p)


def helix(s: float) -> tuple[float, float]:
    """Return a channel that winds once around the rod; s in [0, 1]."""
    return ASIDE * cos(tau * s), ASIDE * sin(tau * s)


def against_boundary_values() -> Iterator[Row]:
    """Check helical, converging and several channels, with a load at the tip."""
    converging = ((ASIDE, 0.0), (0.3 * ASIDE, 0.4 * ASIDE))
    force = (0.0, 0.1, -0.15)
    cases = (
        ("a helical channel", [(helix, 4.0)], ()),
        ("a helical channel, force at the tip", [(helix, 4.0)], force),
        ("a converging channel, force at the tip", [(converging, 5.0)], force),
        ("three channels", [((ASIDE, 0.0), 3.0), (converging, 4.0), (helix, 2.0)], ()),
    )
    for words, channels, load in cases:
        rod = theory.Rod(
            LENGTH,
            (AXIAL, SHEAR, SHEAR),
            (TORSION, BENDING, BENDING),
            [(_along(offset), tension) for offset, tension in channels],
            force=load or (0.0, 0.0, 0.0),
        )
        expected = rod.shape()[0]
        off = float(np.linalg.norm(tip(models.rod(channels, force=load)) - expected)) / LENGTH
        yield at_most(f"{words}: tip", "L", off, limit=1e-6, kind="independent code")


def rubbing() -> Iterator[Row]:
    """Check the friction: the capstan's law in closed form, and along channels of any shape by shooting."""
    mu = 0.4
    for words, plane, offset in (("plane", "xy", ASIDE), ("space", None, (ASIDE, 0.0))):
        for told, sliding, tension in (("pulled", 1, 15.0), ("let in", -1, 6.0)):
            model = models.rod([(offset, tension)], plane=plane, friction=mu, sliding=sliding)
            rest = pl.statics(pl.compile(model, elements=FINE))
            found = getattr(rest, "marker_angle" if plane else "marker_orientation").sel(marker="arm/tip").values
            angle = float(found) if plane else 2.0 * float(np.arctan2(found[3], found[0]))
            exact = np.log(1.0 + sliding * mu * tension * ASIDE * LENGTH / BENDING) / (sliding * mu)
            told = f"{words}: friction in a straight channel, {told}: angle of the tip"
            yield relative(told, "rad", exact, angle, tolerance=1e-7, kind="exact")
    converging = ((ASIDE, 0.0), (0.3 * ASIDE, 0.4 * ASIDE))
    cases: tuple[tuple[str, Any, float, int], ...] = (("helical", helix, 4.0, 1), ("converging", converging, 5.0, -1))
    for words, offset, pull, sliding in cases:
        force = (0.0, 0.1, -0.15)
        stiffness = (AXIAL, SHEAR, SHEAR), (TORSION, BENDING, BENDING)
        rod = theory.Rod(LENGTH, *stiffness, [(_along(offset), pull)], force=force, friction=(mu * sliding,))
        found = tip(models.rod([(offset, pull)], force=force, friction=mu, sliding=sliding))
        off = float(np.linalg.norm(found - rod.shape()[0])) / LENGTH
        yield at_most(f"friction in a {words} channel: tip", "L", off, limit=1e-6, kind="independent code")


def rubbing_in_motion() -> Iterator[Row]:
    """Check a tendon pulled and let off slowly: it slides back near its entry and sticks beyond, by friction."""
    mu, speed = 0.5, 1e-3
    pull = pl.Table((0.0, 1.0, 1.5, 2.5, 3.0), (1.0, 12.0, 12.0, 9.0, 9.0))
    expected = theory.capstan(
        lambda t: float(pull(t)) * ASIDE / BENDING, LENGTH, mu=mu, offset=ASIDE, speed=speed, times=(1.5, 3.0)
    )
    for words, plane, offset in (("plane", "xy", ASIDE), ("space", None, (ASIDE, 0.0))):
        model = models.rod([(offset, pull)], plane=plane, mass=5e-4, friction=mu, sliding=0, friction_speed=speed)
        system = pl.compile(model, elements=pl.Exact(8, order=2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # vibrations, which do not matter here
            run = pl.transient(system, start=pl.statics(system), end_time=3.0, step=5e-3, estimate=False)
        found = getattr(run, "marker_angle" if plane else "marker_orientation").sel(marker="arm/tip", time=[1.5, 3.0])
        angles = found.values if plane else 2.0 * np.arctan2(found.values[:, 3], found.values[:, 0])
        for told, angle, exact in zip(("pulled", "let off"), angles, expected, strict=True):
            told = f"{words}: friction in motion, {told}: angle of the tip"
            yield relative(told, "rad", exact, float(angle), tolerance=2e-3, kind="independent code")
        work = run.energy.isel(time=-1)
        left = float(work.sel(energy_kind="balance") / work.sel(energy_kind="supplied"))
        told = f"{words}: friction in motion: energy balance over what was supplied"
        yield at_most(told, "1", abs(left), limit=1e-3, kind="conservation law")


def _along(offset: Any) -> theory.Offset:
    """Return the offset by the arc length."""
    if callable(offset):
        return lambda x: offset(x / LENGTH)
    rows = np.array(offset, float).reshape(-1, 2)
    base, end = rows[0], rows[-1]
    return lambda x: tuple(base + (end - base) * x / LENGTH)


def symmetry() -> Iterator[Row]:
    """Check that channels opposite to each other only shorten the rod, and that work gives the pulled length."""
    opposite = [((ASIDE * cos(a), ASIDE * sin(a)), 4.0) for a in (0.3, 0.3 + pi)]
    found = tip(models.rod(opposite))
    off = float(np.linalg.norm(found - [LENGTH * (1.0 - 8.0 / AXIAL), 0.0, 0.0])) / LENGTH
    yield at_most("two opposite channels leave the rod straight", "L", off, limit=ROUNDING, kind="exact")


def silicone() -> Iterator[Row]:
    """Check the arm of the SoRoMoX paper: not farther from the markers than its authors' own model."""
    laws = {"": models.LINEAR, "neo-Hookean, E fitted to the poses, ": models.NEO_HOOKEAN}
    for words, material in laws.items():
        for marker, (mine, theirs) in enumerate(zip(distances(material), models.AUTHORS, strict=True), 1):
            told = f"silicone arm: {words}marker {marker}, RMS distance in 14 poses, at most that of the authors' fit"
            yield absolute(told, "m", 0.0, float(mine), tolerance=theirs, kind="published")


def distances(material: pl.Material) -> np.ndarray:
    """Return (4,) RMS distances of the markers from where they were measured (m)."""
    tensions, places = models.measured()
    meshes = {"link 1": pl.Exact(8, order=2), "link 2": pl.Exact(2, order=2)}
    system = pl.compile(models.soft_arm(material), elements=meshes)
    off = np.zeros(places.shape[:2])
    names = ["link 1/p1", "link 1/p2", "link 1/p3", "link 2/p4"]
    for k, (one, two) in enumerate(tensions.tolist()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # silicone is strained by a quarter
            rest = pl.statics(system.with_signals({"tendon 1/tension": one, "tendon 2/tension": two}))
        off[k] = np.linalg.norm(rest.position.sel(marker=names).values - places[k], axis=1)
    return np.asarray(np.sqrt(np.mean(off**2, axis=0)))
