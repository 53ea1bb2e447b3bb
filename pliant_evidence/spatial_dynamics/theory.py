"""Solutions that share nothing with the elements: Bricard's mechanism with its one freedom, and Euler's equations.

Of the pins of Bricard's mechanism every second one turns alike. With theta and phi the angles between neighbours its
loop is closed where (1 + cos theta)(1 + cos phi) = 1, a closed curve:

    theta = p + q,   phi = p - q,   sin(p/2) = cos(tau) / sqrt 2,   sin(q/2) = sin(tau) / sqrt 2

At tau = 0 both are right angles: the bars are sides of a cube.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

from pliant_gallery.spatial_dynamics import AXES, CORNERS, TOP, WIDTH

GRAVITY = 9.81
STATIONS = 2048  # around the curve
LETTERS = np.eye(3)[["xyz".index(axis) for axis in AXES]]
SIDES = np.diff(np.array(CORNERS, float), axis=0)


def angles(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the (n, 6) turns of every bar, and at last the ground, about its pin; and the derivatives by tau."""
    c, s = np.cos(tau) / sqrt(2.0), np.sin(tau) / sqrt(2.0)
    p, q = 2.0 * np.arcsin(c), 2.0 * np.arcsin(s)
    dp, dq = -2.0 * s / np.sqrt(1.0 - c * c), 2.0 * c / np.sqrt(1.0 - s * s)
    odd, even = 0.5 * pi - p - q, 0.5 * pi - p + q
    return np.stack([odd, even] * 3, axis=1), np.stack([-dp - dq, dq - dp] * 3, axis=1)


def places(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (n, 6, 3) pins, (n, 6, 3, 3) turns of bars (the last: the ground, not at all), (n, 6, 3) axes."""
    turned, count = angles(tau)[0], len(tau)
    R, pins, turns, axes = np.tile(np.eye(3), (count, 1, 1)), [np.zeros((count, 3))], [], []
    for k in range(6):
        axes.append(R @ LETTERS[k])
        R = R @ Rotation.from_rotvec(turned[:, k, None] * LETTERS[k]).as_matrix()
        turns.append(R)
        if k < 5:
            pins.append(pins[-1] + R @ SIDES[k])
    return np.stack(pins, axis=1), np.stack(turns, axis=1), np.stack(axes, axis=1)


def bricard(times: np.ndarray) -> np.ndarray:
    """Return (n, 3) the third corner (of five) over time: tau'' = -(m' tau'^2 / 2 + V') / m from rest."""
    around = np.linspace(0.0, 2.0 * pi, STATIONS + 1)
    (pins, turns, axes), rates = places(around), angles(around)[1]
    inertia, height = np.zeros(STATIONS + 1), np.zeros(STATIONS + 1)
    spin, velocity = np.zeros_like(pins[:, 0]), np.zeros_like(pins[:, 0])
    thick, wide = WIDTH**2 / 6.0, (1.0 + WIDTH**2) / 12.0
    for k in range(5):
        spin = spin + rates[:, k, None] * axes[:, k]
        along, centre = turns[:, k] @ SIDES[k], 0.5 * (pins[:, k] + pins[:, k + 1])
        moved = velocity + np.cross(spin, centre - pins[:, k])
        axial = np.sum(spin * along, axis=1)
        inertia += np.sum(moved**2 + wide * spin**2, axis=1) + (thick - wide) * axial**2
        height += centre[:, 1]
        velocity = velocity + np.cross(spin, along)
    m, weight = (make_interp_spline(around, values, k=5) for values in (inertia, GRAVITY * height))
    dm, dweight = m.derivative(), weight.derivative()

    def slope(_: float, state: np.ndarray) -> list[float]:
        tau, rate = state[0] % (2.0 * pi), state[1]
        return [rate, -float(0.5 * dm(tau) * rate * rate + dweight(tau)) / float(m(tau))]

    run: Any = solve_ivp(slope, (0.0, times[-1]), [0.0, 0.0], "DOP853", rtol=1e-10, atol=1e-12, t_eval=times)
    return places(run.y[0])[0][:, 3]


def free_top(spin: tuple[float, float, float], end_time: float) -> np.ndarray:
    """Return (3, 3) orientation of a free top by Euler's equations."""
    J = np.array(TOP)

    def slope(_: float, state: np.ndarray) -> np.ndarray:
        R, w = state[:9].reshape(3, 3), state[9:]
        skew = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        return np.concatenate([(R @ skew).ravel(), np.cross(J * w, w) / J])

    start = np.concatenate([np.eye(3).ravel(), spin])
    run: Any = solve_ivp(slope, (0.0, end_time), start, "DOP853", rtol=1e-12, atol=1e-12)
    return np.asarray(run.y[:9, -1].reshape(3, 3))
