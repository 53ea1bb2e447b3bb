"""Steps of a run, from the options of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature, unwrap
from typing import Any, NamedTuple

import numpy as np

from pliant._arguments import fits, hints_of, words
from pliant.analyses import workflow
from pliant.analyses.workflow import STEPS, Done, Question
from pliant.errors import OptionError
from pliant.model import Model, Spin
from pliant_cli.options import Ports, Spinning, StepOptions
from pliant_cli.source import Source, settings, split, value_of, with_signals

__all__ = ["STEPS", "Done", "Plan", "Walk"]

MOST_RATES = 10_000


@dataclass(frozen=True)
class Plan:
    """A model, its settings, the options of compile, and the options of the steps."""

    source: Source
    steps: Sequence[str]
    options: StepOptions = field(default_factory=StepOptions)
    formulation: str = "dae"
    ports: Ports = field(default_factory=Ports)
    push: Sequence[str] = ()
    spinning: Spinning = field(default_factory=Spinning)
    point: Mapping[str, Any] = field(default_factory=dict)  # of a sweep: further settings

    def __post_init__(self) -> None:
        _ = self.values, self.question

    @cached_property
    def values(self) -> dict[str, Any]:
        """Return the settings of the model and of signals."""
        return {**settings(self.options.set_ or []), **self.point}

    @property
    def own(self) -> dict[str, Any]:
        """Return the settings of the model, without signals."""
        return split(self.source, self.values)[0]

    @cached_property
    def question(self) -> Question:
        """Return the steps and their options; wrong ones are refused."""
        given = self.options
        return Question(
            self.steps,
            time=given.time,
            step=given.step,
            spectral_radius=given.spectral_radius,
            newmark=_newmark(given.newmark),
            modes=given.modes,
            damped=given.damped,
            friction=given.friction,
            follow=given.follow,
            to=given.to,
            inputs=self.ports.input_ or (),
            outputs=self.ports.output or (),
            release=given.release or (),
            push=dict(map(_pair, self.push)),
            spin=_spin(self.spinning.spin),
            rates=_rates(self.spinning.rates),
            options=_options(self.steps, given.option or ()),
        )

    @property
    def compiling(self) -> dict[str, Any]:
        """Return the options of compile; a formulation may have its own, as in "kinked:modes=system"."""
        elements = self.options.elements
        return formulation_of(self.formulation) | ({} if elements is None else {"elements": elements})


def formulation_of(text: str) -> dict[str, Any]:
    """Return the options of compile for a formulation with options.

    >>> formulation_of("kinked:modes=system")
    {'formulation': 'kinked', 'modes': 'system'}
    """
    name, _, own = text.partition(":")
    return {"formulation": name, **(settings(own.split(",")) if own else {})}


class Prepared(NamedTuple):
    """Model of a plan, and the system compiled from it with the signals of the model."""

    model: Model
    system: Any


def prepared(plan: Plan) -> Prepared:
    """Make the model of a plan and compile it."""
    import pliant as pl

    model = plan.source.model(plan.own)
    return Prepared(model, pl.compile(model, **plan.compiling))


class Walk(workflow.Walk):
    """The steps of a plan; ``given``: model and system, if they were made before."""

    def __init__(self, plan: Plan, given: Prepared | None = None) -> None:
        model, compiled = given or prepared(plan)
        _, signals = split(plan.source, plan.values)
        system = with_signals(compiled, plan.source, signals)
        super().__init__(model, system, plan.question, plan.compiling, plan.source.start)


def _options(steps: Sequence[str], pairs: Sequence[str]) -> dict[str, Any]:
    """Return the values of ``NAME=VALUE`` pairs as the arguments of analyses of other packages are annotated."""
    import pliant as pl

    hints: dict[str, Any] = {}
    for step in workflow.foreign():
        if step in steps:
            function = unwrap(getattr(pl, step))
            form = signature(function)
            hints |= {name: hint for name, _, hint in hints_of(function, form, dict.fromkeys(form.parameters))}
    return {name: _converted(name, text, hints.get(name, Any)) for name, text in settings(pairs, plain=True).items()}


def _converted(name: str, text: str, hint: Any) -> Any:
    """
    >>> _converted("height", "2", float), _converted("label", "2", str), _converted("at", "0,1.5", list[float])
    (2, '2', [0, 1.5])
    """
    for value in (value_of(text), text, [value_of(word) for word in text.split(",")]):
        if fits(value, hint):
            return value
    raise OptionError(f"--option {name}={text}: {name} must be {words(hint)}.")


def _newmark(text: str | None) -> tuple[float, float] | None:
    """
    >>> _newmark("0.25,0.5")
    (0.25, 0.5)
    """
    if text is None:
        return None
    try:
        beta, gamma = map(float, text.split(","))
    except ValueError:
        raise OptionError(f"--newmark {text}: write BETA,GAMMA, such as --newmark 0.25,0.5.") from None
    return beta, gamma


def _spin(text: str | None) -> Spin | None:
    """
    >>> _spin("12"), _spin("-3.5,y").axis
    (Spin(rate=12.0, axis=(0.0, 0.0, 1.0), about=(0.0, 0.0, 0.0)), (0.0, 1.0, 0.0))
    """
    if text is None:
        return None
    rate, _, axis = text.partition(",")
    try:
        return Spin(float(rate), axis=axis or "z")
    except ValueError as error:
        raise OptionError(
            f"--spin {text}: write RATE or RATE,AXIS, such as --spin 12 (rad/s) or --spin 12,y."
        ) from error


def _rates(text: str | None) -> Sequence[float]:
    """
    >>> _rates("0,20,5")
    [0.0, 5.0, 10.0, 15.0, 20.0]
    """
    if text is None:
        return ()
    words = text.split(",")
    try:
        first, last, count = float(words[0]), float(words[1]), int(words[2])
    except (ValueError, IndexError):
        first, last, count = 0.0, 0.0, 0
    if len(words) != 3 or not first < last or not 2 <= count <= MOST_RATES:
        raise OptionError(
            f"--rates {text}: write FROM,TO,COUNT with increasing rates (rad/s) and 2 to {MOST_RATES} of them, such as "
            "--rates 0,20,11."
        )
    return np.linspace(first, last, count).tolist()


def _pair(text: str) -> tuple[str, float | tuple[float, ...]]:
    name, _, value = text.partition("=")
    numbers = [value_of(word) for word in value.split(",")]
    if any(not isinstance(number, int | float) or isinstance(number, bool) for number in numbers):
        raise OptionError(
            f"--push {text}: write BODY=VELOCITY, such as --push crank=2 (rad/s) or --push puck=0.1,0,2 (m/s, rad/s)."
        )
    found = tuple(float(number) for number in numbers)
    return name, found[0] if len(found) == 1 else found
