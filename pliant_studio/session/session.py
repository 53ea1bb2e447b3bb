"""A session of the studio without its page: sliders in, equilibrium, modes and motion out.

A slider that drives signals moves along the path of equilibria (`pl.path`) from where the mechanism is. Where that path
folds back (a limit point) there is nothing to follow: the mechanism snaps, sliding downhill to the next equilibrium
(`pl.statics` from the fold), and goes on from there. Where it becomes unstable at a bifurcation, it takes the branch.
The page reports both.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import ceil, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from pliant.analyses.modes.modal import modal
from pliant.analyses.motion.transient import transient
from pliant.analyses.statics.path import branch, path
from pliant.analyses.statics.statics import statics
from pliant.errors import ConvergenceError, OptionError, PliantError, PliantWarning, nearest
from pliant.results import Result
from pliant.results.drawing.pictured import result_to_draw
from pliant.results.drawing.scene import extent
from pliant_studio.session.mechanism import Mechanism, Release, Slider, Values, compiled

STEP = 0.5
"""Longest step of a path, as `pl.path` counts: few points, for a slider asks often."""

PIECES = 5
"""An option goes over its whole range in at least so many steps."""

JUMP = 0.15
"""Moving by this share of the extent in one such step is a snap, if it stays so large in smaller steps."""

HALVINGS = 5
"""Of a step in which a mechanism moves far."""

MOST_EVENTS = 8
MOST_UNDONE = 50
BEYOND = 1e-3
"""Just beyond an event: this share of a slider's range."""

SNAPPED, BRANCHED, TOPPLED, FOLLOWED, CHANGED = "snapped", "branched", "toppled", "followed", "changed"


class Step(NamedTuple):
    """One move of a slider, for the script: from one value to another (SI units), and its outcome."""

    name: str
    begin: float
    to: float
    how: str


@dataclass(frozen=True)
class Notice:
    """Outcome of a move in words; `severe`: more than a small move should cause."""

    text: str = ""
    severe: bool = False


