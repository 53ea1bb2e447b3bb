"""Stretched, twisted and bent bars of rubber, in the plane and in space."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import UnstableEquilibrium
from pliant.model import rotations
from pliant.model.sections.sections import rectangle_torsion
from pliant_evidence.hyperelastic import theory
from pliant_testing.validation import Row, at_most, case, order, relative

MODULUS, LENGTH, RADIUS, WIDTH, HEIGHT = 0.3e6, 0.2, 0.01, 0.03, 0.012
AREA = pi * RADIUS**2
FINE = pl.Exact(16, order=3)
COARSE = pl.Exact(8, order=3)
SPACES = (("plane", "xy"), ("space", None))


@case("hyperelastic", source="closed forms of Mooney, Rivlin; section integrals and marching, written separately")
def hyperelastic() -> Iterator[Row]:
    """Beams of incompressible Mooney-Rivlin materials at large strains."""
    yield from stretched()
    yield from twisted()
    yield from bent()
    yield from loaded()
    yield from orders()


def bar(section: str, mooney: float, plane: str | None, **load: float) -> pl.Model:
    """Build a bar clamped along x, with a force (x, y, z) and a moment (mx, my, mz) at its tip."""
    rubber = pl.Hyperelastic("rubber", youngs_modulus=MODULUS, density=1000.0, mooney=mooney)
    made = pl.Section.circle(RADIUS, rubber) if section == "circle" else pl.Section.rectangle(WIDTH, HEIGHT, rubber)
    model = pl.Model("bar", plane=plane)
    ground = model.add(pl.Ground())
    beam = model.add(pl.Beam("bar", length=LENGTH, section=made))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    force: dict[str, Any] = {axis: load[axis] for axis in "xyz" if axis in load}
    turn: dict[str, Any] = {axis: load[f"m{axis}"] for axis in "xyz" if f"m{axis}" in load}
    if force:
        model.add(pl.Force(beam.at(s=1), **force))
    if turn:
        model.add(pl.Moment(beam.at(s=1), **turn) if plane is None else pl.Moment(beam.at(s=1), turn["z"]))
    return model


def rest(model: pl.Model, elements: Any = FINE) -> pl.Result:
    """Compute the equilibrium; that moments about fixed axes make a bar unstable in space does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnstableEquilibrium)
        return pl.statics(pl.compile(model, elements=elements))


def tip(result: pl.Result) -> np.ndarray:
    """Place of the tip."""
    return np.asarray(result.position.sel(marker="bar/tip"))


def stretched() -> Iterator[Row]:
    """Check force of a bar that is stretched to lambda: E A ((1 - m)/3 (lambda - lambda^-2) + m/3 (1 - lambda^-3))."""
    for words, plane in SPACES:
        for mooney, stretch in ((0.0, 3.0), (0.0, 1.5), (0.4, 2.0)):
            force = MODULUS * AREA / 3.0 * (1.0 - mooney) * (stretch - stretch**-2)
            force += MODULUS * AREA / 3.0 * mooney * (1.0 - stretch**-3)
            found = rest(bar("circle", mooney, plane, x=force), COARSE)
            yield relative(
                f"{words}, mooney {mooney:g}: stretch under its force", "1", stretch, float(tip(found)[0]) / LENGTH,
                tolerance=1e-9, kind="exact",
            )  # fmt: skip


def twisted() -> Iterator[Row]:
    """Check Rivlin's torsion of a stretched cylinder: T = 2 (C1 + C2/lambda) J psi/lambda, and the force on it."""
    for mooney, stretch in ((0.0, 1.6), (0.4, 1.3)):
        C1, C2, J, turn = MODULUS / 6.0 * (1.0 - mooney), MODULUS / 6.0 * mooney, 0.5 * pi * RADIUS**4, 2.5
        twist = turn / LENGTH
        torque = 2.0 * (C1 + C2 / stretch) * J * twist / stretch
        force = 2.0 * AREA * (C1 * (stretch - stretch**-2) + C2 * (1.0 - stretch**-3))
        force -= J * twist**2 * (C1 / stretch**2 + 2.0 * C2 / stretch**3)
        found = rest(bar("circle", mooney, None, x=force, mx=torque), COARSE)
        angle = twisted_by(found)
        words = f"space, mooney {mooney:g}: cylinder stretched to {stretch:g} and twisted"
        yield relative(f"{words}: stretch", "1", stretch, float(tip(found)[0]) / LENGTH, tolerance=1e-9, kind="exact")
        yield relative(f"{words}: angle", "rad", turn, angle, tolerance=1e-8, kind="exact")


