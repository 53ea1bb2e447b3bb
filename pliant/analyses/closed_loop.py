"""A controller made ready for the compiled time loop, and what it did made ready for the result."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from pliant.control.controller import Controller
from pliant.control.outputs import Outputs
from pliant.errors import OptionError, nearest
from pliant.model.signals import Table
from pliant.solvers.sampling import Law, Sampler
from pliant.system.capabilities import HasSampling


class ClosedLoop:
    """A controller at work on a system, from one instant to another.

    Its inputs are no longer constant, so that their loads have no potential: ``system`` is the one that knows it.
    """

    def __init__(
        self, system: HasSampling, controller: Controller, begin: float, end: float, step: float | None
    ) -> None:
        self.controller, self.begin, self.end = controller, begin, end
        self.system = _driven(system, controller)
        self.step = _step(controller, controller.sample_time if step is None else step, end - begin)
        self.sampler = _sampler(self.system, controller, begin, end, self.step)

    def signals(self, times: np.ndarray) -> np.ndarray:
        """All signals at these instants, those set by the controller as they were in the step before each."""
        u = self.system.signals(times)
        u[:, self.sampler.signals] = self.sampler.held(times, self.begin, self.end)
        return u

    @property
    def quantised(self) -> bool:
        """Whether outputs are rounded: other steps then read another quantum here and there, and their motion differs
        by as much, however small they are.
        """
        return bool(np.any(self.sampler.law.quantum > 0.0))

    def distance(self, other: ClosedLoop) -> float:
        """Largest difference of what two loops applied, as a part of its range."""
        count = min(int(loop.sampler.taken[0]) for loop in (self, other))
        one, two = self.sampler.sent[:count], other.sampler.sent[:count]
        wide = np.maximum(np.max(one, axis=0) - np.min(one, axis=0), 1e-300)
        return float(np.max(np.where(one == two, 0.0, np.abs(one - two) / wide), initial=0.0))

    def variables(self) -> dict[str, Any]:
        """What was read and applied, sample by sample: variables and coordinates of a dataset."""
        count = int(self.sampler.taken[0])
        return {
            "measured": (("sample", "output"), self.sampler.measured[:count]),
            "applied": (("sample", "input"), self.sampler.sent[:count]),
            "sample": self.begin + self.controller.sample_time * np.arange(count),
            "output": list(self.controller.outputs),
            "input": list(self.controller.inputs),
        }


def _step(controller: Controller, step: float, duration: float) -> float:
    """The largest step up to ``step`` that divides the sample time; the motion must last a whole number of samples."""
    period = controller.sample_time
    samples = duration / period
    if abs(samples - round(samples)) > 1e-6 or round(samples) < 1:
        raise OptionError(
            f"end_time: the motion lasts {duration:g} s, which is not a whole number of samples of {period:g} s. Let "
            f"it last {max(1, round(samples)) * period:g} s, or choose another sample_time of the controller."
        )
    return period / ceil(period / step * (1.0 - 1e-9))


def _driven(system: HasSampling, controller: Controller) -> HasSampling:
    names = system.signal_names
    for name in controller.inputs:
        if name not in names:
            raise OptionError(f"controller: there is no signal {name!r} to set. {nearest(name, names)}")
        if system.signal_number(name) in system.driving:
            raise OptionError(
                f"controller: {name!r} drives a joint; a controller sets forces, torques, tensions and rest lengths. "
                "Use a Motor or a Tendon instead of a Motion."
            )
    held = {name: Table((0.0, 1.0), (u, u)) for name, u in zip(controller.inputs, controller.u0.tolist(), strict=True)}
    return system.with_signals(held)


def _sampler(system: HasSampling, c: Controller, begin: float, end: float, step: float) -> Sampler:
    """The controller as arrays, with its sensors found in the system."""
    period = c.sample_time
    samples = round((end - begin) / period) + 1
    matrices = (c.A, c.Bu, c.By, c.Br, c.Bw, c.C, c.Dy, c.Dr)
    return Sampler(
        period=round(period / step),
        signals=np.array([system.signal_number(name) for name in c.inputs], np.uint32),
        sensors=system.sensors(c.outputs, Outputs(system.observer(), c.outputs).terms),
        law=Law(*matrices, c.u0, c.y0, c.low, c.high, c.rate * period, c.quantum),
        noise=c.noise_table(samples),
        aims=c.reference_table(begin + period * np.arange(samples)),
        x=np.zeros(len(c.state_names)),
        ahead=np.zeros(len(c.state_names)),
        wanted=c.u0.copy(),
        issued=c.u0.copy(),
        applied=c.u0.copy(),
        queue=np.tile(c.u0, (c.delay + 1, 1)),
        measured=np.zeros((samples, len(c.outputs))),
        sent=np.zeros((samples, len(c.inputs))),
        taken=np.zeros(1, np.int64),
    )
