"""Loop: a controller in plain Python, on given readings and on a linear model.

The compiled time loop is checked against it, and it is the linear half of comparisons.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.control import checks
from pliant.control.checks import StartOfStates
from pliant.control.controllers.sampled import Sample, SampledController
from pliant.control.models.sampling import sample_matrices
from pliant.errors import ConvergenceError, OptionError

if TYPE_CHECKING:
    import xarray as xr

    from pliant.control.models.linear_model import LinearModel

LARGEST = 1e100  # limit of a state in a simulation


class Loop:
    """The memory of a controller between samples; see `SampledController` for the equations.

    >>> from pliant.control.controllers.controller import Controller
    >>> hold = Controller.proportional({"motor/torque": {"angle:arm": 5.0}}, sample_time=0.1).limited(rate=10.0)
    >>> loop = Loop(hold, samples=2)
    >>> [loop.sample(np.array([-1.0])).tolist() for _ in range(2)]
    [[1.0], [2.0]]
    """

    def __init__(self, controller: SampledController, *, samples: int, start_time: float = 0.0) -> None:
        self.controller, self.memory = controller, controller.begin()
        self.wanted = controller.u0.copy()
        self.issued = controller.u0.copy()
        self.applied = controller.u0.copy()
        self.readings = np.zeros(len(controller.outputs))
        self.waiting = deque([controller.u0] * controller.delay)
        times = start_time + controller.sample_time * np.arange(samples)
        self._coming = zip(
            times.tolist(),
            controller.noise_table(samples),
            controller.reference_table(times) + controller.r0,
            strict=True,
        )

    @property
    def state(self) -> np.ndarray:
        """Return the states of the controller's memory by name."""
        return self.controller.states(self.memory)

    def sample(self, y: np.ndarray, references: Mapping[int, float] | None = None) -> np.ndarray:
        """Return the inputs applied from now on, given the present outputs; references may be replaced, by number."""
        c = self.controller
        time, noise, r = next(self._coming)
        for k, value in (references or {}).items():
            r[k] = value
        self.readings = quantised(y + noise, c.quantum)
        self.wanted = _numbers(c, time, c.decide(time, self.readings, r, self.memory))
        reach = c.rate * c.sample_time
        within = np.clip(self.wanted, self.issued - reach, self.issued + reach)
        self.issued = np.clip(within, c.low, c.high)
        self.waiting.append(self.issued)
        self.applied = self.waiting.popleft()
        c.proceed(Sample(time, self.readings, r, self.wanted, self.issued, self.applied), self.memory)
        return self.applied


def _numbers(controller: SampledController, time: float, wanted: Any) -> np.ndarray:
    """Return the wanted inputs as finite numbers."""
    try:
        found = np.asarray(wanted, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (len(controller.inputs),) or not np.all(np.isfinite(found)):
        raise OptionError(
            f"it returned {wanted!r:.80} at t = {time:g} s; it must return {len(controller.inputs)} finite numbers, "
            f"for {', '.join(controller.inputs)}."
        )
    return found


def quantised(y: np.ndarray, quantum: np.ndarray) -> np.ndarray:
    """Round to whole steps, where a step is given; halves go to the even neighbour."""
    coarse = quantum > 0.0
    step = np.where(coarse, quantum, 1.0)
    return np.where(coarse, step * np.round(y / step), y)


def simulate(
    controller: SampledController, model: LinearModel, *, end_time: float, start: StartOfStates = None
) -> xr.Dataset:
    """Simulate the linear closed loop at the samples, from a deviation of the model's states (by name, or all of them).

    y         all outputs of the model, read just before the inputs change
    u, wanted inputs applied from then on, and inputs that the controller wanted
    x         states of the model; ``estimate``: of the controller
    """
    import xarray as xr

    owner = "Controller.simulate"
    checks.linear(owner, model)
    T = controller.sample_time
    A, B = sample_matrices(model, T, owner)
    u_at = checks.positions(owner, "inputs", controller.inputs, model.input_names)
    y_at = checks.positions(owner, "outputs", controller.outputs, model.output_names)
    samples = 1 + math.ceil(checks.positive(owner, "end_time", end_time) / T - 1e-9)
    x = _deviation(owner, start, model.state_names)
    u = np.array(model.input_values, float)
    loop = Loop(controller, samples=samples)
    record: dict[str, list[np.ndarray]] = {name: [] for name in ("y", "u", "wanted", "x", "estimate")}
    for _ in range(samples):
        y = model.output_values + model.C @ x + model.D @ (u - model.input_values)
        estimate = loop.state.copy()
        u = u.copy()
        u[u_at] = loop.sample(y[y_at])
        for name, value in zip(record, (y, u[u_at], loop.wanted, x, estimate), strict=True):
            record[name].append(value)
        x = A @ x + B @ (u - model.input_values)
        if not np.max(np.abs(x)) < LARGEST:
            raise ConvergenceError(
                f"{owner}: the closed loop is unstable: at t = {T * len(record['x']):g} s a state passed {LARGEST:g}. "
                "Look at its poles: pl.spillover."
            )
    across = {"y": "output", "u": "input", "wanted": "input", "x": "state", "estimate": "controller_state"}
    return xr.Dataset(
        {name: (("time", across[name]), np.array(values)) for name, values in record.items()},
        coords={
            "time": T * np.arange(samples),
            "output": list(model.output_names),
            "input": list(controller.inputs),
            "state": list(model.state_names),
            "controller_state": list(controller.state_names),
        },
    )


def _deviation(owner: str, start: Any, states: Any) -> np.ndarray:
    """Return the deviation of the states at the start: none, some by name, or all."""
    zero = np.zeros(len(states))
    if start is None or isinstance(start, Mapping):
        return checks.per_name(owner, "start", start, states, zero)
    x = np.array(start, dtype=float)
    if x.shape != zero.shape or not np.all(np.isfinite(x)):
        raise OptionError(f"{owner}: start={start!r:.60}: give {zero.size} finite numbers, or some by name of state.")
    return x
