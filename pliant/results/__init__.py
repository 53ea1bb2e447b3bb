"""What an analysis returns, and what can be done with it: save, load, plot, animate."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pliant.results.animation import animate as animate
    from pliant.results.io import load_result as load_result
    from pliant.results.records import Outcome as Outcome
    from pliant.results.records import Provenance as Provenance
    from pliant.results.result import Result as Result
    from pliant.results.schema import ResultError as ResultError

_HOME = {
    "Result": "result",
    "Outcome": "records",
    "Provenance": "records",
    "ResultError": "schema",
    "load_result": "io",
    "animate": "animation",
}

__all__ = ["Result", "Outcome", "Provenance", "ResultError", "load_result", "animate"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"pliant.results has no name {name!r}; it has {', '.join(__all__)}")
    value = getattr(importlib.import_module(f"pliant.results.{_HOME[name]}"), name)
    globals()[name] = value
    return value
