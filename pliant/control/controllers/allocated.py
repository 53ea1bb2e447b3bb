"""Allocation inside the loop: actuators within bounds produce the wrench that a controller wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.control.checks import PerActuator, PerName
from pliant.control.controllers.sampled import ControllerCheck, Memory, Sample, SampledController
from pliant.control.design.allocation import WrenchMap, allocate
from pliant.errors import OptionError

REACHED = 1e-9  # tolerance relative to the wrench


@dataclass
class AllocationMemory:
    """Memory of the wrench controller, the wrench it wanted, and the missing share of all wrenches."""

    own: Memory
    wanted: np.ndarray
    missing: float = 0.0
    samples: int = 0
    short: int = 0


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AllocatedController(SampledController):
    """A controller of a wrench whose actuators share it at every sample, within their bounds; `allocated` makes it."""

    controller: SampledController
    map: WrenchMap
    weights: PerActuator = 1.0
    wrench_weights: PerActuator = 1.0

    def begin(self) -> AllocationMemory:
        """Return the memory of the wrench controller at the start."""
        return AllocationMemory(self.controller.begin(), self.controller.u0.copy())

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: AllocationMemory) -> np.ndarray:
        """Return actuator forces that make the wrench, or the nearest one within their bounds."""
        one = self.controller
        memory.wanted = np.clip(np.asarray(one.decide(time, y, r, memory.own), float), one.low, one.high)
        found = allocate(
            self.map.matrix @ self.map.values + memory.wanted,
            self.map,
            lower=self.low,
            upper=self.high,
            weights=self.weights,
            wrench_weights=self.wrench_weights,
        )
        memory.samples, memory.short = memory.samples + 1, memory.short + (not found.feasible)
        memory.missing = float(np.linalg.norm(found.missing))
        return found.values

    def proceed(self, sample: Sample, memory: AllocationMemory) -> None:
        """Pass the applied wrench to the wrench controller."""
        made = [self.map.matrix @ (u - self.map.values) for u in (sample.issued, sample.applied)]
        self.controller.proceed(sample._replace(wanted=memory.wanted, issued=made[0], applied=made[1]), memory.own)

    def states(self, memory: AllocationMemory) -> np.ndarray:
        """Return the missing wrench, and the states of the wrench controller."""
        return np.concatenate([[memory.missing], self.controller.states(memory.own)])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of what `states` returns."""
        return ("wrench missing", *self.controller.state_names)

    def promises(self, memory: AllocationMemory) -> Sequence[ControllerCheck]:
        """Return the check that the wrench is made at most samples."""
        short, advice = memory.short / max(memory.samples, 1), "The actuators are too weak for the wrench wanted."
        return (
            *self.controller.promises(memory.own),
            ControllerCheck("allocation: samples at which the wrench was out of reach", short, 0.5, "of all", advice),
        )


def allocated(
    controller: SampledController,
    map: WrenchMap,
    *,
    lower: PerName = 0.0,
    upper: PerName = np.inf,
    weights: PerActuator = 1.0,
    wrench_weights: PerActuator = 1.0,
) -> AllocatedController:
    """Wrap a controller whose inputs are components of a wrench: at every sample, `allocate` finds the actuator forces
    within bounds.

    controller      sets the components of the map, as deviations from the operating point; for example `lqg` for
                    ``platform_model(...).linear``
    map             of `platform_model`, or any `WrenchMap`
    lower, upper    bounds of the actuators, for all or by name; tendons pull, so lower is 0 unless given
    weights, wrench_weights   as in `allocate`

    If the bounds do not allow the wrench it wants, the controller is given the wrench that was applied, for its
    estimate and its integrals.

    >>> import pliant as pl
    >>> pull = pl.WrenchMap(("F",), ("left", "right"), np.array([[-1.0, 1.0]]), np.array([5.0, 5.0]))
    >>> hold = pl.Controller.proportional({"F": {"place": 10.0}}, sample_time=0.01)
    >>> shared = allocated(hold, pull, upper=8.0)
    >>> shared.decide(0.0, np.array([-0.4]), np.zeros(1), shared.begin()).round(9)
    array([3., 7.])
    """
    if not isinstance(controller, SampledController) or controller.inputs != map.components:
        raise OptionError(
            f"allocated: give a controller that sets {', '.join(map.components)}, the components of the map."
        )
    if np.any(controller.u0) or controller.delay or np.any(controller.noise) or np.any(controller.quantum):
        raise OptionError(
            "allocated: the controller of the wrench acts on deviations (u0 = 0); give delay, noise and quantisation "
            "to the result."
        )
    made = AllocatedController(
        controller=controller,
        map=map,
        weights=weights,
        wrench_weights=wrench_weights,
        inputs=map.actuators,
        outputs=controller.outputs,
        sample_time=controller.sample_time,
        tracked=controller.tracked,
        references=controller.references,
        r0=controller.r0,
        u0=map.values,
    )
    bounds = {"low": lower, "high": upper}
    return made.limited(**{key: value for key, value in bounds.items() if not _infinite(value)})


def _infinite(value: PerName) -> bool:
    """Return whether there is no bound."""
    return isinstance(value, float) and np.isinf(value)
