"""The leg: its Euler load and post-buckled shapes, its pretensioned equilibrium, its release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.results import Result
from pliant_evidence.conservation import energy_balanced
from pliant_evidence.leg import equations
from pliant_gallery.leg import LEG, LEG_LOWER_HELD, LegParameters, model, theory
from pliant_gallery.leg.stages import INWARD, LIGHT_DAMPER, MIDDLE, REST_LENGTH, bend, pretension, release, settle
from pliant_testing.validation import Kind, Row, absolute, at_most, case, order, relative

LENGTH = LEG.leaf_length
WEIGHTLESS = replace(LEG, gravity=0.0)
KINDS: dict[str, tuple[Callable[[int], Any], int]] = {
    "linear exact": (lambda n: pl.Exact(n), 2),
    "quadratic exact": (lambda n: pl.Exact(n, order=2), 4),
    "co-rotational": (lambda n: pl.Corotational(n), 2),
    "von Karman co-rotational": (lambda n: pl.Corotational(n, von_karman=True), 4),
}
"""Elements, and the order at which they converge."""
COARSE, SHARP = 5e-3, 5e-5
"""Of loads and places by elements of second and of fourth order: twenty linear ones buckle 0.4 % late, (pi / 40)^2 / 2
and what bending adds; those of fourth order are off by the square of that."""
FINE = ("quadratic exact", "von Karman co-rotational")
SHORTEST = 0.06  # m; the leaf's ends are then 0.304 m apart
FALL_STEPS = (1e-3, 5e-4, 2.5e-4)  # s


@case("leg-buckling", source="thesis, chapter 5; Euler; elastica by elliptic integrals and as a boundary value problem")
def leg_buckling() -> Iterator[Row]:
    """Euler load as a bifurcation, both branches against the elastica, and what weight makes of them."""
    for kind in FINE:
        load = buckling_of_pinned_leaf(elements(kind, 40))
        yield relative(
            f"Euler load of the pinned leaf, 40 {kind}", "N", theory.euler_load(), load, tolerance=1e-4, kind="exact"
        )
    for kind in KINDS:
        yield from branches(kind)
    for kind, (_, expected) in KINDS.items():
        errors = [distance_at_rest(WEIGHTLESS, elements(kind, n)) for n in (10, 20, 40)]
        yield order(
            f"middle of the bent leaf: order, {kind}", (4, 2, 1), errors, expected=expected, kind="independent code"
        )
    yield from with_weight()


def branches(kind: str) -> Iterator[Row]:
    """Check leg without weight: where the straight branch ends, and both branches from there to large deflection."""
    system = pl.compile(model(WEIGHTLESS), elements=elements(kind, 20))
    straight, outward = bend(system, to=SHORTEST)
    yield absolute(
        f"bifurcations of the straight leg, 20 {kind}", "1", 1, straight.outcome.bifurcations, tolerance=0, kind="exact"
    )
    load = float(tension(straight)[straight.event_point.values[0]])
    limit = limit_of(kind)
    yield relative(f"Euler load of the leg, 20 {kind}", "N", theory.euler_load(), load, tolerance=limit, kind="exact")
    inward = pl.branch(system, straight, toward=(MIDDLE, INWARD))
    for word, bent in (("outward", outward), ("inward", inward)):
        name = f"{word} branch, 20 {kind}"
        yield at_most(f"{name}: unstable points", "1", int(np.sum(~bent.stable[1:])), limit=0, kind="exact")
        yield at_most(
            f"{name}: shape, from the elastica", "of its length", from_elastica(bent), limit=0.2 * limit, kind="exact"
        )
        # The load differs by as much as that at which the elements buckle.
        yield at_most(
            f"{name}: load, from the elastica's", "of it", load_from_elastica(bent), limit=limit, kind="exact"
        )


def with_weight() -> Iterator[Row]:
    """Check that the pitchfork unfolds: the straight leg bends inward, the outward branch ends at a fold of its own."""
    held = pl.compile(model(), elements=elements("quadratic exact", 20))
    natural = pl.path(held, REST_LENGTH, begin=LENGTH, to=LEG.tendon_rest_length)
    yield absolute(
        "with weight, from straight: events", "1", 0, natural.data.sizes["event"], tolerance=0, kind="independent code"
    )
    inward = theory.equilibrium(side=-1.0)
    yield at_most(
        "with weight, from straight: inward rest",
        "of its length",
        distance(natural, inward),
        limit=0.2 * SHARP,
        kind="independent code",
    )
    rest, exact = pretension(held).rest, theory.equilibrium()
    yield at_most(
        "with weight: outward rest", "of its length", distance(rest, exact), limit=0.2 * SHARP, kind="independent code"
    )
    back = pl.path(held, REST_LENGTH, start=rest, begin=LEG.tendon_rest_length, to=(LENGTH, 0.16))
    yield absolute(
        "with weight, outward: limit points", "1", 1, back.outcome.limit_points, tolerance=0, kind="independent code"
    )
    fold = float(back.event_parameter[0])
    yield relative(
        "with weight, outward: rest length at the fold",
        "m",
        theory.fold(),
        fold,
        tolerance=SHARP,
        kind="independent code",
    )


@case(
    "leg-pretension", source="thesis, section 5.11; parameters of TARGETS; Reissner's leaf as a boundary value problem"
)
def leg_pretension() -> Iterator[Row]:
    """Equilibrium of both parameter sets; the family as the rest length varies; the settled transient."""
    for given, hold in ((LEG, "q3"), (LEG_LOWER_HELD, "q1")):
        exact = theory.equilibrium(given, hold=hold)
        expected = Figures(exact.tension, exact.chord, exact.deflection, turn(given, hold, exact.q1, exact.q3))
        found = {}
        for kind in KINDS:
            rest = pretension(pl.compile(model(given, hold=hold), elements=elements(kind, 40)), given).rest
            found[kind] = figures(rest, given, hold)
            yield from agreement(
                f"{hold} held, 40 {kind}", expected, found[kind], "independent code", tolerance=limit_of(kind)
            )
            # The thrust of the leaf at A; its weight, 4 % of that, makes it change along the leaf.
            strain = float(np.hypot(*exact.unknowns[1:3])) / given.section.axial_stiffness
            name = f"{hold} held, 40 {kind}: largest axial strain (thesis -0.8)"
            yield relative(name, "1", strain, axial_strain(rest), tolerance=0.04, kind="independent code")
        yield from agreement(
            f"{hold} held, exact and co-rotational", found["linear exact"], found["co-rotational"], "other formulation"
        )
    yield from family()
    yield from settled()


def family() -> Iterator[Row]:
    """Check the outward branch with weight, from large deflection to its fold, point by point."""
    held = pl.compile(model(), elements=elements("quadratic exact", 20))
    rest = pretension(held).rest
    for name, end in (("shorter", 0.06), ("longer", 0.27)):
        path = pl.path(held, REST_LENGTH, start=rest, begin=LEG.tendon_rest_length, to=end)
        yield at_most(
            f"{name} tendon: unstable points", "1", int(np.sum(~path.stable)), limit=0, kind="independent code"
        )
        tensions, places, guess = [], [], None
        for point in range(path.data.sizes["point"]):
            given = replace(LEG, tendon_rest_length=float(path.parameter[point]))
            exact = theory.equilibrium(given, guess=guess)
            guess = exact.unknowns
            tensions.append(abs(float(tension(path)[point]) / exact.tension - 1.0))
            places.append(distance(path, exact, point))
        for what, unit, errors in (("tension", "of it", tensions), ("middle", "of its length", places)):
            quantity = f"{name} tendon, to {end:g} m: {what} at every point"
            yield at_most(quantity, unit, max(errors), limit=SHARP, kind="independent code")


def settled() -> Iterator[Row]:
    """Check that the straight leg, let go with a too short tendon, comes to the rest of the static path."""
    for kind in ("linear exact", "co-rotational"):
        held = pl.compile(model(), elements=elements(kind, 10))
        rest = pretension(held).rest
        # With the light damper nothing is left; with its own e^-10 of 0.1 m, and of what that turns the links by.
        for damping, end, step, left in ((LIGHT_DAMPER, 10.0, 1e-3, 1e-8), (LEG.tendon_damping, 50.0, 2.5e-3, 1e-4)):
            run = settle(elements=elements(kind, 10), damping=damping, end_time=end, step=step)
            name = f"settled from straight, 10 {kind}, {damping:g} N s/m, {end:g} s"
            for quantity, unit in (("position", "m"), ("angle", "rad")):
                away = float(np.abs(run.data[quantity][-1] - rest.data[quantity]).max())
                yield at_most(f"{name}: {quantity}, from the static path", unit, away, limit=left, kind="itself")
        # With its own damper the leg creeps: after 10 s 11 mm are left. It does so at the rate of the slowest mode.
        rate = -float(pl.modal(held, at=rest, modes=1, damped=True).eigenvalue[0].real)
        lengths = run.line_length.sel(line="tendon", time=[20.0, 30.0], method="nearest").values
        early, late = np.abs(lengths - float(rest.line_length.sel(line="tendon")))
        name = f"rate of creep, 10 {kind}, {damping:g} N s/m: transient and damped mode"
        yield relative(name, "1/s", rate, np.log(early / late) / 10.0, tolerance=1e-3, kind="itself")


@case("leg-release", source="thesis, section 5.16, figures 5.12 to 5.15")
def leg_release() -> Iterator[Row]:
    """Free fall after pretension, 3 s: loop closure, energy balance, two kinds of elements; Lagrange's equations."""
    yield from by_lagrange()
    yield from balances(4)
    yield from balances(10)
    one, other = (fall(LEG, elements(kind, 20), FALL_STEPS[0]) for kind in FINE)
    # They differ in how they interpolate mass; the links turn by 3 rad.
    difference = float(np.abs(one.angle - other.angle).max())
    yield at_most(
        "angles, exact and co-rotational, 20 elements", "rad", difference, limit=5e-3, kind="other formulation"
    )


