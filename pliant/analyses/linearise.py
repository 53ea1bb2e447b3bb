"""Linearise: small motion about an operating point, from named inputs to named outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sparse

from pliant.analyses._common import other_joints, require, state_of
from pliant.analyses.modal import _equilibrium
from pliant.analyses.statics import statics
from pliant.control.linear_model import LinearModel
from pliant.control.outputs import Outputs
from pliant.control.second_order import DEPENDENT, SecondOrder
from pliant.errors import OptionError, SingularError, nearest
from pliant.forces.state_force.callbacks import watched
from pliant.joints import rows as joints
from pliant.results import Result
from pliant.solvers.differences import derivative
from pliant.solvers.eigen import null_space
from pliant.system.capabilities import Linearisable
from pliant.system.observation import Observer
from pliant.system.state import State
from pliant.system.system import System

STILL = 1e-6  # lengths of the model and rad, a second: slower is at rest, as in modal
STEP = 0.05  # of a signal (or of 1): the largest change tried for its derivative


@watched()
def linearise(system: Any, *, at: Any = None, inputs: Sequence[str], outputs: Sequence[str]) -> LinearModel:
    """A, B, C, D of small motion about an operating point, in independent coordinates.

    at       Result of statics, or a point of a path, of this system: an equilibrium; or a Result of transient: its last
             instant, with the coefficients frozen there. Unless given, the equilibrium nearest to the assembly
    inputs   names of signals (``system.signal_names``): "motor/torque", "tendon/rest_length", "load/x", "gravity/y".
             The input of a driven joint ("hold/angle") is its acceleration; its value and rate become states
    outputs  "angle:<body>", "position:<marker>:x", "tension:<line>", "reaction:<joint>:Fx", ...; see `control.outputs`

    Joints are eliminated by a basis of the motions they allow; the stiffness of their forces, preload, dampers and
    followers are in. States are amplitudes of undamped modes and their rates. `second_order` of the model holds the
    same in sparse redundant form.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0, -2)))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), bob.at(0, 2)), pl.Gravity(), pl.Force(bob.at(), x=0.0, name="push"))
    >>> plant = pl.linearise(pl.compile(m), inputs=["push/x"], outputs=["position:bob(0, 0):x"])
    >>> plant.A.round(6).tolist(), float(plant.frequency_response(0.0)[0, 0, 0].real.round(6))
    ([[0.0, 1.0], [-4.905, 0.0]], 0.203874)
    """
    require(system, Linearisable, "linearise")
    inputs = _names("inputs", inputs, 'inputs=["motor/torque"]')
    outputs = _names("outputs", outputs, 'outputs=["angle:arm"]')
    plant = system.observed
    signals = [_signal(plant, name) for name in inputs]
    seen = Outputs(Observer(plant), outputs)
    _ = seen.terms  # unknown names are refused before anything is computed
    at = statics(system) if at is None else at
    state, moving = _point(system, at)
    if system is not plant:
        _check_other(system, outputs, moving)
    u = plant.signals(np.array([state.time]))[0]
    rates, seconds = (table[0] for table in plant.signal_rates(np.array([state.time])))
    if moving:
        state = _accelerations(system, state, u, rates, seconds)
    form = _second_order(system, state, u, signals, seen, moving)
    driving = np.isin(signals, plant.driving)
    return LinearModel.from_second_order(
        form,
        inputs,
        output_names=outputs,
        input_values=np.where(driving, seconds[signals] if moving else 0.0, u[signals]),
        output_values=seen.evaluate(state.q, state.v, state.lam, u),
        operating_point=at if isinstance(at, Result) else None,
    )


def _check_other(system: Any, outputs: Sequence[str], moving: bool) -> None:
    """Refuse what only the system that tells the motion knows: its own forces, and its joints in motion."""
    if moving:
        raise OptionError(
            f"at: {system.model.name!r} is moving in that state; the formulation {system.formulation!r} is linearised "
            "about an equilibrium. Start from statics(...), or compile with formulation='dae'."
        )
    for name in outputs:
        if name.partition(":")[0] in ("reaction", "resultant", "strain"):
            raise OptionError(
                f"outputs: {name!r} is not linearised in the formulation {system.formulation!r}. Measure angles and "
                "positions, or compile with formulation='dae'."
            )


def _names(what: str, names: Any, example: str) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise OptionError(f"{what}={names!r}: give a list of names, such as {example}.")
    if not names:
        raise OptionError(f"{what}: the list is empty. Give at least one name, such as {example}.")
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"{what}: {name!r} is there twice.")
    return tuple(names)


def _signal(system: System, name: str) -> int:
    """Number of a signal."""
    if name not in system.signal_names:
        raise OptionError(f"inputs: there is no signal {name!r}. {nearest(name, system.signal_names)}")
    return next(k for k, named in enumerate(system.layout.signals) if named.name == name)


def _point(system: Any, at: Any) -> tuple[State, bool]:
    """The state to linearise about, and whether it is a point of a motion rather than an equilibrium."""
    plant = system.observed
    different = other_joints(plant, at)
    state = state_of(plant, at, "at", driven=not different)
    if different or state.abar is None and not _moves(plant, state):
        return _equilibrium(system, at), False
    if not _moves(plant, state):
        rest = np.zeros_like(state.q)
        try:  # a motion that has come to rest
            return _equilibrium(system, replace(state, v=rest, a=rest, abar=None)), False
        except OptionError:
            pass  # it turns round at this instant
    return state, True


def _moves(system: System, state: State) -> bool:
    return bool(np.any(np.abs(state.v[: system.freedoms]) * system.equations.weight > STILL))


def _accelerations(system: System, state: State, u: np.ndarray, rates: np.ndarray, seconds: np.ndarray) -> State:
    """The state with velocities on the constraints, and the accelerations and reactions that follow from it."""
    rows, n = system.equations.rows, system.freedoms
    matrices = system.matrices(state)
    unit = 1.0 / system.equations.weight
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


def _second_order(
    system: Any, state: State, u: np.ndarray, signals: list[int], seen: Outputs, moving: bool
) -> SecondOrder:
    plant = system.observed
    rows, matrices = plant.equations.rows, system.matrices(state, whole=True)
    drive = np.zeros((plant.constraints, len(signals)))
    load = np.zeros((plant.freedoms, len(signals)))
    for column, k in enumerate(signals):
        if k in plant.driving:
            drive[:, column] = np.where(rows.signal == k, rows.gain, 0.0)
        else:
            load[:, column] = -_slope(system, state, u, k)
    slopes = seen.slopes(state.q, state.v, state.lam, u, signals)
    size = 1.0 / plant.equations.weight
    _check_drives(matrices.jacobian * size, drive, seen, signals)
    return SecondOrder(
        mass=matrices.mass,
        damping=matrices.damping,
        stiffness=matrices.stiffness,
        jacobian=matrices.jacobian,
        load=load,
        drive=drive,
        position=sparse.csr_matrix(slopes.position),
        velocity=sparse.csr_matrix(slopes.velocity),
        reaction=slopes.reaction,
        direct=slopes.signal,
        size=size,
        parts=tuple(np.repeat(plant.node_owners(), plant.space.width).tolist()),
        turning=_turning(system, state) if moving else None,
    )


def _slope(system: Any, state: State, u: np.ndarray, k: int) -> np.ndarray:
    """Derivative of the residual by signal k: exact for loads, which are linear, to 11 digits for tendons."""

    def along(t: np.ndarray) -> np.ndarray:
        found = []
        for step in t:
            moved = u.copy()
            moved[k] += step
            found.append(system.unbalanced(state.q, state.v, state.a, moved))
        return np.array(found)

    return derivative(along, STEP * max(1.0, abs(u[k])))


def _check_drives(jacobian: np.ndarray, drive: np.ndarray, seen: Outputs, signals: list[int]) -> None:
    """A driven coordinate must be free to change: the joints must not hold it."""
    if not np.any(drive):
        return
    follow = jacobian @ np.linalg.lstsq(jacobian, drive, rcond=DEPENDENT)[0]
    wrong = np.max(np.abs(follow - drive), axis=0) > 1e-6
    if wrong.any():
        system = seen.observer.system
        name = system.layout.signals[signals[int(np.argmax(wrong))]].name
        raise OptionError(
            f"inputs: {name!r} cannot change: other joints or drives hold that coordinate. Take one of them away, or "
            "give all drives that move together as one."
        )


def _turning(system: System, state: State) -> tuple[np.ndarray, np.ndarray]:
    """G' = g_qq v and G'' = g_qqq v v + g_qq a along the motion; the third derivatives by differences."""
    rows, n = system.equations.rows, system.freedoms
    first, second = np.zeros((2, system.constraints, system.size))
    for k in range(rows.row.size):
        dofs, row = rows.dofs[k].astype(int), rows.row[k]
        v, a = state.v[dofs], state.a[dofs]
        hessian = _hessian(rows, k, state.q)
        np.add.at(first[row], dofs, hessian @ v)
        np.add.at(second[row], dofs, hessian @ a)
        weight = np.append(system.equations.weight, np.ones(system.space.width))
        speed = float(np.max(np.abs(v) * weight[dofs]))
        if speed > 0.0:  # d/dt along v of g_qq v is g_qqq v v
            turn = derivative(lambda t: np.array([_moved_hessian(system, k, state, s) @ v for s in t]), STEP / speed)  # noqa: B023
            np.add.at(second[row], dofs, turn)
    return first[:, :n], second[:, :n]


def _moved_hessian(system: System, k: int, state: State, time: float) -> np.ndarray:
    moved = system.space.move(state.q, time * state.v[: system.freedoms])
    return _hessian(system.equations.rows, k, moved)


def _hessian(rows: joints.Rows, k: int, q: np.ndarray) -> np.ndarray:
    """g_qq of term k in its freedoms."""
    width = rows.dofs.shape[1]
    jacobian, packed = np.empty(width), np.empty(width * (width + 1) // 2)
    joints.evaluate(rows, k, q, jacobian, packed)
    lower = np.zeros((width, width))
    lower[np.tril_indices(width)] = packed
    return np.asarray(rows.factor[k] * (lower + np.tril(lower, -1).T))
