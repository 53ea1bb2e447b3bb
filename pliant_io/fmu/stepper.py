"""Stepper: a system advanced piece by piece with its inputs held, for co-simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from pliant.analyses.common import state_of
from pliant.control.models.outputs import Outputs
from pliant.errors import OptionError
from pliant.model import Function
from pliant.results import Result
from pliant.solvers.stepping.methods import Index3
from pliant.solvers.stepping.motion import Plan, failure
from pliant.solvers.stepping.sampling import read
from pliant.solvers.stepping.sensors import are_compiled
from pliant.system.capabilities import HasPieces, can
from pliant.system.observation.observer import Observer
from pliant.system.state import State

TINY = 1e-9  # of a step: the end of a piece is not missed by rounding


class Stepper:
    """The state of a system between two pieces of its motion.

    inputs   names of signals that are set by the simulator and held over each piece
    outputs  names as in `control.outputs`: "angle:crank", "tension:tendon"
    step     s, the largest step of the method; pieces are divided into equal steps
    start    Result to start from; default: assembled and at rest

    >>> import pliant as pl
    >>> m = pl.Model("wheel")
    >>> ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=1.0, inertia=0.5))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), wheel.at()), pl.Motor("motor", ground.at(0, 0), wheel.at(), 0.0))
    >>> stepper = Stepper(pl.compile(m), ["motor/torque"], ["angle:wheel"], step=1e-3)
    >>> stepper.inputs["motor/torque"] = 2.0
    >>> stepper.advance(0.5)
    >>> stepper.time, round(stepper.values()["angle:wheel"], 6)  # torque / inertia * t^2 / 2
    (0.5, 0.5)
    """

    def __init__(
        self, system: Any, inputs: Sequence[str], outputs: Sequence[str], *, step: float, start: Result | None = None
    ) -> None:
        if system.observed is not system:
            raise OptionError(
                f"step: the formulation {system.formulation!r} has no equal steps, which go on from piece to piece. "
                "Compile with formulation='dae'."
            )
        numbers = {name: system.signal_number(name) for name in inputs}
        for name, number in numbers.items():
            if number in system.driving:
                raise OptionError(
                    f"inputs: {name!r} drives a joint, which cannot jump. Take a Motor, a Force or a Tendon instead."
                )
        now = system.signals(np.zeros(1))[0]
        self.inputs = {name: float(now[number]) for name, number in numbers.items()}
        self.system = system.with_signals({name: Function(partial(self._held, name)) for name in inputs})
        self.outputs = Outputs(Observer(self.system), tuple(outputs))
        terms = self.outputs.terms  # unknown names are refused here
        self.step, self._state = step, state_of(self.system, start, driven=True)
        self._numbers = list(numbers.values())
        self._pieces: Any = None
        self._quick = can(self.system, HasPieces) and issubclass(self.system.methods[0], Index3)
        known = self._quick and bool(terms) and are_compiled(self.system, terms)
        self._sensors = self.system.sensors(self.outputs.names, terms) if known else None
        self._read = np.zeros(len(terms))

    def _held(self, name: str, time: float) -> float:
        return self.inputs[name]

    @property
    def state(self) -> State:
        """Return the state of the motion, to continue from."""
        return self._state if self._pieces is None else self._pieces.state

    @state.setter
    def state(self, state: State) -> None:
        self._state, self._pieces = state, None

    @property
    def time(self) -> float:
        """Return the present time of the motion (s)."""
        return float(self._state.time if self._pieces is None else self._pieces.time)

    def advance(self, duration: float) -> None:
        """Advance by a number of seconds."""
        steps = max(1, ceil(duration / self.step - TINY))
        end = self.time + duration
        if self._quick:
            self.ready(duration)
            if self._pieces.advance(end, steps, list(self.inputs.values())):
                return
            self._state, self._pieces = self._pieces.state, None  # a failing step is divided
        method = self.system.methods[0]()
        motion = self.system.move(self._state, Plan(end, method, step=duration / steps))
        if not motion.ok:
            raise failure(motion)
        self._state = motion.last

    def ready(self, duration: float) -> None:
        """Prepare pieces of this duration, so that the first one takes no longer than others."""
        if self._quick and self._pieces is None:
            self._pieces = self._begun(duration)

    def _begun(self, duration: float) -> Any:
        """Return pieces from the present state, with consistent accelerations and reactions under the inputs."""
        steps = max(1, ceil(duration / self.step - TINY))
        plan = Plan(self.time + duration, self.system.methods[0](), step=duration / steps)
        return self.system.pieces(self._state, plan, self._numbers)

    def values(self) -> Mapping[str, float]:
        """Return the outputs, by name, at this instant."""
        if self._pieces is not None and self._sensors is not None:
            now, parts = self._pieces.stepping.run.state, self.system.equations.parts
            read(parts, self._sensors, now.q, now.v, self._pieces.u, self._read)
            return dict(zip(self.outputs.names, self._read.tolist(), strict=True))
        starting = self._quick and self._pieces is None and self._state.abar is None
        state = self._begun(self.step).state if starting else self.state
        u = self.system.signals(np.array([self.time]))[0]
        found = self.outputs.evaluate(state.q, state.v, state.lam, u, state.a)
        return dict(zip(self.outputs.names, found.tolist(), strict=True))
