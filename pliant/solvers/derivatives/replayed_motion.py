"""Derivatives of a motion with adaptive steps or by Radau IIA, by repetition of its steps with perturbed parameters.

Adaptive steps of a perturbed motion change size by jumps. So the ends t_0 < t_1 < ... of the steps are kept, and the
map from a parameter to the states at these instants is differentiated, with each step solved to rounding: by
differences of fourth order from four such motions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from pliant._frozen import replace
from pliant.errors import OptionError
from pliant.solvers.derivatives.implicit import slope
from pliant.solvers.derivatives.tangent_motion import Differentiated, Sides
from pliant.solvers.radau.stepping import RadauStepping
from pliant.solvers.stepping.alpha_stepping import AlphaStepping, to_rounding
from pliant.solvers.stepping.drivers import Chunk
from pliant.solvers.stepping.methods import Radau5
from pliant.solvers.stepping.motion import Plan
from pliant.solvers.stepping.status import CALM, DONE
from pliant.system.samples import Samples
from pliant.system.state import State

PARTS = (1.0, 0.1, 0.01)  # steps of a parameter, shorter if differences of second order have a large error
MISSED = 1e-3  # of the largest derivative: largest error of second-order differences
SAME = 1e-9  # relative: steps that differ by less are equal
Started = Callable[[Any, State], State]
Starts = Callable[[float], Sequence[State]]


@dataclass(frozen=True)
class ReplayedLine:
    """Derivative of a motion by a parameter, from perturbed motions.

    neighbours  systems at p + k step, k in `implicit.PLACES`
    samples     motion of each
    q           (instants, freedoms) derivatives of coordinates
    error       error of differences of second order, as a part of the largest derivative of a coordinate
    kinks       instants with a large error, however short the step
    """

    neighbours: Sequence[Any]
    samples: Sequence[Samples]
    step: float
    q: np.ndarray
    error: float
    kinks: np.ndarray

    def derivative(self, quantity: Callable[[Any, Samples], Any]) -> Any:
        """Differentiate a quantity that numpy can add."""
        return slope([quantity(*each) for each in zip(self.neighbours, self.samples, strict=True)], self.step)


class Replayed:
    """Motion whose steps can be repeated."""

    def __init__(self, system: Any, begin: State, plan: Plan, started: Started) -> None:
        """Store a motion with step ends ``plan.times``; ``started`` maps the state ``begin`` to the initial one."""
        self.system, self.begin, self.plan, self.started = system, begin, plan, started
        self.time: np.ndarray = np.asarray(plan.times, float)
        self.samples = self.replay(system, begin)
        self.last = self.samples.state(-1)

    def replay(self, system: Any, begin: State) -> Samples:
        """Repeat the steps with a perturbed system."""
        sizes = np.diff(self.time)
        with to_rounding():
            plan = replace(self.plan, step=float(sizes[0]), accuracy=None, every=1, times=None)
            stepping = stepping_of(system, self.started(system, begin), plan, float(sizes[0]))
            record = stepping.records(self.time.size)
            stepping.keep(record)
            for _, group in groupby(range(sizes.size), lambda k: round(float(np.log(sizes[k])) / SAME)):
                places = list(group)
                grid = self.time[places[0] : places[-1] + 2]
                h, count = float(grid[-1] - grid[0]) / len(places), len(places)
                stepping.resize(h)
                signals = stepping.signals(np.append((grid[:-1, None] + h * stepping.nodes).ravel(), grid[-1]))
                status, done = stepping.advance(Chunk(signals, h, count, places[0], 1, float(grid[-1])), record)
                if status not in (DONE, CALM) or done != count:
                    raise OptionError(
                        f"sensitivity: the step of {system.model.name!r} from t = {stepping.time:.6g} s on cannot be "
                        f"repeated ({stepping.reasons.get(status, status)}). Give a smaller step= or accuracy=."
                    )
            stepping.complete(record)
            return Samples.along(replace(stepping.motion(record), time=self.time), system.size)

    def line(self, sides: Sides, starts: Starts) -> ReplayedLine:
        """Return the derivative by a parameter, from systems at `implicit.PLACES` times a part of the usual step, and
        the states that their motions are given.
        """
        unit = self.system.weight
        for part in PARTS:
            neighbours, step = sides(part)
            runs = [self.replay(*each) for each in zip(neighbours, starts(part), strict=True)]
            pairs = (zip(self.samples.q, run.q, strict=True) for run in runs)
            ways = [np.array([self.system.apart(*each) for each in both]) for both in pairs]
            q = np.asarray(slope(ways, step))
            most = float(np.max(np.abs(q) * unit, initial=0.0)) or 1.0
            missed = np.max(np.abs(q - slope(ways[1:3], step)) * unit, axis=1, initial=0.0) / most
            if np.max(missed) <= MISSED:
                break
        return ReplayedLine(neighbours, runs, step, q, float(np.max(missed)), self.time[missed > MISSED])


Followed: TypeAlias = Differentiated | Replayed  # a motion with perturbed copies


def stepping_of(system: Any, start: State, plan: Plan, first: float) -> AlphaStepping:
    """Return the stepper of a plan for a system."""
    return (RadauStepping if isinstance(plan.method, Radau5) else AlphaStepping)(system, start, plan, first)