def twisted_by(found: pl.Result) -> float:
    """Return the angle about x of the section at the tip."""
    w, x, *_ = found.marker_orientation.sel(marker="bar/tip").values
    return float(2.0 * np.arctan2(x, w))


def section_of(name: str, mooney: float) -> theory.Bar:
    """Build the section, integrated separately."""
    if name == "circle":
        return theory.circle(MODULUS, mooney, RADIUS)
    return theory.rectangle(MODULUS, mooney, WIDTH, HEIGHT, rectangle_torsion(WIDTH, HEIGHT))


def bent() -> Iterator[Row]:
    """Check that a moment bends a bar to an arc, whose axis stretches: N = 0 and M of the section's integrals."""
    for name, mooney, curvature in (("circle", 0.0, 30.0), ("rectangle", 0.0, 40.0), ("rectangle", 0.5, 40.0)):
        section = section_of(name, mooney)
        stretch, moment = 1.0, 0.0
        for _ in range(50):  # the stretch without a force
            strain = np.array([stretch, 0.0, 0.0, 0.0, 0.0, curvature])
            force, ahead = section.resultants(strain)[0], section.resultants(strain + 1e-6 * np.eye(6)[0])[0]
            stretch -= force / ((ahead - force) / 1e-6)
        moment = section.resultants(np.array([stretch, 0.0, 0.0, 0.0, 0.0, curvature]))[5]
        turn = curvature * LENGTH
        exact = stretch / curvature * np.array([sin(turn), 1.0 - cos(turn)])
        for words, plane in SPACES:
            found = tip(rest(bar(name, mooney, plane, mz=moment)))
            off = float(np.linalg.norm(found[:2] - exact)) / LENGTH
            size = RADIUS if name == "circle" else 0.5 * HEIGHT
            told = f"{words}, {name}, mooney {mooney:g}: tip of the arc, strain {curvature * size:.2f} at the surface"
            yield at_most(told, "L", off, limit=1e-6, kind="independent code")


def loaded() -> Iterator[Row]:
    """Check a cantilever with a force (and a moment) at its tip: marched from there it arrives at its clamp."""
    cases = (
        ("plane", "circle", 0.0, {"x": 0.4, "y": 0.3}),
        ("plane", "rectangle", 0.5, {"x": 1.0, "y": 0.3}),
        ("space", "circle", 0.0, {"x": 0.4, "y": 0.3, "z": 0.2}),
        ("space", "rectangle", 0.3, {"x": 0.3, "y": 0.15, "z": 0.4, "mx": 0.02}),
    )
    for words, name, mooney, load in cases:
        force = np.array([load.get(axis, 0.0) for axis in "xyz"])
        moment = np.array([load.get(f"m{axis}", 0.0) for axis in "xyz"])
        found = rest(bar(name, mooney, "xy" if words == "plane" else None, **load))
        point, axes = tip(found), np.eye(3)
        if words == "plane":
            angle = float(found.marker_angle.sel(marker="bar/tip"))
            point, axes[:2, :2] = np.append(point, 0.0), [[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]
        else:
            axes = rotations.matrix(found.marker_orientation.sel(marker="bar/tip").values)
        base = section_of(name, mooney).base(LENGTH, point, axes, force, moment)
        off = float(np.max(np.abs(base - np.eye(3, 4, 1)) / [LENGTH, 1.0, 1.0, 1.0]))
        told = f"{words}, {name}, mooney {mooney:g}: a cantilever under {load} arrives at its clamp"
        yield at_most(told, "1", off, limit=1e-6, kind="independent code")


def orders() -> Iterator[Row]:
    """Check that errors fall as with other exact elements."""
    for words, plane in SPACES:
        model = bar("rectangle", 0.0, plane, x=0.2, y=0.15)
        exact = tip(rest(model, pl.Exact(24, order=3)))
        for p, meshes in ((1, (16, 32)), (2, (8, 16))):
            off = [float(np.linalg.norm(tip(rest(model, pl.Exact(n, order=p))) - exact)) for n in meshes]
            steps = [1.0 / n for n in meshes]
            yield order(f"{words}: order of elements of order {p}", steps, off, kind="itself", expected=2.0 * p)
