"""Questions of several steps, such as "statics, then motion": each step begins where the one before has come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, signature
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from pliant._lazy import ANALYSES, elsewhere, entries
from pliant.errors import Interrupted, OptionError, nearest
from pliant.model import Model, Spin

Start = Callable[[Any], Any]


@dataclass(frozen=True)
class Question:
    """Steps of analyses of a system, one after another, and their options.

    time, step, accuracy, push  of "simulate": how long (s), as of `transient`; ``release``: joints that are let go
    spectral_radius, newmark    of "simulate": numerical damping of equal steps, or (beta, gamma), as of `transient`
    instants                    of "simulate": how many to report, evenly; None: all steps
    modes, damped               of "modes" and "campbell"; modes None: as many as these find by themselves
    friction                    of "modes", "campbell" and "linearise": "stuck" or "free", where parts rub
    spin                        of "statics" and "path": a steady rotation of everything; of "campbell": its axis
    rates                       of "campbell" (rad/s)
    follow, to                  of "path": a signal, and the value at which the path ends
    inputs, outputs             of "linearise"
    options                     of analyses of other packages: keyword arguments of their functions

    >>> Question(("statics", "modes"), modes=3).steps
    ('statics', 'modes')
    """

    steps: Sequence[str]
    time: float = 1.0
    step: float | None = None
    accuracy: float | None = None
    spectral_radius: float | None = None
    newmark: tuple[float, float] | None = None
    instants: int | None = None
    modes: int | None = None
    damped: bool = False
    friction: str | None = None
    follow: str | None = None
    to: float | None = None
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    release: Sequence[str] = ()
    push: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    spin: Spin | None = None
    rates: Sequence[float] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = (*STEPS, *foreign())
        for step in self.steps:
            if step not in known:
                raise OptionError(f"step {step!r} is not known. {nearest(step, known)} Steps are {', '.join(known)}.")
        taken = [name for step in self.steps if step not in STEPS for name in foreign_options(step)]
        for name in self.options:
            if name not in taken:
                raise OptionError(
                    f"{name}: an option of none of the steps {', '.join(self.steps)}. {nearest(name, taken)}"
                )
        if "path" in self.steps and (self.follow is None or self.to is None):
            raise OptionError("path: say what to follow and where to, such as --follow tendon/rest_length --to 0.17.")
        if "campbell" in self.steps and not self.rates:
            raise OptionError("campbell: give the rates of the spin, --rates FROM,TO,COUNT, such as --rates 0,20,11.")
        if "linearise" in self.steps and not (self.inputs and self.outputs):
            raise OptionError(
                "linearise: give --input and --output, such as --input motor/torque --output angle:crank."
            )


def no_start(system: Any) -> None:
    """Return no start: statics begins where it does by itself."""


class Done(NamedTuple):
    """A step that was made; `found` is a Result or a LinearModel."""

    step: str
    found: Any
    seconds: float

    @property
    def ok(self) -> bool:
        """Return whether the step went well."""
        return bool(getattr(self.found, "outcome", None) is None or self.found.outcome.ok)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the names of its warnings."""
        outcome = getattr(self.found, "outcome", None)
        return () if outcome is None else outcome.warnings


