"""Several controllers of the same inputs, one of which is in charge: switched by events, or blended over the workspace.

All of them run all the time, and know what was applied: an estimate is ready when its controller takes over, and no
integral winds up meanwhile.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from pliant.control import checks
from pliant.control.controllers.sampled import Memory, Promise, Sample, SampledController
from pliant.errors import OptionError


@dataclass
class Crew:
    """What a combination remembers: the memories of all, what each wanted, who was in charge, what was issued last."""

    memories: list[Memory]
    wanted: list[np.ndarray]
    shares: np.ndarray
    last: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Combined(SampledController):
    """Controllers of the same inputs; what is wanted is the sum of what each wants within its limits, times its share.

    Limits of the controllers hold while they are in charge. Delay, noise and quantisation belong to the whole.
    """

    controllers: tuple[SampledController, ...] = ()

    def __post_init__(self) -> None:
        team = self.controllers
        if len(team) < 2 or not all(isinstance(one, SampledController) for one in team):
            raise OptionError(f"{self.kind}: give two controllers at least.")
        for one in team[1:]:
            if (one.inputs, one.sample_time) != (team[0].inputs, team[0].sample_time):
                raise OptionError(
                    f"{self.kind}: one sets {', '.join(team[0].inputs)} every {team[0].sample_time:g} s, another "
                    f"{', '.join(one.inputs)} every {one.sample_time:g} s. All must set the same, as often."
                )
        for one in team:
            if one.delay or np.any(one.noise) or np.any(one.quantum):
                raise OptionError(
                    f"{self.kind}: {one!r:.80}: give delay, noise and quantisation to the combination, not to a part."
                )
        super().__post_init__()

    @cached_property
    def read(self) -> list[list[int]]:
        """Where the readings of every controller stand among all."""
        return [[self.outputs.index(name) for name in one.outputs] for one in self.controllers]

    @abstractmethod
    def shares(self, time: float, readings: Mapping[str, float], before: np.ndarray) -> np.ndarray:
        """How much each controller counts now, given how much each did."""

    def begin(self) -> Crew:
        """All at their beginnings, the first in charge."""
        count = len(self.controllers)
        memories = [one.begin() for one in self.controllers]
        return Crew(memories, [self.u0.copy()] * count, np.eye(count)[0], self.u0.copy())

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: Crew) -> np.ndarray:
        """What those in charge want."""
        memory.shares = self.shares(time, dict(zip(self.outputs, y.tolist(), strict=True)), memory.shares)
        team = zip(self.controllers, self.read, memory.memories, strict=True)
        memory.wanted = [np.asarray(one.decide(time, y[at], _now(one, time), own), float) for one, at, own in team]
        total = np.zeros(len(self.inputs))
        for one, wanted, share in zip(self.controllers, memory.wanted, memory.shares, strict=True):
            if share:
                reach = one.rate * one.sample_time
                within = np.clip(wanted, memory.last - reach, memory.last + reach)
                total += share * np.clip(within, one.low, one.high)
        return total

    def proceed(self, sample: Sample, memory: Crew) -> None:
        """All go on, knowing what was applied."""
        memory.last = sample.issued
        for k, one in enumerate(self.controllers):
            at, r = self.read[k], _now(one, sample.time)
            mine = sample._replace(readings=sample.readings[at], references=r, wanted=memory.wanted[k])
            one.proceed(mine, memory.memories[k])

    def states(self, memory: Crew) -> np.ndarray:
        """The share of every controller, and their states."""
        own = [one.states(each) for one, each in zip(self.controllers, memory.memories, strict=True)]
        return np.concatenate([memory.shares, *own])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of what `states` returns."""
        number = range(1, len(self.controllers) + 1)
        own = [
            f"controller {k}: {name}" for k, c in zip(number, self.controllers, strict=True) for name in c.state_names
        ]
        return (*(f"share of controller {k}" for k in number), *own)

    def promises(self, memory: Crew) -> Sequence[Promise]:
        """Those of all controllers."""
        return [p for one, own in zip(self.controllers, memory.memories, strict=True) for p in one.promises(own)]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Switched(Combined):
    """One controller in charge at a time; `switched` makes it."""

    choose: Callable[[float, Mapping[str, float], int], int] = field(default=lambda t, readings, present: present)

    def shares(self, time: float, readings: Mapping[str, float], before: np.ndarray) -> np.ndarray:
        """All of it to the one chosen."""
        count = len(self.controllers)
        found = self.choose(time, readings, int(np.argmax(before)))
        if isinstance(found, bool) or not isinstance(found, int | np.integer) or not 0 <= found < count:
            raise OptionError(
                f"choose returned {found!r}; it must return the number of a controller, 0 to {count - 1}."
            )
        return np.eye(count)[found]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Scheduled(Combined):
    """Controllers of operating points, blended in between; `scheduled` makes it."""

    by: str = ""
    points: tuple[float, ...] = ()

    def shares(self, time: float, readings: Mapping[str, float], before: np.ndarray) -> np.ndarray:
        """Linear between the two nearest points; beyond the first and the last, theirs."""
        return np.array([np.interp(readings[self.by], self.points, unit) for unit in np.eye(len(self.points))])


