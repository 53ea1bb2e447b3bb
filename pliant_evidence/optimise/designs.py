"""Mechanisms with parameters to be chosen: each for an optimisation whose answer is known, or can be checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import pliant as pl
from pliant_evidence.sensitivities.models import truss
from pliant_gallery import six_rus

STATIONS = 5  # of a shape along a beam


def stations(
    name: str, value: float, *, count: int = STATIONS, least: float = 0.02, most: float = 4.0
) -> list[pl.Parameter]:
    """Return a dimension along a beam as parameters, base to tip, each from ``least`` to ``most`` of a value."""
    low, high = least * value, most * value
    return [pl.Parameter(f"{name}_{k}", value, low=low, high=high, scale=value, unit="m") for k in range(count)]


def strip() -> pl.Model:
    """Build a clamped strip under a small force: h and L."""
    h = pl.Parameter("h", 2e-3, low=1e-3, high=4e-3, unit="m")
    length = pl.Parameter("L", 0.5, low=0.2, high=1.0, unit="m")
    m = pl.Model("strip")
    section = pl.Section.rectangle(0.02, h, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"), pl.Force(beam.at(s=1), y=-0.01, name="load"))
    return m


def snapping() -> pl.Model:
    """Build two springs that a force pushes through: push."""
    m = pl.Model("truss")
    push = pl.Parameter("push", -1.0, low=-30.0, high=0.0, unit="N")
    for part in truss():
        m.add(pl.Force(part.marker, y=push, name="push") if isinstance(part, pl.Force) else part)
    return m


def cantilever(count: int = STATIONS, *, length: float = 0.5, width: float = 0.02, height: float = 4e-3) -> pl.Model:
    """Build a clamped strip whose heights h_0 to h_n from base to tip are free."""
    m = pl.Model("cantilever")
    shape = pl.Rectangle(width=width, height=tuple(stations("h", height, count=count)), material=pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=shape))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"))
    return m


def column(count: int = STATIONS, *, length: float = 1.0, radius: float = 5e-3) -> pl.Model:
    """Build a round column, clamped below and free above, under a force that presses along it: radii r_0 to r_n."""
    m = pl.Model("column")
    shape = pl.Circle(radius=tuple(stations("r", radius, count=count, least=0.1)), material=pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=shape))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"), pl.Force(beam.at(s=1), x=-1.0, name="load"))
    return m


def tuned_damper(*, mass: float = 10.0, ratio: float = 0.05, frequency: float = 10.0) -> pl.Model:
    """Build a mass on a spring, and a small one on it by a spring and a damper to be tuned: k and c. Rates in rad/s."""
    small = ratio * mass
    k = pl.Parameter("k", small * frequency**2, low=0.2 * small * frequency**2, high=3.0 * small * frequency**2)
    c = pl.Parameter("c", 0.1 * small * frequency, low=0.0, high=2.0 * small * frequency)
    m = pl.Model("tuned damper")
    ground, big = m.add(pl.Ground(), pl.Body("big", mass=mass, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    little = m.add(pl.Body("little", mass=small, inertia=1.0, position=(2.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), big.at(), name="rail"), pl.Prismatic(big.at(), little.at(), name="second rail"))
    m.add(pl.Spring("spring", ground.at(0, 0), big.at(), mass * frequency**2, 1.0))
    m.add(pl.Spring("tuned", big.at(), little.at(), k, 1.0, damping=c), pl.Force(big.at(), name="push"))
    return m


def bumper(*, mass: float = 20.0, speed: float = 0.05, stiffness: float = 2000.0) -> pl.Model:
    """Build a satellite that touches a ring on a spring and a damper at the start: k and c."""
    k = pl.Parameter("k", stiffness, low=0.1 * stiffness, high=4.0 * stiffness, unit="N/m")
    critical = 2.0 * np.sqrt(mass * stiffness)
    c = pl.Parameter("c", 0.8 * critical, low=0.0, high=2.0 * critical, scale=critical, unit="N s/m")
    m = pl.Model("bumper")
    ground, satellite = m.add(pl.Ground(), pl.Body("satellite", mass=mass, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), satellite.at(), name="rail"))
    m.add(pl.Spring("ring", ground.at(0, 0), satellite.at(), k, 1.0, damping=c))
    return m


def leaf_and_tendon() -> pl.Model:
    """Build a platform on a leaf that stands upright, held by a tendon beside it.

    thickness, width  of the leaf (m)
    anchor            of the tendon on the ground, from the foot of the leaf (m)
    stiffness         of the tendon (N/m)
    """
    thickness = pl.Parameter("thickness", 2.5e-3, low=0.8e-3, high=4e-3, unit="m")
    width = pl.Parameter("width", 30e-3, low=20e-3, high=80e-3, unit="m")
    anchor = pl.Parameter("anchor", 0.08, low=0.02, high=0.12, unit="m")
    stiffness = pl.Parameter("stiffness", 1.5e3, low=5e2, high=2.5e3, unit="N/m")
    m = pl.Model("leaf and tendon")
    leaf = pl.Beam("leaf", length=0.3, section=pl.Section.rectangle(width, thickness, pl.STEEL), angle=np.pi / 2.0)
    ground, leaf, platform = m.add(pl.Ground(), leaf, pl.Body("platform", mass=0.3, inertia=2e-4))
    m.add(pl.Weld(ground.at(0, 0), leaf.at(s=0), angle=np.pi / 2.0, name="foot"))
    m.add(pl.Weld(leaf.at(s=1), platform.at(), angle=-np.pi / 2.0, name="top"))
    m.add(pl.Tendon("tendon", ground.at(-anchor, 0), leaf.at(s=1), stiffness=stiffness, force=5.0), pl.Gravity())
    return m


def bistable(*, count: int = 9) -> pl.Model:
    """Build half of a clamped beam, ``w = rise/2 (1 - cos(2 pi x/length))``, whose middle is pushed through and
    kept from turning: rise, thickness, length (m). J. Qiu, J. H. Lang, A. H. Slocum, J. Microelectromech. Syst. 13
    (2004) 137: it snaps at about 740 EI rise/length^3, and back at half of that.
    """
    rise = pl.Parameter("rise", 4e-3, low=1.5e-3, high=8e-3)
    thickness = pl.Parameter("thickness", 0.5e-3, low=0.2e-3, high=1e-3)
    length = pl.Parameter("length", 0.1, low=0.05, high=0.2)
    m = pl.Model("bistable beam")
    strip = pl.Section.rectangle(10e-3, thickness, pl.STEEL)
    bend = 2.0 * np.pi**2 * rise / length**2
    curvature: tuple[float, ...] = tuple(bend * float(np.cos(np.pi * s)) for s in np.linspace(0.0, 1.0, count))
    half = pl.Beam("half", length=0.5 * length, section=strip, curvature=curvature, angle=0.0)
    ground, half = m.add(pl.Ground(), half)
    up, span = 0.5 * np.pi, 0.5 * length - (np.pi * rise) ** 2 / (8.0 * length)  # less by half the integral of w'^2
    middle = m.add(pl.Body("middle", mass=1e-3, inertia=1e-9, angle=0.0))
    m.add(pl.Weld(ground.at(0, 0), half.at(s=0), name="clamp"), pl.Force(middle.at(), name="push"))
    m.add(pl.Weld(half.at(s=1), middle.at(), angle=0.0, name="hub"))
    m.add(pl.Prismatic(ground.at(span, 0.0, angle=up), middle.at(angle=up), name="rail"))
    return m


def stage() -> pl.Model:
    """Build a stage on two leaves that lean to each other, with a tool above it.

    lean       of the leaves from upright (rad)
    foot       half the distance of their feet (m)
    thickness  of the leaves (m)
    """
    lean = pl.Parameter("lean", 0.1, low=-0.6, high=0.6, scale=0.2)
    top = pl.Parameter("top", 0.03, low=0.01, high=0.06)
    thickness = pl.Parameter("thickness", 0.5e-3, low=0.2e-3, high=1.5e-3, unit="m")
    length = 0.05
    m = pl.Model("decoupled stage")
    strip = pl.Section.rectangle(10e-3, thickness, pl.STEEL)
    ground, plate = m.add(pl.Ground(), pl.Body("stage", mass=0.2, inertia=1e-4, position=(0.0, length)))
    for name, side in (("left", -1.0), ("right", 1.0)):
        angle = np.pi / 2.0 + side * lean
        foot = side * top - length * np.cos(angle), length - length * np.sin(angle)
        leaf = m.add(pl.Beam(name, length=length, section=strip, angle=np.pi / 2.0))
        m.add(pl.Weld(ground.at(*foot), leaf.at(s=0), angle=angle, name=f"{name} foot"))
        m.add(pl.Weld(leaf.at(s=1), plate.at(side * top, 0.0), angle=-angle, name=f"{name} top"))
    m.add(plate.at(0.0, 0.04, name="tool"))
    return m


def six_rus_robot() -> pl.Model:
    """Build the 6-RUS with its motors to be placed.

    spacing  half the distance of the two motors of a pair (m)
    side     of the triangle that the pairs stand on (m)
    """
    spacing = pl.Parameter("spacing", six_rus.PUBLISHED.motor_spacing, low=0.04, high=0.15, unit="m")
    side = pl.Parameter("side", six_rus.PUBLISHED.motor_side, low=0.15, high=0.35, unit="m")
    return six_rus.model(replace(six_rus.PUBLISHED, motor_spacing=spacing, motor_side=side))
