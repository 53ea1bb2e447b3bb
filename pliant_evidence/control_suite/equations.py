"""Equations of motion of controlled mechanisms, from Lagrangians written by hand; integrated by scipy with held inputs.

Nothing of pliant is used but the numbers of the models.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve_discrete_are
from scipy.optimize import lsq_linear

from pliant_gallery import flexible_joint as joint
from pliant_gallery import furuta as rotary

CART, POLE, LENGTH, GRAVITY = 1.0, 0.2, 0.6, 9.81  # kg, kg, m, m/s^2

Rates = Callable[[np.ndarray, np.ndarray, Any], np.ndarray]
Law = Callable[[float, np.ndarray, np.ndarray], Any]


def cart(q: np.ndarray, v: np.ndarray, force: float) -> np.ndarray:
    """Return q = (x, angle of a uniform pole from the x axis).

    T = (M + m) x'^2 / 2 - m l sin x' w + (I + m l^2) w^2 / 2,  V = m g l sin
    """
    half, w = 0.5 * LENGTH, v[1]
    s, c = np.sin(q[1]), np.cos(q[1])
    mass = np.array([[CART + POLE, -POLE * half * s], [-POLE * half * s, POLE * LENGTH**2 / 3.0]])
    return np.linalg.solve(mass, [force + POLE * half * c * w * w, -POLE * GRAVITY * half * c])


def swinging(t: float, state: np.ndarray) -> float:
    """Return the force that brings the pole's energy to its value upright (Astrom and Furuta 2000), and the cart back.

    E' = m l sin x'' w, so x'' goes with -E w sin; a nudge of 0.5 N begins it.
    """
    x, angle, speed, w = state
    energy = POLE * LENGTH**2 / 6.0 * w * w + 0.5 * POLE * GRAVITY * LENGTH * (np.sin(angle) - 1.0)
    nudge = 0.5 if t < 0.195 else 0.0
    return float(np.clip(-10.0 * energy * w * np.sin(angle) - 1.5 * x - speed, -12.0, 12.0)) + nudge


def in_charge(angle: float, rate: float, present: int) -> int:
    """Return 0: swing; 1 or 2: hold upright, at 90 degrees or a turn below; caught within 0.35 rad, lost at 0.8."""
    off = [abs(angle - 0.5 * np.pi), abs(angle + 1.5 * np.pi)]
    if present:
        return present if off[present - 1] < 0.8 else 0
    return next((k + 1 for k in range(2) if off[k] < 0.35 and abs(rate) < 3.0), 0)


class Planner:
    """Forces on the cart planned over a horizon, from its linear equations by hand: bounded least squares of scipy.

    The cost sums every sample, weights (cart, angle, rates) and effort, and what remains at the end without
    limits (scipy's Riccati equation). Upright ``(M + m) x'' - m l w' = F``, ``m L^2 / 3 w' - m l x'' = m g l angle``.
    """

    def __init__(
        self, sample_time: float, weights: tuple[float, ...], effort: float, horizon: int, limit: float
    ) -> None:
        half = 0.5 * LENGTH
        mass = np.array([[CART + POLE, -POLE * half], [-POLE * half, POLE * LENGTH**2 / 3.0]])
        slopes = np.linalg.solve(mass, np.array([[0.0, 0.0, 1.0], [0.0, POLE * GRAVITY * half, 0.0]]))
        rates = np.zeros((5, 5))
        rates[:2, 2:4], rates[2:4, :2], rates[2:4, 4] = np.eye(2), slopes[:, :2], slopes[:, 2]
        moved = expm(rates * sample_time)
        A, B = moved[:4, :4], moved[:4, 4:]
        rest = solve_discrete_are(A, B, np.diag(weights), [[effort]])
        powers = [np.linalg.matrix_power(A, k) for k in range(horizon + 1)]
        rows, start = [], []
        for k in range(1, horizon + 1):
            root = np.linalg.cholesky(rest).T if k == horizon else np.diag(np.sqrt(weights))
            columns = [powers[k - 1 - i] @ B if i < k else 0.0 * B for i in range(horizon)]
            rows.append(root @ np.hstack(columns))
            start.append(root @ powers[k])
        self.rows = np.vstack([*rows, np.sqrt(effort) * np.eye(horizon)])
        self.start = np.vstack([*start, np.zeros((horizon, 4))])
        self.limit, self.gain = limit, np.linalg.lstsq(self.rows, -self.start, rcond=None)[0]

    def __call__(self, state: np.ndarray) -> float:
        """Return the first force of the best plan."""
        x = state - np.array([0.0, 0.5 * np.pi, 0.0, 0.0])
        free = self.gain @ x
        if np.max(np.abs(free)) <= self.limit:
            return float(free[0])
        return float(lsq_linear(self.rows, -self.start @ x, bounds=(-self.limit, self.limit), tol=1e-13).x[0])


def furuta(q: np.ndarray, v: np.ndarray, torque: float) -> np.ndarray:
    """Return q = (turn of the arm, angle of the pole from straight down), r the arm, l half the pole.

    2 T = (J + m r^2 + (m l^2 + I) sin^2 + Ia cos^2) a'^2 + 2 m r l cos a' b' + (m l^2 + I) b'^2,  V = -m g l cos
    """
    m, r, half = rotary.MASS, rotary.REACH, 0.5 * rotary.LENGTH
    pole = m * half**2 + m * rotary.LENGTH**2 / 12.0
    s, c = np.sin(q[1]), np.cos(q[1])
    mass = np.array(
        [
            [rotary.ARM_INERTIA + m * r * r + pole * s * s + rotary.AXIAL * c * c, m * r * half * c],
            [m * r * half * c, pole],
        ]
    )
    turning = 2.0 * (pole - rotary.AXIAL) * s * c  # derivative of the first entry
    forces = [
        torque - turning * v[0] * v[1] + m * r * half * s * v[1] ** 2,
        0.5 * turning * v[0] ** 2 - m * rotary.GRAVITY * half * s,
    ]
    return np.linalg.solve(mass, forces)


def elastic(q: np.ndarray, v: np.ndarray, torque: float) -> np.ndarray:
    """Return q = (angle of the rotor, angle of the link from the x axis)."""
    gear = joint.STIFFNESS * (q[0] - q[1]) + joint.DAMPING * (v[0] - v[1])
    weight = 0.5 * joint.MASS * joint.GRAVITY * joint.LENGTH * np.cos(q[1])
    return np.array([(torque - gear) / joint.ROTOR, (gear - weight) / (joint.MASS * joint.LENGTH**2 / 3.0)])


def played(
    rates: Rates, law: Law, q: np.ndarray, v: np.ndarray, *, sample_time: float, samples: int, within: float = 1e-11
) -> Any:
    """Return coordinates at every sample and inputs held from there, under a law of time, coordinates, velocities."""
    z, n = np.concatenate([q, v]).astype(float), len(q)
    places, inputs = [z[:n]], []
    for k in range(samples):
        u = law(k * sample_time, z[:n], z[n:])
        found = solve_ivp(
            lambda t, y, u=u: np.concatenate([y[n:], rates(y[:n], y[n:], u)]),
            (0.0, sample_time), z, method="DOP853", rtol=within, atol=0.1 * within,
        )  # fmt: skip
        z = found.y[:, -1]
        places.append(z[:n])
        inputs.append(u)
    return np.array(places), np.array(inputs)
