"""Goals: one number of a whole motion, computed from its variables at every instant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import OptionError, nearest
from pliant.results import Result
from pliant.results.quantities import quantity
from pliant.system.capabilities import Compiled

OVER = ("end", "mean", "integral", "largest", "smallest")


@dataclass(frozen=True)
class Goal:
    """A number computed from a motion; `sensitivity` can differentiate it by many parameters at the cost of a few.

    of    name of a quantity, ``"position:beam/tip:y"``, or a function of system and motion that returns one number for
          every instant; each number may depend on that instant only
    over  how these are combined: "end" (the last), "mean", "integral" (over time, by the trapezoidal rule), "largest"
          or "smallest"

    >>> import pliant as pl
    >>> m = pl.Model("slide")
    >>> ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=2.0, inertia=1.0, position=(1.1, 0.0), angle=0.0))
    >>> k = pl.Parameter("k", 50.0)
    >>> parts = m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.0))
    >>> system = pl.compile(m)
    >>> run = pl.transient(system, end_time=0.5, step=0.01)
    >>> mean = pl.Goal("position:slide(0, 0):x", over="mean")
    >>> found = pl.sensitivity(system, run, of={"mean": mean}, adjoint=True)
    >>> round(float(found.value["mean"]), 4), f"{float(found.derivative['mean'][0]):.3g}"
    (1.0237, '-0.00103')
    """

    of: str | Callable[[Compiled, Result], ArrayLike]
    over: str = "end"

    def __post_init__(self) -> None:
        if not (callable(self.of) or isinstance(self.of, str)):
            raise OptionError(
                f"Goal: of={self.of!r:.60} is neither the name of a quantity nor a function of system and motion."
            )
        if self.over not in OVER:
            raise OptionError(f"Goal: over={self.over!r} is not known. {nearest(str(self.over), OVER)}")

    def __call__(self, system: Compiled, run: Result) -> float:
        """Return the number."""
        values = self.values(system, run)
        return float(self.weights(values, run.time.values) @ values)

    def held(self, system: Compiled, run: Result) -> Callable[[Compiled, Result], float]:
        """Return the number as a function of neighbouring motions, with the present weights of the instants: the
        instant of the largest value does not change.
        """
        weights = self.weights(self.values(system, run), run.time.values)
        return lambda system, run: float(weights @ self.values(system, run))

    def values(self, system: Compiled, run: Result) -> np.ndarray:
        """Return one number for each instant."""
        found = np.asarray(self.of(system, run) if callable(self.of) else quantity(run, self.of).values, float)
        if found.shape != run.time.shape:
            raise OptionError(
                f"Goal: {self.of!r:.60} has the shape {found.shape}; give one number for each of the {run.time.size} "
                "instants."
            )
        return found

    def weights(self, values: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the weight of each instant."""
        found = np.zeros(times.size)
        if self.over == "mean":
            found[:] = 1.0 / times.size
        elif self.over == "integral":
            found[:-1] = 0.5 * np.diff(times)
            found[1:] += 0.5 * np.diff(times)
        else:
            at = {"end": -1, "largest": int(np.argmax(values)), "smallest": int(np.argmin(values))}
            found[at[self.over]] = 1.0
        return found
