"""Results of analyses, and what can be done with them: save, load, plot, animate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pliant._lazy import homes, load

if TYPE_CHECKING:
    from pliant.results.drawing.animation import animate as animate
    from pliant.results.io import load_result as load_result
    from pliant.results.records import Check as Check
    from pliant.results.records import Outcome as Outcome
    from pliant.results.records import Provenance as Provenance
    from pliant.results.result import Result as Result
    from pliant.results.schema import ResultError as ResultError


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return list(homes(__name__))
    if name not in homes(__name__):
        raise AttributeError(f"pliant.results has no name {name!r}; it has {', '.join(homes(__name__))}")
    value = globals()[name] = load(__name__, name)
    return value
