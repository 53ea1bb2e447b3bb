"""Linearise: small motion about an operating point, from named inputs to named outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant._libraries import sparse
from pliant.analyses.common import Start, require
from pliant.analyses.friction import padded, small_motions
from pliant.analyses.operating_point import equilibrium, instant
from pliant.analyses.spin import in_its_axes
from pliant.analyses.statics.statics import statics
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.outputs import Outputs
from pliant.control.models.second_order import SecondOrder
from pliant.errors import AtKink, OptionError, nearest, warn
from pliant.forces.state_force.callbacks import watched
from pliant.linalg.eigen import DEPENDENT
from pliant.linalg.finite_differences import derivative
from pliant.model.signals import sizes
from pliant.results import Result
from pliant.system.capabilities import Linearisable, Observed
from pliant.system.state import Matrices, State

STEP = 0.05  # of the size of a signal: the largest change tried for its derivative
NEAR, UNLIKE = 1.0 / 16.0, 0.1  # of that change, and of the slopes up and down: so near to a kink they differ so much
NOISE = 1e4  # times the rounding of a balance: a smaller load is zero, of unknown size


@watched()
def linearise(
    system: Linearisable,
    *,
    at: Start = None,
    inputs: Sequence[str],
    outputs: Sequence[str],
    frozen: bool = False,
    friction: str | None = None,
) -> LinearModel:
    """Compute the linear model A, B, C, D of small motions about an operating point, in independent coordinates.

    at       Result of statics, a point of a path, or transient that has come to rest, of this system: an equilibrium.
             Unless given, the equilibrium nearest to the assembly. Of a steady spin (`statics` with ``spin``) the model
             is that in axes which turn with it: inputs and outputs are along these, velocities relative to them
    inputs   names of signals (``system.signal_names``): "motor/torque", "tendon/rest_length", "load/x", "gravity/y".
             The input of a driven joint ("hold/angle") is its acceleration; its value and rate become states
    outputs  "angle:<body>", "position:<marker>:x", "tension:<line>", "reaction:<joint>:Fx", ...; see `control.outputs`
    frozen   True: ``at`` may be a Result of transient that still moves: its last instant, with the coefficients frozen
             there. They do not describe a steady motion, so such a state is refused without frozen=True
    friction  of parts with dry friction (`Friction`, `PinFriction`, ...): "stuck" locks them, "free" leaves it out;
             needed where friction holds something

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
    system = in_its_axes(system, at, "linearise")
    inputs = _names("inputs", inputs, 'inputs=["motor/torque"]')
    outputs = _names("outputs", outputs, 'outputs=["angle:arm"]')
    plant = system.observed
    signals = [_signal(plant, name) for name in inputs]
    seen = Outputs(plant.observer(), outputs)
    _ = seen.terms  # unknown names are refused before anything is computed
    at = statics(system) if at is None else at
    state, moving = instant(system, at) if frozen else (equilibrium(system, at), False)
    _check_outputs(system, outputs)
    u = plant.signals(np.array([state.time]))[0]
    seconds = plant.signal_rates(np.array([state.time]))[1][0]
    matrices = small_motions(system, state, friction, "linearise", whole=True)
    form = _second_order(system, state, u, inputs, seen, matrices, moving)
    driving = np.isin(signals, plant.driving)
    return LinearModel.from_second_order(
        form,
        inputs,
        output_names=outputs,
        input_values=np.where(driving, seconds[signals] if moving else 0.0, u[signals]),
        output_values=seen.evaluate(state.q, state.v, state.lam, u),
        operating_point=at if isinstance(at, Result) else None,
    )


def _check_outputs(system: Any, outputs: Sequence[str]) -> None:
    """Refuse forces that only the system in whose coordinates states are knows, where that is another."""
    if system is system.observed:
        return
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


def _signal(system: Observed, name: str) -> int:
    """Return the number of a signal."""
    if name not in system.signal_names:
        raise OptionError(f"inputs: there is no signal {name!r}. {nearest(name, system.signal_names)}")
    return system.signal_number(name)


def _second_order(
    system: Any,
    state: State,
    u: np.ndarray,
    inputs: Sequence[str],
    seen: Outputs,
    matrices: Matrices,
    moving: bool,
) -> SecondOrder:
    plant: Observed = system.observed
    signals = [plant.signal_number(name) for name in inputs]
    drive = np.zeros((plant.constraints, len(signals)))
    load = np.zeros((plant.freedoms, len(signals)))
    noise = NOISE * system.balance(state)[2]
    for column, k in enumerate(signals):
        if k in plant.driving:
            drive[:, column] = plant.drive_column(k)
        else:
            load[:, column] = -_slope(system, state, u, k, noise)
    slopes = seen.slopes(state.q, state.v, state.lam, u, signals, noise)
    size = 1.0 / plant.weight
    _check_drives(matrices.jacobian * size, padded(drive, matrices), inputs)
    return SecondOrder(
        mass=matrices.mass,
        damping=matrices.damping,
        stiffness=matrices.stiffness,
        jacobian=matrices.jacobian,
        load=load,
        drive=padded(drive, matrices),
        position=sparse.csr_matrix(slopes.position),
        velocity=sparse.csr_matrix(slopes.velocity),
        reaction=padded(slopes.reaction.T, matrices).T,
        direct=slopes.signal,
        size=size,
        parts=tuple(plant.freedom_owners()),
        turning=system.turning(state) if moving else None,
    )


def _slope(system: Linearisable, state: State, u: np.ndarray, k: int, noise: float) -> np.ndarray:
    """Return the derivative of the residual by signal k: exact for loads, which are linear, to 11 digits for tendons.

    A torque below ``noise`` is zero but for rounding: its own size says nothing of how much to change it.
    """

    def along(t: np.ndarray) -> np.ndarray:
        found = []
        for step in t:
            moved = u.copy()
            moved[k] += step
            found.append(system.unbalanced(state.q, state.v, state.a, moved))
        return np.array(found)

    seen = system.observed
    name = next(name for name in seen.signal_names if seen.signal_number(name) == k)
    step = STEP * sizes.size(seen.model, name, float(u[k]), seen.length_scale, noise=noise)
    down, up = np.diff(along(NEAR * step * np.array([-1.0, 0.0, 1.0])), axis=0)
    if np.max(np.abs(up - down)) > UNLIKE * np.max(np.abs([up, down])):
        warn(
            AtKink,
            f"linearise: {seen.model.name!r}: forces change in one way where {name!r} grows and in another where it "
            f"falls from {u[k]:g}: a tendon at the edge of slack, or a limit. The linear model has the mean of both. "
            "Linearise about a value to one side of it.",
        )
    return derivative(along, step)


def _check_drives(jacobian: np.ndarray, drive: np.ndarray, names: Sequence[str]) -> None:
    """Check that the joints leave a driven coordinate free to change."""
    if not np.any(drive):
        return
    follow = jacobian @ np.linalg.lstsq(jacobian, drive, rcond=DEPENDENT)[0]
    wrong = np.max(np.abs(follow - drive), axis=0) > 1e-6
    if wrong.any():
        name = names[int(np.argmax(wrong))]
        raise OptionError(
            f"inputs: {name!r} cannot change: other joints or drives hold that coordinate. Take one of them away, or "
            "give all drives that move together as one."
        )
