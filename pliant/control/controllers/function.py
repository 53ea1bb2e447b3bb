"""Controller given as a Python function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.control.controllers.sampled import Memory, SampledController
from pliant.errors import OptionError

Decision = Mapping[str, float] | Sequence[float] | np.ndarray | float


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FunctionController(SampledController):
    """A controller given as a function ``(t, readings) -> inputs``, with limits, delay and noise like any other.

    function   readings are a mapping from the names of `outputs` (and "reference of <output>" for tracked ones) to
               numbers; it returns {input: value}, values in the order of `inputs`, or a number for one input
    memory     function that creates the memory of one motion; `function` is then called ``(t, readings, memory)``

    A motion may be computed more than once to estimate its error, so the function must keep its state in `memory` only.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> def hold(t, readings):
    ...     return -20.0 * (readings["angle:arm"] + 1.0) - 4.0 * readings["angular_velocity:arm"]
    >>> law = FunctionController(
    ...     function=hold, inputs=("motor/torque",), outputs=("angle:arm", "angular_velocity:arm"), sample_time=0.01
    ... )
    >>> run = pl.transient(pl.compile(driven_pendulum()), end_time=0.2, step=0.01, controller=law.limited(high=5.0))
    >>> run.applied.sizes["sample"], bool(run.applied.max() <= 5.0)
    (20, True)
    """

    function: Callable[..., Decision]
    memory: Callable[[], Memory] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for word, value in (("function", self.function), ("memory", self.memory)):
            if not callable(value) and not (word == "memory" and value is None):
                raise OptionError(f"FunctionController: {word}={value!r:.60}: give a function.")

    def begin(self) -> Memory:
        """Return the memory of the function at the start."""
        return None if self.memory is None else self.memory()

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: Memory) -> np.ndarray:
        """Return the inputs from the function, in their order."""
        readings = dict(zip(self.outputs, y.tolist(), strict=True))
        readings |= {f"reference of {name}": value for name, value in zip(self.tracked, r.tolist(), strict=True)}
        found = self.function(time, readings) if self.memory is None else self.function(time, readings, memory)
        if isinstance(found, Mapping):
            if set(found) != set(self.inputs):
                raise OptionError(
                    f"its function returned {', '.join(map(repr, found)) or 'nothing'}; it must return "
                    f"{', '.join(self.inputs)}."
                )
            found = [found[name] for name in self.inputs]
        return np.atleast_1d(np.asarray(found, float))
