"""Rows of the case beside the bend itself: roll-up, helix, spring, objectivity, and the leg in plane and space."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import pi

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.bend_45 import rolling
from pliant_gallery import leg
from pliant_gallery.bend_45 import LENGTH, RADIUS, model, section
from pliant_gallery.leg import stages
from pliant_testing.validation import Row, absolute, at_most, order, relative

KINDS = {
    "linear": pl.Exact(8),
    "co-rotational": pl.Corotational(8),
    "order 2": pl.Exact(20, order=2),
    "order 4": pl.Exact(8, order=4),
}
CLOSED = {"linear": 1e-10, "co-rotational": 1e-10, "order 2": 2e-4, "order 4": 1e-7}
"""How near to the clamp a rolled-up tip comes. Elements of two nodes lie on a regular polygon, which closes."""


def rolled() -> Iterator[Row]:
    """Roll up a cantilever in an oblique plane, in one load step; wind one into a helix; pull a spring straight."""
    for turns in (1, 2):
        for name, elements in KINDS.items():
            tip = _rolled(elements, moment=(0.0, 0.0, 2.0 * pi * turns * rolling.BENDING), follower=True)
            what = f"rolled up {turns} times, {name}, tip from clamp"
            yield at_most(what, "L", float(np.linalg.norm(tip)), limit=CLOSED[name], kind="exact")
    moment = 3.0 * pi * rolling.BENDING * np.array([0.6, 0.0, 0.8])
    exact = rolling.exact_tip(moment)
    tip = _rolled(pl.Exact(12, order=4), moment=moment)
    yield at_most("helix, order 4, tip", "L", float(np.max(np.abs(tip - exact))), limit=1e-8, kind="exact")
    counts = (10, 20, 40)
    for kind in (pl.Exact, pl.Corotational):
        errors = [float(np.max(np.abs(_rolled(kind(n), moment=moment) - exact))) for n in counts]
        yield order(f"helix, order of {kind.__name__} elements", [1.0 / n for n in counts], errors, kind="exact")
    rest = np.array([4.0, 1.0, 6.0])
    tip = _rolled(pl.Exact(8, order=4), moment=rolling.straightening(rest), follower=True, curvature=rest)
    straight = rolling.from_clamp((1.0, 0.0, 0.0))
    yield at_most(
        "helical spring pulled straight, tip", "L", float(np.max(np.abs(tip - straight))), limit=1e-6, kind="exact"
    )


def wound() -> Iterator[Row]:
    """Check four turns with a force across them, against shooting."""
    coil = at_rest(rolling.winding_model(factor=0.4), pl.Exact(16, order=4))
    exact = rolling.winding_tip(-coil.reaction.sel(joint="clamp").values[3:], factor=0.4)
    for axis, value, found in zip("xyz", exact, coil.position.sel(marker="rod/tip").values, strict=True):
        yield absolute(
            f"four turns and a force, {axis}", "1", value, float(found), tolerance=1e-5, kind="independent code"
        )


def objective() -> Iterator[Row]:
    """Check the bend turned as a whole, and loaded in two ways one after the other."""
    turn = Rotation.from_rotvec([1.0, -2.0, 0.5])
    plain, turned = at_rest(model(), pl.Exact(8)), at_rest(_turned_bend(turn), pl.Exact(8))
    moved = turn.apply(plain.position.sel(marker="bend/tip").values)
    apart = float(np.max(np.abs(turned.position.sel(marker="bend/tip").values - moved)))
    yield at_most("bend turned as a whole, tip", "1", apart, limit=1e-8, kind="conservation law")
    energies = [float(each.energy.sel(energy_kind="potential")) for each in (plain, turned)]
    yield relative("bend turned as a whole, energy", "1", *energies, tolerance=1e-10, kind="conservation law")
    m = model()
    m.add(pl.Force(m.part("bend").at(s=0.6), x=0.0, y=0.0, name="second"))
    system, ends = pl.compile(m, elements=pl.Exact(8)), []
    for first in ({"load/z": 600.0, "second/x": 0.0}, {"load/z": 0.0, "second/x": -200.0}):
        halfway = pl.statics(system.with_signals(first))
        both = pl.statics(system.with_signals({"load/z": 600.0, "second/x": -200.0}), start=halfway)
        ends.append(both.position.sel(marker="bend/tip").values)
    yield at_most(
        "two loads in either order, tip",
        "1",
        float(np.max(np.abs(ends[0] - ends[1]))),
        limit=1e-8,
        kind="conservation law",
    )


def planar_is_spatial() -> Iterator[Row]:
    """Check the leg in the plane and in space: bent by its tendon, weighed, its modes, and let go."""
    for name, elements in {
        "linear": pl.Exact(10),
        "linear, lumped": pl.Exact(10, mass="lumped"),
        "co-rotational": pl.Corotational(10),
        "co-rotational, lumped": pl.Corotational(10, mass="lumped"),
    }.items():
        models = (leg.model(), leg.model().promoted())
        plane, space = (pl.compile(m, elements=elements) for m in models)
        at = [stages.pretension(system) for system in (plane, space)]
        buckling = [float(each.straight.event_parameter[0]) for each in at]
        yield relative(
            f"leg, {name}, rest length at which it buckles", "m", *buckling, tolerance=1e-8, kind="other formulation"
        )
        yield at_most(
            f"leg, {name}, places at rest apart",
            "m",
            _apart(at[0].rest, at[1].rest),
            limit=1e-8,
            kind="other formulation",
        )
        held = [
            pl.modal(system, at=each.rest, modes=modes).frequency_hz.values
            for system, each, modes in zip((plane, space), at, (3, 8), strict=True)
        ]
        off = max(float(np.min(np.abs(held[1] / f - 1.0))) for f in held[0])
        yield at_most(f"leg, {name}, three frequencies apart", "1", off, limit=1e-8, kind="other formulation")
        free = [pl.compile(m, elements=elements) for m in (leg.model(hold=None), leg.model(hold=None).promoted())]
        falls = [stages.release(system, each.rest, end_time=0.3) for system, each in zip(free, at, strict=True)]
        yield at_most(
            f"leg, {name}, falling for 0.3 s, places apart", "m", _apart(*falls), limit=1e-8, kind="other formulation"
        )


def _apart(plane: pl.Result, space: pl.Result) -> float:
    """Return the largest distance between the markers of a planar result and its spatial twin."""
    seen = space.position.sel(marker=plane.marker).values
    return float(max(np.max(np.abs(seen[..., :2] - plane.position.values)), np.max(np.abs(seen[..., 2]))))


def _turned_bend(turn: Rotation) -> pl.Model:
    m = pl.Model("turned bend", plane=None)
    ground, bend = m.add(
        pl.Ground(), pl.Beam("bend", length=LENGTH, section=section(), curvature=(0.0, 0.0, 1.0 / RADIUS))
    )
    x, y, z = turn.apply([0.0, 0.0, 600.0])
    m.add(pl.Weld(ground.at(0, 0, orientation=turn), bend.at(s=0)), pl.Force(bend.at(s=1), x=x, y=y, z=z, name="load"))
    return m


def _rolled(elements: object, **options: object) -> np.ndarray:
    return at_rest(rolling.model(**options), elements).position.sel(marker="rod/tip").values  # type: ignore[arg-type]


def at_rest(given: pl.Model, elements: object) -> pl.Result:
    """Return the equilibrium of a model, whether it is stable or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # rods under moments that have no potential are not stable
        return pl.statics(pl.compile(given, elements=elements))
