"""A point of a motion: accelerations and reactions that belong to it, and how the rows of its joints turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.errors import SingularError
from pliant.joints import rows as joints
from pliant.solvers.differences import derivative
from pliant.solvers.eigen import DEPENDENT, null_space
from pliant.system.state import State
from pliant.system.system import System

STEP = 0.05  # lengths of the model, rad: the largest displacement tried for a derivative


def accelerated(system: System, state: State, u: np.ndarray, rates: np.ndarray, seconds: np.ndarray) -> State:
    """The state with velocities on the constraints, and the accelerations and reactions that follow from it."""
    rows, n = system.equations.rows, system.freedoms
    matrices = system.matrices(state)
    unit = 1.0 / system.weight
    inverse = unit[:, None] * np.linalg.pinv(matrices.jacobian * unit, rcond=DEPENDENT)
    free = unit[:, None] * null_space(matrices.jacobian * unit)
    mass = free.T @ (matrices.mass @ free)
    speed, bias = np.zeros((2, system.constraints))
    v, a = state.v.copy(), np.zeros(system.size)
    try:
        joints.velocity(rows, state.q, v, u, rates, speed)
        change = inverse @ speed
        v[:n] -= change - free @ np.linalg.solve(mass, free.T @ (matrices.mass @ change))  # of least kinetic energy
        joints.bias(rows, state.q, v, u, seconds, bias)
        a[:n] = -inverse @ bias
        a[:n] -= free @ np.linalg.solve(mass, free.T @ system.unbalanced(state.q, v, a, u))
    except np.linalg.LinAlgError as error:
        raise SingularError(
            f"linearise: some part of {system.model.name!r} can move without moving any mass, which about a point of a "
            "motion has no linear model. Give it mass, or linearise about an equilibrium."
        ) from error
    lam = -inverse.T @ system.unbalanced(state.q, v, a, u)
    return replace(state, v=v, a=a, lam=lam)


def turning(system: System, state: State, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G' = g_qq v and G'' = g_qqq v v + g_qq a along the motion; the third derivatives by differences."""
    rows, n = system.equations.rows, system.freedoms
    first, second = np.zeros((2, system.constraints, system.size))
    for k in range(system.constraints):
        dofs = rows.dofs[k].astype(int)
        v, a = state.v[dofs], state.a[dofs]
        hessian = _hessian(rows, k, state.q, u)
        np.add.at(first[k], dofs, hessian @ v)
        np.add.at(second[k], dofs, hessian @ a)
        weight = np.append(system.equations.weight, np.ones(system.space.width))
        speed = float(np.max(np.abs(v) * weight[dofs]))
        if speed > 0.0:  # d/dt along v of g_qq v is g_qqq v v
            turn = derivative(lambda t: np.array([_moved_hessian(system, k, state, u, s) @ v for s in t]), STEP / speed)  # noqa: B023
            np.add.at(second[k], dofs, turn)
    return first[:, :n], second[:, :n]


def _moved_hessian(system: System, k: int, state: State, u: np.ndarray, time: float) -> np.ndarray:
    moved = system.space.move(state.q, time * state.v[: system.freedoms])
    return _hessian(system.equations.rows, k, moved, u)


def _hessian(rows: joints.Rows, k: int, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """g_qq of row k in its freedoms."""
    width = rows.dofs.shape[1]
    jacobian, packed = np.empty(width), np.empty(width * (width + 1) // 2)
    joints.evaluate(rows, k, q, u, jacobian, packed)
    lower = np.zeros((width, width))
    lower[np.tril_indices(width)] = packed
    return lower + np.tril(lower, -1).T
