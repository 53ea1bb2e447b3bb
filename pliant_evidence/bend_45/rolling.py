"""Cantilevers under tip moments: rolled up into circles, wound into helices, helical springs pulled straight.

A round rod under the moment m alone is the motion of a symmetric top: with bending stiffness B and torsional C,

    R(s) = exp(s m / B) R_0 exp(s (1/C - 1/B) (m . t_0) e_x),    x' = exp(s m / B) t_0

so its axis is a helix about m, or a circle if m is across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant_evidence import cosserat

BENDING, TORSION = 2.0, 1.5
ROUND = pl.Section.general(
    np.diag([1e4, 5e3, 5e3, TORSION, BENDING, BENDING]), mass_per_length=1.0, rotary_inertia=1e-3, rotary_inertia_y=1e-3
)
OBLIQUE = (0.3, -0.5, 0.8)
"""Rotation vector of a clamp that is along no axis."""
Three = Sequence[float] | np.ndarray


def model(*, moment: Three, follower: bool = False, curvature: Three = (0.0, 0.0, 0.0)) -> pl.Model:
    """Build a rod of length 1 from an oblique clamp, with "moment" at its tip: in the axes of the clamp, or of the tip.

    >>> model(moment=(0, 0, 1))
    <Model "rolling rod": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    """
    m = pl.Model("rolling rod", plane=None)
    rest = tuple(float(value) for value in curvature)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=1.0, section=ROUND, curvature=rest))
    x, y, z = np.asarray(moment, float) if follower else from_clamp(moment)
    m.add(
        pl.Weld(ground.at(0, 0, orientation=OBLIQUE), rod.at(s=0)),
        pl.Moment(rod.at(s=1), x=x, y=y, z=z, follower=follower, name="moment"),
    )
    return m


def from_clamp(vector: Three) -> np.ndarray:
    """Return a vector given in the axes of the clamp, in global ones."""
    return Rotation.from_rotvec(OBLIQUE).apply(vector)


def exact_tip(moment: Three) -> np.ndarray:
    """Return (3,) the tip of a straight rod under a moment in the axes of the clamp."""
    m = np.asarray(moment, float)
    rate = float(np.linalg.norm(m)) / BENDING
    axis, tangent = m / np.linalg.norm(m), np.array([1.0, 0.0, 0.0])
    along = axis * (axis @ tangent)
    turned = (tangent - along) * sin(rate) / rate + np.cross(axis, tangent) * (1.0 - cos(rate)) / rate
    return from_clamp(along + turned)


def straightening(curvature: Three) -> np.ndarray:
    """Return (3,) the following moment that takes the rest curvature out of a rod."""
    return -np.array([TORSION, BENDING, BENDING]) * np.asarray(curvature, float)


WINDING_LENGTH, WINDING_MOMENT, WINDING_FORCE = 10.0, 200.0 * pi, 50.0
WINDING = pl.Section.general(np.diag([1e4, 1e4, 1e4, 1e2, 1e2, 1e2]), mass_per_length=1.0)


def winding_model(*, factor: float = 1.0) -> pl.Model:
    """Build a rod wound ten times about z while a force along z pulls and releases it (A. Ibrahimbegovic, On the choice
    of finite rotation parameters, Comput. Meth. Appl. Mech. Eng. 149, 1997, 49-71).
    """
    m = pl.Model("winding rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=WINDING_LENGTH, section=WINDING))
    m.add(
        pl.Weld(ground.at(0, 0), rod.at(s=0), name="clamp"),
        pl.Force(rod.at(s=1), z=factor * WINDING_FORCE, name="force"),
        pl.Moment(rod.at(s=1), z=factor * WINDING_MOMENT, name="moment"),
    )
    return m


def winding_tip(clamp: np.ndarray, *, factor: float = 1.0) -> np.ndarray:
    """Return (3,) the tip by shooting; `clamp` is a guess of the moment there."""
    force, moment = (0.0, 0.0, factor * WINDING_FORCE), (0.0, 0.0, factor * WINDING_MOMENT)
    return cosserat.clamped_tip(force, WINDING_LENGTH, WINDING, moment=moment, steps=1, guess=clamp).point
