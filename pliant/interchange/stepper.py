"""A system advanced piece by piece with its inputs held, as co-simulation asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from pliant.analyses._common import state_of
from pliant.control.outputs import Outputs
from pliant.errors import OptionError
from pliant.model import Function
from pliant.results import Result
from pliant.solvers.motion import Plan, failure
from pliant.system.observation import Observer

TINY = 1e-9  # of a step: the end of a piece is not missed by rounding


class Stepper:
    """The state of a system between two pieces of its motion.

    inputs   names of signals that are set from outside and held over each piece
    outputs  names as in `control.outputs`: "angle:crank", "tension:tendon"
    step     s, the largest of the method; pieces are divided into equal steps
    start    Result to start from; unless given, assembled and at rest

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
        _ = self.outputs.terms  # unknown names are refused here
        self.step, self.state = step, state_of(self.system, start, driven=True)

    def _held(self, name: str, time: float) -> float:
        return self.inputs[name]

    @property
    def time(self) -> float:
        """Where the motion has come to (s)."""
        return float(self.state.time)

    def advance(self, duration: float) -> None:
        """Move on by so many seconds."""
        steps = max(1, int(np.ceil(duration / self.step - TINY)))
        method = self.system.methods[0]()
        motion = self.system.move(self.state, Plan(self.time + duration, method, step=duration / steps))
        if not motion.ok:
            raise failure(motion)
        self.state = motion.last

    def values(self) -> Mapping[str, float]:
        """Outputs, by name, at this instant."""
        state, u = self.state, self.system.signals(np.array([self.time]))[0]
        found = self.outputs.evaluate(state.q, state.v, state.lam, u, state.a)
        return dict(zip(self.outputs.names, found.tolist(), strict=True))
