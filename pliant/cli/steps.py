"""Steps of a run, as a command is told them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pliant.analyses import walk
from pliant.analyses.walk import STEPS, Done, Question
from pliant.cli.options import Ports, StepOptions
from pliant.cli.source import Source, settings, split, value_of, with_signals
from pliant.errors import OptionError

__all__ = ["STEPS", "Done", "Plan", "Walk"]


@dataclass(frozen=True)
class Plan:
    """What is asked for: a model, its settings, how it is compiled, and options of the steps."""

    source: Source
    steps: Sequence[str]
    options: StepOptions = field(default_factory=StepOptions)
    formulation: str = "dae"
    ports: Ports = field(default_factory=Ports)
    push: Sequence[str] = ()
    point: Mapping[str, Any] = field(default_factory=dict)  # of a sweep: settings besides those of the options

    def __post_init__(self) -> None:
        _ = self.values, self.question

    @cached_property
    def values(self) -> dict[str, Any]:
        """Settings of the model and of signals."""
        return {**settings(self.options.set_ or []), **self.point}

    @cached_property
    def question(self) -> Question:
        """The steps and their options; what cannot be asked is refused."""
        given = self.options
        return Question(
            self.steps,
            time=given.time,
            step=given.step,
            modes=given.modes,
            damped=given.damped,
            follow=given.follow,
            to=given.to,
            inputs=self.ports.input_ or (),
            outputs=self.ports.output or (),
            release=given.release or (),
            push=dict(map(_pair, self.push)),
        )

    @property
    def compiling(self) -> dict[str, Any]:
        """Options of compile; a formulation may have its own, as in "kinked:modes=system"."""
        elements = self.options.elements
        return formulation_of(self.formulation) | ({} if elements is None else {"elements": elements})


def formulation_of(text: str) -> dict[str, Any]:
    """Options of compile that a formulation with options stands for.

    >>> formulation_of("kinked:modes=system")
    {'formulation': 'kinked', 'modes': 'system'}
    """
    name, _, own = text.partition(":")
    return {"formulation": name, **(settings(own.split(",")) if own else {})}


class Walk(walk.Walk):
    """A plan on its way: model and system made of it."""

    def __init__(self, plan: Plan) -> None:
        import pliant as pl

        self.plan = plan
        own, self.signals = split(plan.source, plan.values)
        model = plan.source.model(own)
        system = with_signals(pl.compile(model, **plan.compiling), plan.source, self.signals)
        super().__init__(model, system, plan.question, plan.compiling, plan.source.start)


def _pair(text: str) -> tuple[str, float | tuple[float, ...]]:
    name, _, value = text.partition("=")
    numbers = [value_of(word) for word in value.split(",")]
    if any(not isinstance(number, int | float) or isinstance(number, bool) for number in numbers):
        raise OptionError(
            f"--push {text}: write BODY=VELOCITY, such as --push crank=2 (rad/s) or --push puck=0.1,0,2 (m/s, rad/s)."
        )
    found = tuple(float(number) for number in numbers)
    return name, found[0] if len(found) == 1 else found
