"""PACOMA's legs without finite elements.

Without weight a leg is a two-force member. Its ball carries no moment; the universal joint carries one about the
normal of its two axes only, and as the force at the ball has no moment about the chord, that one is zero. So leaf and
tendon act along the chord c from crank to ball, with P(c) of the elastica (elliptic integrals) against T(c) of the
tendon, and the legs' stiffness at the platform is

    K = sum of k l l^T,   l = (a, r x a),   k = T'(c) - P'(c)

for chords along a at arms r, where all are in balance by themselves. With weight, a leg is shot along its leaf.
"""

from __future__ import annotations

from math import asin, cos, sin
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, root
from scipy.special import ellipe, ellipk

from pliant.errors import ConvergenceError, OptionError
from pliant_evidence import cosserat
from pliant_gallery.leg import LEG
from pliant_gallery.leg.theory import Elastica, elastica
from pliant_gallery.robots import LeafLeg, Leg, Robot, frames

Array = np.ndarray


def bent(kind: LeafLeg) -> Elastica:
    """Return the weightless leaf whose thrust is its tendon's tension."""

    def unbalance(chord: float) -> float:
        return kind.tendon_stiffness * (chord - kind.tendon_rest_length) - elastica(chord).load

    return elastica(brentq(unbalance, 0.3 * kind.length, (1.0 - 1e-9) * kind.length, xtol=1e-14))


def leg_stiffness(kind: LeafLeg) -> float:
    """Return ``T' - P'`` (N/m): ``P = (2 K/L)^2 EI`` and ``c = L (2 E/K - 1)``, both derived by the parameter m."""
    m = sin(0.5 * bent(kind).end_angle) ** 2
    K, E, length = ellipk(m), ellipe(m), kind.length
    K_m, E_m = (E - (1.0 - m) * K) / (2.0 * m * (1.0 - m)), (E - K) / (2.0 * m)
    P_m = 8.0 * K * K_m / length**2 * LEG.section.bending_stiffness
    c_m = 2.0 * length * (E_m * K - E * K_m) / K**2
    return float(kind.tendon_stiffness - P_m / c_m)


class Chord(NamedTuple):
    """A leg at rest without weight: where its crank ends, its anchor, and the unit vector to which its leaf bows."""

    tip: Array
    ball: Array
    side: Array
    width: Array  # unit vector across the leaf


def chords(robot: Robot) -> list[Chord]:
    """Return the chords of a robot whose cranks are where they stand, all leaves bowing out."""
    found = []
    for leg in robot.legs:
        frame, ball = frames.about_z(leg.turn), robot.goal(leg)
        tip = np.array(leg.foot) + leg.kind.crank_length * frame @ (0.0, cos(leg.angle), sin(leg.angle))
        along = (ball - tip) / np.linalg.norm(ball - tip)
        width = np.cross(along, frame[:, 1])  # square to the chord and to y of the motor: x, turned by the joint
        width /= np.linalg.norm(width)
        side = np.cross(width, along)
        found.append(Chord(tip, ball, side if side[:2] @ (tip + ball)[:2] > 0.0 else -side, width))
    return found


def platform_stiffness(robot: Robot) -> Array:
    """Return (6, 6) about the platform's centre, motors held, without weight."""
    held, centre = np.zeros((6, 6)), np.array(robot.platform.position)
    for leg, chord in zip(robot.legs, chords(robot), strict=True):
        along = (chord.ball - chord.tip) / np.linalg.norm(chord.ball - chord.tip)
        line = np.concatenate([along, np.cross(chord.ball - centre, along)])
        held += leg_stiffness(_leaf(leg)) * np.outer(line, line)
    return held


