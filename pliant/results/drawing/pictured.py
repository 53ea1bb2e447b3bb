"""Things that can be drawn: a result, or a model or system before anything is solved, as its sketch."""

from __future__ import annotations

from typing import Any, Protocol

from pliant.errors import OptionError
from pliant.results.result import Result


class Sketched(Protocol):
    """Something that can be drawn as assembled: a model."""

    def sketch(self, system: Any = None) -> Result: ...


class Compiled(Protocol):
    """A compiled system, which knows its model."""

    @property
    def model(self) -> Any: ...


Pictured = Result | Sketched | Compiled
"""What pictures are made of."""


def result_to_draw(thing: Pictured) -> Result:
    """Return the result to draw."""
    if isinstance(thing, Result):
        return thing
    model: Any = getattr(thing, "model", thing)
    if not hasattr(model, "sketch"):
        raise OptionError(f"{thing!r:.60} cannot be drawn: give a Result, a Model or a compiled system.")
    found: Result = model.sketch(None if model is thing else thing)
    return found
