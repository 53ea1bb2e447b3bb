"""A satellite drifts against PACOMA, misaligned: the robot stands on a chaser that floats, or on the ground.

Contact, ring and satellite are from `gallery.docking`, chosen; masses of chaser and satellite too. From the test that
measured the prototype's peak force, only the misalignment, 7.5 degrees, is published.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.model import rotations
from pliant.results import Result
from pliant_gallery import docking, pacoma, robots

LATCH = 5e-3  # m: the satellite is caught if the whole ring is this near; ours
TARGET = replace(docking.PACOMA, height=pacoma.HEIGHT)
"""The docking at 7.5 degrees and 50 mm/s, above PACOMA's platform."""


@dataclass(frozen=True)
class Encounter:
    """Robot, chaser and satellite.

    kind          of the robot's legs: `pacoma.LEAF` or `rigid_leg()`
    target        the satellite, its ring, the misalignment and the speed of the approach
    chaser_mass   of the body that carries the robot (kg); None: it is fixed to the ground
    chaser_size   of that body, a cube (m)
    gravity       m/s^2 along z; on the ground a rope at its centre carries the satellite's weight
    home          angle of the motors (rad)
    gear          of the motors: `pacoma.GEARED` as built; None: ideal ones
    loose         whether the motors give torques, for a controller (`gallery.pacoma.control`), or hold their angles
    """

    kind: robots.LegKind = pacoma.LEAF
    target: docking.Docking = field(default_factory=lambda: TARGET)
    chaser_mass: float | None = 100.0
    chaser_size: float = 0.8
    gravity: float = 0.0
    home: float = pacoma.HOME
    gear: robots.GearedDrive | None = None
    loose: bool = False

    def robot(self, *, held: bool) -> robots.Robot:
        """Return the robot as data, with a chaser that is held for assembly if needed."""
        base = None
        if self.chaser_mass is not None:
            inertia = self.chaser_mass * self.chaser_size**2 / 6.0
            still: dict[str, Any] = dict.fromkeys(("x", "y", "z", "angle"), 0.0) if held else {}
            base = robots.Base(self.chaser_mass, (inertia,) * 3, **still)
        weight = (0.0, 0.0, self.gravity) if self.gravity else None
        robot = pacoma.robot(self.kind, base=base, gravity=weight, gear=self.gear).turned([self.home] * 6)
        return robot.loosened([0.0] * 6) if self.loose and not held else robot

    def model(self, *, jig: bool = False, held: bool = False) -> pl.Model:
        """Make robot and satellite.

        jig   whether the platform is held, where its leaves are bent
        held  whether satellite, chaser and motors are held, to find the rest of the robot

        >>> Encounter().model()
        <Model "PACOMA": 9 rigid bodies, 6 beams, 30 joints, 8 forces>
        """
        robot = self.robot(held=held)
        m = replace(robot, platform=replace(robot.platform, held=jig)).model()
        docking.add_satellite(m, self.target, held=held)
        if self.gravity and self.chaser_mass is None:
            m.add(pl.Force(m.part("satellite").at(), z=-self.gravity * self.target.satellite_mass, name="rope"))
        return m


def rigid_leg() -> robots.RodLeg:
    """Make a rigid leg of the length and mass of PACOMA's leaf at rest: 90 kN/mm."""
    leaf, radius = pacoma.LEAF, 0.01
    chord = pacoma.CHORD
    density = leaf.section().mass_per_length * leaf.length / (chord * np.pi * radius**2)
    stiff = pl.Material("stiff", youngs_modulus=110e9, poisson_ratio=0.3, density=float(density))
    return robots.RodLeg(
        leaf.crank_length, chord, crank_mass=leaf.crank_mass, radius=radius, curvature=0.0, material=stiff
    )


