"""Inertia, and damping of the material, of a rod that is marched in space.

A step of the integrator makes time derivatives linear in the unknowns. With the place r of a section, the rotation
theta since the last instant in its own axes, ``R = R_n exp(theta)``, and the strain e relative to rest

    r'' = c0 (r - r^),          r. = r.^ + c1 (r - r^)
    w.  = c0 (theta - theta^),  w  = w^ + c1 (theta - theta^),        e. = e.^ + c1 (e - e^)

where hats mark known terms of the past (J. Till, V. Aloi, C. Rucker, Int. J. Robotics Research 38, 2019; O. Bruls,
A. Cardona, M. Arnold, Mech. Mach. Theory 48, 2012). Along the rod, in the axes of the section

    N' = ... + rho R^T (r'' + alpha r.) + R^T D r.,   M' = ... + J (w. + alpha w) + w x J w
    (N, M) = C (e + beta e.)

with the drag D per length along the global axes.

The past is known at every stage of the Runge-Kutta method, with r, theta and e of that stage. So the method is applied
to an ordinary differential equation whose unknowns are functions of time, and has its full order; an interpolated past
would have its error divided by h^2.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.elements._spatial_two_node import stresses
from pliant.jit import kernel
from pliant.kernels.so3 import Four, logarithm, product, quaternion, rotate, rotate_back
from pliant.kernels.triples import Vector, cross, dot, minus, plus, times, vector

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

PLACE, FRAME, BASE = 0, 3, 7  # parts of a base: its place, its quaternion; and its size
ACCELERATION, VELOCITY, ALPHA, BETA, SOFTENED, DRAG, RATES = 0, 1, 2, 3, 4, 5, 8
"""Of a subinterval: c0, c1, alpha, beta, 1 / (1 + beta c1), drag along the global axes; and their number."""
HERE, SPEED, BEFORE, TURN, SPIN, LAG, STRAIN, STRAINING, PAST = 0, 3, 6, 10, 13, 16, 22, 28, 34
"""Parts of the past of a stage: r^, r.^, quaternion of R_n, theta^, w^, damping as a strain, e^, e.^."""
NEAR = 1e-4  # square of an angle up to which a coefficient is its series


class Carried(NamedTuple):
    """Inertia at a stage."""

    pull: Vector  # R^T (r'' + alpha r.)
    drag: Vector  # R^T D r.
    frame: Four
    swing: Vector  # moment per length
    theta: Vector
    spin: Vector  # w
    swirl: Vector  # J w


@kernel
def carried(part: Arrays, k: int, row: int, y: np.ndarray, base: np.ndarray, rates: np.ndarray) -> Carried:
    """Return the inertia at station k and the row of the stage, in the state y relative to the base; zero at rest."""
    none = 0.0, 0.0, 0.0
    if part.past.shape[0] == 0:
        return Carried(none, none, (1.0, 0.0, 0.0, 0.0), none, none, none, none)
    past, J = part.past[row], vector(part.inertia[k], 1)
    c0, c1, alpha = rates[ACCELERATION], rates[VELOCITY], rates[ALPHA]
    place, frame = placed(base, y)
    off = minus(place, vector(past, HERE))
    speed = plus(vector(past, SPEED), times(c1, off))
    pull = plus(times(c0, off), times(alpha, speed))
    theta = turned_by(past, frame)
    late = minus(theta, vector(past, TURN))
    w = plus(vector(past, SPIN), times(c1, late))
    Jw, gain = scaled(J, w), plus(times(c0, late), times(alpha, w))
    swing, drag = plus(scaled(J, gain), cross(w, Jw)), scaled(vector(rates, DRAG), speed)
    return Carried(rotate_back(frame, pull), rotate_back(frame, drag), frame, swing, theta, w, Jw)


@kernel
def of_move(part: Arrays, k: int, now: Carried, rates: np.ndarray, u: Vector, phi: Vector) -> tuple[Vector, Vector]:
    """Return the change of the force and the moment per length with a move (u, phi) of the section."""
    rho, J = part.inertia[k, 0], vector(part.inertia[k], 1)
    c = rates[ACCELERATION] + rates[ALPHA] * rates[VELOCITY]
    y = dot(now.theta, now.theta)
    root = sqrt(y)
    f = 1.0 / 12.0 + y / 720.0 if y < NEAR else (1.0 - 0.5 * root * cos(0.5 * root) / sin(0.5 * root)) / y
    across = cross(now.theta, phi)
    theta = plus(phi, plus(times(0.5, across), times(f, cross(now.theta, across))))
    turning = times(rates[VELOCITY], plus(cross(theta, now.swirl), cross(now.spin, scaled(J, theta))))
    drag = plus(times(rates[VELOCITY], dragged(now.frame, u, rates)), cross(now.drag, phi))
    force = plus(times(rho, plus(times(c, u), cross(now.pull, phi))), drag)
    return force, plus(times(c, scaled(J, theta)), turning)


@kernel
def dragged(frame: Four, u: Vector, rates: np.ndarray) -> Vector:
    """Return the drag per length on a section that moves by u, both in its axes."""
    if rates[DRAG] == 0.0 and rates[DRAG + 1] == 0.0 and rates[DRAG + 2] == 0.0:
        return 0.0, 0.0, 0.0
    return rotate_back(frame, scaled(vector(rates, DRAG), rotate(frame, u)))


@kernel
def yielding(part: Arrays, k: int, row: int, N: Vector, M: Vector, rates: np.ndarray) -> tuple[Vector, Vector]:
    """Return strains relative to rest: ``(S (N, M) + beta (c1 e^ - e.^)) / (1 + beta c1)``."""
    stretched, bent = stresses(part.compliance, k, times(rates[SOFTENED], N), times(rates[SOFTENED], M))
    if part.past.shape[0] == 0:
        return stretched, bent
    return plus(stretched, vector(part.past[row], LAG)), plus(bent, vector(part.past[row], LAG + 3))


@kernel
def unit(p: Four) -> Four:
    """Return a quaternion scaled to length 1: quaternions of stages have rounding errors."""
    size = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return size * p[0], size * p[1], size * p[2], size * p[3]


@kernel
def placed(base: np.ndarray, y: np.ndarray) -> tuple[Vector, Four]:
    """Return place and quaternion of a section, from its state relative to the base."""
    turn = quaternion(base, FRAME)
    return plus(vector(base, PLACE), rotate(turn, vector(y, 0))), product(turn, unit(quaternion(y, 3)))


@kernel
def turned_by(past: np.ndarray, p: Four) -> Vector:
    """Return the rotation since the last instant."""
    back = past[BEFORE], -past[BEFORE + 1], -past[BEFORE + 2], -past[BEFORE + 3]
    return logarithm(product(back, p))


@kernel
def scaled(J: Vector, w: Vector) -> Vector:
    """Return J w, with the inertias about the axes of a section."""
    return J[0] * w[0], J[1] * w[1], J[2] * w[2]
