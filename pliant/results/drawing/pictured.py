"""What can be drawn: a result, or a model or system before anything is solved, by its sketch."""

from __future__ import annotations

from typing import Any, Protocol

from pliant.errors import OptionError
from pliant.results.result import Result


class Sketched(Protocol):
    """A model: it can show itself as assembled, or as a system compiled from it is."""

    def sketch(self, system: Any = None) -> Result: ...


class Compiled(Protocol):
    """A system: it knows its model."""

    @property
    def model(self) -> Any: ...


Pictured = Result | Sketched | Compiled
"""What pictures are made of."""


def pictured(thing: Pictured) -> Result:
    """The result to draw."""
    if isinstance(thing, Result):
        return thing
    model: Any = getattr(thing, "model", thing)
    if not hasattr(model, "sketch"):
        raise OptionError(f"{thing!r:.60} cannot be drawn: give a Result, a Model or a compiled system.")
    found: Result = model.sketch(None if model is thing else thing)
    return found
