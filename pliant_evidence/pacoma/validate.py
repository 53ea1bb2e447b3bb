"""PACOMA in space: its leg against the plane and against shooting, the robot against closed forms and conservation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import pliant as pl
from pliant.analyses.statics.path_result import event_of
from pliant.errors import PliantWarning
from pliant_evidence.pacoma import geared, studies, theory, two_bodies
from pliant_gallery import pacoma, robots
from pliant_gallery.leg import theory as planar
from pliant_gallery.pacoma.control import CALM, ENCODERS, LEGS, SAMPLE_TIME, STIFF
from pliant_gallery.pacoma.docking import Encounter, Strike, dock, on_ground, strike
from pliant_testing.validation import Row, absolute, at_most, case, relative

MESH = 2e-4  # what four cubic elements a leaf may leave: a turn of 110 degrees
TOGETHER = 6.0  # legs
QUANTITIES = (("peak", "N"), ("impulse", "N s"), ("damper", "J"))


@case("pacoma", source="thesis 1.2, table 5.2, 6.4; shooting along leaves; elliptic integrals; balances")
def pacoma_in_space() -> Iterator[Row]:
    """Six leaf legs that bow outward: legs in place, pretension, stiffness, clearance, docking."""
    yield from one_leg()
    yield from pretension()
    yield from stiffness()
    yield from clearance()
    yield from docking()
    yield from driven()
    yield from balances()
    yield from under_control()
    yield from geared.rows()
    yield from ground()


def one_leg() -> Iterator[Row]:
    """Check the spatial leg where it is planar, and one in its place, both with weight."""
    flat, reference = studies.weighed(studies.in_the_plane()), planar.equilibrium()
    middle = flat.rest.position.sel(marker="leaf 1@0.5").values
    own: dict[str, Any] = {"kind": "independent code", "tolerance": MESH}
    yield absolute("planar leg: crank", "rad", reference.q1, flat.angle, **own)
    yield relative("planar leg: tension", "N", reference.tension, flat.tension, **own)
    yield relative("planar leg: middle, outward", "m", reference.middle[0], float(middle[1]), **own)
    yield relative("planar leg: middle, up", "m", reference.middle[1], float(middle[2]), **own)
    yield absolute("planar leg: middle, aside", "m", 0.0, float(middle[0]), tolerance=1e-9, kind="conservation law")
    robot = studies.standing().standing.robot
    shot, placed = theory.in_place(robot, 1, studies.GRAVITY), studies.weighed(robots.alone(pacoma.robot(), 1))
    force = placed.rest.reaction.sel(joint="ball 1", wrench=["Fx", "Fy", "Fz"]).values
    yield absolute("leg in place: crank", "rad", shot.angle, placed.angle, **own)
    yield relative("leg in place: tension", "N", shot.tension, placed.tension, **own)
    yield at_most(
        "leg in place: force on the platform, part that differs",
        "1",
        float(np.linalg.norm(force - shot.force) / np.linalg.norm(shot.force)),
        limit=MESH,
        kind="independent code",
    )


def pretension() -> Iterator[Row]:
    """Check all tendons shortened together."""
    found = studies.standing()
    event = event_of(found.straight, 0)
    yield absolute(
        "pretension: legs that give way at once", "1", TOGETHER, event.multiplicity, tolerance=0, kind="exact"
    )
    kind = pacoma.LEAF
    share = float(found.straight.event_parameter[0])
    load = kind.tendon_stiffness * kind.length * (1.0 - share)
    yield relative(
        "pretension: load of the leaves there", "N", planar.buckling_load(), load, tolerance=1e-3, kind="exact"
    )
    unstable = int(found.bent.unstable_directions.max())
    yield absolute("pretension: unstable directions when bent out", "1", 0, unstable, tolerance=0, kind="exact")
    rest, bent = found.standing.rest, theory.bent(kind)
    yield relative("at rest: tension", "N", bent.load, float(rest.tension[0]), tolerance=MESH, kind="exact")
    yield relative("at rest: chord", "m", bent.chord, float(rest.line_length[0]), tolerance=MESH, kind="exact")
    chords = theory.chords(found.standing.robot)
    out = [rest.position.sel(marker=f"leaf {k}@0.5").values for k in range(1, 7)]
    offsets = [float((place - 0.5 * (c.tip + c.ball)) @ c.side) for place, c in zip(out, chords, strict=True)]
    worst = min(offsets)
    yield relative("at rest: middle of the leaf least out", "m", bent.deflection, worst, tolerance=MESH, kind="exact")
    radii = np.hypot(*np.array(out).T[:2])
    yield at_most(
        "at rest: radii of the middles differ", "m", float(np.ptp(radii)), limit=1e-9, kind="conservation law"
    )


def stiffness() -> Iterator[Row]:
    """Check the stiffness at the platform, about its centre."""
    standing = studies.standing().standing
    found = pl.stiffness(standing.system, marker="platform", at=standing.rest).matrix
    unit = np.repeat([1.0, 1.0 / pacoma.RADIUS], 3)
    scaled, exact = (unit[:, None] * k * unit for k in (found, theory.platform_stiffness(standing.robot)))
    for axis, name in enumerate(("along x", "along y", "along z", "about x", "about y", "about z")):
        unit_name = "N/m" if axis < 3 else "N m/rad"
        reference = exact[axis, axis] / unit[axis] ** 2
        yield relative(f"stiffness {name}", unit_name, reference, found[axis, axis], tolerance=1e-3, kind="exact")
    largest = float(np.abs(exact).max())
    difference = float(np.abs(scaled - exact).max()) / largest
    yield at_most("stiffness: largest difference of an entry", "of the largest", difference, limit=1e-3, kind="exact")
    third = np.kron(np.eye(2), robots.frames.about_z(2.0 * np.pi / 3.0))
    turned = float(np.abs(third @ scaled @ third.T - scaled).max()) / largest
    yield at_most("stiffness: turned by 120 degrees", "of the largest", turned, limit=1e-7, kind="conservation law")


def clearance() -> Iterator[Row]:
    """Compare clearances of neighbours with all points of two elasticas."""
    standing = studies.standing().standing
    found = robots.clearance(standing.robot, standing.rest)
    for pair in ((1, 2), (2, 3)):
        name = f"leaf {pair[0]}, leaf {pair[1]}"
        reference = theory.least_clearance(standing.robot, pair)
        computed = float(found.sel(pair=name))
        yield absolute(f"clearance of {name}", "m", reference, computed, tolerance=3e-4, kind="independent code")
    inward = robots.pretension(pacoma.robot(replace(pacoma.LEAF, bow="in")), elements=pacoma.ELEMENTS).standing
    computed = float(robots.clearance(inward.robot, inward.rest).sel(pair="leaf 1, leaf 4"))
    reference = theory.least_clearance(inward.robot, (1, 4), side=-1.0)
    name = "clearance of leaf 1, leaf 4 if they bow in, where their middles are nearest"
    yield absolute(name, "m", reference, computed, tolerance=3e-4, kind="independent code")


def docking() -> Iterator[Row]:
    """Check the first 0.12 s of the docking at 7.5 degrees with leaves that have no mass, beside two rigid bodies."""
    end = 0.12
    for name, damping in (("prototype's damper", pacoma.LEAF.tendon_damping), ("light damper", 15.0)):
        encounter = Encounter(
            kind=two_bodies.without_mass(replace(pacoma.LEAF, tendon_damping=damping)), chaser_mass=None
        )
        references = two_bodies.strike(encounter.robot(held=False), encounter.target, end, samples=301)
        found = strike(encounter, dock(encounter, end_time=end, step=4e-4))
        for (quantity, unit), reference in zip(QUANTITIES, references, strict=True):
            computed, what = getattr(found, quantity), f"docking, {name}: {quantity}"
            yield relative(what, unit, reference, computed, tolerance=5e-3, kind="independent code")


def driven() -> Iterator[Row]:
    """Compare the motion with PD of every motor with two rigid bodies on cranks that turn."""
    end, light = 0.12, two_bodies.without_mass()
    held = Encounter(kind=light, chaser_mass=None)
    gains = {"stiff": STIFF, "calm": CALM, "sample_time": SAMPLE_TIME}
    references = two_bodies.Driven(held.robot(held=True), held.target, **gains).strike(end, samples=301)
    pins = {f"motor {k}/torque": {f"joint_angle:pivot {k}": STIFF, f"joint_rate:pivot {k}": CALM} for k in LEGS}
    home = dict.fromkeys(ENCODERS, pacoma.HOME)
    law = pl.Controller.proportional(pins, sample_time=SAMPLE_TIME, output_values=home)
    encounter = replace(held, loose=True)
    found = strike(encounter, dock(encounter, end_time=end, step=4e-4, controller=law))
    for (quantity, unit), reference in zip(QUANTITIES, references, strict=True):
        computed, what = getattr(found, quantity), f"docking, PD of every motor: {quantity}"
        yield relative(what, unit, reference, computed, tolerance=5e-3, kind="independent code")


def balances() -> Iterator[Row]:
    """Check the docking with leaves as they are, on a chaser that floats; and the weight that comes at once."""
    yield from kept("docking", *studies.docked(Encounter(), end_time=0.2))
    settled, rest = studies.settled()
    yield absolute(
        "weight comes at once: height after 4 s", "m", rest, settled, tolerance=1e-4, kind="other formulation"
    )


def kept(name: str, run: pl.Result, found: Strike) -> Iterator[Row]:
    """Check momentum and energy of a docking on a chaser that floats."""
    target = Encounter().target
    law: dict[str, Any] = {"kind": "conservation law"}
    momentum = np.abs(run.momentum.values - run.momentum.values[0]).max(axis=0) / (target.satellite_mass * target.speed)
    yield at_most(
        f"{name}: momentum that is not kept", "of the satellite's", float(momentum[:3].max()), limit=1e-9, **law
    )
    yield at_most(f"{name}: angular momentum", "of it at 1 m", float(momentum[3:].max()), limit=1e-6, **law)
    balance = float(run.outcome.energy_error) / found.lost
    yield at_most(f"{name}: balance of energy", "of the loss", balance, limit=1e-3, **law)


def under_control() -> Iterator[Row]:
    """Check the docking with torque motors: LQR and observer act inside the robot, and push nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # neutral without its controller
        run, found = studies.docked_under(studies.controlled().controller, end_time=0.3)
        built = studies.docked_under(studies.controlled(pacoma.GEARED).controller, end_time=0.3, gear=pacoma.GEARED)
    yield from kept("docking under LQG", run, found)
    yield from kept("docking under LQG, geared motors", *built)
    held = studies.docked(Encounter(), end_time=0.2)[1]
    yield at_most("docking under LQG: peak", "of that of motors held", found.peak / held.peak, limit=0.5, kind="itself")


def ground() -> Iterator[Row]:
    """Check docking on the ground with leaves that have no mass, beside two rigid bodies, one of which has weight."""
    end, encounter = 0.12, on_ground(Encounter(kind=two_bodies.without_mass()))
    references = two_bodies.strike(encounter.robot(held=False), encounter.target, end, samples=301)
    found = strike(encounter, dock(encounter, end_time=end, step=4e-4))
    for (quantity, unit), reference in zip(QUANTITIES, references, strict=True):
        computed, what = getattr(found, quantity), f"docking on the ground: {quantity}"
        yield relative(what, unit, reference, computed, tolerance=5e-3, kind="independent code")