def balances(count: int) -> Iterator[Row]:
    """Check joints and energy of a leaf of so many elements."""
    runs = [fall(LEG, pl.Exact(count), step) for step in FALL_STEPS]
    name = f"{count} elements"
    for step, run in zip(FALL_STEPS, runs, strict=True):
        yield at_most(
            f"{name}, dt {step:g} s: loop closure at every step",
            "m",
            closure(run),
            limit=1e-12,
            kind="conservation law",
        )
    shares = [run.outcome.energy_error / run.outcome.energy_range for run in runs]
    yield order(f"{name}: order of the energy balance's error", FALL_STEPS, shares, kind="conservation law")
    yield energy_balanced(f"{name}, dt {FALL_STEPS[-1]:g} s: energy balance", shares[-1], limit=1e-4)


def by_lagrange() -> Iterator[Row]:
    """Check the first tenths of the fall by equations that share nothing with the elements.

    Their leaf neither stretches nor shears (5e-6). With eight Legendre modes instead of six the lower link, which turns
    by 2 rad, moves by 6e-4 rad under the light damper, by 1e-4 rad under its own.
    """
    softer = replace(LEG, tendon_damping=LIGHT_DAMPER, damping_ratio=0.05)
    for name, given, end, modes, limit in (
        ("its own damper", LEG, 0.2, 6, 2e-4),
        ("a light damper, 5 % in the leaf", softer, 0.3, 8, 1e-3),
    ):
        run = fall(given, pl.Exact(10, order=2), 2.5e-4, end_time=end, every=40)
        lower, upper = equations.fall(given, end, modes)
        for body, exact in (("lower link", lower), ("upper link", upper)):
            off = float(np.abs(run.angle.sel(body=body).values - exact).max())
            what = f"{name}: angle of the {body}, Lagrange's equations, {end:g} s"
            yield at_most(what, "rad", off, limit=limit, kind="independent code")