def prepared(encounter: Encounter, *, elements: Any = pacoma.ELEMENTS) -> tuple[Any, Result]:
    """Return the system that moves, and its initial rest: leaves bent in the jig, then released."""
    bent = pl.statics(pl.compile(encounter.model(jig=True, held=True), elements=elements))
    rest = pl.statics(pl.compile(encounter.model(held=True), elements=elements), start=bent)
    return pl.compile(encounter.model(), elements=elements), rest


def dock(encounter: Encounter, *, end_time: float = 0.6, step: float = 5e-4, **options: Any) -> Result:
    """Compute the satellite's drift down against the robot at rest; other options as in ``transient``."""
    system, rest = prepared(encounter, elements=options.pop("elements", pacoma.ELEMENTS))
    push = {"satellite": (0.0, 0.0, -encounter.target.speed, 0.0, 0.0, 0.0)}
    return pl.transient(system, start=rest, push=push, end_time=end_time, step=step, **options)


def on_ground(encounter: Encounter, gravity: float = -9.81) -> Encounter:
    """Move the encounter to the ground: the robot is fixed and sinks under its weight, the satellite starts lower."""
    heavy = replace(encounter, chaser_mass=None, gravity=gravity)
    _, rest = prepared(heavy)
    height = float(rest.position.sel(marker=pacoma.PLATFORM, axis="z"))
    return replace(heavy, target=replace(heavy.target, height=height))


class Strike(NamedTuple):
    """Figures of a docking."""

    peak: float  # of the force on the ring (N)
    impulse: float  # of it (N s)
    duration: float  # of the contact (s)
    damper: float  # energy that the dampers of the tendons dissipate (J)
    lost: float  # energy dissipated in all (J)
    sway: float  # largest displacement of the platform (m)
    caught: float  # instant at which the whole ring is within LATCH of the satellite (s); nan: never


def strike(encounter: Encounter, run: Result) -> Strike:
    """Compute peak, impulse, losses, motion and capture of a docking."""
    time, force = run.time.values, run.normal_force.sel(contact="ring").values
    between, span = 0.5 * (force[1:] + force[:-1]), np.diff(time)
    place = run.position.sel(marker=pacoma.PLATFORM).values
    near = np.nonzero(gaps(encounter, run).max(axis=1) < LATCH)[0]
    return Strike(
        peak=float(force.max()),
        impulse=float(between @ span),
        duration=float(span[between > 0.0].sum()),
        damper=_dampers(encounter.kind, run),
        lost=float(run.energy.sel(energy_kind="dissipated")[-1]),
        sway=float(np.linalg.norm(place - place[0], axis=1).max()),
        caught=float(time[near[0]]) if near.size else np.nan,
    )


def gaps(encounter: Encounter, run: Result) -> np.ndarray:
    """Return (times, points) distances of the points of the ring from the satellite's surface (m)."""
    target = encounter.target
    turns = 2.0 * np.pi / target.ring_points * np.arange(target.ring_points)
    ring = target.ring_radius * np.column_stack([np.cos(turns), np.sin(turns), np.zeros(turns.size)])

    def frame(marker: str) -> tuple[np.ndarray, np.ndarray]:
        turned = run.marker_orientation.sel(marker=marker).values[:, None]
        return run.position.sel(marker=marker).values[:, None], turned

    (ring_at, ring_turn), (surface_at, surface_turn) = frame("platform/ring"), frame("satellite/surface")
    points = ring_at + rotations.rotate(ring_turn, ring)
    normal = rotations.rotate(surface_turn, np.array([0.0, 0.0, 1.0]))
    return np.asarray(np.sum((points - surface_at) * normal, axis=2))


def _dampers(kind: robots.LegKind, run: Result) -> float:
    """Return the energy of the tendons' dampers: their tension less the elastic force, over the lengthening."""
    if not isinstance(kind, robots.LeafLeg):
        return 0.0
    elastic = kind.tendon_stiffness * (run.line_length.values - kind.tendon_rest_length)
    power = ((run.tension.values - elastic) * run.line_rate.values).sum(axis=1)
    return float(0.5 * (power[1:] + power[:-1]) @ np.diff(run.time.values))