def least_clearance(robot: Robot, pair: tuple[int, int], *, side: float = 1.0, points: int = 401) -> float:
    """Return the least distance of two leaves (m) by trying all points of their edges against all points of the other's
    middle and edges: the elastica's shape, laid into the legs, out (side 1) or in (-1).
    """
    s = np.linspace(0.0, 1.0, points)
    clouds = []
    for number in pair:
        leg, chord = robot.legs[number - 1], chords(robot)[number - 1]
        kind = _leaf(leg)
        along, across = bent(kind).shape(kind.length, s).T
        unit = (chord.ball - chord.tip) / np.linalg.norm(chord.ball - chord.tip)
        middle = chord.tip + along[:, None] * unit + side * np.abs(across)[:, None] * chord.side
        clouds.append([middle + half * kind.width * chord.width for half in (-0.5, 0.0, 0.5)])
    squares = [np.sum((a[:, None] - b[None]) ** 2, axis=2).min() for a in clouds[0] for b in clouds[1]]
    return float(np.sqrt(min(squares))) - _leaf(robot.legs[pair[0] - 1]).thickness


def _leaf(leg: Leg) -> LeafLeg:
    if not isinstance(leg.kind, LeafLeg):
        raise OptionError(f"kind={leg.kind!r}: this theory is of leaf legs.")
    return leg.kind


class InPlace(NamedTuple):
    """A leg with weight, its platform held and its motor loose."""

    angle: float  # of the crank (rad)
    tension: float  # N
    force: Array  # of the leaf on the platform (N)


def in_place(robot: Robot, number: int, gravity: float) -> InPlace:
    """Return the shooting along the leaf of a leg, from the weightless posture.

    Unknowns: force on the leaf's base (3), moment there about the normal of the universal joint's axes, the two angles
    of that joint, the crank's angle. Conditions: the tip is at its anchor (3) without moment (3); the crank's forces
    and weight have no moment about the motor's axis.
    """
    leg = robot.legs[number - 1]
    kind = _leaf(leg)
    frame, ball, foot = frames.about_z(leg.turn), robot.goal(leg), np.array(leg.foot)
    chord, shape = chords(robot)[number - 1], bent(kind)
    load = shape.load
    section, pull = kind.section(), (0.0, 0.0, -gravity)

    def marched(z: Array) -> tuple[cosserat.End, Array, Array, Array]:
        turned = frame @ frames.about_y(z[4])
        axes = (turned @ frames.about_x(z[5]))[:, [2, 0, 1]] @ frames.AS_LEAF
        arm = kind.crank_length * frame @ (0.0, cos(z[6]), sin(z[6]))
        normal = np.cross(frame[:, 1], turned[:, 0])
        base = cosserat.End(foot + arm, axes, load * z[:3], load * kind.length * z[3] * normal)
        return cosserat.march(base, kind.length, section, np.zeros(3), pull), arm, base.force, base.point

    def tension(point: Array) -> Array:
        way = ball - point
        return kind.tendon_stiffness * (1.0 - kind.tendon_rest_length / np.linalg.norm(way)) * way

    def residual(z: Array) -> Array:
        tip, arm, force, point = marched(z)
        weight = 0.5 * np.cross(arm, (0.0, 0.0, -gravity * kind.crank_mass))
        turning = (np.cross(arm, force + tension(point)) + weight) @ frame[:, 0]
        miss = (tip.point - ball) / kind.length
        return np.concatenate([miss, np.append(tip.moment, turning) / (load * kind.length)])

    along = (chord.ball - chord.tip) / shape.chord
    first = cos(shape.end_angle) * along + sin(shape.end_angle) * chord.side  # tangent of the leaf at its base
    x, y, z = frame.T @ first  # of (sin q2 cos q3, -sin q3, cos q2 cos q3)
    guess = np.array([*(-along), 0.0, np.arctan2(x, z), asin(-y), leg.angle])
    found = root(residual, guess, tol=1e-12)
    if np.abs(residual(found.x)).max() > 1e-8:
        raise ConvergenceError(f"Shooting along leaf {number} found no equilibrium: {found.message}")
    tip, _, _, point = marched(found.x)
    return InPlace(float(found.x[6]), float(np.linalg.norm(tension(point))), np.asarray(-tip.force))
