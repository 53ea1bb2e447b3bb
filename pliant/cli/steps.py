"""Steps of a run, one after another: each begins where the one before has come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from pliant.cli.source import Source, settings, split, value_of, with_signals
from pliant.errors import Interrupted, OptionError, nearest
from pliant.model import Model


@dataclass(frozen=True)
class Plan:
    """What is asked for: a model, its settings, how it is compiled, and options of the steps."""

    source: Source
    steps: Sequence[str]
    values: Mapping[str, Any] = field(default_factory=dict)
    formulation: str = "dae"
    elements: int | None = None
    time: float = 1.0
    step: float | None = None
    modes: int = 6
    follow: str | None = None
    to: float | None = None
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    release: Sequence[str] = ()
    push: Sequence[str] = ()
    damped: bool = False

    def __post_init__(self) -> None:
        for step in self.steps:
            if step not in STEPS:
                raise OptionError(f"step {step!r} is not known. {nearest(step, STEPS)} Steps are {', '.join(STEPS)}.")
        if "path" in self.steps and (self.follow is None or self.to is None):
            raise OptionError("path: say what to follow and where to, such as --follow tendon/rest_length --to 0.17.")
        if "linearise" in self.steps and not (self.inputs and self.outputs):
            raise OptionError(
                "linearise: give --input and --output, such as --input motor/torque --output angle:crank."
            )

    @property
    def compiling(self) -> dict[str, Any]:
        """Options of compile; a formulation may have its own, as in "geometric:coordinate=crank"."""
        name, _, own = self.formulation.partition(":")
        more = settings(own.split(",")) if own else {}
        return {"formulation": name, **more} | ({} if self.elements is None else {"elements": self.elements})


class Done(NamedTuple):
    """A step that was made; `found` is a Result or a LinearModel."""

    step: str
    found: Any
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it went well."""
        return bool(getattr(self.found, "outcome", None) is None or self.found.outcome.ok)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Names of what it warned of."""
        outcome = getattr(self.found, "outcome", None)
        return () if outcome is None else outcome.warnings


class Walk:
    """A plan on its way; it holds the system as it now is, and the state it has come to.

    A step is a method ``step_<name>``, known by being there.
    """

    def __init__(self, plan: Plan) -> None:
        import pliant as pl

        self.plan = plan
        own, signals = split(plan.source, plan.values)
        self.model = plan.source.model(own)
        self.signals = signals
        self.system = with_signals(pl.compile(self.model, **plan.compiling), plan.source, signals)
        self.at: Any = None
        self.step = ""  # under way
        self.freed = without(self.model, plan.release) if plan.release else None

    def __iter__(self) -> Iterator[Done]:
        for step in self.plan.steps:
            self.step, began = step, perf_counter()
            found = getattr(self, f"step_{step}")()
            yield Done(step, found, perf_counter() - began)

    def step_statics(self) -> Any:
        """Equilibrium."""
        import pliant as pl

        self.at = pl.statics(self.system, start=self._begun())
        return self.at

    def step_path(self) -> Any:
        """Path of equilibria."""
        import pliant as pl

        name, to = str(self.plan.follow), self.plan.to
        found = pl.path(self.system, name, to=to, start=self.at)  # type: ignore[arg-type]
        self.at = found.equilibrium(-1)
        self.system = self.system.with_signals({name: float(found.parameter[-1])})
        return found

    def step_modes(self) -> Any:
        """Modes about where it is."""
        import pliant as pl

        return pl.modal(self.system, at=self._begun(), modes=self.plan.modes, damped=self.plan.damped)

    def step_simulate(self) -> Any:
        """Motion in time."""
        import pliant as pl

        if self.freed is not None:
            freed = pl.compile(self.freed, **self.plan.compiling)
            kept = {name: value for name, value in self._now().items() if name in freed.signal_names}
            self.system = freed.with_signals(kept)
        begin = 0.0 if self.at is None else float(self.at.state["time"][0])
        self.at = pl.transient(
            self.system,
            start=self.at,
            end_time=begin + self.plan.time,
            step=self.plan.step,
            push={name: float(value) for name, value in map(_pair, self.plan.push)} or None,
            partial=True,
        )
        if self.at.outcome.message.startswith("was interrupted"):
            raise Interrupted(f"The motion {self.at.outcome.message}.", self.at)
        return self.at

    def step_linearise(self) -> Any:
        """Linear model about where it is."""
        import pliant as pl

        return pl.linearise(self.system, at=self._begun(), inputs=self.plan.inputs, outputs=self.plan.outputs)

    def _begun(self) -> Any:
        """The state it has come to; before the first step, the equilibrium that its source begins at, if it has one."""
        return self.plan.source.start(self.system) if self.at is None else self.at

    def _now(self) -> dict[str, Any]:
        """All signals of the system as it now is."""
        return {named.name: named.signal for named in self.system.observed.layout.named_signals}


STEPS = tuple(name.removeprefix("step_") for name in vars(Walk) if name.startswith("step_"))


def without(model: Model, joints: Sequence[str]) -> Model:
    """The same model without some of its joints."""
    names = [joint.name for joint in model.joints]
    for name in joints:
        if name not in names:
            raise OptionError(f"--release {name}: there is no such joint. {nearest(name, names)}")
    fewer = Model(model.name, plane=model.plane)
    for part in (*model, *model.watched):
        if getattr(part, "name", None) not in joints or part in model.watched:
            fewer.add(part)
    return fewer


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    number = value_of(value)
    if not isinstance(number, int | float) or isinstance(number, bool):
        raise OptionError(f"--push {text}: write BODY=VELOCITY, such as --push crank=2 (rad/s).")
    return name, number