class Figures(NamedTuple):
    """Figures by which pretensioned legs are compared."""

    tension: float  # N
    chord: float  # m
    deflection: float  # m, of the leaf's middle from the chord
    turn: float  # rad, of the free link since the straight leg


def limit_of(kind: str) -> float:
    """Return the limit of the errors of a kind of elements."""
    return SHARP if kind in FINE else COARSE


def agreement(name: str, expected: Figures, found: Figures, kind: Kind, *, tolerance: float = COARSE) -> Iterator[Row]:
    """Compare every figure, all with one tolerance."""
    words = ("tendon force", "N"), ("distance of the ends", "m"), ("deflection", "m"), ("turn of the free link", "rad")
    for (quantity, unit), reference, computed in zip(words, expected, found, strict=True):
        yield relative(f"{name}: {quantity}", unit, reference, computed, tolerance=tolerance, kind=kind)


def figures(rest: Result, given: LegParameters, hold: str) -> Figures:
    """Return the figures of an equilibrium."""
    a, b, middle = (rest.position.sel(marker=marker).values for marker in ("leaf/base", "leaf/tip", MIDDLE))
    chord = float(np.hypot(*(b - a)))
    along, to_middle = (b - a) / chord, middle - a
    q1, q3 = (float(rest.angle.sel(body=body)) for body in ("lower link", "upper link"))
    deflection = float(along[1] * to_middle[0] - along[0] * to_middle[1])
    return Figures(float(tension(rest)), chord, deflection, turn(given, hold, q1, q3))


