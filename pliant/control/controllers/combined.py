"""Combination of controllers of the same inputs: switched by events, or blended over the workspace.

All of them run all the time, and receive the applied inputs: an estimate is ready when its controller takes over, and
no integral winds up meanwhile.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from pliant.control import checks
from pliant.control.controllers.sampled import ControllerCheck, Memory, Sample, SampledController
from pliant.errors import OptionError


@dataclass
class CombinedMemory:
    """Memory of a combination: of all controllers, the inputs each wanted, the active one, the inputs issued last."""

    memories: list[Memory]
    wanted: list[np.ndarray]
    shares: np.ndarray
    last: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Combined(SampledController):
    """Controllers of the same inputs; the input is the sum of their limited inputs times their shares.

    Limits of the controllers hold while they are active. Delay, noise and quantisation belong to the combination.
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
        """Return the places of every controller's readings among all."""
        return [[self.outputs.index(name) for name in one.outputs] for one in self.controllers]

    @abstractmethod
    def shares(self, time: float, readings: Mapping[str, float], before: np.ndarray) -> np.ndarray:
        """Return the present share of every controller, given the previous shares."""

    def begin(self) -> CombinedMemory:
        """Return the memories of all controllers at the start, the first active."""
        count = len(self.controllers)
        memories = [one.begin() for one in self.controllers]
        return CombinedMemory(memories, [self.u0.copy()] * count, np.eye(count)[0], self.u0.copy())

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: CombinedMemory) -> np.ndarray:
        """Return the inputs of the active controllers."""
        memory.shares = self.shares(time, dict(zip(self.outputs, y.tolist(), strict=True)), memory.shares)
        team = zip(self.controllers, self.read, memory.memories, strict=True)
        memory.wanted = [
            np.asarray(one.decide(time, y[at], _references(one, time), own), float) for one, at, own in team
        ]
        total = np.zeros(len(self.inputs))
        for one, wanted, share in zip(self.controllers, memory.wanted, memory.shares, strict=True):
            if share:
                reach = one.rate * one.sample_time
                within = np.clip(wanted, memory.last - reach, memory.last + reach)
                total += share * np.clip(within, one.low, one.high)
        return total

    def proceed(self, sample: Sample, memory: CombinedMemory) -> None:
        """Update all controllers with the applied inputs."""
        memory.last = sample.issued
        for k, one in enumerate(self.controllers):
            at, r = self.read[k], _references(one, sample.time)
            mine = sample._replace(readings=sample.readings[at], references=r, wanted=memory.wanted[k])
            one.proceed(mine, memory.memories[k])

    def states(self, memory: CombinedMemory) -> np.ndarray:
        """Return the share of every controller, and their states."""
        own = [one.states(each) for one, each in zip(self.controllers, memory.memories, strict=True)]
        return np.concatenate([memory.shares, *own])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of what `states` returns."""
        number = range(1, len(self.controllers) + 1)
        own = [
            f"controller {k}: {name}" for k, c in zip(number, self.controllers, strict=True) for name in c.state_names
        ]
        return (*(f"share of controller {k}" for k in number), *own)

    def promises(self, memory: CombinedMemory) -> Sequence[ControllerCheck]:
        """Return the checks of all controllers."""
        return [p for one, own in zip(self.controllers, memory.memories, strict=True) for p in one.promises(own)]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Switched(Combined):
    """One controller in charge at a time; `switched` makes it."""

    choose: Callable[[float, Mapping[str, float], int], int] = field(default=lambda t, readings, present: present)

    def shares(self, time: float, readings: Mapping[str, float], before: np.ndarray) -> np.ndarray:
        """Give the chosen controller the whole share."""
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
        """Interpolate linearly between the two nearest points; constant beyond the first and the last."""
        return np.array([np.interp(readings[self.by], self.points, unit) for unit in np.eye(len(self.points))])


def switched(
    controllers: Sequence[SampledController],
    *,
    choose: Callable[[float, Mapping[str, float], int], int],
    watch: Sequence[str] = (),
) -> Switched:
    """Combine controllers that take turns: swing up, then balance; approach, then hold.

    controllers  with the same inputs and sample time; the first is active at the start. Each has its own references and
                 limits, which apply while it is active
    choose       ``(t, readings, present) -> number`` of the controller that is active from this sample on, from the
                 readings and the number of the present one. To avoid chattering, make the condition to leave a
                 controller wider than the condition to enter it
    watch        further outputs that `choose` reads

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
    return Switched(**_common_arguments("switched", controllers, watch), choose=choose)


def scheduled(controllers: Sequence[SampledController], *, by: str, at: Sequence[float]) -> Scheduled:
    """Schedule gains: blend controllers designed at operating points of the workspace linearly in between.

    controllers  one for each point, with the same inputs and sample time
    by           output that determines the operating point: ``"angle:shoulder"``
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
    return Scheduled(**_common_arguments("scheduled", controllers, [by]), by=by, points=points)


def _common_arguments(owner: str, controllers: Sequence[SampledController], watch: Sequence[str]) -> dict[str, Any]:
    """Return names and arrays of a combination, from its controllers."""
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


def _references(one: SampledController, time: float) -> np.ndarray:
    """Return the references of a controller at this instant."""
    return one.reference_table(np.array([time]))[0] + one.r0
