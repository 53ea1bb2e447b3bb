"""The thesis's own models: they agree with the thesis, and they fail as it says, with the reasons."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from math import pi, sqrt

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant.results import Result
from pliant_evidence.historical.thesis_leg import DEFECTS, FirstModel, FullModel
from pliant_evidence.historical.thesis_leg.compare import OWN, SHORT
from pliant_evidence.historical.thesis_leg.integrator import rates, scheme
from pliant_evidence.historical.thesis_leg.mechanism import Array, direction, normal
from pliant_evidence.historical.thesis_leg.statics import Equilibrium, equilibrium, lowest_stiffness
from pliant_gallery import four_bar
from pliant_gallery.leg import LEG, tip
from pliant_gallery.leg.theory import elastica, euler_load
from pliant_testing.validation import Row, absolute, at_most, case, order, relative

LENGTH, SECTION = LEG.leaf_length, LEG.section
WEIGHT = SECTION.mass_per_length * LEG.gravity  # N/m


@case("leg-first-model", source="thesis, chapter 4 (table 4.2, sections 4.2 to 4.6)")
def first_model() -> Iterator[Row]:
    """Chapter 4's leg moves like a rigid four-bar, and no end load buckles its leaf."""
    yield from itertools.chain(like_a_four_bar(), linear_leaf(), no_buckling())


def like_a_four_bar() -> Iterator[Row]:
    """Check against pliant's four-bar: other coordinates, other integrator."""
    # One Gauss point an element leaves out the inertia of each element about its own middle.
    rigid = reduced_four_bar(inertia=SECTION.mass_per_length * LENGTH**3 / 12.0 * (1.0 - 1.0 / 10**2))
    steps = (1e-3, 5e-4)
    runs = [FirstModel(stiffening=1e6, damping_ratio=0.0).simulate(end_time=0.4, step=step) for step in steps]
    errors = [difference(run.q[:: round(1e-3 / step)], rigid) for run, step in zip(runs, steps, strict=True)]
    # With spectral radius 0 the damping, of third order, bends the slope by a few hundredths at these steps.
    yield order(
        "rigid leaf: |angles - four-bar| in 0.4 s, order", steps, errors, tolerance=0.1, kind="independent code"
    )
    yield at_most("loop closure, 0.4 s", "m", max(run.gap.max() for run in runs), limit=1e-12, kind="conservation law")
    leaf = FirstModel(damping_ratio=0.0).simulate(end_time=1.0)
    true = pl.transient(
        pl.compile(four_bar.model(coupler="flexible"), elements=10), end_time=1.0, step=1e-3, spectral_radius=0.9
    )
    swing = float(np.ptp(rigid["lower"]))
    ours = difference(leaf.q, rigid)
    theirs = float(np.abs(true.angle.sel(body="crank").values - rigid["lower"]).max())
    # "Almost identically" (section 4.5) is no number; 3 % is ours, chosen when 2.4 % was known. So is the half below.
    yield at_most(
        "leaf: |angles - four-bar| in 1 s, of the swing", "1", ours / swing, limit=0.03, kind="independent code"
    )
    yield at_most("the same, of a true leaf's difference", "1", ours / theirs, limit=0.5, kind="itself")
    # alpha M v acts on the links as well (4.16): small swings of the whole leg decay with alpha / 2.
    model = FirstModel()
    yield relative(
        "1 % in the leaf: decay of the leg's swing",
        "1/s",
        model.rayleigh[0] / 2.0,
        decay(model),
        tolerance=0.02,
        kind="exact",
    )


def linear_leaf() -> Iterator[Row]:
    """Check that the leaf itself is right, but for ever in the position in which it was made."""
    model = FirstModel()
    one = pi / 2.0 / LENGTH**2 * sqrt(SECTION.bending_stiffness / SECTION.mass_per_length)
    # Mass in the middle of ten elements: (cos(pi / 20))^-1 = 1.0125.
    yield relative("first frequency of the leaf", "Hz", one, model.frequencies_hz()[0], tolerance=0.013, kind="exact")
    sag = 5.0 * WEIGHT * LENGTH**4 / (384.0 * SECTION.bending_stiffness)
    first, now = float(model.start[:2].sum()), float(at_rest(model)[:2].sum())
    across = deflection(model, at_rest(model)) @ normal(first)
    # Loads at nodes instead of along the leaf: 0.8 % at ten elements.
    yield relative(
        "sag at rest: that of the first direction", "m", -sag * np.cos(first), across, tolerance=0.01, kind="exact"
    )
    # The leaf hangs on the other side of the vertical by now, so it should sag to the other side.
    yield absolute(
        "side to which it sags and should sag", "1", -1, np.sign(-across * np.cos(now)), tolerance=0.0, kind="exact"
    )