def turn(given: LegParameters, hold: str, q1: float, q3: float) -> float:
    """Return how far the free link has turned since the straight leg; at rest its own angle is zero."""
    straight = given.straight(hold)
    return q1 - straight[0] if hold == "q3" else q3 - straight[1]


def elements(kind: str, count: int) -> Any:
    """Return elements of a kind."""
    return KINDS[kind][0](count)


def tension(result: Result) -> Any:
    """Return the tension of the tendon."""
    return result.tension.sel(line="tendon")


def axial_strain(rest: Result) -> float:
    """Return the largest axial strain of the leaf."""
    return float(np.abs(rest.resultant.sel(component="N")).max()) / LEG.section.axial_stiffness


def distance(result: Result, exact: theory.Posture, point: int = -1) -> float:
    """Return the distance of the leaf's middle from its place by theory, as a part of the leaf's length."""
    place = result.position.sel(marker=MIDDLE)
    place = place[point] if "point" in place.dims else place
    return float(np.hypot(*(place.values - exact.middle))) / LENGTH


def distance_at_rest(given: LegParameters, chosen: Any) -> float:
    """Return the distance at the end of the branch without weight."""
    _, bent = bend(pl.compile(model(given), elements=chosen), to=given.tendon_rest_length)
    return distance(bent, theory.equilibrium(given))


def buckling_of_pinned_leaf(chosen: Any) -> float:
    """Load (N) at the first bifurcation of the leaf alone."""
    m = pl.Model("pinned leaf", plane="xy")
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=LENGTH, section=LEG.section, angle=0.0))
    m.add(
        pl.Revolute(ground.at(0.0, 0.0), leaf.at(s=0)),
        pl.Slider(ground.at(0.0, 0.0), leaf.at(s=1)),
        pl.Force(leaf.at(s=1), x=0.0, name="load"),
    )
    straight = pl.path(pl.compile(m, elements=chosen), "load/x", to=-1.2 * theory.euler_load())
    return -float(straight.event_parameter[0])


def from_elastica(bent: Result) -> float:
    """Return the largest distance of a node from the inextensible elastica of the same ends, over the length."""
    leaf = bent.part.values == "leaf"
    s, errors = bent.s.values[leaf], []
    squeezed = 1.0 - tension(bent).values / LEG.section.axial_stiffness  # the leaf's axial strain, 5e-6
    for shape, scale in list(zip(bent.shape.values[:, leaf], squeezed, strict=True))[1:]:  # after the bifurcation
        chord = shape[-1] - shape[0]
        exact = theory.elastica(float(np.hypot(*chord)) / scale)
        along = chord / np.hypot(*chord)
        across = np.array([along[1], -along[0]])
        across *= np.sign(np.sum((shape - shape[0]) @ across))
        places = shape[0] + scale * exact.shape(LENGTH, s) @ np.array([along, across])
        errors.append(float(np.hypot(*(shape - places).T).max()) / LENGTH)
    return max(errors)


def load_from_elastica(bent: Result) -> float:
    """Return largest difference between tendon force and thrust of the elastica of the same chord, as a part of it."""
    chords, forces = bent.line_length.sel(line="tendon").values[1:], tension(bent).values[1:]
    exact = np.array([theory.elastica(chord).load for chord in chords])
    return float(np.abs(forces / exact - 1.0).max())


def fall(given: LegParameters, chosen: Any, step: float, **options: Any) -> Result:
    """Compute the release, every step kept unless `options` say otherwise."""
    held, free = (pl.compile(model(given, hold=hold), elements=chosen) for hold in ("q3", None))
    return release(free, pretension(held, given).rest, step=step, **options)


def closure(run: Result) -> float:
    """Return the largest distance between the leaf's ends and the links' tips."""
    pairs = (("lower link/tip", "leaf/base"), ("upper link/tip", "leaf/tip"))
    gaps = [run.position.sel(marker=a).values - run.position.sel(marker=b).values for a, b in pairs]
    return float(np.hypot(*np.moveaxis(np.array(gaps), -1, 0)).max())
