"""Job of a study at one point: the system or model there, the analysis, and the values kept from its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pliant.errors import (
    AssemblyError,
    ConvergenceError,
    LimitError,
    ModelError,
    OptionError,
    PliantError,
    SignalError,
    SingularError,
    collect_warnings,
)
from pliant.model import Model
from pliant.results import Result
from pliant.results.quantities import number, worthy
from pliant.studies.designs import generator, is_taken
from pliant.studies.rows import FAILED, NOT_OK, OK, UNKNOWN, Row, encoded

MECHANICS = (ConvergenceError, SingularError, AssemblyError, LimitError, SignalError, ModelError)
"""Errors that a point of a study may have while others have none."""
LEFT_BRANCH = ("OtherBranch", "Buckled")  # warnings of an equilibrium on another branch than its start
UNSTABLE = "UnstableEquilibrium"

Keep: TypeAlias = Sequence[str] | Mapping[str, Callable[[Result], Any]]
"""What is kept of a result: names of quantities, or functions of the result that give a number, a text or an array."""


class RunOutput(NamedTuple):
    """Result of a run: named values, their units, and the outcome."""

    values: Mapping[str, Any]
    units: Mapping[str, str] = {}
    ok: bool = True
    stable: bool | None = None
    warnings: Sequence[str] = ()
    reason: str = ""


@dataclass
class Job:
    """An analysis that can run at any point.

    subject   a Model or a compiled system: points set its signals and parameters; or a function of the point
    analysis  function of a system that returns a Result; None: the function's return value is stored
    keep      quantities of a Result; default: a few names for its kind
    seed      for a function that takes its own random generator
    passing   errors that make a failed row; others are raised
    varied    names of the model's parameters among the point's values
    """

    subject: Any
    analysis: Callable[..., Any] | None = None
    keep: Keep = ()
    seed: int | None = None
    passing: tuple[type[BaseException], ...] = (Exception,)
    varied: frozenset[str] = frozenset()
    _compiled: Any = field(default=None, init=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_compiled": None}  # each process compiles for itself

    def row(self, run: int, point: Mapping[str, Any], *, head: bool = False) -> Row:
        """Compute one run; errors are stored in its row."""
        with collect_warnings() as noted:
            try:
                found = self._told(self._ask(run, point))
                for name in found.values:
                    if name in point or is_taken(name):
                        raise OptionError(f"study: a run returns {name!r}, a name that the study itself uses.")
                values, columns = encoded(found.values, found.units)
            except self.passing as error:
                text = str(error) if isinstance(error, PliantError) else f"{type(error).__name__}: {error}"
                return Row(run, FAILED, reason=text, warnings=_joined(noted), mistake=not isinstance(error, MECHANICS))
        names = list(dict.fromkeys([*found.warnings, *noted]))
        stable = False if found.stable is None and UNSTABLE in names else found.stable
        return Row(
            run,
            OK if found.ok else NOT_OK,
            UNKNOWN if stable is None else int(stable),
            any(name in LEFT_BRANCH for name in names),
            _joined(names),
            found.reason,
            values,
            head=columns if head else None,
        )

    def _ask(self, run: int, point: Mapping[str, Any]) -> Any:
        if callable(self.subject):
            found = self.subject(**point) if self.seed is None else self.subject(generator(self.seed, run), **point)
            if self.analysis is None:
                return found
            return self.analysis(_compiled(found) if isinstance(found, Model) else found)
        if self.analysis is None:
            raise OptionError("study of a model: give an analysis, such as analysis=pl.statics.")
        if self._compiled is None:
            self._compiled = _compiled(self.subject) if isinstance(self.subject, Model) else self.subject
        system = private(self._compiled)
        if self.varied:
            from pliant.system.compile import with_parameters

            system = with_parameters(system, **{name: value for name, value in point.items() if name in self.varied})
        return self.analysis(system.with_signals({k: value for k, value in point.items() if k not in self.varied}))

    def _told(self, found: Any) -> RunOutput:
        if isinstance(found, RunOutput):
            return found
        if isinstance(found, Result):
            return self._of_result(found)
        if isinstance(found, Mapping):
            return RunOutput(found)
        if isinstance(found, int | float | np.number):
            return RunOutput({"value": found})
        raise OptionError(
            f"study: a run gave {type(found).__name__}; it must give a Result, a mapping from names to numbers, or a "
            "number. Give an analysis of the model or system, such as analysis=pl.statics."
        )

    def _of_result(self, found: Result) -> RunOutput:
        values, units = {}, {}
        keep = self.keep or worthy(found)
        for name in keep:
            if isinstance(keep, Mapping):
                values[name] = keep[name](found)
            else:
                values[name], units[name] = number(found, name)
        outcome = found.outcome
        reason = "" if outcome.ok else outcome.message
        return RunOutput(values, units, outcome.ok, outcome.figures.get("stable"), outcome.warnings, reason)


def private(system: Any) -> Any:
    """Return a copy of the system for one run, without stored guesses of solutions, so that runs are independent."""
    if "notes" not in getattr(system, "__dataclass_fields__", ()):
        return system  # it stores labels only
    system.observed.observer()  # finds labels, equal in every run, once
    return replace(system, notes=dict(system.notes))


def _compiled(model: Model) -> Any:
    from pliant.system.compile import compile

    return compile(model)


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names)
