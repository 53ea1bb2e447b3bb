"""The plan of a predictive controller: inputs and outputs over a horizon, and what limits ask for in addition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.control.design.least_distance import shortest
from pliant.control.design.lqg import Design
from pliant.errors import ConvergenceError

SPARE = 1e-9  # of the width of a limit: relaxed so much more than the least, lest rounding make it empty


class Plan(NamedTuple):
    """``more``: what to add to the inputs now; limits that push; residual of the conditions; how much was relaxed."""

    more: np.ndarray
    active: int = 0
    residual: float = 0.0
    relaxed: float = 0.0


class Limits(NamedTuple):
    """Lowest and highest inputs and their largest change a sample, in deviations; outputs kept, lowest and highest."""

    low: np.ndarray
    high: np.ndarray
    change: np.ndarray
    kept: tuple[str, ...]
    lowest: np.ndarray
    highest: np.ndarray


class Horizon:
    """Inputs and outputs over the next samples, affine in the corrections c; all in deviations.

        u = -K x + Dr s + c      x <- A x + B u - E s      y before the next change = C x + D u

    with x the estimate and the integrals, s the references as they are now. In w = root(S) c the cost is |w|^2.

    """

    def __init__(self, design: Design, samples: int, limits: Limits) -> None:
        self.design, self.samples, (low, high, change, names, lowest, highest) = design, samples, limits
        n, k, m, r = len(design.A), len(design.z), len(design.u), len(design.r)
        seen, T, N = design.observer.extended, float(design.gain.sample_time or 0.0), samples
        C, D = seen.C[design.y][design.z], design.D[design.z]
        self.A = np.block([[design.A, np.zeros((n, k))], [T * C, np.eye(k)]])
        self.B, self.E = np.vstack([design.B, T * D]), np.vstack([np.zeros((n, r)), T * np.eye(k, r)])
        self.K = np.hstack([design.Kx, design.Kz])
        rows = [seen.output_names.index(name) for name in names]
        self.C, self.D = np.hstack([seen.C[rows], np.zeros((len(rows), k))]), seen.D[np.ix_(rows, design.u)]
        lowest, highest = lowest - seen.output_values[rows], highest - seen.output_values[rows]
        self.move = np.linalg.inv(np.linalg.cholesky(design.gain.curvature).T)  # c = move w
        self.steps = np.eye(N * m) - np.eye(N * m, k=-m)
        of_x, of_s = self._course(np.eye(n + k), np.zeros((r, n + k))), self._course(np.zeros((n + k, r)), np.eye(r))
        of_w = self._course(np.zeros((n + k, N * m)), np.zeros((r, N * m)), np.kron(np.eye(N), self.move))
        self.of_x, self.of_s = np.vstack(of_x), np.vstack(of_s)
        count = len(of_w[1]) // max(len(rows), 1)
        width = np.where(np.isfinite(highest - lowest), highest - lowest, np.minimum(np.abs(lowest), np.abs(highest)))
        self.least = np.concatenate([np.tile(low, N), np.tile(-change, N), np.tile(lowest, count)])
        self.most = np.concatenate([np.tile(high, N), np.tile(change, N), np.tile(highest, count)])
        self.width = np.concatenate([np.zeros(2 * N * m), np.tile(np.where(width > 0.0, width, 1.0), count)])
        self.planned = np.vstack([of_w[0], self.steps @ of_w[0], of_w[1]])
        self.below, self.above = np.isfinite(self.least), np.isfinite(self.most)
        self.rows = np.vstack([self.planned[self.below], -self.planned[self.above]])
        self.slack = np.concatenate([self.width[self.below], self.width[self.above]])

    def _course(self, x: np.ndarray, s: np.ndarray, c: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and outputs kept, sample after sample, of every column of x, s and c."""
        m, inputs, outputs = len(self.design.u), [], []
        jumps = np.any(self.D != 0.0)  # an output that jumps with an input is kept just after the jump, too
        for j in range(self.samples):
            u = -self.K @ x + self.design.Dr @ s + (0.0 if c is None else c[j * m : j * m + m])
            inputs.append(u)
            outputs += [self.C @ x + self.D @ u] if jumps else []
            x = self.A @ x + self.B @ u - self.E @ s
            outputs.append(self.C @ x + self.D @ u)
        return np.vstack(inputs), np.vstack(outputs)

    def plan(self, states: np.ndarray, d: np.ndarray, s: np.ndarray, last: np.ndarray) -> Plan:
        """The best plan, from the states of the linear controller, readings, references and the inputs issued last."""
        n, k, m = len(self.design.A), len(self.design.z), len(self.design.u)
        estimate = self.design.corrected @ np.concatenate([states[:n], states[n + k :]]) + self.design.L @ d
        free = self.of_x @ np.concatenate([estimate, states[n : n + k]]) + self.of_s @ s
        inputs, outputs = free[: self.samples * m], free[self.samples * m :]
        changes = self.steps @ inputs
        changes[:m] -= last
        free = np.concatenate([inputs, changes, outputs])
        wanted = np.concatenate([(self.least - free)[self.below], (free - self.most)[self.above]])
        if np.all(wanted <= 0.0):
            return Plan(np.zeros(m))
        found, relaxed = shortest(self.rows, wanted), 0.0
        if found is None:
            relaxed = self._contradiction(wanted)
            found = shortest(self.rows, wanted - (relaxed + SPARE) * self.slack)
        if found is None:
            raise ConvergenceError(
                "mpc: limits of inputs contradict each other: was something issued that is outside of them?"
            )
        return Plan(self.move @ found.x[:m], found.active, found.residual, relaxed)

    def _contradiction(self, wanted: np.ndarray) -> float:
        """Least part of their width by which limits of outputs must be relaxed to be kept: a linear programme."""
        from scipy.optimize import linprog

        size = self.rows.shape[1]
        rows = -np.hstack([self.rows, self.slack[:, None]])
        bounds = [(None, None)] * size + [(0.0, None)]
        found = linprog(np.eye(size + 1)[-1], A_ub=rows, b_ub=-wanted, bounds=bounds, method="highs")
        return float(found.x[-1]) if found.status == 0 else 0.0
