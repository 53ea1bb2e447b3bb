"""The planar robot without finite elements: each leg is an elastica and a spring between crank and platform.

A leg without weight pushes along its chord c only: ``P(c) - k (c - l0)``, P by elliptic integrals (`leg.theory`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import root

from pliant.errors import ConvergenceError
from pliant_gallery.leg import LEG, LegParameters
from pliant_gallery.leg.theory import elastica
from pliant_gallery.robots import LeafLeg, Robot


def pose(robot: Robot, load: Any = (0.0, 0.0, 0.0), pulls: Any = 0.0) -> np.ndarray:
    """Return (3,) x, y, angle of the platform in equilibrium, cranks driven; load (N, N, N m), extra tensions (N)."""
    extra = np.broadcast_to(np.asarray(pulls, float), (len(robot.legs),))
    found = root(lambda p: np.asarray(load) + wrench(robot, p, extra), np.zeros(3), tol=1e-13)
    if not np.max(np.abs(found.fun)) < 1e-8:
        raise ConvergenceError(f"The equilibrium of {robot.name!r} by elliptic integrals was not found.")
    return np.asarray(found.x)


def wrench(robot: Robot, at: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    """Return (3,) force and moment of the legs on the platform at a pose."""
    c, s = np.cos(at[2]), np.sin(at[2])
    total = np.zeros(3)
    for leg, pull in zip(robot.legs, pulls, strict=True):
        way = leg.turn + leg.angle
        tip = np.array(leg.foot) + leg.kind.crank_length * np.array([np.cos(way), np.sin(way)])
        arm = np.array([[c, -s], [s, c]]) @ leg.anchor
        line = at[:2] + arm - tip
        chord = float(np.linalg.norm(line))
        force = (thrust(leg.kind, chord) - pull) * line / chord
        total += (*force, arm[0] * force[1] - arm[1] * force[0])
    return total


def thrust(kind: Any, chord: float) -> float:
    """Push of leaf and tendon along the chord (N)."""
    tendon = kind.tendon_stiffness * (chord - kind.tendon_rest_length)
    return elastica(chord, _parameters(kind)).load - tendon


def _parameters(kind: LeafLeg) -> LegParameters:
    return replace(LEG, leaf_length=kind.length, leaf_width=kind.width, leaf_thickness=kind.thickness)
