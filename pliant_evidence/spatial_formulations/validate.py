"""One model, several formulations in space: each against exact, published or independent numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import chain
from math import pi
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.bend_45 import rolling
from pliant_evidence.bend_45.theory import exact_tip as bend_tip
from pliant_evidence.lateral_buckling import theory as buckling
from pliant_evidence.lateral_buckling.validate import BIFURCATION, STIFFNESSES, UNIT
from pliant_evidence.princeton.theory import exact_tip as princeton_tip
from pliant_evidence.princeton.validate import ANGLES, CHORDWISE, FLAPWISE
from pliant_evidence.six_rus import theory as robots
from pliant_evidence.six_rus.validate import POINT, PUBLISHED, TURN, axes_of
from pliant_evidence.spatial_formulations import chains, motion, tendon
from pliant_gallery import bend_45, princeton, six_rus
from pliant_gallery import lateral_buckling as strips
from pliant_gallery.six_rus.kinetostatics import LIMITS, MOTORS, TWISTS
from pliant_testing.validation import Kind, Row, absolute, at_most, case, relative

SHOOTING: dict[str, Any] = {"formulation": "shooting"}
WAYS: dict[str, dict[str, Any]] = {"shooting": SHOOTING, "elements": {"elements": pl.Exact(8, order=4)}}
CHAIN: dict[str, Any] = {"formulation": "udwadia_kalaba", "elements": 20}
EXACT = {"shooting": 1e-8, "elements": 1e-5}
"""Of the length of a rod: largest errors. Shooting promises 1e-8 of its marches (`tolerance`)."""


@case("spatial-formulations", source="Bathe 1979; Ibrahimbegovic 1997; Dowell, Traybar 1975; Prandtl; Rodrigues 2024")
def spatial_formulations() -> Iterator[Row]:
    """The 45-degree bend, helices, the Princeton beam, lateral buckling, the 6-RUS, a rod bent by a tendon, and rods in
    motion, formulation by formulation.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # equilibria that are unstable, paths that buckle
        yield from chain(quick(), motion.more_rows(), ten_coils())


def quick() -> Iterator[Row]:
    """Check all but the ten coils, and but for one the comparisons of rods in motion with finite elements."""
    yield from chain(bend(), helices(), princeton_beam(), lateral_buckling(), robot(), tendon_driven())
    yield from chain(chains.rows(), motion.rows())


def bend() -> Iterator[Row]:
    """Check the tip under the load of the classic, in lengths of the bend; its frequencies there."""
    exact = bend_tip(load=600.0, torsion_constant=1.0 / 6.0, shear_factor=1.0)
    for name, options in WAYS.items():
        off = _tip(bend_45.model(), "bend/tip", **options) - exact
        yield _small(f"45-degree bend, {name}: tip", off / bend_45.LENGTH, EXACT[name])
    links = pl.compile(bend_45.model(), **CHAIN)
    known = pl.estimate(pl.statics, links)
    off = np.abs(known.position.sel(marker="bend/tip").values - exact)
    stated = known.position_error.sel(marker="bend/tip").values
    yield at_most(
        "45-degree bend, chain of 20: error over the one that it states", "1", float(np.max(off) / np.max(stated)),
        limit=1.5, kind="independent code",
    )  # fmt: skip
    systems = [pl.compile(bend_45.model(), **options) for options in WAYS.values()]
    shot, fine = (pl.modal(system, at=pl.statics(system), modes=4).frequency_hz.values for system in systems)
    for k, (one, other) in enumerate(zip(shot, fine, strict=True)):
        name = f"45-degree bend, shooting: frequency {k + 1} of the loaded bend"
        yield relative(name, "Hz", float(other), float(one), tolerance=1e-4, kind="other formulation")


def helices() -> Iterator[Row]:
    """Check a rod wound by a moment, in closed form; rolled up."""
    moment = 3.0 * pi * rolling.BENDING * np.array([0.6, 0.0, 0.8])
    for name, options in WAYS.items():
        finer = {"step": 0.05} if name == "shooting" else {}
        off = _tip(rolling.model(moment=moment), "rod/tip", **options, **finer) - rolling.exact_tip(moment)
        yield _small(f"helix, {name}: tip", off, {"shooting": 1e-8, "elements": 1e-6}[name], kind="exact")
    for turns in (1, 2):
        closed = rolling.model(moment=(0.0, 0.0, 2.0 * pi * turns * rolling.BENDING), follower=True)
        off = _tip(closed, "rod/tip", **SHOOTING, subintervals=20)
        yield _small(f"rolled up {turns} times, shooting: tip from clamp", off, 1e-8, kind="exact")


def ten_coils() -> Iterator[Row]:
    """Check ten coils pulled out by a force."""
    ways = {"shooting": SHOOTING | {"subintervals": 100}, "elements": {"elements": pl.Exact(40, order=4)}}
    for name, options in ways.items():
        rest = pl.statics(pl.compile(rolling.winding_model(), **options), load_steps=10)
        exact = rolling.winding_tip(-rest.reaction.sel(joint="clamp").values[3:])
        off = (rest.position.sel(marker="rod/tip").values - exact) / rolling.WINDING_LENGTH
        yield _small(f"ten coils and a force, {name}: tip", off, EXACT[name])
    yield chains.coils()


