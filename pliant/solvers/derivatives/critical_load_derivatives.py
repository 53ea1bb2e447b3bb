"""Derivatives of a critical load by the numbers in its equations.

    limit point    R(x, s; p) = 0, y^T R_x = 0      ->   s' = -y^T R_p / y^T R_s
    bifurcation    mu = y^T R_x z = 0 on the branch  ->   s' = -(mu_p + mu_x x_p) / (mu_s + mu_x x_s)

    its place      x' = x~ + c z with R_x x~ = -(R_p + R_s s'), c = -(mu_p + mu_s s' + mu_x x~) / mu_x z
    flutter        y^H A(l) = 0, A(l) x = 0, l = i omega   ->   y^H (A_p + s' A_s + l' A_l) x = 0 with Re l' = 0

y and z are the left and right null vectors of the tangent with the joints. On the primary branch of a bifurcation, R_s
and R_p are in the range of the tangent, and x_s, x_p follow from the bordered matrix ``[R_x y; z^T 0]``; a parameter
outside the range (an imperfection) has no derivative there. Where flutter begins without damping, two frequencies
coincide: l has no derivative, y^H A_l x = 0, and s' still follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import sparse
from pliant.solvers.derivatives import eigenvalue_derivatives, implicit
from pliant.system.state import State

ROUNDS = 6
MEETING = 1e-3  # of y^H A_s x s: a smaller y^H A_l x l is zero, two frequencies coincide
ASIDE = 1e-5  # of its force: largest component along the critical direction at a bifurcation
QUIET = 1e-9  # of a load's force, for changes by their sizes: rounding


class Perturbed(NamedTuple):
    """Perturbed systems at ``implicit.PLACES`` times a step of a load or a parameter."""

    systems: Sequence[Any]
    step: float


class Critical:
    """Critical point with its null vectors and bordered matrix; coordinates in lengths of the model."""

    def __init__(self, system: Any, state: State, soft: np.ndarray) -> None:
        self.system, self.state, self.n = system, state, system.freedoms
        matrices, unit = system.matrices(state), 1.0 / system.weight
        stiffness = sparse.diags_array(unit) @ matrices.stiffness @ sparse.diags_array(unit)
        self.size = float(np.max(np.abs(stiffness.data), initial=0.0)) or 1.0
        self.left = np.concatenate([unit / self.size, np.ones(soft.size)])
        self.right = np.concatenate([unit, np.full(soft.size, self.size)])
        self.spare = eigenvalue_derivatives.spare(soft, matrices.ties, unit)
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
        """Return the tangent with the joints, scaled as at the critical point."""
        of = system.matrices(state)
        ties, rows = sparse.diags_array(1.0 - self.spare) @ of.ties, -sparse.diags_array(self.spare / self.size)
        whole = sparse.block_array([[of.stiffness, ties.T], [ties, rows]])
        return sparse.diags_array(self.left) @ whole @ sparse.diags_array(self.right)

    def push(self, beside: Perturbed) -> np.ndarray:
        """Return R_p, scaled."""
        found = self.left * implicit.slope([each.residual(self.state) for each in beside.systems], beside.step)
        found[self.n :] *= 1.0 - self.spare
        return found

    def limit(self, load: Perturbed, parameter: Perturbed) -> float:
        """Return the derivative of the load of a limit point."""
        return float(-(self.y @ self.push(parameter)) / (self.y @ self.push(load)))

    def bifurcation(self, load: Perturbed, parameter: Perturbed) -> float | None:
        """Return the derivative of the load of a bifurcation; None for a parameter that is an imperfection."""
        pushes = [self.push(each) for each in (load, parameter)]
        forces = [each.step * float(np.linalg.norm(push)) for each, push in zip((load, parameter), pushes, strict=True)]
        if parameter.step * abs(self.y @ pushes[1]) > max(ASIDE * forces[1], QUIET * forces[0]):
            return None
        by_load, by_parameter = (
            self._crossing(each, push) for each, push in zip((load, parameter), pushes, strict=True)
        )
        return -by_parameter / by_load if by_load else None

    def place(self, load: Perturbed, parameter: Perturbed, slope: float) -> np.ndarray:
        """Return x' of a limit point whose load has this derivative."""
        push = self.push(parameter) + slope * self.push(load)
        x = self.right * self.bordered.solve(np.append(-push, 0.0))[:-1]
        line = implicit.Line(self.system, self.state, parameter.systems, parameter.step, x)
        bent = line.derivative(self._softness)
        bent += slope * implicit.slope([self._softness(each, self.state) for each in load.systems], load.step)
        critical = implicit.Line(self.system, self.state, (), 1.0, self.right * self.z)
        return x - bent / critical.along(self._softness) * critical.x

    def _softness(self, system: Any, state: State) -> float:
        """Return mu."""
        return float(self.y @ (self.matrix(system, state) @ self.z))

    def _crossing(self, beside: Perturbed, push: np.ndarray) -> float:
        """Return the derivative of mu along the branch."""
        x = self.right * self.bordered.solve(np.append(-push, 0.0))[:-1]
        line = implicit.Line(self.system, self.state, beside.systems, beside.step, x)
        return float(line.derivative(self._softness))


class Flutter:
    """Equilibrium at which a vibration begins to grow, with its vectors."""

    def __init__(self, system: Any, state: State, soft: np.ndarray, value: complex) -> None:
        self.system, self.state, self.value = system, state, value
        matrices, unit = system.matrices(state), 1.0 / system.weight
        self.spare = eigenvalue_derivatives.spare(soft, matrices.ties, unit)
        self.tangent = implicit.Tangent.of(matrices, unit, soft)
        whole = eigenvalue_derivatives.bordered(matrices, value, 1.0, self.spare)
        self.scale = 1.0 / np.sqrt(np.maximum(np.abs(whole.diagonal()), np.max(np.abs(whole.data)) * 1e-12))
        scale, rng = sparse.diags_array(self.scale), np.random.default_rng(0)
        factors = sparse.linalg.splu(sparse.csc_array(scale @ whole @ scale))
        y = rng.standard_normal(whole.shape[0]) + 0j
        for _ in range(ROUNDS):
            x = factors.solve(y / np.linalg.norm(y))
            y = factors.solve(x / np.linalg.norm(x), trans="H")
        self.x, self.y = self.scale * x / np.linalg.norm(x), self.scale * y / np.linalg.norm(y)

    def slope(self, load: Perturbed, parameter: Perturbed) -> float:
        """Return the derivative of the load at which flutter begins."""
        by_load, by_parameter = (self._along(each) for each in (load, parameter))
        by_value = self.y.conj() @ (
            eigenvalue_derivatives.by_value(self.system.matrices(self.state), self.value, 1.0) @ self.x
        )
        turning = 1j * abs(self.value) * by_value * implicit.STEP / load.step  # a load's size is its step over STEP
        rows = np.array([[by_load.real, turning.real], [by_load.imag, turning.imag]]) / abs(by_load)
        right = -np.array([by_parameter.real, by_parameter.imag]) / abs(by_load)
        return float(np.linalg.lstsq(rows, right, rcond=MEETING)[0][0])

    def _along(self, beside: Perturbed) -> complex:
        """Return y^H A' x along the equilibria."""
        line = implicit.line(self.system, self.state, self.tangent, beside.systems, beside.step)
        return complex(line.total(self._work))

    def _work(self, system: Any, state: State) -> Any:
        """Return y^H A x."""
        return np.asarray(eigenvalue_derivatives.work(system.matrices(state), self.value, self.x, self.y, damped=True))
