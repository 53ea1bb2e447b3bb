"""The mechanism itself as ``x' = f(x, u)``, ``y = h(x, u)``: for controllers and observers that need more than a linear
model, and for python-control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import linalg
from pliant.analyses.common import Start, require, state_of
from pliant.analyses.friction import holding
from pliant.analyses.modes.linearise import linearise
from pliant.analyses.operating_point import equilibrium
from pliant.analyses.statics.statics import statics
from pliant.control import checks
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.outputs import Outputs
from pliant.errors import ConvergenceError, OptionError, PliantError
from pliant.forces.state_force.callbacks import watched
from pliant.joints import rows as joints
from pliant.linalg.finite_differences import derivative
from pliant.solvers.stepping import instant_state
from pliant.system.capabilities import HasEquations, LinearisableInMotion, can
from pliant.system.packing.dry_laws import rubbing
from pliant.system.state import State

if TYPE_CHECKING:
    import control

PREFERRED = 10.0  # times: angles are taken as coordinates rather than places, for they determine more of a mechanism
FAR = 0.5  # lengths of the model, rad: the largest step in which joints are closed on the way to a configuration
CLOSED = 1e-13  # lengths of the model, rad
ITERATIONS = 30
STEP = 1e-2  # rad, lengths: the largest displacement tried for a derivative
DIFFERENCE = 1e-5  # of 1 rad, a length of the model, an input: of central differences
RANK = 1e-12  # of the largest singular value of the joints' rows


@watched()
def nonlinear(
    system: LinearisableInMotion, *, at: Start = None, inputs: Sequence[str], outputs: Sequence[str]
) -> NonlinearModel:
    """Return the nonlinear model of a plant in independent coordinates, with the states of `linearise` at an
    equilibrium.

    at       Result of statics of this system; unless given, the equilibrium nearest to the assembly
    inputs   names of signals of forces, torques, tendons, as in `linearise`; drives of joints are refused
    outputs  as in `linearise`

    It has the states of ``linearise(system, at=at, ...)``, so both models agree for small motions. For large motions
    the states remain linear combinations of independent coordinates of the mechanism (angles where possible); all other
    coordinates follow from the joints. An error is raised where these coordinates no longer determine the mechanism (a
    dead centre; in space a body turned by more than half a turn). Signals that depend on time are held as they are at
    ``at``.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0, -2)))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), bob.at(0, 2)), pl.Gravity(), pl.Force(bob.at(), x=0.0, name="push"))
    >>> plant = pl.nonlinear(pl.compile(m), inputs=["push/x"], outputs=["angle:bob"])
    >>> x = plant.state_at({"angle:bob": 1.0})
    >>> plant.output(x, [0.0]).round(9), (plant.rates(x, [0.0])[1] / x[0]).round(6)  # - g / l sin(1)
    (array([1.]), np.float64(-4.127415))
    """
    require(system, LinearisableInMotion, "nonlinear")
    at = statics(system) if at is None else at
    rough = rubbing(system, equilibrium(system, at))
    if rough.names:
        raise OptionError(
            f"nonlinear: {holding(system, rough)} Friction has a kink at rest, so there is no linear model of "
            "small motions. Leave dry friction out of the model, or take `linearise` with friction='stuck' or 'free'."
        )
    linear = linearise(system, at=at, inputs=inputs, outputs=outputs)
    plant = system.observed
    for name in inputs:
        if plant.signal_number(name) in plant.driving:
            raise OptionError(
                f"nonlinear: inputs: {name!r} drives a joint, whose acceleration would be the input. Take a Motor, a "
                "Force or a Tendon instead."
            )
    if not can(plant, HasEquations):
        raise OptionError(f"nonlinear: not of the formulation {system.formulation!r}. Compile with formulation='dae'.")
    return NonlinearModel(cast(HasEquations, plant), state_of(plant, at, "at", driven=True), linear)


class NonlinearModel:
    """``x' = rates(x, u)``, ``y = output(x, u)``: x is a deviation from the operating point, u and y are absolute
    values.

    linear   `LinearModel` at the operating point, with the same states, inputs and outputs

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> plant = pl.nonlinear(pl.compile(driven_pendulum()), inputs=["motor/torque"], outputs=["angle:arm"])
    >>> plant.rates([0.0, 0.0], plant.input_values).round(9) + 0.0
    array([0., 0.])
    """

    def __init__(self, system: HasEquations, origin: State, linear: LinearModel) -> None:
        self.system: Any = system
        self.origin, self.linear = origin, linear
        count = len(linear.A) // 2
        if linear.basis is None or len(linear.A) % 2 or np.any(linear.basis[:, count:]):
            raise OptionError(
                f"nonlinear: some part of {system.model.name!r} moves without mass, or follows a damper alone: it has "
                "no acceleration of its own. Give it mass."
            )
        self.basis = linear.basis[:, :count]
        self.u = system.signals(np.array([origin.time]))[0]
        self.signals = [system.signal_number(name) for name in linear.input_names]
        self.outputs = Outputs(system.observer(), linear.output_names)
        scaled = self.basis * np.where(system.angular, PREFERRED, system.weight)[:, None]
        self.own = np.sort(linalg.qr(scaled.T, pivoting=True, mode="r")[1][:count])
        self.others = np.setdiff1d(np.arange(system.freedoms), self.own)
        self.moves = self.basis[self.own]  # the own coordinates of amplitudes

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of x."""
        return tuple(self.linear.state_names)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Return the names of u."""
        return tuple(self.linear.input_names)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Return the names of y."""
        return tuple(self.linear.output_names)

    @cached_property
    def input_values(self) -> np.ndarray:
        """Return u at the operating point."""
        return np.array(self.linear.input_values, float)

    def rates(self, x: ArrayLike, u: ArrayLike) -> np.ndarray:
        """Return x' in a state, under inputs."""
        now = self._accelerated(np.asarray(x, float), self._all_signals(u))
        count = len(self.own)
        faster = np.linalg.solve(self.moves, now.a[self.own])
        if not self.system.space.quaternions:
            return np.concatenate([np.asarray(x, float)[count:], faster])

        v = now.v[: self.system.freedoms]

        def along(t: np.ndarray) -> np.ndarray:
            return np.array([self._apart(self.system.moved(now.q, step * v)) for step in t])

        speed = max(float(np.max(np.abs(v) * self.system.weight)), 1.0)
        return np.concatenate([derivative(along, STEP / speed), faster])

    def output(self, x: ArrayLike, u: ArrayLike) -> np.ndarray:
        """Return y in a state, under inputs."""
        signals = self._all_signals(u)
        now = self._accelerated(np.asarray(x, float), signals)
        return np.asarray(self.outputs.evaluate(now.q, now.v, now.lam, signals, now.a))

    def slopes(self, x: ArrayLike, u: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of the rates by x and by u."""
        return self._differences(self.rates, np.asarray(x, float), np.asarray(u, float))

    def output_slopes(self, x: ArrayLike, u: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of the outputs by x and by u."""
        return self._differences(self.output, np.asarray(x, float), np.asarray(u, float))

    def _differences(self, function: Callable[..., np.ndarray], x: np.ndarray, u: np.ndarray) -> Any:
        """Return central differences by all states, and by all inputs."""
        columns = []
        for k, size in enumerate(self._sizes):
            step = DIFFERENCE * size * np.eye(x.size + u.size)[k]
            dx, du = step[: x.size], step[x.size :]
            columns.append((function(x + dx, u + du) - function(x - dx, u - du)) / (2.0 * DIFFERENCE * size))
        return np.column_stack(columns[: x.size]), np.column_stack(columns[x.size :])

    def state(self, at: Start) -> np.ndarray:
        """Return x of a Result of statics or transient of this system (its end)."""
        found = state_of(self.system, at, "at", driven=True)
        return self._state(found.q, found.v)

    def state_at(self, values: Mapping[str, float]) -> np.ndarray:
        """Return x at rest in which some outputs have given values, nearest to the operating point (Newton's
        method).
        """
        rows = checks.positions("state_at", "values", values, self.output_names)
        wanted, x = np.array(list(values.values()), float), np.zeros(len(self.state_names))
        count = len(self.own)
        for _ in range(ITERATIONS):
            off = wanted - self.output(x, self.input_values)[rows]
            if np.max(np.abs(off)) < 1e-12 * max(1.0, float(np.max(np.abs(wanted)))):
                return x
            C = self.output_slopes(x, self.input_values)[0][rows, :count]
            x[:count] += np.linalg.lstsq(C, off, rcond=1e-10)[0]
        raise ConvergenceError(f"state_at: {dict(values)!r:.80}: no such configuration was found.")

    def to_control(self) -> control.NonlinearIOSystem:
        """Return the plant as a ``control.NonlinearIOSystem`` with its names (needs python-control: ``pip install
        pliant[control]``): for its simulations, interconnections and optimal control.
        """
        try:
            import control
        except ImportError as error:
            raise PliantError("to_control needs python-control: pip install 'pliant[control]'.") from error
        return control.nlsys(
            lambda t, x, u, params: self.rates(x, u),
            lambda t, x, u, params: self.output(x, u),
            name=self.system.model.name,
            inputs=list(self.input_names),
            outputs=list(self.output_names),
            states=list(self.state_names),
        )

    @cached_property
    def _sizes(self) -> np.ndarray:
        """Return sizes of states and inputs: a displacement of 1 (rad, length of the model), the same per second;
        inputs, or 1.
        """
        most = np.max(np.abs(self.basis * self.system.weight[:, None]), axis=0)
        return np.concatenate([1.0 / most, 1.0 / most, np.maximum(np.abs(self.input_values), 1.0)])

    def _all_signals(self, u: ArrayLike) -> np.ndarray:
        signals = self.u.copy()
        signals[self.signals] = np.asarray(u, float)
        return signals

    def _apart(self, q: np.ndarray) -> np.ndarray:
        """Return the amplitudes of a configuration."""
        return np.linalg.solve(self.moves, self.system.apart(self.origin.q, q)[self.own])

    def _state(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.concatenate([self._apart(q), np.linalg.solve(self.moves, v[self.own])])

    def _accelerated(self, x: np.ndarray, u: np.ndarray) -> State:
        """Return coordinates, velocities, accelerations and reactions in a state."""
        system, count = self.system, len(self.own)
        q, v = self._placed(self.moves @ x[:count], u), np.zeros(system.size)
        v[self.own] = self.moves @ x[count:]
        G = self._jacobian(q)
        v[self.others] = np.linalg.lstsq(G[:, self.others], -G[:, self.own] @ v[self.own], rcond=RANK)[0]
        state = State(q, v, np.zeros(system.size), np.zeros(system.constraints), self.origin.time)
        still = np.zeros_like(u)
        return instant_state.accelerated(system, state, u, still, still)

    def _placed(self, displaced: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the configuration with the own coordinates displaced: in steps, with all joints closed after each."""
        system, q = self.system, self.origin.q
        steps = max(1, int(np.ceil(np.max(np.abs(displaced * system.weight[self.own]), initial=0.0) / FAR)))
        for k in range(1, steps + 1):
            q = self._closed(system.moved(q, self._increment(q, k / steps * displaced)), k / steps * displaced, u)
        return q

    def _increment(self, q: np.ndarray, displaced: np.ndarray) -> np.ndarray:
        """Return an increment towards own coordinates, with the others along the joints."""
        step = np.zeros(self.system.freedoms)
        step[self.own] = displaced - self.system.apart(self.origin.q, q)[self.own]
        G = self._jacobian(q)
        step[self.others] = np.linalg.lstsq(G[:, self.others], -G[:, self.own] @ step[self.own], rcond=RANK)[0]
        return step

    def _closed(self, q: np.ndarray, displaced: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Close the joints with the own coordinates fixed: Newton's method."""
        system, g = self.system, np.zeros(self.system.constraints)
        for _ in range(ITERATIONS):
            joints.residual(system.equations.rows, q, u, g)
            off = displaced - system.apart(self.origin.q, q)[self.own]
            if np.max(np.abs(np.concatenate([g, off]))) < CLOSED * max(1.0, system.length_scale):
                return q
            step = np.zeros(system.freedoms)
            step[self.own] = off
            G = self._jacobian(q)
            step[self.others] = np.linalg.lstsq(G[:, self.others], -g - G[:, self.own] @ off, rcond=RANK)[0]
            q = system.moved(q, step)
        raise ConvergenceError(
            f"nonlinear: the joints of {system.model.name!r} cannot be closed in that state: it is out of reach, or "
            "beyond a dead centre from the operating point."
        )

    def _jacobian(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(joints.jacobian(self.system.equations.rows, q, self.system.freedoms).toarray())