def princeton_beam() -> Iterator[Row]:
    """Check deflections and twist under three weights, each at an angle of its own; what others published."""
    for name, options in WAYS.items():
        largest = 0.0
        for load, angle in zip(princeton.LOADS, (15.0, 45.0, 75.0), strict=True):
            off = np.subtract(_princeton(load, angle, **options), princeton_tip(load=load, angle=angle * pl.DEG))
            largest = max(largest, float(np.max(np.abs(off))))
        limit = {"shooting": 1e-8, "elements": 1e-6}[name]
        yield at_most(f"Princeton beam, {name}: m or rad", "1", largest, limit=limit, kind="independent code")
    load, place = princeton.LOADS[1], ANGLES.index(45)
    found = _princeton(load, 45.0, **SHOOTING)
    for name, table, metres, part in zip(
        ("chordwise", "flapwise"), (CHORDWISE, FLAPWISE), found, (0.015, 0.003), strict=False
    ):
        row, value = f"Princeton beam, shooting: {name} at 45 deg", table[load][place]
        yield absolute(row, "mm", value, 1e3 * metres, tolerance=part * value, kind="published")


def lateral_buckling() -> Iterator[Row]:
    """Check loads at which clamped strips leave their plane, from paths of the same models."""
    for given in STIFFNESSES:
        exact = buckling.cantilever(**given)
        for name, options in WAYS.items():
            path = pl.path(pl.compile(strips.cantilever(**given), **options), "load/y", to=-1.5 * exact)
            first = float(path.event_parameter[np.flatnonzero(path.event_kind.values == "bifurcation")[0]])
            row = f"lateral buckling, EI_s/EI_w {given['strong']:g}, {name}: load"
            yield relative(row, UNIT, -exact, first, tolerance=BIFURCATION, kind="independent code")


def robot() -> Iterator[Row]:
    """Check motor angles of the 6-RUS at the published pose, its stiffness there, and back."""
    published = pl.inverse_statics(
        pl.compile(six_rus.model(six_rus.Robot(), ideal=False), **SHOOTING, subintervals=4),
        {"platform": (POINT, TURN)}, signals=MOTORS + TWISTS, idle=[f"cross {leg}" for leg in six_rus.LEGS],
    ).signal_value.sel(signal=MOTORS).values  # fmt: skip
    for leg, angle, found in zip(six_rus.LEGS, PUBLISHED, published, strict=True):
        yield absolute(f"6-RUS, shooting: motor {leg}", "rad", angle, float(found), tolerance=1e-6, kind="published")
    point, axes = np.array(POINT), axes_of(TURN)
    exact = robots.motor_angles(six_rus.Robot(), point, axes, ideal=True)
    for name, options in (
        ("shooting", SHOOTING | {"subintervals": 4}),
        ("elements", {"elements": pl.Exact(8, order=3)}),
    ):
        solver = pl.Kinetostatics(
            pl.compile(six_rus.model(six_rus.Robot()), **options), platform="platform", motors=MOTORS, limits=LIMITS
        )
        pose = solver.inverse(POINT, TURN)
        yield _small(f"6-RUS, {name}: motors", pose.motors - exact, 1e-6, unit="rad")
        stiffness = robots.stiffness(six_rus.Robot(), pose.motors, point, axes)
        yield _small(f"6-RUS, {name}: stiffness", (pose.stiffness - stiffness) / np.max(np.abs(stiffness)), 1e-5)
        back = solver.forward(pose.motors).position - point
        yield _small(f"6-RUS, {name}: missed by forward", back, 1e-10, unit="m", kind="itself")


def tendon_driven() -> Iterator[Row]:
    """Check the tip of a rod that a tendon bends through guides beside it, in lengths of the rod."""
    exact = tendon.exact_tip()
    for name, options in WAYS.items():
        off = _tip(tendon.model(), "rod/tip", **options) - exact
        yield _small(f"tendon-driven rod, {name}: tip", off / tendon.LENGTH, EXACT[name])


def _small(name: str, off: np.ndarray, limit: float, *, unit: str = "1", kind: Kind = "independent code") -> Row:
    """Check that the largest entry is at most the limit."""
    return at_most(name, unit, float(np.max(np.abs(off))), limit=limit, kind=kind)


def _tip(model: pl.Model, marker: str, **options: Any) -> np.ndarray:
    """Return (3,) where a marker rests."""
    found: np.ndarray = pl.statics(pl.compile(model, **options)).position.sel(marker=marker).values
    return found


def _princeton(load: float, angle: float, **options: Any) -> tuple[float, float, float]:
    """Return deflections and twist of the tip."""
    system = pl.compile(princeton.model(load=load, angle=angle * pl.DEG), **options)
    return princeton.tip(pl.statics(system))
