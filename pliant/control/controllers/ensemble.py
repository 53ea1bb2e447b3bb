"""Ensemble of controllers in one loop: their ticks and inputs, and cascades, in which one sets another's references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.control.controllers.loop import Loop
from pliant.control.controllers.sampled import ControllerCheck, SampledController
from pliant.errors import OptionError, nearest

REFERENCE = "reference of "
WHOLE = 1e-6  # of a tick: largest deviation of a sample time from a multiple of the shortest


class Ensemble:
    """Controllers of one motion, in the order of decisions: those that set references precede their users.

    tick      s, the shortest sample time; all others are whole multiples of it
    inputs    signals that they set; `outputs`: all outputs that they read; `every`: ticks between changes of each input
    limits    lowest and highest inputs
    """

    def __init__(self, controllers: Sequence[SampledController]) -> None:
        for one in controllers if isinstance(controllers, list | tuple) else [controllers]:
            if not isinstance(one, SampledController):
                raise OptionError(
                    f"controller={one!r:.60}: give a Controller, as lqg, pid or Controller.proportional make, another "
                    "SampledController, or a list of these. A gain of lqr goes into pl.lqg, with an observer, or "
                    "pl.state_feedback. A function goes into pl.FunctionController, a system of python-control into "
                    "pl.Controller.of."
                )
        if not controllers:
            raise OptionError("controller=[]: give at least one.")
        self.controllers = _in_order(list(controllers))
        self.tick = min(one.sample_time for one in self.controllers)
        self.ticks = [self._ticks(one) for one in self.controllers]
        setting = [
            (name, u0, n, low, high)
            for one, n in zip(self.controllers, self.ticks, strict=True)
            for name, u0, low, high in zip(one.inputs, one.u0, one.low, one.high, strict=True)
            if not name.startswith(REFERENCE)
        ]
        if not setting:
            raise OptionError("controller: none of them sets a signal of the mechanism, only references.")
        names, u0, every, low, high = zip(*setting, strict=True)
        self.inputs, self.u0, self.every = names, np.array(u0, float), np.array(every)
        self.limits = np.array(low, float), np.array(high, float)
        self.outputs = tuple(dict.fromkeys(name for one in self.controllers for name in one.outputs))

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return names of the states of all controllers, with the controller's number if there are several."""
        if len(self.controllers) == 1:
            return tuple(self.controllers[0].state_names)
        return tuple(
            f"controller {k + 1}: {name}" for k, one in enumerate(self.controllers) for name in one.state_names
        )

    @property
    def quantised(self) -> bool:
        """Return whether readings are rounded."""
        return any(np.any(one.quantum > 0.0) for one in self.controllers)

    def _ticks(self, one: SampledController) -> int:
        ratio = one.sample_time / self.tick
        if abs(ratio - round(ratio)) > WHOLE * ratio:
            raise OptionError(
                f"controller of {', '.join(one.inputs)}: its sample time of {one.sample_time:g} s is not a whole "
                f"multiple of the shortest, {self.tick:g} s."
            )
        return round(ratio)


class Playing:
    """An ensemble running from one instant on."""

    def __init__(self, ensemble: Ensemble, *, samples: int, start_time: float) -> None:
        self.ensemble = ensemble
        self.loops = [
            Loop(one, samples=(samples - 1) // n + 1, start_time=start_time)
            for one, n in zip(ensemble.controllers, ensemble.ticks, strict=True)
        ]
        self.read = [[ensemble.outputs.index(name) for name in one.outputs] for one in ensemble.controllers]
        self.applied, self.wanted = ensemble.u0.copy(), ensemble.u0.copy()
        self.readings = np.zeros(len(ensemble.outputs))

    @property
    def states(self) -> np.ndarray:
        """Return the states of all controllers."""
        return np.concatenate([loop.state for loop in self.loops])

    def promises(self) -> list[ControllerCheck]:
        """Return the checks of all controllers."""
        return [each for loop in self.loops for each in loop.controller.promises(loop.memory)]

    def sample(self, tick: int, y: np.ndarray) -> None:
        """Run the controllers that are due, given all present outputs: changes `applied`, `wanted`, `readings`."""
        passed: dict[str, float] = {}
        place = 0
        for loop, n, read in zip(self.loops, self.ensemble.ticks, self.read, strict=True):
            c = loop.controller
            count = sum(not name.startswith(REFERENCE) for name in c.inputs)
            if tick % n == 0:
                wanted = {k: passed[name] for k, name in enumerate(c.tracked) if name in passed}
                applied = loop.sample(y[read], wanted)
                self.readings[read] = loop.readings
                mine = [not name.startswith(REFERENCE) for name in c.inputs]
                self.applied[place : place + count] = applied[mine]
                self.wanted[place : place + count] = loop.wanted[mine]
            place += count
            passed |= self._references(loop)

    def _references(self, loop: Any) -> dict[str, float]:
        """Return the references that a controller sets for others, by output."""
        names, held = loop.controller.inputs, loop.applied
        return {
            name.removeprefix(REFERENCE): float(value)
            for name, value in zip(names, held, strict=True)
            if name.startswith(REFERENCE)
        }


def _in_order(controllers: list[SampledController]) -> list[SampledController]:
    """Sort controllers after those that set their references; refuse an input set twice, or a missing reference."""
    known: dict[str, SampledController] = {}
    for one in controllers:
        for name in one.inputs:
            if name in known:
                raise OptionError(f"controller: {name!r} is set by two controllers. Let one of them set it.")
            known[name] = one
    tracked = [name for one in controllers for name in one.tracked]
    for name in known:
        output = name.removeprefix(REFERENCE)
        if name.startswith(REFERENCE) and tracked.count(output) != 1:
            kind = "no controller tracks it" if output not in tracked else "several controllers track it"
            raise OptionError(f"controller: {name!r}: {kind}. {nearest(output, tracked) if tracked else ''}")
    ordered: list[SampledController] = []
    left = list(controllers)
    while left:
        ready = [
            one
            for one in left
            if not any(f"{REFERENCE}{name}" in known and known[f"{REFERENCE}{name}"] in left for name in one.tracked)
        ]
        if not ready:
            names = ", ".join(name for one in left for name in one.inputs)
            raise OptionError(f"controller: {names}: they set each other's references in a circle.")
        ordered += ready
        left = [one for one in left if one not in ready]
    return ordered
