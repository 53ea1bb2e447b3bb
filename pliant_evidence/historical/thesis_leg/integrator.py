"""The thesis's generalized-alpha method with multipliers, (4.14) and (5.50) to (5.55)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant_evidence.historical.thesis_leg.mechanism import Array, Mechanism
from pliant_evidence.historical.thesis_leg.statics import saddle

ITERATIONS, TOLERANCE = 10, 1e-9  # of Newton in a step, and on its last increment; the thesis gives neither
LOST, LARGE = 1.0, 1e6  # gap of the loop (m), coordinate (m or rad) at which a run ends


class Motion(NamedTuple):
    """A motion: q and v (instants, coordinates), and the gap |phi| of the loop after each step (m)."""

    time: Array
    q: Array
    v: Array
    gap: Array
    ended: bool
    """Whether it came to its end time, with the loop closed to a metre."""


def scheme(rho: float, step: float) -> tuple[Array, Array]:
    """Return, for q, v and a, the weight of the old state in (5.51) and the derivative by the new q (5.50)."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma, beta = 0.5 - alpha_m + alpha_f, 0.25 * (1.0 - alpha_m + alpha_f) ** 2
    return np.array([alpha_f, alpha_f, alpha_m]), np.array([1.0, gamma / (beta * step), 1.0 / (beta * step**2)])


def rates(alpha: Array, moves: Array) -> tuple[Array, Array, Array]:
    """Return the derivatives of q, v and a by the weighted q: of the new state, of the weighted one, and in (5.52)."""
    at_end = moves / (1.0 - alpha[0])
    averaged = (1.0 - alpha) * at_end
    return at_end, averaged, np.array([0.0, at_end[1], averaged[2]])


def generalized_alpha(model: Mechanism, q: Array, *, end_time: float, step: float, spectral_radius: float) -> Motion:
    """Compute a motion from rest at q. A step that does not converge in ``ITERATIONS`` is kept, as the listings do."""
    alpha, moves = scheme(spectral_radius, step)
    at_end, averaged, printed = rates(alpha, moves)
    acceleration, multipliers = _accelerations(model, q)
    old = np.array([q, np.zeros_like(q), acceleration])
    states, gaps, active = [old], [float(np.linalg.norm(model.closure(q)))], model.active
    for _ in range(round(end_time / step)):
        new = np.array([old[0] + step * old[1] + 0.5 * step**2 * old[2], old[1] + step * old[2], old[2]])
        for iteration in range(ITERATIONS):
            weighted = (1.0 - alpha)[:, None] * new + alpha[:, None] * old
            q, v, a = weighted
            M, H, K, C = model.operators(q, v)
            place, reached = (weighted, averaged) if model.averaged_loop else (new, at_end)
            gap, factor = model.closing(place, reached, printed, step)
            residual = M @ a + H + model.reaction(q, multipliers)
            if iteration == 0 or not model.frozen_tangent:
                tangent = saddle(averaged[2] * M + averaged[1] * C + K, model.closure_jacobian(q), active)
            solution = np.linalg.solve(tangent, -np.concatenate([residual[active], gap / factor]))
            change = solution[: len(active)] / (1.0 - alpha[0])
            new[:, active] += np.outer(moves, change)
            multipliers = multipliers + solution[len(active) :]
            if np.abs(change).max() < TOLERANCE or not np.abs(new[0]).max() < LARGE:
                break
        if not np.abs(new[0]).max() < LARGE:
            break
        old = np.array([*model.settled(new[0], new[1]), new[2]])
        states.append(old)
        gaps.append(float(np.linalg.norm(model.closure(old[0]))))
        if not gaps[-1] < LOST:
            break
    ended = len(states) == round(end_time / step) + 1 and gaps[-1] < LOST
    history = np.array(states)
    return Motion(step * np.arange(len(states)), history[:, 0], history[:, 1], np.array(gaps), ended)


def _accelerations(model: Mechanism, q: Array) -> tuple[Array, Array]:
    """Return accelerations and multipliers at rest. Chapter 5's mass matrix is singular: the smallest that fit."""
    M, H, _, _ = model.operators(q, np.zeros_like(q))
    J = model.closure_jacobian(q)
    right = -np.concatenate([H[model.active], np.zeros(len(J))])
    solution = np.linalg.lstsq(saddle(M, J, model.active), right, rcond=None)[0]
    a = np.zeros_like(q)
    a[model.active] = solution[: len(model.active)]
    return a, solution[len(model.active) :]
