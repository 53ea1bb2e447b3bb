"""A satellite that strikes a ring, as ordinary differential equations that share nothing with the elements.

By symmetry the centre (x, z) and the angle about y are all that moves, of the satellite and of the platform that the
ring is on. Every point of the ring pushes along the normal of the satellite's surface with k d max(0, 1 + c d') at the
depth d, and rubs. The platform stands on the stiffness of the legs, which is found by shooting along the rods
(`six_rus.theory`), and carries a third of the rods' mass at their ends; a ring that does not move has neither.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

import numpy as np
from scipy.integrate import solve_ivp

from pliant_evidence.docking.studies import Strike
from pliant_evidence.six_rus.theory import stiffness
from pliant_gallery.docking import HEIGHT, Docking, level
from pliant_gallery.six_rus import LEGS, PUBLISHED

MOVING = [0, 2, 4]  # x, z and the turn about y, of a pose
Array = np.ndarray


def strike_on_fixed_ring(docking: Docking, end_time: float) -> Strike:
    """Return peak, impulse, duration and loss until ``end_time``, of a ring that does not move."""
    return _strike(docking, end_time, None)


def strike_on_robot(docking: Docking, end_time: float, *, stiffening: float) -> Strike:
    """Compute the impact on the robot's platform, its legs so many times stiffer than in the study."""
    return _strike(docking, end_time, stiffening)


@cache
def legs() -> tuple[Array, Array]:
    """Return the stiffness at the platform (3, 3), and what a third of the rods' mass adds to its mass and inertia."""
    motors, point = np.full(6, level()), np.array([0.0, 0.0, HEIGHT])
    held = stiffness(PUBLISHED, motors, point, np.eye(3))[np.ix_(MOVING, MOVING)]
    third = PUBLISHED.section().mass_per_length * PUBLISHED.rod_length / 3.0
    arms = np.array([PUBLISHED.anchor(leg) for leg in LEGS])
    return held, third * np.array([6.0, 6.0, np.sum(arms[:, 0] ** 2 + arms[:, 2] ** 2)])


def _strike(docking: Docking, end_time: float, stiffening: float | None) -> Strike:
    turns = 2.0 * pi / docking.ring_points * np.arange(docking.ring_points)
    ring = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(turns.size)]) * docking.ring_radius
    ring += (0.0, 0.0, docking.ring_height)
    satellite = np.array([docking.satellite_mass] * 2 + [docking.satellite_inertia])
    platform = docking.platform_mass * np.array([1.0, 1.0, 0.25 * docking.platform_radius**2])
    springs = np.zeros((3, 3))
    if stiffening is not None:
        held, rods = legs()
        springs, platform = stiffening * held, platform + rods

    def forces(state: Array) -> tuple[Array, Array, Array]:
        """Return the forces on satellite and platform (x, z, moment about y), and the normal parts."""
        (x, z, angle), (X, Z, tilt), (vx, vz, spin), (VX, VZ, turning) = state[:12].reshape(4, 3)
        out = np.array([sin(angle), 0.0, cos(angle)])  # away from the ring
        c, s = cos(tilt), sin(tilt)
        reach = ring @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])  # from the platform's centre
        arm = reach + (X - x, 0.0, HEIGHT + Z - z)
        depth = 0.5 * docking.satellite_size + arm @ out
        slip = (
            np.array([vx - VX, 0.0, vz - VZ]) + np.cross((0.0, spin, 0.0), arm) - np.cross((0.0, turning, 0.0), reach)
        )
        rate = slip @ out
        slip = slip - rate[:, None] * out
        speed = np.linalg.norm(slip, axis=1)
        pushed = docking.stiffness * np.maximum(depth, 0.0) * np.maximum(0.0, 1.0 - docking.damping * rate)
        rubbed = docking.friction * pushed * np.tanh(speed / docking.friction_speed) / np.maximum(speed, 1e-30)
        force = pushed[:, None] * out - rubbed[:, None] * slip
        total = force.sum(axis=0)
        here, there = np.cross(arm, force).sum(axis=0)[1], np.cross(reach, force).sum(axis=0)[1]
        return np.array([total[0], total[2], here]), -np.array([total[0], total[2], there]), pushed

    def slope(_: float, state: Array) -> Array:
        on_satellite, on_platform, pushed = forces(state)
        moved = (on_platform - springs @ state[3:6]) / platform if stiffening is not None else np.zeros(3)
        return np.concatenate([state[6:12], on_satellite / satellite, moved, [pushed.sum()]])

    def energy(state: Array) -> float:
        return 0.5 * float(
            satellite @ state[6:9] ** 2 + platform @ state[9:12] ** 2 + state[3:6] @ springs @ state[3:6]
        )

    centre, turn = docking.satellite
    start = np.zeros(13)
    start[:3], start[7] = (centre[0], centre[2], turn[1]), -docking.speed
    times = np.linspace(0.0, end_time, 4001)
    found = solve_ivp(slope, (0.0, end_time), start, "DOP853", times, rtol=1e-9, atol=1e-12, max_step=1e-3)
    pressed = np.array([forces(state)[2].sum() for state in found.y.T])
    return Strike(
        peak=float(np.max(pressed)),
        impulse=float(found.y[12, -1]),
        duration=float(np.mean(pressed > 0.0) * end_time),
        loss=energy(start) - energy(found.y[:, -1]),
    )


def first_impulse(docking: Docking) -> float:
    """Return the impulse of the first impact on a smooth rigid fixed ring: (1 + e) v_n / (1/m + (arm x n)^2 / I)."""
    (x, _, z), (_, tilt, _) = docking.satellite
    arm = docking.ring_radius - x, HEIGHT + docking.ring_height - z + docking.gap / cos(tilt)  # where it strikes
    lever = arm[1] * sin(tilt) - arm[0] * cos(tilt)
    softness = 1.0 / docking.satellite_mass + lever**2 / docking.satellite_inertia
    return (1.0 + docking.restitution) * docking.speed * cos(tilt) / softness
