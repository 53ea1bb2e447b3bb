"""Bodies that fall on a floor: models, and what they do exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

import pliant as pl

STEPS, STEP = 1000, 1e-3  # s
RADIUS, MASS, FRICTION, G = 0.05, 0.5, 0.5, 9.81  # m, kg, -, m/s^2
LAW: dict[str, Any] = {"stiffness": 1e5, "friction": FRICTION, "restitution": 0.0}
LENGTH, THICK, WIDE, TILT, HEIGHT, PIECES = 1.0, 2e-3, 20e-3, 0.02, 0.02, 20  # of the strip (m, rad)


def heights(count: int) -> np.ndarray:
    """Return the heights of the balls above the floor (m)."""
    return 0.002 + 0.05 * np.arange(count) / count


def speeds(count: int) -> np.ndarray:
    """Return the speeds of the balls along the floor (m/s)."""
    return 0.5 + 1.5 * np.arange(count)[::-1] / count


def places(count: int) -> np.ndarray:
    """Return centres of balls that slide."""
    line = np.arange(count)
    return np.column_stack([0.3 * (line % 10), 0.3 * (line // 10), RADIUS + heights(count)])


def pile(count: int) -> np.ndarray:
    """Return centres of balls in layers of 25, nearly above each other."""
    rng, line = np.random.default_rng(1), np.arange(count)
    x, y = 0.12 * np.array([line % 5, line // 5 % 5]) + 0.003 * rng.standard_normal((2, count))
    return np.column_stack([x, y, 0.06 + 0.11 * (line // 25)])


def slid(count: int, time: float) -> np.ndarray:
    """Return how far solid balls come that fall on the floor without restitution, slide, and roll with 5/7 of their
    speed (Coulomb's law).
    """
    speed, fall = speeds(count), np.sqrt(2.0 * heights(count) / G)
    after = speed - np.minimum(FRICTION * G * fall, 2.0 / 7.0 * speed)  # the impact
    sliding = np.minimum((after - 5.0 / 7.0 * speed) / (FRICTION * G), time - fall)
    way = after * sliding - 0.5 * FRICTION * G * sliding**2
    found: np.ndarray = speed * fall + way + 5.0 / 7.0 * speed * (time - fall - sliding)
    return found


def balls(centres: np.ndarray, *, collide: bool) -> pl.Model:
    """Build the solid balls above a floor."""
    m = pl.Model("balls", plane=None)
    ground = m.add(pl.Ground())
    place: dict[str, Any] = {"orientation": (0, 0, 0), "free": True}
    bodies = [
        m.add(pl.Body(f"ball {k}", mass=MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3, position=tuple(centre), **place))
        for k, centre in enumerate(centres.tolist())
    ]
    m.add(pl.Gravity(y=0.0, z=-G))
    if collide:
        m.add(
            pl.Collisions("all", tuple(each.at() for each in bodies), radius=RADIUS, floors=(ground.at(0, 0),), **LAW)
        )
    for body in [] if collide else bodies:
        m.add(pl.Contact(f"floor of {body.name}", ground.at(0, 0), body.at(), radius=RADIUS, **LAW))
    return m


def strip() -> pl.Model:
    """Build a strip of steel that falls flat, nearly, on a floor."""
    m = pl.Model("strip")
    section = pl.Section.rectangle(WIDE, THICK, pl.STEEL)
    ground, beam = m.add(
        pl.Ground(), pl.Beam("strip", length=LENGTH, section=section, position=(0, HEIGHT), angle=TILT, free=True)
    )
    m.add(pl.Gravity())
    m.add(*(pl.Contact(f"floor {k}", ground.at(0, 0), beam.at(s=k / PIECES), **LAW) for k in range(PIECES + 1)))
    return m


def overlap(centres: np.ndarray) -> float:
    """Return how deep balls are in the floor or in each other, in radii."""
    apart = np.linalg.norm(centres[:, None] - centres, axis=2) + 9.0 * RADIUS * np.eye(len(centres))
    return float(max(0.0, 2.0 * RADIUS - apart.min(), RADIUS - centres[:, 2].min()) / RADIUS)
