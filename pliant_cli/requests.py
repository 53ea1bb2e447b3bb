"""One point of `pliant sweep` and `pliant study`: the steps of a run, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pliant.errors import OptionError, PliantError
from pliant.results.quantities import number, worthy
from pliant.studies.job import RunOutput, private
from pliant.studies.labels import of_model
from pliant_cli.console import unique
from pliant_cli.source import value_of
from pliant_cli.steps import Plan, Prepared, Walk, prepared


@dataclass
class StepsAtPoint:
    """A plan as a function of settings besides its own; systems that differ by signals alone are compiled once.

    made   its model in words, without the settings that points have: an edited file is another study
    known  settings of a model, and the model and system of these
    """

    plan: Plan
    show: Sequence[str]
    made: str = ""
    known: tuple[Any, Any] = field(default=(None, None), repr=False)

    def __post_init__(self) -> None:
        with suppress(PliantError):  # it may need settings that points have
            self.made = of_model(self.plan.source.model(self.plan.own))

    @property
    def title(self) -> str:
        """Return the title of a study."""
        return str(self.plan.source.name)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "known": (None, None)}  # each process compiles for itself

    def __call__(self, **point: Any) -> RunOutput:
        """Run all steps at a point."""
        point = {name: value_of(value) if isinstance(value, str) else value for name, value in point.items()}
        plan = replace(self.plan, point=point)
        known = self.known
        if known[0] != plan.own:
            known = self.known = plan.own, prepared(plan)
        model, system = known[1]
        return self._output(list(Walk(plan, Prepared(model, private(system)))))

    def _output(self, made: Sequence[Any]) -> RunOutput:
        steps = [done.found for done in made]
        if not hasattr(steps[-1], "outcome"):
            raise OptionError("end with statics, path, modes or simulate; linearise gives no single numbers.")
        values, units = {}, {}
        for name in self.show or worthy(steps[-1]):
            values[name], units[name] = _find(steps, name)
        failed = next((done for done in made if not done.ok), None)
        reason = "" if failed is None else f"{failed.step}: {failed.found.outcome.message}"
        names = unique(name for done in made for name in done.warnings)
        stable = [found.outcome.figures.get("stable") for found in steps if hasattr(found, "outcome")]
        known = next((each for each in reversed(stable) if each is not None), None)
        return RunOutput(values, units, failed is None, known, names, reason)


def _find(steps: Sequence[Any], name: str) -> tuple[float, str]:
    for found in reversed(steps):
        try:
            return number(found, name)
        except OptionError as error:
            last = error
    raise last
