"""Pretension of a robot's leaves by its tendons: one path of equilibria from straight leaves to the robot's rest.

The platform is held in a jig and the motors are loose. All tendons are shortened together. At the Euler load of the
leaves each of them may buckle to either side: with n equal legs, n directions become critical at once, and the branch
is taken on which all leaves bow to their given sides. Then the motors hold, the jig is opened, and the weight is added.
"""

from __future__ import annotations

from dataclasses import replace
from math import acos, atan2, hypot, tau
from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.statics.path import branch, path
from pliant.errors import ConvergenceError, ModelError
from pliant.model import Beam, rotations
from pliant.results import Result
from pliant_gallery.robots import frames
from pliant_gallery.robots.legs import LeafLeg
from pliant_gallery.robots.robot import Leg, Robot
from pliant_gallery.robots.standing import Standing, check_sides, compiled, rested

WEIGHT = "gravity/"


class Pretension(NamedTuple):
    """Static stages from straight leaves to a robot at rest."""

    jig: Any  # system with the platform held and the motors loose
    straight: Result  # path of straight leaves along the tendons' rest length, over the leaf length
    bent: Result  # its branch to the given sides, on to the tendons' own rest length
    standing: Standing  # the motors hold, the platform is free, with the robot's weight


def pretension(robot: Robot, *, elements: Any = None) -> Pretension:
    """Bend the leaves of a robot by its tendons, each to its side (`LeafLeg.bow`), and find its rest.

    Its platform is held in the described pose, its motors are not coupled yet (`Robot.gear`); the cranks turn as the
    leaves get shorter, and the robot returned has its motors at their final angles. The parameter of both paths is the
    tendons' rest length as a share of the length of a leaf.

    >>> from pliant_gallery.robots import LeafLeg, Platform, planar
    >>> robot = planar(LeafLeg(bow="out"), legs=3, platform=Platform((0.0, 0.0), mass=2.0, inertia=0.02))
    >>> found = pretension(robot, elements=4)
    >>> found.bent.outcome.ok, found.standing.rest.outcome.stable
    (True, True)
    """
    kind = _only_kind(robot)
    held = replace(robot.platform, held=True)
    loose = straightened(replace(robot, platform=held, gravity=None, gear=None)).loosened([0.0] * len(robot.legs))
    jig = compiled(loose, elements)
    leaves = [jig.model.part(f"leaf {k}") for k in range(1, len(robot.legs) + 1)]
    shares = {f"tendon {k}/rest_length": kind.length for k in range(1, len(robot.legs) + 1)}
    end = kind.tendon_rest_length / kind.length
    straight = path(jig, shares, begin=1.0, to=end, until="bifurcation")
    if not straight.outcome.bifurcations:
        pull = kind.tendon_stiffness * (kind.length - kind.tendon_rest_length)
        raise ConvergenceError(
            f'Robot "{robot.name}": its leaves stay straight: the tendons pull {pull:.4g} N at most, which does not '
            f"buckle them. Shorten tendon_rest_length ({kind.tendon_rest_length:g} m), or raise tendon_stiffness "
            f"({kind.tendon_stiffness:g} N/m)."
        )
    bent = branch(jig, straight, toward=[(leaf.at(s=0.5), _sideways(leaf, robot.spatial)) for leaf in leaves])
    if not bent.outcome.ok:
        raise ConvergenceError(f'Robot "{robot.name}": bending its leaves, the path {bent.outcome.message}.')
    last = bent.equilibrium(-1)
    driven = replace(robot.turned(crank_angles(robot, last)), drive="angle")
    standing = _weighed(driven, last, elements)
    check_sides(standing)
    return Pretension(jig, straight, bent, standing)


def alone(robot: Robot, leg: int) -> Robot:
    """Return the robot with only one of its legs, in its place (1: the first), the platform in a jig."""
    if not 1 <= leg <= len(robot.legs):
        raise ModelError(f'Robot "{robot.name}": it has no leg {leg}; give 1 to {len(robot.legs)}.')
    held = replace(robot.platform, held=True)
    return replace(robot, name=f"{robot.name} leg {leg}", legs=(robot.legs[leg - 1],), platform=held)