class Session:
    """A mechanism in equilibrium, and the steps that led there.

    reads    the readings, at first the readings of the mechanism
    trouble  reason why no equilibrium was found; `rest` is then the mechanism as assembled

    >>> from pliant_studio.session.mechanism import mechanism
    >>> leg = Session(mechanism("leg"))
    >>> bool(leg.set("tendon_rest_length", 0.2).severe), leg.stable
    (False, True)
    >>> leg.set("tendon_rest_length", 0.3).text.split(":")[0]
    'snap'
    """

    def __init__(self, mechanism: Mechanism, values: Values | None = None) -> None:
        self.mechanism = mechanism
        self.values: Values = mechanism.values | (values or {})
        self.begin = dict(self.values)
        self.steps: list[Step] = []
        self.past: list[dict[str, Any]] = []
        self.reads = list(mechanism.readings)
        self.system = self.built(self.values)
        self.trouble = ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # the page shows the stability
            try:
                self.rest: Result = mechanism.rest(self.system, self.values)
            except PliantError as error:
                self.trouble, self.rest = str(error), result_to_draw(self.system)

    @property
    def stable(self) -> bool | None:
        """Return whether the equilibrium is stable; None if not determined."""
        found = self.rest.outcome.figures.get("stable")
        return None if found is None else bool(found)

    def readings(self) -> dict[str, float]:
        """Return the readings of the equilibrium, in the units shown, by label."""
        return {reading.label: float(reading.of(self.rest)) for reading in self.reads}

    @property
    def choices(self) -> list[str]:
        """Return the possible releases."""
        return list(self.mechanism.releases)

    def set(self, name: str, value: float) -> Notice:
        """Move one slider to a value in SI units. On an error the session stays unchanged."""
        slider = self.mechanism.slider(name)
        before = self.values[name]
        value = slider.si(slider.shown(value))
        if value == before:
            return Notice()
        kept = self._kept()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)  # the page shows the stability
                notice = self._move(slider, before, value)
        except BaseException:
            self.__dict__.update(kept)
            raise
        self.past = [*self.past, kept][-MOST_UNDONE:]
        return notice

    def undo(self) -> Notice:
        """Undo the last move, if any."""
        if self.past:
            *past, kept = self.past
            self.__dict__.update(kept, past=past)
        return Notice()

    def restart(self) -> Notice:
        """Reset every slider and the equilibrium."""
        kept = self._kept()
        self._take(Session(self.mechanism))
        self.past = [*self.past, kept][-MOST_UNDONE:]
        return Notice()

    def modes(self) -> Result:
        """Compute the lowest modes about the equilibrium, with its drives held, that the mesh resolves."""
        return modal(self.system, at=self.rest)

    def release(self, end_time: float | None = None, *, choice: str | None = None) -> Result:
        """Compute the motion after releasing the mechanism, in one of the possible ways."""
        chosen = self.choices[0] if choice is None else choice
        if chosen not in self.choices:
            raise OptionError(f"{self.mechanism.name}: {chosen!r} cannot be done. {nearest(chosen, self.choices)}")
        let_go: Release = self.mechanism.release(self.system, self.rest, self.values, chosen)
        return transient(
            let_go.system,
            start=None if self.trouble else let_go.start,
            end_time=self.mechanism.end_time if end_time is None else end_time,
            step=self.mechanism.step,
            controller=let_go.controller,
            partial=True,
        )

    def _kept(self) -> dict[str, Any]:
        """Return the state that a move changes."""
        return {**self.__dict__, "steps": list(self.steps)}

    def _move(self, slider: Slider, before: float, value: float) -> Notice:
        if slider.anew or self.trouble:
            return self._again({**self.begin, slider.name: value})
        return self._follow(slider, value) if slider.signals else self._bring(slider, before, value)

    def built(self, values: Values) -> Any:
        """Compile the system with these values."""
        return compiled(self.mechanism.model(values), values)

    def _follow(self, slider: Slider, value: float) -> Notice:
        """Follow the path of equilibria, past every place where it folds back or becomes unstable."""
        notices = []
        for _ in range(MOST_EVENTS):
            begin = self.values[slider.name]
            walked = self._walk(slider, self.system, begin, value)
            event = _lost(walked) if self.stable else None
            if event is not None:
                notices.append(self._take_branch(slider, walked, event, value))
            elif _reaches(walked, value):
                self._arrive(slider, value, FOLLOWED, self._driven(slider, value), walked.equilibrium())
                return Notice("; ".join(notices), bool(notices))
            else:
                notices.append(self._snap(slider, walked, value))
            if self.values[slider.name] == value:
                return Notice("; ".join(notices), True)
        raise ConvergenceError(f"{slider.label}: more than {MOST_EVENTS} snaps on the way to {slider.written(value)}.")

    def _walk(self, slider: Slider, system: Any, begin: float, to: float) -> Result:
        return path(system, dict(slider.signals), start=self.rest, begin=begin, to=to, until="limit point", step=STEP)

    def _driven(self, slider: Slider, value: float) -> Any:
        return self.system.with_signals({name: factor * value for name, factor in slider.signals.items()})

    def _take_branch(self, slider: Slider, walked: Result, event: int, value: float) -> str:
        """Take the branch at a bifurcation; if it turns back, fall from there to the next equilibrium."""
        at = float(walked.event_parameter[event])
        left = branch(self.system, walked, event, until="limit point")
        unstable = f"bifurcation: at {slider.written(at)} the path becomes unstable; it"
        if _reaches(left, value):
            self._arrive(slider, value, BRANCHED, self._driven(slider, value), left.equilibrium())
            return f"{unstable} takes a branch"
        beyond = _beyond(slider, at, value)
        system = self._driven(slider, beyond)
        rest = statics(system, start=left.equilibrium())
        if not rest.outcome.figures.get("stable"):
            raise ConvergenceError(
                f"{slider.label}: at {slider.written(at)} the path becomes unstable, and its branch does not lead to "
                f"{slider.written(value)}. Go there in smaller steps, or add a small load, which chooses a side."
            )
        self._arrive(slider, beyond, TOPPLED, system, rest)
        return f"{unstable} fell to the next equilibrium"

    def _snap(self, slider: Slider, walked: Result, value: float) -> str:
        """Slide from the fold of the path downhill to the next equilibrium just beyond."""
        place = turning_point(walked.parameter.values)
        turn = float(walked.parameter[place])
        if not walked.event_kind.size or turn == self.values[slider.name]:
            raise ConvergenceError(f"{slider.label}: the path {walked.outcome.message} at {slider.written(turn)}.")
        beyond, before = _beyond(slider, turn, value), walked.equilibrium(place)
        system = self._driven(slider, beyond)
        rest = statics(system, start=before)
        self._arrive(slider, beyond, SNAPPED, system, rest)
        kind = {point: kind for kind, point in _events(walked)}.get(place, "limit point")
        return (
            f"snap: the path folds back at {slider.written(turn)}; it fell to the next equilibrium"
            if kind == "limit point"
            else f"bifurcation: at {slider.written(turn)} the branch ends on another path"
        )

    def _bring(self, slider: Slider, before: float, value: float) -> Notice:
        """Change an option in small steps, correcting the equilibrium at each."""
        rest, fell, system, begin = self.rest, nan, self.system, before
        for step in self.pieces(slider, before, value):
            system, rest, at = self._carried(slider, rest, begin, step, HALVINGS)
            fell, begin = at if isnan(fell) else fell, step
        self._arrive(slider, value, CHANGED, system, rest)
        if isnan(fell):
            return Notice()
        return Notice(f"snap: near {slider.written(fell)} it fell to another equilibrium", True)

    def _carried(
        self, slider: Slider, rest: Result, begin: float, to: float, halvings: int
    ) -> tuple[Any, Result, float]:
        """Return system and equilibrium at another value of an option, and where it snapped on the way (NaN: nowhere):
        a jump that does not become smaller with smaller steps.
        """
        system = self.built({**self.values, slider.name: to})
        found = statics(system, start=rest)
        moved = float(np.max(np.abs(found.shape.values - rest.shape.values)))
        if moved <= JUMP * extent(rest.shape.values):
            return system, found, nan
        if halvings == 0:
            return system, found, to
        middle = 0.5 * (begin + to)
        _, half, first = self._carried(slider, rest, begin, middle, halvings - 1)
        system, found, second = self._carried(slider, half, middle, to, halvings - 1)
        return system, found, second if isnan(first) else first

    @staticmethod
    def pieces(slider: Slider, before: float, value: float) -> list[float]:
        """Return intermediate values from one to another."""
        count = max(1, ceil(PIECES * abs(slider.shown(value - before)) / (slider.high - slider.low)))
        return [float(step) for step in np.linspace(before, value, count + 1)[1:]]

    def _arrive(self, slider: Slider, value: float, how: str, system: Any, rest: Result) -> None:
        """Store the equilibrium as the present one; join smooth moves of one slider."""
        last = self.steps[-1] if self.steps else None
        step = Step(slider.name, self.values[slider.name], value, how)
        if last and (last.name, last.how) == (slider.name, how) and how in (FOLLOWED, CHANGED):
            self.steps[-1] = Step(slider.name, last.begin, value, how)
        else:
            self.steps.append(step)
        self.system, self.rest = system, rest
        self.values = {**self.values, slider.name: value}

    def _again(self, begin: Values) -> Notice:
        """Repeat the steps from another start."""
        twin = Session(self.mechanism, begin)
        for step in self.steps:
            try:
                twin.set(step.name, step.to)
            except PliantError as error:
                raise ConvergenceError(f"The way here cannot be gone again: {error}") from error
        return self._take(twin)

    def _take(self, twin: Session) -> Notice:
        kept = {"reads": self.reads, "past": self.past}
        self.__dict__.update(twin.__dict__, **kept)
        return Notice()


