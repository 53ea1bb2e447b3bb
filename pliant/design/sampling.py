"""Quantities at many values of uncertain parameters, by `pl.study`: each sample is followed from one equilibrium."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pliant.design.quantities import Quantity
from pliant.design.responses import NO_MODEL, Responses
from pliant.errors import OptionError
from pliant.results import Result
from pliant.studies.designs import Design
from pliant.studies.study import study

LEFT = "left"  # column of a sample's branch
DOUBT = "doubt"  # column of a sample's analyses


@dataclass(frozen=True)
class OfModel:
    """Job of a study of a model: quantities of a sample, and how the branch was left, independent of other samples."""

    system: Any
    names: Sequence[str]
    quantities: Sequence[Quantity]
    start: Result | None
    shapes: Sequence[tuple[int, ...]]

    def __call__(self, **values: float) -> dict[str, Any]:
        responses = Responses(self.system, over=self.names, of=self.quantities, start=self.start)
        answer = responses.anywhere(np.array([values[name] for name in self.names]))
        if answer.failed:
            nothing = {f"q{k}": np.full(shape, np.nan) for k, shape in enumerate(self.shapes)}
            return {**nothing, LEFT: answer.failed, DOUBT: ""}
        found = {f"q{k}": answer.values[each.name] for k, each in enumerate(self.quantities)}
        return {**found, LEFT: answer.left, DOUBT: " ".join(answer.doubts)}


@dataclass(frozen=True)
class OfFunction:
    """Job of a study of a function of the parameters that returns a number, or named numbers."""

    function: Callable[..., Any]
    names: Sequence[str]
    shapes: Sequence[tuple[int, ...]]

    def __call__(self, **values: float) -> dict[str, Any]:
        try:
            found = named_values(self.function(**values))
        except NO_MODEL as error:
            nothing = {f"q{k}": np.full(shape, np.nan) for k, shape in enumerate(self.shapes)}
            return {**nothing, LEFT: str(error), DOUBT: ""}
        return {**{f"q{k}": found[name] for k, name in enumerate(self.names)}, LEFT: "", DOUBT: ""}


def named_values(value: Any) -> dict[str, Any]:
    """Return the values of a function by name."""
    if isinstance(value, Mapping):
        return {str(name): np.asarray(each, float) for name, each in value.items()}
    try:
        return {"value": np.asarray(value, float)}
    except (TypeError, ValueError):
        raise OptionError(f"the function gave {value!r:.60}: it must give a number, an array, or named ones.") from None


class Samples(NamedTuple):
    """Values at all samples.

    points  by parameter: (samples,)
    values  by quantity: (samples, ...), NaN if missing
    left    reason if a sample is not on the branch of the first equilibrium, or has none; else ""
    doubts  messages of analyses of a sample that are not ok; else ""
    """

    points: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    left: np.ndarray
    doubts: np.ndarray


def sampled(job: OfModel | OfFunction, names: Sequence[str], design: Design, on: Any, workers: int | None) -> Samples:
    """Compute the samples at all points of a design."""
    found = study(job, over=design, on=on, workers=workers)
    failed = np.asarray(found.data["status"].values) > 2
    if np.any(failed):
        reason = str(found.data["reason"].values[failed][0])
        raise OptionError(f"uncertainty: {int(failed.sum())} samples ended in an error: {reason}")
    values = {name: np.asarray(found.data[f"q{k}"].values, float) for k, name in enumerate(names)}
    left, doubts = (np.array([str(each) for each in found.data[name].values]) for name in (LEFT, DOUBT))
    return Samples({name: np.asarray(each, float) for name, each in design.points().items()}, values, left, doubts)
