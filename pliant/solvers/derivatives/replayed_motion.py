"""Derivatives of a motion whose steps adapt, or by Radau IIA: its steps taken once more beside it, of the same sizes.

Steps that adapt are larger or smaller beside a parameter, by jumps. So their ends are kept as the motion had them,
t_0 < t_1 < ..., and what is differentiated is the map from a parameter to the states at these instants, each step
solved to rounding: by differences of fourth order of four such motions.
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

PARTS = (1.0, 0.1, 0.01)  # steps of a parameter, shorter where differences of second order miss much
MISSED = 1e-3  # of the largest derivative: what these may miss
SAME = 1e-9  # relative: steps that differ by less are equal
Started = Callable[[Any, State], State]
Starts = Callable[[float], Sequence[State]]


@dataclass(frozen=True)
class ReplayedLine:
    """The derivative of a motion by a parameter, from motions beside it.

    neighbours  systems at p + k step, k of `implicit.PLACES`
    samples     of each, its motion
    q           (instants, freedoms) derivatives of coordinates
    error       what differences of second order miss, as a part of the largest derivative of a coordinate
    kinks       instants at which that is much, however short the step
    """

    neighbours: Sequence[Any]
    samples: Sequence[Samples]
    step: float
    q: np.ndarray
    error: float
    kinks: np.ndarray

    def derivative(self, quantity: Callable[[Any, Samples], Any]) -> Any:
        """Of a quantity that numpy can add up."""
        return slope([quantity(*each) for each in zip(self.neighbours, self.samples, strict=True)], self.step)


class Replayed:
    """A motion whose steps are taken once more."""

    def __init__(self, system: Any, begin: State, plan: Plan, started: Started) -> None:
        """``plan.times``: the ends of all steps. ``started`` makes of the state that a motion is given, ``begin``, that
        which it begins with.
        """
        self.system, self.begin, self.plan, self.started = system, begin, plan, started
        self.time: np.ndarray = np.asarray(plan.times, float)
        self.samples = self.replay(system, begin)
        self.last = self.samples.state(-1)

    def replay(self, system: Any, begin: State) -> Samples:
        """The same steps of a system beside this one."""
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
        """The derivative by a parameter, from systems at `implicit.PLACES` times a part of the usual step, and states
        that their motions are given.
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


Followed: TypeAlias = Differentiated | Replayed  # a motion that is followed beside a parameter


def stepping_of(system: Any, start: State, plan: Plan, first: float) -> AlphaStepping:
    """The method of a plan at work on a system."""
    return (RadauStepping if isinstance(plan.method, Radau5) else AlphaStepping)(system, start, plan, first)