def turning_point(parameter: np.ndarray) -> int:
    """Return the first point of a path after which its parameter turns back; else the last.

    >>> turning_point(np.array([1.0, 2.0, 2.5, 2.0, 1.0, 3.0]))
    2
    """
    steps = np.diff(parameter) * np.sign(parameter[1] - parameter[0])
    back = np.flatnonzero(steps < 0.0)
    return int(back[0]) if len(back) else len(parameter) - 1


def _reaches(walked: Result, value: float) -> bool:
    parameter = _raw(walked, "parameter")
    return bool(abs(parameter[-1] - value) <= 1e-9 * max(abs(value), abs(parameter[0])))


def _events(walked: Result) -> list[tuple[str, int]]:
    """Return kind and point of every event of a path."""
    return list(zip(_raw(walked, "event_kind").tolist(), _raw(walked, "event_point").tolist(), strict=True))


def _raw(walked: Result, name: str) -> np.ndarray:
    found = walked.raw(name)
    return np.zeros(0) if found is None else found


def _lost(walked: Result) -> int | None:
    """Return the first bifurcation after which a path that does not turn back is unstable; None without one."""
    turn, stable = turning_point(_raw(walked, "parameter")), _raw(walked, "stable")
    for number, (kind, point) in enumerate(_events(walked)):
        if kind == "bifurcation" and point < turn and not stable[point + 1]:
            return number
    return None


def _beyond(slider: Slider, event: float, value: float) -> float:
    """Return a value just beyond an event, towards another value."""
    little = BEYOND * (slider.high - slider.low) / slider.per_si
    return value if abs(value - event) <= little else event + little * float(np.sign(value - event))
