"""A satellite that strikes a fixed ring, as three ordinary differential equations that share nothing with the elements.

By symmetry its centre (x, z) and its angle about y are all that moves. Every point of the ring pushes along the normal
of the satellite's surface with k d max(0, 1 + c d') at the depth d, and rubs.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from scipy.integrate import solve_ivp

from pliant.gallery.docking import HEIGHT, Docking
from pliant_evidence.docking.studies import Strike


def strike_on_fixed_ring(docking: Docking, end_time: float) -> Strike:
    """Peak, impulse, duration and loss until ``end_time``."""
    turns = 2.0 * pi / docking.ring_points * np.arange(docking.ring_points)
    ring = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(turns.size)]) * docking.ring_radius
    ring += (0.0, 0.0, HEIGHT + docking.ring_height)

    def forces(state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force of every point on the satellite, its arm, and the normal parts."""
        x, z, angle, vx, vz, spin = state[:6]
        centre, out = np.array([x, 0.0, z]), np.array([sin(angle), 0.0, cos(angle)])  # out: away from the ring
        arm = ring - centre
        depth = 0.5 * docking.satellite_size + arm @ out
        slip = np.array([vx, 0.0, vz]) + np.cross((0.0, spin, 0.0), arm)  # of the satellite along the ring
        rate = slip @ out
        slip = slip - rate[:, None] * out
        speed = np.linalg.norm(slip, axis=1)
        pushed = docking.stiffness * np.maximum(depth, 0.0) * np.maximum(0.0, 1.0 - docking.damping * rate)
        rubbed = docking.friction * pushed * np.tanh(speed / docking.friction_speed) / np.maximum(speed, 1e-30)
        return pushed[:, None] * out - rubbed[:, None] * slip, arm, pushed

    def slope(_: float, state: np.ndarray) -> np.ndarray:
        force, arm, pushed = forces(state)
        total, moment = force.sum(axis=0), np.cross(arm, force).sum(axis=0)
        mass, inertia = docking.satellite_mass, docking.satellite_inertia
        return np.array([*state[3:6], total[0] / mass, total[2] / mass, moment[1] / inertia, pushed.sum()])

    centre, turn = docking.satellite
    start = np.array([centre[0], centre[2], turn[1], 0.0, -docking.speed, 0.0, 0.0])
    times = np.linspace(0.0, end_time, 4001)
    found = solve_ivp(slope, (0.0, end_time), start, "DOP853", times, rtol=1e-9, atol=1e-12, max_step=1e-3)
    pressed = np.array([forces(state)[2].sum() for state in found.y.T])
    kinetic = [
        0.5 * (docking.satellite_mass * (s[3] ** 2 + s[4] ** 2) + docking.satellite_inertia * s[5] ** 2)
        for s in (start, found.y[:, -1])
    ]
    return Strike(
        peak=float(np.max(pressed)),
        impulse=float(found.y[6, -1]),
        duration=float(np.mean(pressed > 0.0) * end_time),
        loss=kinetic[0] - kinetic[1],
    )


def first_impulse(docking: Docking) -> float:
    """Of the first impact on a fixed ring that is rigid and smooth: (1 + e) v_n / (1/m + (arm x n)^2 / I)."""
    (x, _, z), (_, tilt, _) = docking.satellite
    arm = docking.ring_radius - x, HEIGHT + docking.ring_height - z + docking.gap / cos(tilt)  # where it strikes
    lever = arm[1] * sin(tilt) - arm[0] * cos(tilt)
    softness = 1.0 / docking.satellite_mass + lever**2 / docking.satellite_inertia
    return (1.0 + docking.restitution) * docking.speed * cos(tilt) / softness
