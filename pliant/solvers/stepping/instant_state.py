"""State at an instant of a motion: its accelerations and reactions, and the rates of its joint rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from pliant.errors import SingularError
from pliant.joints import rows as joints
from pliant.linalg.eigen import DEPENDENT, null_space
from pliant.linalg.finite_differences import derivative
from pliant.system.state import State
from pliant.system.system import System

STEP = 0.05  # lengths of the model, rad: largest displacement for a derivative


def accelerated(system: System, state: State, u: np.ndarray, rates: np.ndarray, seconds: np.ndarray) -> State:
    """Return the state with velocities on the constraints, and with its accelerations and reactions."""
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


def turning(system: System, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return G' = g_qq v and G'' = g_qqq v v + g_qq a along the motion; the third derivatives by differences."""
    rows, n = system.equations.rows, system.freedoms
    first, second = np.zeros((2, system.constraints, system.size))
    for t in range(rows.row.size):
        dofs, row = rows.dofs[t].astype(int), rows.row[t]
        v, a = state.v[dofs], state.a[dofs]
        hessian = _hessian(rows, t, state.q)
        np.add.at(first[row], dofs, hessian @ v)
        np.add.at(second[row], dofs, hessian @ a)
        weight = np.append(system.equations.weight, np.ones(system.size - n))
        speed = float(np.max(np.abs(v) * weight[dofs]))
        if speed > 0.0:  # d/dt along v of g_qq v is g_qqq v v
            turn = derivative(partial(_swung, system, t, state, v), STEP / speed)
            np.add.at(second[row], dofs, turn)
    return first[:, :n], second[:, :n]


def _swung(system: System, t: int, state: State, v: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return g_qq v of term t, in its freedoms, at times of the motion with constant velocity."""
    poses = (system.moved(state.q, time * state.v[: system.freedoms]) for time in times)
    return np.array([_hessian(system.equations.rows, t, q) @ v for q in poses])


def _hessian(rows: joints.Rows, t: int, q: np.ndarray) -> np.ndarray:
    """Return g_qq of term t in its freedoms."""
    width = rows.dofs.shape[1]
    jacobian, packed = np.empty(width), np.empty(width * (width + 1) // 2)
    joints.evaluate(rows, t, q, jacobian, packed)
    lower = np.zeros((width, width))
    lower[np.tril_indices(width)] = packed
    return np.asarray(rows.factor[t] * (lower + np.tril(lower, -1).T))
