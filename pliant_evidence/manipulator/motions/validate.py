"""Flexible manipulators in motion: the paper's findings as numbers, compared with the geometrically exact arm."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from math import inf, pi

import numpy as np

import pliant as pl
from pliant_evidence.manipulator.motions import (
    COMPONENT,
    FOUR,
    SYSTEM,
    across,
    apart,
    compiled,
    exact_motion,
    frequencies,
    largest,
    largest_deflections,
    motion,
    rms,
)
from pliant_gallery.manipulator import FIGURES, Arm, model
from pliant_testing.validation import Row, absolute, at_most, case, printed, relative

PAPER = "manipulator paper"
SLOW = Arm(25.0, torque=4.0, frequency=1.0)
"""Figures 6 and 7 b."""
PERCENT = 100.0


@case("manipulator-1r", source=f"{PAPER}, figures 3 to 12, sections 5.1 to 5.3")
def one_link() -> Iterator[Row]:
    """Four models in three cases, linear against nonlinear, frequencies; the exact arm says which model is right."""
    yield from itertools.chain(four_models(), linear_against_nonlinear(), who_is_right(), kinks())
    yield from itertools.chain(bending_velocities(), axial_velocities(), still(), natural_frequencies(), units())


def four_models() -> Iterator[Row]:
    """Check figures 3 to 5: how far the models that are near the exact arm are off it, and what the paper saw in them.

    The linear ones of figure 3 are not near: 56 and 10 % off.
    """
    limits = {3: (inf, inf, 0.02, 0.02), 4: (0.01, 0.01, 0.01, 0.01), 5: (0.07, 0.03, 0.005, 0.005)}
    for figure, allowed in limits.items():
        arm = FIGURES[figure]
        exact = across(exact_motion(arm), arm)
        runs = {name: across(motion(arm, **options), arm) for name, options in FOUR.items()}
        for (name, values), limit in zip(runs.items(), allowed, strict=True):
            if limit == inf:
                continue
            off = largest(values) / largest(exact) - 1.0
            yield at_most(
                f"figure {figure}, {name}: largest deflection against the exact arm",
                "1",
                off,
                limit=limit,
                kind="other formulation",
            )
        nonlinear = runs["nonlinear kinked"]
        distance = {name: apart(values, nonlinear) for name, values in runs.items()}
        if figure == 3:
            nearer = distance["linear kinked"] / distance["linear conventional"]
            name = "figure 3, distance to nonlinear kinked: linear kinked, of linear conventional"
            yield at_most(name, "1", nearer, limit=0.5, kind="other formulation")
        peaks = np.array([largest(values) for values in runs.values()])
        spread = float(np.ptp(peaks) / peaks[-1])
        if figure == 4:
            yield at_most(
                "figure 4: range of the four largest deflections",
                "of them",
                spread,
                limit=0.01,
                kind="other formulation",
            )
        if figure == 5:
            share = largest(across(motion(arm, strain="third"), arm) - nonlinear)
            name = "figure 5: what the fourth-order term changes (printed: of the order of 1e-5)"
            yield at_most(name, "m", share, limit=1e-5, kind="published")
            yield at_most(
                "figure 5: range of the four largest deflections",
                "of them",
                spread,
                limit=0.07,
                kind="other formulation",
            )


def linear_against_nonlinear() -> Iterator[Row]:
    """Check figure 12 and section 5.3: third-order terms in two elements against none, at three kinks."""
    for degrees, percent in ((0.0, 25.0), (60.0, 24.0), (90.0, 23.0)):
        arm = replace(FIGURES[12], kink=degrees * pl.DEG)
        linear, third = (across(motion(arm, periods=2.0, strain=strain), arm) for strain in ("linear", "third"))
        name = f"figure 12, kink {degrees:g} deg: largest difference, of the nonlinear deflection"
        found = PERCENT * apart(linear, third)
        yield absolute(name, "%", percent, found, tolerance=2.0, kind="published")  # "approximately"


def who_is_right() -> Iterator[Row]:
    """Check figure 12: the difference is an error of the third-order model, which more elements cure."""
    arm = FIGURES[12]
    exact, coarse = (across(exact_motion(arm, periods=2.0, step=step), arm) for step in (1e-4, 2e-4))
    yield at_most(
        "the exact arm: step of 0.2 ms against 0.1 ms",
        "of its largest",
        apart(coarse, exact),
        limit=5e-3,
        kind="itself",
    )
    limits = {"linear": 0.005, "nonlinear": 0.07, "mean": 0.005}  # "third" is off by the 25 % of figure 12
    for strain, limit in limits.items():
        off = largest(across(motion(arm, periods=2.0, strain=strain), arm)) / largest(exact) - 1.0
        yield at_most(
            f"figure 12, {strain}: largest deflection against the exact arm",
            "1",
            off,
            limit=limit,
            kind="other formulation",
        )
    for strain in ("third", "nonlinear"):
        errors = [apart(across(motion(arm, periods=2.0, strain=strain, elements=n), arm), exact) for n in (2, 4, 8)]
        yield at_most(
            f"{strain}: error of four elements, of that of two",
            "1",
            errors[1] / errors[0],
            limit=0.25,
            kind="other formulation",
        )
        name = f"{strain}, eight elements: against the exact arm over time"
        yield at_most(name, "of its largest", errors[2], limit=5e-3, kind="other formulation")


def kinks() -> Iterator[Row]:
    """Check figure 11: across the link the tip moves less as the kink grows to 120 degrees, and more again beyond,
    where the far half reaches back past the joint; the exact arm does so too.

    Along it the paper has most at 90 degrees; ours, at every 15 degrees, is largest at 75. That is no agreement.
    """
    angles = np.arange(0.0, 121.0, 15.0)
    _, side = largest_deflections([replace(FIGURES[12], kink=float(angle) * pl.DEG) for angle in angles]).T
    falls = float(np.all(np.diff(side) < 0.0))
    yield absolute(
        "figure 11: Y deflection falls with every 15 deg of kink to 120 deg",
        "1",
        1.0,
        falls,
        tolerance=0.0,
        kind="published",
    )
    beyond = [replace(FIGURES[12], kink=angle * pl.DEG) for angle in (120.0, 135.0, 150.0)]
    risen = [largest(across(exact_motion(arm, step=2e-4), arm)) for arm in beyond]
    rises = float(risen[0] < risen[1] < risen[2])
    name = "figure 11: Y deflection of the exact arm rises from 120 to 135 and 150 deg"
    yield absolute(name, "1", 1.0, rises, tolerance=0.0, kind="other formulation")
    for arm, exact in zip(beyond, risen, strict=True):
        found = largest_deflections([arm], strain="mean")[0, 1]
        name = f"figure 11, kink {arm.kink / pl.DEG:.0f} deg: Y deflection, two elements against the exact arm"
        yield relative(name, "m", exact, found, tolerance=0.01, kind="other formulation")


def bending_velocities() -> Iterator[Row]:
    """Check figure 7, torque 4 sin(t) and 4 sin(5t) N m: over U_g."""
    linear, third = (
        {
            (w, u): largest_deflections([replace(SLOW, bending_velocity=u, frequency=w)], strain=strain)[0, 1]
            for w in (1.0, 5.0)
            for u in (25.0, 45.0, 100.0)
        }
        for strain in ("linear", "third")
    )
    difference = {key: abs(third[key] / linear[key] - 1.0) for key in linear}
    for w in (1.0, 5.0):
        worst = max(value for (frequency, u), value in difference.items() if frequency == w and u >= 45.0)
        yield at_most(
            f"figure 7, 4 sin({w:g}t), U_g from 45 m/s: linear against nonlinear",
            "1",
            worst,
            limit=0.02,
            kind="other formulation",
        )
    rise = difference[5.0, 25.0] / difference[5.0, 45.0]
    yield at_most(
        "figure 7, 4 sin(5t): that difference at 45 m/s, of that at 25 m/s",
        "1",
        1.0 / rise,
        limit=0.1,
        kind="other formulation",
    )


def axial_velocities() -> Iterator[Row]:
    """Check figure 6, torque 4 sin(t) N m: over U_a."""
    speeds = (1000.0, 3000.0, 5000.0)
    soft, stiff = (
        largest_deflections([replace(SLOW, bending_velocity=u, axial_velocity=a) for a in speeds]) for u in (25.0, 45.0)
    )
    for a, (along, _) in zip(speeds, soft, strict=True):
        stretch = spin(SLOW) ** 2 * SLOW.lengths[0] ** 3 / (3.0 * a**2)
        name = f"figure 6 a, U_a {a:g} m/s: axial deflection against W^2 L^3 / 3 U_a^2"
        yield relative(name, "m", stretch, along, tolerance=0.01, kind="exact")
    yield at_most(
        "figure 6 b, U_g 45 m/s: range over U_a", "of itself", spread(stiff[:, 1]), limit=0.005, kind="itself"
    )
    flatter = spread(stiff[:, 1]) / spread(soft[:, 1])
    yield at_most("figure 6 b: that range, of the one at U_g 25 m/s", "1", flatter, limit=0.1, kind="itself")
    rate = np.abs(motion(SLOW).coordinate_rates.sel(coordinate="joint1").values).max()
    segment = 0.5 * SLOW.lengths[0] / (2.0 * SLOW.bending_velocity)  # L_1 / U_g1 of eq. 15
    yield printed("section 5.2: largest joint rate, 4 sin(t), non-dimensional", "1", "0.6", rate * segment)


def spin(arm: Arm) -> float:
    """Return the largest angular velocity of the arm if it were rigid, 2 tau / (J w) (rad/s)."""
    return 2.0 * arm.torque / (arm.mass_per_length * arm.lengths[0] ** 3 / 3.0 * arm.frequency)


def spread(values: np.ndarray) -> float:
    """Return range, as a part of the largest."""
    return float(np.ptp(values) / np.abs(values).max())


def still() -> Iterator[Row]:
    """Check the first frequency at rest."""
    arm = FIGURES[3]
    found = 2.0 * pi * compiled(arm).natural_frequencies(rest(arm), modes=1).values.ravel()[0]
    name = "footnote 3: first frequency at rest, U_g 50 m/s (printed: around)"
    yield relative(name, "rad/s", 380.0, found, tolerance=0.03, kind="published")
    exact = 3.926602**2 * arm.bending_velocity / arm.lengths[0]
    yield relative(
        "the same against a pinned and free beam (two elements)", "rad/s", exact, found, tolerance=0.01, kind="exact"
    )


def natural_frequencies() -> Iterator[Row]:
    """Check figures 8 to 10, 5 sin(t), with K + Delta K of eq. 14: first and second frequency along the motion."""
    arm = FIGURES[8]
    both = frequencies(arm)
    narrower = spread(both[:, 0]) / spread(both[:, 1])
    yield at_most(
        "figure 8: range of the first frequency, of that of the second", "1", narrower, limit=1.0, kind="itself"
    )
    linear = frequencies(arm, strain="linear")[0, 0]
    over_a, over_g = np.linspace(1000.0, 5000.0, 5), np.linspace(25.0, 100.0, 4)
    first_a = np.array([rms(frequencies(replace(arm, axial_velocity=a))[:, 0]) for a in over_a])
    first_g = np.array([rms(frequencies(replace(arm, bending_velocity=g))[:, 0]) for g in over_g])
    lowest = float(np.min(first_a) / linear)
    yield at_most(
        "figure 9: linear model's frequency, of the lowest mean frequency", "1", 1.0 / lowest, limit=1.0, kind="itself"
    )
    straight = bent(over_g, first_g)
    yield at_most(
        "figure 10: first frequency off a straight line in U_g", "of its range", straight, limit=2e-3, kind="itself"
    )
    share = straight / bent(over_a, first_a)
    yield at_most("figures 9, 10: that, of how far it is off one in U_a", "1", share, limit=0.05, kind="itself")


def bent(x: np.ndarray, y: np.ndarray) -> float:
    """Return the largest distance from the best straight line, as a part of the range."""
    return float(np.abs(y - np.polyval(np.polyfit(x, y, 1), x)).max() / np.ptp(y))


def rest(arm: Arm) -> pl.Result:
    """Return the first instant of a motion."""
    return pl.transient(compiled(arm), end_time=1e-3, times=[0.0, 1e-3])


def units() -> Iterator[Row]:
    """Check section 3.5: the same motion without units, and back."""
    arm = FIGURES[12]
    given, times = model(arm), np.linspace(0.0, 0.2, 101)
    scales = pl.Scales.flexural(given.beams[0])
    direct = pl.transient(compiled(arm), end_time=times[-1], times=times)
    bare = pl.compile(given.scaled(scales), formulation="kinked", elements=2, strain="third", shear=False)
    found = pl.transient(bare, end_time=times[-1] / scales.time, times=times / scales.time).in_units(scales)
    difference = apart(across(found, arm), across(direct, arm))
    yield at_most("with and without units: tip deflection", "of its largest", difference, limit=1e-6, kind="itself")
    yield relative(
        "scale of time: L / U_g", "s", arm.lengths[0] / arm.bending_velocity, scales.time, tolerance=1e-12, kind="exact"
    )


@case("manipulator-2r", source=f"{PAPER}, figures 13 to 16, section 5.4")
def two_links() -> Iterator[Row]:
    """Component and system modes and the exact arm; angles of figures 13 and 15 are drawn only, no number is printed.

    Joint angles and tip deflections at U_g = 100 and 40 m/s. What the text says of them is compared with it; the angles
    are compared with the exact arm's.
    """
    turned = {}
    for figure in (13, 15):
        arm = FIGURES[figure]
        speed = f"U_g {arm.bending_velocity:g} m/s"
        component, system = (motion(arm, periods=3.0, **options) for options in (COMPONENT, SYSTEM))
        for run, count in ((component, 14), (system, 8)):
            name = f"{speed}: equations"
            yield absolute(name, "1", count, run.coordinates.sizes["coordinate"], tolerance=0.0, kind="published")
        joints = ["joint1", "joint2"]
        angles = (run.coordinates.sel(coordinate=joints).values for run in (component, system))
        turned[figure] = largest(np.subtract(*angles))
        yield from deflections(arm, component, system)
    yield at_most(
        "joint angles: difference at U_g 100, of that at 40 m/s", "1", turned[13] / turned[15], limit=0.5, kind="itself"
    )
    yield from drawn_figures()
    yield from unequal()


PRINTED = {100.0: ((1e-3, 1.5e-4), 1e-5), 40.0: ((7e-3, 2e-3), 1e-3)}  # deflection of both links, order of difference
ORDER = 0.5  # decades: values within it are of the same order


def deflections(arm: Arm, component: pl.Result, system: pl.Result) -> Iterator[Row]:
    """Check figures 14 and 16 and what section 5.4 says of them, as orders of magnitude; and the fourth-order term.

    The deflection of link 2 at 40 m/s is half of what is printed (0.95 against 2 mm), link 1's 6.1 against 7 mm.
    """
    speed = f"U_g {arm.bending_velocity:g} m/s"
    printed_deflections, difference = PRINTED[arm.bending_velocity]
    for link, known in enumerate(printed_deflections):
        one, other = (across(run, arm, link) for run in (component, system))
        name = f"{speed}: largest deflection of link {link + 1}"
        yield absolute(name, "log10 m", np.log10(known), np.log10(largest(one)), tolerance=ORDER, kind="published")
        if link == 0:
            found = np.log10(largest(one - other))
            name = f"{speed}, figures 14 and 16: component against system modes, tip of link 1"
            yield absolute(name, "log10 m", np.log10(difference), found, tolerance=ORDER, kind="published")
    if arm.bending_velocity == 100.0:  # at 40 m/s it is a quarter: see `drawn_figures`
        whole = motion(arm, periods=3.0, **COMPONENT | {"strain": "nonlinear"})
        share = apart(across(component, arm), across(whole, arm))
        name = f"{speed}: what the fourth-order term changes, of the deflection of link 1"
        yield at_most(name, "1", share, limit=0.005, kind="itself")


def unequal() -> Iterator[Row]:
    """Check links of 1.0 and 0.6 m at U_g 100 m/s: the largest deflection of both against the exact arm."""
    arm = replace(FIGURES[13], lengths=(1.0, 0.6))
    found, exact = motion(arm, **COMPONENT | {"strain": "nonlinear"}), exact_motion(arm, step=2e-4)
    for link, limit in enumerate((0.005, 0.02)):
        off = largest(across(found, arm, link)) / largest(across(exact, arm, link)) - 1.0
        name = f"links of 1.0 and 0.6 m, U_g 100 m/s: deflection of link {link + 1} against the exact arm"
        yield at_most(name, "1", off, limit=limit, kind="other formulation")


DRAWN = 0.01  # of the largest angle: what can be seen in a figure


def drawn_figures() -> Iterator[Row]:
    """Compare one period against the exact arm: largest deflection of link 1, joint angles over time (figures 13 and
    15, whose numbers are not in the text), and what the fourth-order term changes.
    """
    limits = {13: {"third": 0.002, "nonlinear": 0.002}, 15: {"nonlinear": 0.04}}  # "third" is off by up to 24 % there
    for figure, allowed in limits.items():
        arm = FIGURES[figure]
        exact = exact_motion(arm, step=2e-4)
        for strain, limit in allowed.items():
            for name, options in (("component", COMPONENT), ("system", SYSTEM)):
                run = motion(arm, **options | {"strain": strain})
                off = largest(across(run, arm)) / largest(across(exact, arm)) - 1.0
                label = f"U_g {arm.bending_velocity:g} m/s, {name} modes, {strain}"
                yield at_most(f"{label}: link 1 against the exact arm", "1", off, limit=limit, kind="other formulation")
                off = apart(turns(run), turns(exact))
                label = f"{label}, figure {figure}: joint angles against the exact arm"
                yield at_most(label, "of the largest", off, limit=DRAWN, kind="other formulation")


def turns(run: pl.Result) -> np.ndarray:
    """Return theta_1 and theta_2 (rad): of the first link from the ground, of the second from the tip of the first."""
    before = run.marker_angle.sel(marker="link1/tip").values
    return np.asarray(run.angle.sel(body=["link1", "link2"]).values - np.stack([0.0 * before, before], axis=1))
