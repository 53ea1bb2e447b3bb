"""Equations of motion of controlled mechanisms, from Lagrangians written by hand; integrated by scipy with held inputs.

Nothing of pliant is used but the numbers of the models.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from pliant.gallery import flexible_joint as joint
from pliant.gallery import furuta as rotary

CART, POLE, LENGTH, GRAVITY = 1.0, 0.2, 0.6, 9.81  # kg, kg, m, m/s^2

Rates = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
Law = Callable[[float, np.ndarray, np.ndarray], float]


def cart(q: np.ndarray, v: np.ndarray, force: float) -> np.ndarray:
    """q = (x, angle of a uniform pole from the x axis).

    T = (M + m) x'^2 / 2 - m l sin x' w + (I + m l^2) w^2 / 2,  V = m g l sin
    """
    half, w = 0.5 * LENGTH, v[1]
    s, c = np.sin(q[1]), np.cos(q[1])
    mass = np.array([[CART + POLE, -POLE * half * s], [-POLE * half * s, POLE * LENGTH**2 / 3.0]])
    return np.linalg.solve(mass, [force + POLE * half * c * w * w, -POLE * GRAVITY * half * c])


def furuta(q: np.ndarray, v: np.ndarray, torque: float) -> np.ndarray:
    """q = (turn of the arm, angle of the pole from straight down), r the arm, l half the pole.

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
    """q = (angle of the rotor, angle of the link from the x axis)."""
    gear = joint.STIFFNESS * (q[0] - q[1]) + joint.DAMPING * (v[0] - v[1])
    weight = 0.5 * joint.MASS * joint.GRAVITY * joint.LENGTH * np.cos(q[1])
    return np.array([(torque - gear) / joint.ROTOR, (gear - weight) / (joint.MASS * joint.LENGTH**2 / 3.0)])


def played(rates: Rates, law: Law, q: np.ndarray, v: np.ndarray, *, sample_time: float, samples: int) -> Any:
    """Coordinates at every sample and inputs held from there, under a law of time, coordinates and velocities."""
    z, n = np.concatenate([q, v]).astype(float), len(q)
    places, inputs = [z[:n]], []
    for k in range(samples):
        u = law(k * sample_time, z[:n], z[n:])
        found = solve_ivp(
            lambda t, y, u=u: np.concatenate([y[n:], rates(y[:n], y[n:], u)]),
            (0.0, sample_time), z, method="DOP853", rtol=1e-11, atol=1e-12,
        )  # fmt: skip
        z = found.y[:, -1]
        places.append(z[:n])
        inputs.append(u)
    return np.array(places), np.array(inputs)
