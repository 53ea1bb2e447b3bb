"""How a critical load follows the numbers that its equations are made of.

    limit point    R(x, s; p) = 0, y^T R_x = 0      ->   s' = -y^T R_p / y^T R_s
    bifurcation    mu = y^T R_x z = 0 on the branch  ->   s' = -(mu_p + mu_x x_p) / (mu_s + mu_x x_s)

y and z are the left and right null vectors of the tangent with the joints. On the branch from which another one
departs, R_s and R_p are in the range of the tangent, and x_s, x_p follow from the bordered matrix ``[R_x y; z^T 0]``; a
parameter that is not (an imperfection) has no derivative there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import sparse
from pliant.solvers import implicit
from pliant.system.state import State

ROUNDS = 6
ASIDE = 1e-5  # of a load's force: what a parameter may push along the critical direction at a bifurcation


class Beside(NamedTuple):
    """Systems at ``implicit.PLACES`` times a step, of a load or a parameter."""

    systems: Sequence[Any]
    step: float


class Critical:
    """A critical point, its null vectors and its bordered matrix; coordinates in lengths of the model."""

    def __init__(self, system: Any, state: State, soft: np.ndarray) -> None:
        self.system, self.state, self.n = system, state, system.freedoms
        matrices, unit = system.matrices(state), 1.0 / system.weight
        stiffness = sparse.diags_array(unit) @ matrices.stiffness @ sparse.diags_array(unit)
        self.size = float(np.max(np.abs(stiffness.data), initial=0.0)) or 1.0
        self.left = np.concatenate([unit / self.size, np.ones(soft.size)])
        self.right = np.concatenate([unit, np.full(soft.size, self.size)])
        self.soft = soft
        whole = self.matrix(system, state)
        factors, rng = sparse.linalg.splu(sparse.csc_array(whole)), np.random.default_rng(0)
        self.y, self.z = rng.standard_normal((2, whole.shape[0]))
        for _ in range(ROUNDS):
            self.z = factors.solve(self.z / np.linalg.norm(self.z))
            self.y = factors.solve(self.y / np.linalg.norm(self.y), trans="T")
        self.y, self.z = self.y / np.linalg.norm(self.y), self.z / np.linalg.norm(self.z)
        border = [[whole, self.y[:, None]], [self.z[None], None]]
        self.bordered = sparse.linalg.splu(sparse.csc_array(sparse.block_array(border)))

    def matrix(self, system: Any, state: State) -> Any:
        """The tangent with the joints, scaled as at the critical point."""
        of = system.matrices(state)
        rows = -sparse.diags_array(self.soft)
        whole = sparse.block_array([[of.stiffness, of.ties.T], [of.ties, rows]])
        return sparse.diags_array(self.left) @ whole @ sparse.diags_array(self.right)

    def push(self, beside: Beside) -> np.ndarray:
        """R_p, scaled."""
        return self.left * implicit.slope([each.residual(self.state) for each in beside.systems], beside.step)

    def limit(self, load: Beside, parameter: Beside) -> float:
        """Derivative of the load of a limit point."""
        return float(-(self.y @ self.push(parameter)) / (self.y @ self.push(load)))

    def bifurcation(self, load: Beside, parameter: Beside) -> float | None:
        """Derivative of the load of a bifurcation; None of a parameter that is an imperfection."""
        pushes = [self.push(each) for each in (load, parameter)]
        if abs(self.y @ pushes[1]) > ASIDE * np.linalg.norm(pushes[1]):
            return None
        by_load, by_parameter = (
            self._crossing(each, push) for each, push in zip((load, parameter), pushes, strict=True)
        )
        return -by_parameter / by_load if by_load else None

    def _crossing(self, beside: Beside, push: np.ndarray) -> float:
        """Derivative of mu along the branch."""
        x = self.right * self.bordered.solve(np.append(-push, 0.0))[:-1]
        line = implicit.Line(self.system, self.state, beside.systems, beside.step, x)
        return float(line.derivative(lambda system, state: self.y @ (self.matrix(system, state) @ self.z)))
