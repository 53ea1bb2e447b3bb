"""Lateral buckling against shooting, closed forms and published loads."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping
from math import pi, sqrt

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.lateral_buckling import theory
from pliant_gallery import lateral_buckling as strips
from pliant_testing.validation import Row, absolute, at_most, case, order, relative

ELEMENTS = pl.Exact(4, order=4)
UNIT = "EI_w/L^2"
BIFURCATION = 1e-5
"""What a step of the path across a bifurcation leaves of its parameter, relative; see theory/paths."""
STIFFNESSES = (
    {"strong": 1e4, "weak": 1.0, "torsion": 1.0},
    {"strong": 10.0, "weak": 1.0, "torsion": 1.0},
    {"strong": 4.0, "weak": 1.0, "torsion": 0.8},
)


@case("lateral-buckling", source="Prandtl, Michell 1899; Hodges, Peters 1975; Argyris 1979; Simo, Vu-Quoc 1986")
def lateral_buckling() -> Iterator[Row]:
    """Strips and right-angle frames that leave their plane, with the bending before it."""
    yield from itertools.chain(cantilevers(), forks(), couples(), frames(), full_turn())


def cantilevers() -> Iterator[Row]:
    """Check clamped strips under a tip load, from one that hardly bends in its plane to one that bends far."""
    yield relative("root of Bessel's function", "1", 4.0126, theory.PRANDTL, tolerance=1e-5, kind="published")
    for given in STIFFNESSES:
        exact = theory.cantilever(**given)
        name = f"cantilever, EI_s/EI_w {given['strong']:g}, GJ/EI_w {given['torsion']:g}, load"
        found = critical(strips.cantilever(**given), "load/y", to=-1.5 * exact)
        yield relative(name, UNIT, -exact, found, tolerance=BIFURCATION, kind="independent code")
    given = STIFFNESSES[1]
    for offset, where in ((0.05, "above"), (-0.05, "below")):
        exact = theory.cantilever(offset=offset, **given)
        found = critical(strips.cantilever(offset=offset, **given), "load/y", to=-1.5 * exact)
        yield relative(
            f"cantilever, load 0.05 L {where} the axis",
            UNIT,
            -exact,
            found,
            tolerance=BIFURCATION,
            kind="independent code",
        )
    exact, counts, m = theory.cantilever(**given), (8, 16, 32), strips.cantilever(**given)
    for kind in (pl.Exact, pl.Corotational):
        errors = [abs(critical(m, "load/y", to=-1.5 * exact, elements=kind(n)) + exact) for n in counts]
        yield order(f"order of {kind.__name__} elements", [1.0 / n for n in counts], errors, kind="independent code")


def forks() -> Iterator[Row]:
    """Check a strip between forks under end moments: the closed form holds however far it is bent."""
    for strong in (1e6, 3.0, 2.0):
        given = {"strong": strong, "weak": 1.0, "torsion": 0.8}
        exact = theory.between_forks(**given)
        found = critical(strips.between_forks(**given), strips.ENDS, to=1.2 * exact)
        name = f"between forks, EI_s/EI_w {strong:g}, bent by {exact / strong / pl.DEG:.3g} deg, moment"
        yield relative(name, "GJ/L", exact, found, tolerance=BIFURCATION, kind="exact")


def couples() -> Iterator[Row]:
    """Check that the kind of a tip moment decides: pairs of dead forces buckle a strip at rest, pl.Moment does not."""
    given = {"weak": 1.0, "torsion": 0.8}
    for couple in ("quasi-tangential", "semi-tangential"):
        exact = theory.bent_cantilever(couple, **given)
        m = strips.bent_cantilever(couple=couple, strong=1e6, **given)
        found = critical(m, strips.couple_load(couple), to=1.2 * exact)
        yield relative(f"cantilever, {couple} moment", "GJ/L", exact, found, tolerance=BIFURCATION, kind="exact")
    for couple in ("axial", "following"):
        path = _path(strips.bent_cantilever(couple=couple, strong=1e6, **given), {"moment/z": 1.0}, 4.0, ELEMENTS)
        static = np.count_nonzero(path.event_kind.values == "bifurcation")
        yield at_most(
            f"cantilever, {couple} moment, static bifurcations up to 4 GJ/L",
            "1",
            float(static),
            limit=0.0,
            kind="exact",
        )


def frames() -> Iterator[Row]:
    """Check right-angle frames: a dead load at the end of the arm, moments at the feet."""
    found = critical(strips.frame(), "load/y", to=2.0)
    # the papers print 1.09 and 1.088 for coarse meshes
    yield absolute("frame, critical load", "N", 1.088, found, tolerance=1e-3, kind="published")
    D = np.diag(strips.FRAME_SECTION.stiffness)
    exact = pi / strips.FRAME_LENGTH * sqrt(D[3] * D[4])
    for sign in (1, -1):
        found = critical(strips.hinged_frame(), "moment/z", to=sign * 1000.0)
        yield relative(
            f"hinged frame, moment at the feet, {sign:+d}", "N mm", sign * exact, found, tolerance=1e-4, kind="exact"
        )
    coarse = critical(strips.hinged_frame(), "moment/z", to=1000.0, elements=pl.Exact(10))
    # Simo and Vu-Quoc print 626 for ten linear elements, one for each of 24 mm
    yield relative("hinged frame, ten linear elements", "N mm", 626.0, coarse, tolerance=3e-3, kind="published")


def full_turn() -> Iterator[Row]:
    """Check that beyond its buckling moment the hinged frame turns over, meets -M and M again, and comes back."""
    straight, turn = turned_over()
    closed = "closed on itself" in turn.outcome.message
    yield at_most("hinged frame, its path closes", "1", float(not closed), limit=0.0, kind="published")
    first, least = float(straight.event_parameter[0]), float(turn.parameter.min())
    yield relative(
        "hinged frame, least moment of the turn", "N mm", -first, least, tolerance=1e-5, kind="conservation law"
    )
    across = turn.position.sel(marker="leg/tip", axis="z")
    sides = -float(across.min() / across.max())
    yield relative("hinged frame, apex to both sides", "1", 1.0, sides, tolerance=1e-2, kind="conservation law")


def turned_over() -> tuple[pl.Result, pl.Result]:
    """Return paths of the hinged frame: in its plane, and out of it until that closes."""
    system = pl.compile(strips.hinged_frame(), elements=pl.Exact(10))
    straight = pl.path(system, "moment/z", to=1000.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # that the path closed on itself
        return straight, pl.branch(system, straight, toward=("leg/tip", (0, 0, 1)), to=(5000.0, -5000.0))


def critical(model: pl.Model, parameter: str | Mapping[str, float], *, to: float, elements: object = ELEMENTS) -> float:
    """Return the parameter of the first bifurcation of the path from rest."""
    path = _path(model, parameter, to, elements)
    places = np.flatnonzero(path.event_kind.values == "bifurcation")
    return float(path.event_parameter[places[0]]) if places.size else float("nan")


def _path(model: pl.Model, parameter: str | Mapping[str, float], to: float, elements: object) -> pl.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # strips of no height bend as far as they like
        return pl.path(pl.compile(model, elements=elements), parameter, to=to)
