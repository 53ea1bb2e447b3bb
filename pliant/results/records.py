"""How a computation went and where it came from: two small records that travel with every result."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pliant.errors import nearest


@dataclass(frozen=True)
class Outcome:
    """How an analysis ended: `ok`, one sentence, and figures by name.

    Usual figures: steps, iterations, cut_backs, constraint_error, velocity_constraint_error, energy_error, residual,
    stable, unstable_directions. Each is an attribute too.

    >>> Outcome(True, "reached 2 s", {"steps": 200, "energy_error": 1.5e-7})
    ok: reached 2 s (steps 200, energy_error 1.5e-07)
    >>> Outcome(True, "reached 2 s", {"steps": 200}).steps
    200
    """

    ok: bool
    message: str
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ok", bool(self.ok))
        object.__setattr__(self, "figures", plain(self.figures))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "figures":
            raise AttributeError(name)
        if name not in self.figures:
            raise AttributeError(f"the outcome has no figure {name!r}. {nearest(name, self.figures)}")
        return self.figures[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.figures]

    def __repr__(self) -> str:
        figures = ", ".join(f"{name} {_short(value)}" for name, value in self.figures.items())
        return f"{'ok' if self.ok else 'failed'}: {self.message}" + (f" ({figures})" if figures else "")


def _version() -> str:
    import pliant

    return pliant.__version__


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Provenance:
    """Where a result came from: name of the model, analysis, its settings, version of pliant and time of making."""

    model: str
    analysis: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = field(default_factory=_version)
    created: str = field(default_factory=_now)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", plain(self.settings))

    def __repr__(self) -> str:
        return f"{self.analysis} of {self.model!r}, pliant {self.version}, {self.created}"


def plain(value: Any) -> Any:
    """The same value in plain Python types (dict, list, str, numbers), ready for JSON; other objects become text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