def no_buckling() -> Iterator[Row]:
    """Check the lower link held, load on the upper one (section 4.6)."""
    model, load = FirstModel(), 2.0 * euler_load()
    free, loaded = (model.end_load(thrust) for thrust in (0.0, load))
    along = direction(loaded.q[0] + loaded.q[1])
    yield relative(
        "end load that arrives",
        "N",
        load,
        along @ (loaded.multipliers - free.multipliers),
        tolerance=1e-9,
        kind="exact",
    )
    added = deflection(model, loaded.q) - deflection(model, free.q)
    yield at_most("deflection it adds", "m", float(np.abs(added).max()), limit=1e-12, kind="exact")
    change = lowest_stiffness(model, loaded, hold=(0,)) / lowest_stiffness(model, free, hold=(0,)) - 1.0
    yield at_most("stiffness it takes from the leaf", "1", change, limit=1e-9, kind="exact")
    yield absolute(
        "a true leaf under it: unstable directions",
        "1",
        1,
        column(load).outcome.unstable_directions,
        tolerance=0.0,
        kind="exact",
    )
    run = model.simulate(end_time=0.2)
    distances = [np.linalg.norm(model.nodes(q)[-1] - model.nodes(q)[0]) for q in run.q]
    yield at_most(
        "length of a tendon along it: change in 0.2 s",
        "m",
        float(np.ptp(distances)),
        limit=1e-12,
        kind="conservation law",
    )


@case("leg-full-model", source="thesis, chapter 5 (table 5.3, listings 5.1 to 5.5)")
def full_model() -> Iterator[Row]:
    """Chapter 5's leg finds no equilibrium and loses its loop; each defect and what it is to blame for."""
    yield from itertools.chain(localisation(), no_stiffness(), lost_loop())


def localisation() -> Iterator[Row]:
    """Check what the recipe of (5.49) lacks: with the reaction in it, the shortening is shared by all elements."""
    full = FullModel()
    posture = full.straight(level="q3", chord=SHORT)
    mended = FullModel(defects=DEFECTS - {"reaction"}).pretension(posture, hold=(0, 2))
    yield at_most("with J_c' lambda: unbalanced force", "N", mended.unbalanced, limit=1e-6, kind="exact")
    spread = np.ptp(full.nodal_strain(mended.q))
    yield at_most("with J_c' lambda: difference between elements", "1", spread, limit=0.05, kind="itself")


def no_stiffness() -> Iterator[Row]:
    """Check what remains without it: a leaf that costs nothing to shorten."""
    full, right = FullModel(), FullModel(elements=10, defects=())
    stiffness = SECTION.axial_stiffness / LENGTH
    start = full.straight(level="q3")
    yield at_most(
        "stiffness against shortening, of EA / L",
        "1",
        full.chord_stiffness(start) / stiffness,
        limit=1e-9,
        kind="exact",
    )
    yield relative(
        "the same, strain read along the baseline",
        "N/m",
        stiffness,
        right.chord_stiffness(right.straight(level="q3")),
        tolerance=1e-9,
        kind="exact",
    )
    mended = FullModel(defects=DEFECTS - {"reaction"})
    held = mended.pretension(mended.straight(level="q3", chord=SHORT), hold=(0, 2))
    up = np.sin(np.arctan2(*reversed(mended.upper_tip(held.q) - mended.lower_tip(held.q))))
    yield relative(
        "thrust in it at 100 mm: half its weight",
        "N",
        -0.5 * WEIGHT * LENGTH * up,
        thrust(mended, held),
        tolerance=1e-6,
        kind="exact",
    )
    bow = right.pretension(right.straight(level="q3", chord=SHORT), hold=(0, 2), imperfection=0.05)
    # von Karman's strain about one baseline, with end rotations of 52 degrees: no better than this.
    yield relative(
        "all mended: thrust at 100 mm, elastica",
        "N",
        elastica(SHORT).load,
        thrust(right, bow),
        tolerance=0.15,
        kind="exact",
    )


def lost_loop() -> Iterator[Row]:
    """Check that the loop opens since B of listing 5.5 lacks omega_B^2 J_c: Newton moves more than twice too far."""
    rest = FullModel(defects=OWN).pretension().q
    written = FullModel()
    yield relative(
        "true derivative of (5.42), of listing 5.5's B",
        "1",
        excess(0.7, 10.0),
        slope(written, rest),
        tolerance=1e-6,
        kind="exact",
    )
    for name, defects, kappa in (
        ("as written but kappa 5", DEFECTS, 5.0),
        ("with omega_B^2 J_c, kappa 10", DEFECTS - {"position"}, 10.0),
    ):
        run = FullModel(defects=defects, stabilisation=(0.7, kappa)).fall(rest, end_time=0.05)
        yield at_most(f"gap of the loop after 50 ms: {name}", "m", run.gap[-1], limit=1e-9, kind="conservation law")


