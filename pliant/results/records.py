"""Records that travel with every result: how a computation ended, and where it came from."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from pliant._frozen import quick
from pliant.errors import nearest


@quick
@dataclass(frozen=True)
class Check:
    """A number checked by an analysis, and the largest value allowed.

    unit    what the number is a part of, or measured in
    advice  what to try where it is too large

    >>> Check("energy balance", 0.27, 0.01, "of the energy at work", "Try a smaller step=.")
    energy balance: 0.27 of the energy at work, more than 0.01
    """

    name: str
    value: float
    limit: float
    unit: str = ""
    advice: str = ""

    def __post_init__(self) -> None:
        for name in ("value", "limit"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def passed(self) -> bool:
        """Return whether the number is within its limit; NaN is not."""
        return self.value <= self.limit

    def __repr__(self) -> str:
        value, limit = _apart(self.value, self.limit)
        text = f"{self.name}: {value} {self.unit}".rstrip()
        return f"{text}, {'within' if self.passed else 'more than'} {limit}"

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary, for files and programs."""
        return {**asdict(self), "passed": self.passed}


class Unchecked(NamedTuple):
    """A check that was not made, by its name, and why."""

    name: str
    reason: str


def _apart(value: float, limit: float) -> tuple[str, str]:
    """Format two numbers with two digits, or with as many as show that the first is larger."""
    pairs = ((f"{value:.{digits}g}", f"{limit:.{digits}g}") for digits in range(2, 17))
    return next((pair for pair in pairs if pair[0] != pair[1] or not value > limit), (repr(value), repr(limit)))


@quick
@dataclass(frozen=True)
class Outcome:
    """How an analysis ended: `ok`, one sentence, figures by name, and the checks it made.

    `ok` means that the analysis came to its end and every check that it made passed (docs/what-ok-means.md). `judged`
    makes an outcome whose message names the checks that failed. `not_checked` has the names of checks that could not be
    made, with the reason: they do not change `ok`.

    Usual figures: steps, iterations, cut_backs, constraint_error, velocity_constraint_error, energy_error, residual,
    stable, unstable_directions. Each is an attribute too. `warnings` are the names of what it warned of, classes of
    `pliant.errors`: they do not change `ok`.

    >>> Outcome(True, "reached 2 s", {"steps": 200, "energy_error": 1.5e-7})
    ok: reached 2 s (steps 200, energy_error 1.5e-07)
    >>> Outcome(True, "reached 2 s", {"steps": 200}).steps
    200
    >>> Outcome(True, "reached 2 s", not_checked={"strain of beams": "the formulation has no strains"})
    ok, not checked: strain of beams; reached 2 s
    """

    ok: bool
    message: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    warnings: tuple[str, ...] = ()
    not_checked: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ok", bool(self.ok) and all(check.passed for check in self.checks))
        object.__setattr__(self, "figures", plain(self.figures))
        object.__setattr__(self, "checks", tuple(self.checks))
        object.__setattr__(self, "warnings", tuple(map(str, self.warnings)))
        object.__setattr__(self, "not_checked", dict(self.not_checked))

    @property
    def failed(self) -> tuple[Check, ...]:
        """Return the checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary, for files and programs; `read_outcome` converts it back."""
        words = {"ok": self.ok, "message": self.message, "figures": dict(self.figures)}
        words |= {"checks": [check.as_dict() for check in self.checks], "warnings": list(self.warnings)}
        return words | {"not_checked": dict(self.not_checked)}

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
        left = f", not checked: {', '.join(self.not_checked)};" if self.not_checked else ":"
        return f"{'ok' if self.ok else 'failed'}{left} {self.message}" + (f" ({figures})" if figures else "")


def judged(
    message: str, figures: Mapping[str, Any], checks: Iterable[Check | Unchecked], *, done: bool = True
) -> Outcome:
    """Return the outcome of an analysis that made these checks; ``done``: whether it came to its end.

    >>> judged("reached 2 s", {}, [Check("joints", 1e-9, 1e-6, "m"), Check("energy balance", 0.27, 0.01)])
    failed: reached 2 s; energy balance: 0.27, more than 0.01
    """
    made, left = list[Check](), dict[str, str]()
    for each in checks:
        if isinstance(each, Check):
            made.append(each)
        else:
            left[each.name] = each.reason
    message = "; ".join([message, *(repr(check) for check in made if not check.passed)])
    return Outcome(done, message, figures, tuple(made), not_checked=left)


def read_outcome(saved: Mapping[str, Any]) -> Outcome:
    """Read an outcome from the dictionary of `Outcome.as_dict`."""
    checks = [Check(**{name: each[name] for name in Check.__annotations__}) for each in saved.get("checks", ())]
    later = tuple(saved.get("warnings", ())), saved.get("not_checked", {})
    return Outcome(saved["ok"], saved["message"], saved["figures"], tuple(checks), *later)


def _version() -> str:
    import pliant

    return pliant.__version__


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@quick
@dataclass(frozen=True)
class Provenance:
    """Origin of a result: name of the model, analysis, its settings, version of pliant and date."""

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
    """Convert a value to plain Python types (dict, list, str, numbers), ready for JSON; other objects become text."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | bool | int | float) else str(value)


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
