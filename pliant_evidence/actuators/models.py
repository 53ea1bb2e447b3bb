"""Shafts with actuators, small enough for closed forms; in the plane and in space."""

from __future__ import annotations

from math import pi
from typing import Any

import pliant as pl

INERTIA, ROTOR = 0.02, 5e-5  # kg m^2
RATIO = 6.0
CONSTANT = 0.1  # N m/A


def shaft(plane: str | None, *, inertia: float = INERTIA) -> tuple[pl.Model, Any, Any]:
    """Return a wheel on a bearing, without weight: the model, the markers of its housing and of the wheel."""
    m = pl.Model("shaft", plane=plane)
    ground, wheel = m.add(pl.Ground(), _disc("wheel", inertia, plane))
    m.add(pl.Revolute(ground.at(0, 0), wheel.at(), name="bearing"))
    return m, ground.at(0, 0), wheel.at()


def driven(plane: str | None, current: Any, *, rotor: bool = False, **options: Any) -> pl.Model:
    """Build the wheel with a motor and, geared to it, a rotor on a bearing beside it."""
    m, housing, wheel = shaft(plane)
    given = {"torque_constant": CONSTANT, "ratio": RATIO} | options
    m.add(pl.GearedMotor("motor", housing, wheel, current, **given))
    if rotor:
        spun = m.add(_disc("rotor", ROTOR, plane, (0.1, 0.0)))
        ground = m.part("ground")
        m.add(pl.Revolute(ground.at(0.1, 0), spun.at(), name="rotor bearing"))
        m.add(pl.Gear(spun.at(), wheel, carrier=ground.at(0.1, 0), teeth_a=1, teeth_b=int(RATIO), name="gear"))
    return m


def level(plane: str | None, *, length: float = 0.4, mass: float = 0.5, inertia: float = 0.05) -> pl.Model:
    """Build a pendulum whose load a parallelogram keeps from turning: the load's own inertia has no part in it."""
    m = pl.Model("level pendulum", plane=plane)
    ground = m.add(pl.Ground())
    arm = m.add(_disc("arm", 0.0, plane, (length, 0.0), mass=0.0))
    load = m.add(_disc("load", inertia, plane, (length, 0.0), mass=mass))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(-length, 0), name="pivot"))
    m.add(pl.Revolute(arm.at(), load.at(), name="wrist"))
    frame = m.add(_disc("shaft", 0.0, plane, (0.0, 0.1), mass=0.0))
    m.add(pl.Weld(ground.at(0, 0.1), frame.at(), name="foot"))
    m.add(pl.Parallelogram(frame.at(), load.at(), carrier=arm.at(), name="linkage"))
    m.add(pl.Gravity(x=0.0, y=-9.81))
    return m


def atwood(plane: str | None, *, left: float = 3.0, right: float = 2.0) -> pl.Model:
    """Build two weights on a rope over a pulley that is fixed."""
    m, (one, other) = _hanging(plane, "Atwood", {"left": (left, 0.0), "right": (right, 0.0)})
    m.add(pl.Pulley(one.at(), other.at(), over=m.part("ground").at(0, 1), name="rope"))
    return m


def tackle(plane: str | None, *, block: float = 3.0, weight: float = 2.0) -> pl.Model:
    """Build a block in a rope from a post to a weight above the block: both fall, the weight twice as far."""
    m, (hung, drawn) = _hanging(plane, "tackle", {"block": (block, 0.0), "weight": (weight, 1.0)})
    post = m.add(_disc("post", 0.0, plane, (0.0, 2.0), mass=0.0))
    m.add(pl.Weld(m.part("ground").at(0, 2), post.at(), name="top"))
    m.add(pl.Pulley(post.at(), drawn.at(), over=hung.at(), name="rope"))
    return m


def hoist(plane: str | None, torque: float, *, radius: float = 0.05, weight: float = 2.0) -> pl.Model:
    """Build a drum on the ground that winds up a weight."""
    m, (load,) = _hanging(plane, "hoist", {"load": (weight, 0.0)})
    ground, drum = m.part("ground"), m.add(_disc("drum", INERTIA, plane, (0.0, 1.0)))
    m.add(pl.Revolute(ground.at(0, 1), drum.at(), name="bearing"))
    m.add(pl.Winch(drum.at(), load.at(), exit=ground.at(0, 1), radius=radius, name="rope"))
    m.add(pl.Motor("motor", ground.at(0, 1), drum.at(), torque))
    return m


def _hanging(plane: str | None, name: str, weights: dict[str, tuple[float, float]]) -> tuple[pl.Model, list[pl.Body]]:
    """Return bodies of some mass and height that slide along y, with weight."""
    m = pl.Model(name, plane=plane)
    ground = m.add(pl.Ground())
    bodies = []
    for key, (mass, height) in weights.items():
        body = m.add(_disc(key, 1e-3, plane, (0.0, height), mass=mass))
        upward: dict[str, Any] = {"angle": 0.5 * pi} if plane else {"orientation": pl.rotation(z=0.5 * pi)}
        m.add(pl.Prismatic(ground.at(0, 0, **upward), body.at(**upward), name=f"guide of {key}"))
        bodies.append(body)
    m.add(pl.Gravity(x=0.0, y=-9.81))
    return m, bodies


def _disc(name: str, inertia: float, plane: str | None, at: Any = (0.0, 0.0), mass: float = 1.0) -> pl.Body:
    place = at if plane else (*at, 0.0)
    return pl.Body(name, mass=mass, inertia=inertia if plane else (inertia,) * 3, position=place)