def excess(zeta: float, kappa: float, rho: float = 0.8) -> float:
    """Return the true derivative of (5.42) by q over B of listing 5.5; above 2 Newton's steps open the loop."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    beta, gamma = 0.25 * (1.0 - alpha_m + alpha_f) ** 2, 0.5 - alpha_m + alpha_f
    inertia, damping = (1.0 - alpha_m) / (1.0 - alpha_f), 2.0 * zeta * kappa * gamma
    return (inertia + damping + kappa**2 * beta) / (inertia + damping / (1.0 - alpha_f))


def slope(model: FullModel, q: Array, step: float = 1e-3) -> float:
    """Measure the slope by differences."""
    _, averaged, printed = rates(*scheme(0.8, step))
    state, change = np.zeros((2, 3, model.size))
    state[0], width = q, 1e-8
    # J change = (1, 0)
    change[:, model.active] = np.outer(averaged, np.linalg.pinv(model.closure_jacobian(q)[:, model.active])[:, 0])
    ahead, factor = model.closing(state + width * change, averaged, printed, step)
    behind, _ = model.closing(state - width * change, averaged, printed, step)
    return float((ahead - behind)[0] / (2.0 * width) / factor)


def thrust(model: FullModel, state: Equilibrium) -> float:
    """Return the compression of the leaf at B: what the tendon pulls and the joint pushes."""
    reach = model.reach(state.q)[0]
    return float(model.tendon(state.q, np.zeros(model.size))[0] + state.multipliers[:2] @ reach / np.linalg.norm(reach))


def deflection(model: FirstModel, q: Array) -> Array:
    """Return the displacement of the middle node."""
    node = 3 + 3 * (model.elements // 2)
    return q[node : node + 2]


def at_rest(model: FirstModel, *, aside: float = 0.0) -> Array:
    """Return where the leg hangs, or with the lower link held `aside` from there (rad)."""
    q = model.start.copy()
    for angle, hold in ((-1.5, (0,)), (0.0, ()), (aside, (0,))):
        q[:2] += angle, -angle
        q = equilibrium(model, q, hold=hold).q
    return q


def decay(model: FirstModel) -> float:
    """Return rate at which small swings of the whole leg about its rest decay: slope of the logarithm of its peaks."""
    run = model.simulate(at_rest(model, aside=0.02), end_time=1.5)
    swing = np.abs(run.q[:, 0] - at_rest(model)[0])
    peaks = 1 + np.flatnonzero((swing[1:-1] > swing[:-2]) & (swing[1:-1] >= swing[2:]))
    return -float(np.polyfit(run.time[peaks], np.log(swing[peaks]), 1)[0])


def reduced_four_bar(inertia: float) -> dict[str, Array]:
    """Return angles of the rigid four-bar whose coupler has the leaf's mass, every millisecond of a second."""
    m = pl.Model("rigid leg", plane="xy")
    q1, q3 = LEG.straight("q1")
    a, b = (
        np.array(end)
        for end in (tip(LEG.lower_pivot, LEG.lower_length, q1), tip(LEG.upper_pivot, LEG.upper_length, q3))
    )
    ground, lower, upper, leaf = m.add(
        pl.Ground(),
        pl.Link("lower", length=LEG.lower_length, mass=LEG.lower_mass, angle=q1),
        pl.Link("upper", length=LEG.upper_length, mass=LEG.upper_mass, angle=q3),
        pl.Body(
            "leaf",
            mass=SECTION.mass_per_length * LENGTH,
            inertia=inertia,
            position=tuple(0.5 * (a + b)),
            angle=float(np.arctan2(*reversed(b - a))),
        ),
    )
    m.add(
        pl.Revolute(ground.at(*LEG.lower_pivot), lower.at(s=0)),
        pl.Revolute(lower.at(s=1), leaf.at(-LENGTH / 2.0)),
        pl.Revolute(leaf.at(LENGTH / 2.0), upper.at(s=1)),
        pl.Revolute(ground.at(*LEG.upper_pivot), upper.at(s=0)),
        pl.Gravity(y=-LEG.gravity),
    )
    system = pl.compile(m, formulation="relative")
    run = pl.transient(system, end_time=1.0, times=1e-3 * np.arange(1001), accuracy=1e-9)
    return {body: run.angle.sel(body=body).values for body in ("lower", "upper")}


def difference(q: Array, angles: dict[str, Array]) -> float:
    """Return the largest difference of q1 and q3."""
    pairs = (q[:, 0], angles["lower"]), (q[:, 2], angles["upper"])
    return max(float(np.abs(ours - theirs[: len(ours)]).max()) for ours, theirs in pairs)


def column(load: float) -> Result:
    """Return the leaf alone, straight, pinned, under an end load."""
    m = pl.Model("pinned leaf", plane="xy")
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=LENGTH, section=SECTION))
    m.add(
        pl.Revolute(ground.at(0, 0), leaf.at(s=0)),
        pl.Slider(ground.at(0, 0), leaf.at(s=1)),
        pl.Force(leaf.at(s=1), x=-load),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # that it is unstable is the point
        return pl.statics(pl.compile(m, elements=10))