class Walk:
    """A question on its way through a system; it holds the system as it now is, and the state it has come to.

    model, compiling  what the system was compiled from and with, to compile it without joints that are released

    start             finds the equilibrium to begin at, if several are there to choose from

    A step is a method ``step_<name>``, known by being there.
    """

    def __init__(
        self, model: Model, system: Any, question: Question, compiling: Mapping[str, Any], start: Start = no_start
    ) -> None:
        self.model, self.system, self.question, self.compiling, self.start = (
            model,
            system,
            question,
            dict(compiling),
            start,
        )
        self.at: Any = None
        self.step = ""  # under way
        self.freed = without(model, question.release) if question.release else None

    def __iter__(self) -> Iterator[Done]:
        for step in self.question.steps:
            self.step, began = step, perf_counter()
            found = getattr(self, f"step_{step}")() if step in STEPS else self._elsewhere(step)
            yield Done(step, found, perf_counter() - began)

    def step_statics(self) -> Any:
        """Find an equilibrium."""
        import pliant as pl

        self.at = pl.statics(self.system, start=self._begun(), spin=self.question.spin)
        return self.at

    def step_path(self) -> Any:
        """Follow a path of equilibria."""
        import pliant as pl

        name, to = str(self.question.follow), self.question.to
        found = pl.path(self.system, name, to=to, start=self.at, spin=self.question.spin)  # type: ignore[arg-type]
        self.at = found.equilibrium(-1)
        if name in self.system.signal_names:
            self.system = self.system.with_signals({name: float(found.parameter[-1])})
        return found

    def step_modes(self) -> Any:
        """Find modes about the present state."""
        import pliant as pl

        question = self.question
        return pl.modal(
            self.system, at=self._begun(), modes=question.modes, damped=question.damped, friction=question.friction
        )

    def step_campbell(self) -> Any:
        """Find modes over the rate of a spin."""
        import pliant as pl

        question = self.question
        start, rates = self._begun(), list(question.rates)
        return pl.campbell(
            self.system,
            rates=rates,
            spin=question.spin,
            **({} if question.modes is None else {"modes": question.modes}),
            damped=question.damped,
            start=start,
            friction=question.friction,
        )

    def step_simulate(self) -> Any:
        """Simulate a motion in time."""
        import pliant as pl

        question = self.question
        if self.freed is not None:
            freed = pl.compile(self.freed, **self.compiling)
            kept = {name: value for name, value in self._now().items() if name in freed.signal_names}
            self.system = freed.with_signals(kept)
        begin = 0.0 if self.at is None else float(self.at.state["time"][0])
        end = begin + question.time
        given = {"spectral_radius": question.spectral_radius, "newmark": question.newmark}
        words: Any = {name: value for name, value in given.items() if value is not None}
        self.at = pl.transient(
            self.system,
            start=self.at,
            end_time=end,
            step=question.step,
            accuracy=question.accuracy,
            **words,
            push=dict(question.push) or None,
            times=None if question.instants is None else np.linspace(begin, end, question.instants),
            partial=True,
        )
        if self.at.outcome.message.startswith("was interrupted"):
            raise Interrupted(f"The motion {self.at.outcome.message}.", self.at)
        return self.at

    def step_linearise(self) -> Any:
        """Find a linear model about the present state."""
        import pliant as pl

        question = self.question
        return pl.linearise(
            self.system, at=self._begun(), inputs=question.inputs, outputs=question.outputs, friction=question.friction
        )

    def _elsewhere(self, step: str) -> Any:
        """Return the result of an analysis of another package; it starts where the step before ended."""
        import pliant as pl

        words = foreign_options(step)
        given = {name: value for name, value in self.question.options.items() if name in words}
        if "start" in words and self.at is not None:
            given.setdefault("start", self.at)
        found = getattr(pl, step)(self.system, **given)
        if not isinstance(found, pl.Result):
            raise OptionError(f"{step} returned a {type(found).__name__}; an analysis returns a Result.")
        self.at = self.at if found.state is None else found
        return found

    def _begun(self) -> Any:
        """Return the present state; before the first step, the start."""
        return self.start(self.system) if self.at is None else self.at

    def _now(self) -> dict[str, Any]:
        """Return the values of all signals of the present system."""
        return {named.name: named.signal for named in self.system.observed.layout.named_signals}


@cache
def foreign() -> tuple[str, ...]:
    """Return the names of the analyses of other packages, functions of a system that return a Result:

    [project.entry-points."pliant.analyses"]
    drop_test = "my_package.drop:drop_test"
    """
    return tuple(entry.name for entry in entries(ANALYSES) if entry.name in elsewhere())


def foreign_options(step: str) -> dict[str, Parameter]:
    """Return the arguments of an analysis of another package, without its system."""
    import pliant as pl

    return dict(list(signature(getattr(pl, step)).parameters.items())[1:])


STEPS = tuple(name.removeprefix("step_") for name in vars(Walk) if name.startswith("step_"))


def without(model: Model, joints: Sequence[str]) -> Model:
    """Return the model without some of its joints."""
    names = [joint.name for joint in model.joints]
    for name in joints:
        if name not in names:
            raise OptionError(f"--release {name}: there is no such joint. {nearest(name, names)}")
    fewer = Model(model.name, plane=model.plane)
    for part in (*model, *model.watched):
        if getattr(part, "name", None) not in joints or part in model.watched:
            fewer.add(part)
    return fewer
