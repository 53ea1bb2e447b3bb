"""The thesis's generalized-alpha method with multipliers, (4.14) and (5.50) to (5.55)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.historical.thesis_leg.mechanism import Array, Mechanism
from pliant.historical.thesis_leg.statics import saddle

ITERATIONS, TOLERANCE = 10, 1e-9  # of Newton in a step, and on its last increment; the thesis gives neither
LOST = 1.0  # m: where the loop is open by this much the run ends


class Motion(NamedTuple):
    """What happened: q (instants, coordinates), the gap |phi| of the loop after each step (m)."""

    time: Array
    q: Array
    gap: Array
    ended: bool
    """Whether it came to its end time with the loop closed to a metre."""


class Scheme(NamedTuple):
    """Coefficients of a step."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    beta_p: float  # 1/s^2, of M in the iteration matrix
    gamma_p: float  # 1/s, of C


def scheme(rho: float, step: float) -> Scheme:
    """(5.50) and (5.52) for a spectral radius at infinity."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma, beta = 0.5 - alpha_m + alpha_f, 0.25 * (1.0 - alpha_m + alpha_f) ** 2
    scale = beta * (1.0 - alpha_f) * step
    return Scheme(alpha_m, alpha_f, beta, gamma, (1.0 - alpha_m) / (scale * step), gamma / scale)


def generalized_alpha(model: Mechanism, q: Array, *, end_time: float, step: float, spectral_radius: float) -> Motion:
    """From rest at q. A step that does not converge in ``ITERATIONS`` is taken all the same, as the listings do."""
    alpha_m, alpha_f, beta, gamma, beta_p, gamma_p = scheme(spectral_radius, step)
    v, (a, multipliers) = np.zeros_like(q), _accelerations(model, q)
    states, gaps, active = [q], [float(np.linalg.norm(model.closure(q)))], model.active
    for _ in range(round(end_time / step)):
        q1, v1, a1 = q + step * v + 0.5 * step**2 * a, v + step * a, a
        for iteration in range(ITERATIONS):
            q_e, v_e = ((1.0 - alpha_f) * new + alpha_f * old for new, old in ((q1, q), (v1, v)))  # (5.51)
            a_e = (1.0 - alpha_m) * a1 + alpha_m * a
            M, H, K, C = model.operators(q_e, v_e)
            r_c, factor = model.closing(q_e, v_e, a_e, beta_p, gamma_p, step)
            residual = M @ a_e + H + model.reaction(q_e, multipliers)
            if iteration == 0 or not model.frozen_tangent:
                tangent = saddle(beta_p * M + gamma_p * C + K, model.closure_jacobian(q_e), active)
            solution = np.linalg.solve(tangent, -np.concatenate([residual[active], r_c / factor]))
            change, increment = np.zeros_like(q), solution[len(active) :]
            change[active] = solution[: len(active)] / (1.0 - alpha_f)
            q1, v1, a1 = q1 + change, v1 + gamma / (beta * step) * change, a1 + change / (beta * step**2)
            multipliers = multipliers + increment
            if np.abs(change).max() < TOLERANCE or not np.abs(q1).max() < 1e6:
                break
        (q, v), a = model.settled(q1, v1), a1
        states.append(q)
        gaps.append(float(np.linalg.norm(model.closure(q))))
        if not gaps[-1] < LOST:
            break
    time = step * np.arange(len(states))
    return Motion(time, np.array(states), np.array(gaps), gaps[-1] < LOST)


def _accelerations(model: Mechanism, q: Array) -> tuple[Array, Array]:
    """Accelerations and multipliers at rest. Chapter 5's mass matrix is singular: the smallest ones that fit."""
    M, H, _, _ = model.operators(q, np.zeros_like(q))
    J = model.closure_jacobian(q)
    right = -np.concatenate([H[model.active], np.zeros(len(J))])
    solution = np.linalg.lstsq(saddle(M, J, model.active), right, rcond=None)[0]
    a = np.zeros_like(q)
    a[model.active] = solution[: len(model.active)]
    return a, solution[len(model.active) :]
