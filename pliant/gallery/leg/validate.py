"""The leg: its Euler load and post-buckled shapes, its pretensioned equilibrium, its release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.gallery.leg import LEG, LEG_LOWER_HELD, LegParameters, model, theory
from pliant.gallery.leg.stages import (
    INWARD,
    LIGHT_DAMPER,
    MIDDLE,
    OUTWARD,
    REST_LENGTH,
    pretension,
    release,
    settle,
)
from pliant.results import Result
from pliant.validation import Row, absolute, at_most, case, order, relative

LENGTH = LEG.leaf_length
WEIGHTLESS = replace(LEG, gravity=0.0)
KINDS = {
    "exact, linear": (lambda n: pl.Exact(n), 2),
    "exact, quadratic": (lambda n: pl.Exact(n, order=2), 4),
    "co-rotational": (lambda n: pl.Corotational(n), 2),
    "co-rotational, von Karman": (lambda n: pl.Corotational(n, von_karman=True), 4),
}
"""Elements, and the order at which they converge."""
FINE = ("exact, quadratic", "co-rotational, von Karman")
SHORTEST = 0.06  # m; the leaf's ends are then 0.304 m apart


@case("leg-buckling", source="thesis, chapter 5; Euler; elastica by elliptic integrals and as a boundary value problem")
def leg_buckling() -> Iterator[Row]:
    """Euler load as a bifurcation, both branches against the elastica, and what weight makes of them."""
    for kind in FINE:
        load = buckling_of_pinned_leaf(elements(kind, 40))
        yield relative(f"Euler load of the pinned leaf, 40 {kind}", "N", theory.euler_load(), load, tolerance=1e-4)
    for kind in KINDS:
        yield from branches(kind)
    for kind, (_, expected) in KINDS.items():
        errors = [distance_at_rest(WEIGHTLESS, elements(kind, n)) for n in (10, 20, 40)]
        yield order(f"middle of the bent leaf: order, {kind}", (4, 2, 1), errors, expected=expected)
    yield from with_weight()


def branches(kind: str) -> Iterator[Row]:
    """The leg without weight: where the straight branch ends, and both branches from there to large deflection."""
    system = pl.compile(model(WEIGHTLESS), elements=elements(kind, 20))
    straight = pl.path(system, REST_LENGTH, begin=LENGTH, to=SHORTEST)
    yield absolute(f"bifurcations of the straight leg, 20 {kind}", "1", 1, straight.outcome.bifurcations, tolerance=0)
    load = float(tension(straight)[straight.event_point.values[0]])
    yield relative(f"Euler load of the leg, 20 {kind}", "N", theory.euler_load(), load, tolerance=5e-3)
    for word, side in (("outward", OUTWARD), ("inward", INWARD)):
        bent = pl.branch(system, straight, toward=(MIDDLE, side))
        name = f"{word} branch, 20 {kind}"
        yield absolute(f"{name}: stable points", "1", bent.sizes["point"] - 1, int(bent.stable[1:].sum()), tolerance=0)
        yield at_most(f"{name}: shape, from the elastica", "of its length", from_elastica(bent), limit=1e-3)
        # The load differs by as much as that at which the elements buckle.
        yield at_most(f"{name}: load, from the elastica's", "of it", load_from_elastica(bent), limit=5e-3)


def with_weight() -> Iterator[Row]:
    """The pitchfork unfolds: the straight leg bends inward, the outward branch ends at a fold of its own."""
    held = pl.compile(model(), elements=elements("exact, quadratic", 20))
    natural = pl.path(held, REST_LENGTH, begin=LENGTH, to=LEG.tendon_rest_length)
    yield absolute("with weight, from straight: events", "1", 0, natural.sizes["event"], tolerance=0)
    inward = theory.equilibrium(side=-1.0)
    yield at_most("with weight, from straight: inward rest", "of its length", distance(natural, inward), limit=1e-3)
    rest, exact = pretension(held).rest, theory.equilibrium()
    yield at_most("with weight: outward rest", "of its length", distance(rest, exact), limit=1e-3)
    back = pl.path(held, REST_LENGTH, start=rest, begin=LEG.tendon_rest_length, to=(LENGTH, 0.16))
    yield absolute("with weight, outward: limit points", "1", 1, back.outcome.limit_points, tolerance=0)
    fold = float(back.event_parameter[0])
    yield relative("with weight, outward: rest length at the fold", "m", theory.fold(), fold, tolerance=5e-3)


@case("leg-pretension", source="thesis, section 5.11; parameters of TARGETS; Reissner's leaf as a boundary value problem")
def leg_pretension() -> Iterator[Row]:
    """Equilibrium of both parameter sets; the family as the rest length varies; the settled transient."""
    for given, hold in ((LEG, "q3"), (LEG_LOWER_HELD, "q1")):
        exact = theory.equilibrium(given, hold=hold)
        rests = {}
        for kind in KINDS:
            system = pl.compile(model(given, hold=hold), elements=elements(kind, 40))
            rests[kind] = pretension(system, given).rest
            yield from against(f"{hold} held, 40 {kind}", figures(rests[kind], given), figures_of(exact, given, hold))
            strain = axial_strain(rests[kind], given)
            yield at_most(f"{hold} held, 40 {kind}: axial strain (thesis -0.8)", "1", strain, limit=1e-3)
        one, other = (figures(rests[kind], given) for kind in ("exact, linear", "co-rotational"))
        yield from against(f"{hold} held, co-rotational and exact", other, one)
    yield from family()
    yield from settled()