def straightened(robot: Robot) -> Robot:
    """Return the robot with cranks turned so that each leaf fits straight: the nearer of two such angles.

    With the vector d from motor to anchor, (a, b) in the crank's plane: ``a cos q + b sin q = (d^2 + c^2 - l^2) / 2 c``
    for a crank of length c and a leaf of length l.
    """
    return robot.turned([_straight(robot, k, leg) for k, leg in enumerate(robot.legs, 1)])


def crank_angles(robot: Robot, rest: Result) -> list[float]:
    """Return angles of the cranks in an equilibrium (rad), each within half a turn of the robot's."""
    found = []
    for k, leg in enumerate(robot.legs, 1):
        tip = np.zeros(3)
        tip[: robot.axes] = rest.position.sel(marker=f"crank {k}/tip").values - np.array(leg.foot)
        local = frames.about_z(leg.turn).T @ tip
        angle = atan2(local[2], local[1]) if robot.spatial else atan2(local[1], local[0])
        found.append(angle + tau * round((leg.angle - angle) / tau))
    return found


def _straight(robot: Robot, k: int, leg: Leg) -> float:
    way = np.zeros(3)
    way[: robot.axes] = np.subtract(robot.goal(leg)[: robot.axes], leg.foot)
    a, b = (frames.about_z(leg.turn).T @ way)[[1, 2] if robot.spatial else [0, 1]]
    crank, length = leg.kind.crank_length, leg.kind.length
    share = (float(way @ way) + crank**2 - length**2) / (2.0 * crank * max(hypot(a, b), 1e-12 * crank))
    if abs(share) > 1.0:
        raise ModelError(
            f'Robot "{robot.name}", leg {k}: at no angle of its crank ({crank:g} m) is its {leg.kind.member} of '
            f"{length:g} m straight: from motor to anchor it is {float(np.linalg.norm(way)):.4g} m. Move the platform."
        )
    angles = [atan2(b, a) + side * acos(share) for side in (1.0, -1.0)]
    turns = [angle + tau * round((leg.angle - angle) / tau) for angle in angles]
    return min(turns, key=lambda angle: abs(angle - leg.angle))


def _only_kind(robot: Robot) -> LeafLeg:
    kinds = {leg.kind for leg in robot.legs}
    kind = kinds.pop()
    if kinds or not isinstance(kind, LeafLeg):
        raise ModelError(
            f'Robot "{robot.name}": tendons are shortened together, so all legs must be leaves of one kind. Give every '
            "leg the same LeafLeg, or let it stand with robots.stand."
        )
    return kind


def _sideways(leaf: Beam, spatial: bool) -> tuple[float, ...]:
    """Return the direction in which a straight leaf bows."""
    sign = 1.0 if leaf.bow == "left" else -1.0
    if spatial:
        turn: Any = leaf.orientation  # bodies keep it as a rotation vector
        axes = rotations.matrix(rotations.exponential(turn))
        return tuple((sign * axes[:, 1]).tolist())
    turn = float(leaf.angle or 0.0)
    return (-sign * np.sin(turn), sign * np.cos(turn))


def _weighed(robot: Robot, start: Result, elements: Any) -> Standing:
    """Release the robot, first without weight."""
    free = rested(replace(robot, gravity=None), start, elements)
    if robot.gravity is None:
        return free
    system = compiled(robot, elements)
    pull = dict(zip("xyz", robot.gravity, strict=False))
    weight = {f"{WEIGHT}{axis}": value for axis, value in pull.items() if value}
    come = path(system, weight, start=free.rest, begin=0.0, to=1.0)
    if not come.outcome.ok:
        raise ConvergenceError(
            f'Robot "{robot.name}": it does not stand with its weight {tuple(robot.gravity)} m/s^2: the path '
            f"{come.outcome.message}. Make the leaves thicker, the tendons stiffer, or the platform lighter."
        )
    return Standing(robot, system, come.equilibrium(-1))