def switched(
    controllers: Sequence[SampledController],
    *,
    choose: Callable[[float, Mapping[str, float], int], int],
    watch: Sequence[str] = (),
) -> Switched:
    """Controllers that take turns: swing up, then balance; approach, then hold.

    controllers  with the same inputs and sample time; the first is active at the start. Each has its own references and
                 limits, which apply while it is active
    choose       ``(t, readings, present) -> number`` of the controller that is active from this sample on, from the
                 readings and the number of the present one. To avoid chattering, make the condition to leave a
                 controller wider than the one to enter it
    watch        outputs that choose reads, besides those of the controllers

    The result holds the share of every controller at every sample (`run.estimate`).

    >>> import pliant as pl
    >>> push = pl.FunctionController(
    ...     function=lambda t, y: 3.0, inputs=("motor/torque",), outputs=("angle:arm",), sample_time=0.01
    ... )
    >>> gains = {"motor/torque": {"angle:arm": 60.0, "angular_velocity:arm": 8.0}}
    >>> hold = pl.Controller.proportional(gains, sample_time=0.01, output_values={"angle:arm": -1.0})
    >>> turns = switched([push, hold], choose=lambda t, y, present: 1 if present or y["angle:arm"] > -1.2 else 0)
    >>> from pliant_gallery.examples import driven_pendulum
    >>> run = pl.transient(pl.compile(driven_pendulum()), end_time=1.0, step=5e-3, controller=turns)
    >>> run.estimate.sel(controller_state="share of controller 2").values[[0, -1]].tolist()
    [0.0, 1.0]
    """
    if not callable(choose):
        raise OptionError(f"switched: choose={choose!r:.60}: give a function (t, readings, present) -> number.")
    return Switched(**_shared("switched", controllers, watch), choose=choose)


def scheduled(controllers: Sequence[SampledController], *, by: str, at: Sequence[float]) -> Scheduled:
    """Gain scheduling: controllers designed at operating points of the workspace, blended linearly in between.

    controllers  one for each point, with the same inputs and sample time
    by           output that selects the operating point: ``"angle:shoulder"``
    at           its values at the operating points, rising

    Each controller keeps its own estimate, about its own operating point, so their states need not match. Between two
    points the inputs are blended: ``u = (1 - s) u1 + s u2``. The designs do not guarantee stability between the points,
    or in fast motion from one to another: check both.

    >>> import pliant as pl
    >>> soft, firm = (pl.Controller.proportional({"u": {"y": k}}, sample_time=0.1) for k in (1.0, 3.0))
    >>> loop = scheduled([soft, firm], by="y", at=[0.0, 1.0])
    >>> loop.decide(0.0, np.array([0.5]), np.zeros(0), loop.begin())
    array([-1.])
    """
    points = tuple(checks.number("scheduled", "at", value) for value in at)
    if len(points) != len(controllers) or np.any(np.diff(points) <= 0.0):
        raise OptionError(
            f"scheduled: at={list(at)!r:.60}: give a value for each of {len(controllers)} controllers, rising."
        )
    return Scheduled(**_shared("scheduled", controllers, [by]), by=by, points=points)


def _shared(owner: str, controllers: Sequence[SampledController], watch: Sequence[str]) -> dict[str, Any]:
    """What a combination has from its parts."""
    for one in controllers:
        if not isinstance(one, SampledController):
            raise OptionError(f"{owner}: {one!r:.60} is no controller.")
    if not controllers:
        raise OptionError(f"{owner}: give two controllers at least.")
    read = [name for one in controllers for name in one.outputs]
    first = controllers[0]
    return {
        "controllers": tuple(controllers),
        "inputs": first.inputs,
        "outputs": tuple(dict.fromkeys([*read, *checks.names(owner, "watch", list(watch))])),
        "sample_time": first.sample_time,
        "u0": first.u0,
    }


def _now(one: SampledController, time: float) -> np.ndarray:
    """References of a controller at this instant."""
    return one.reference_table(np.array([time]))[0] + one.r0
