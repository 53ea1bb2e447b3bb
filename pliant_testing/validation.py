"""Validation cases: computed numbers beside references, with a tolerance stated in advance.

Every row says where its reference comes from (`KINDS`): a document, a closed form, another program, a law that must
hold, another formulation of pliant, or pliant itself. A case is a function that yields rows, in a file `validate.py` of
a package that brings evidence (`pliant_testing.discovery`):

    from pliant_testing.validation import case, printed, relative

    @case("beam-static", source="thesis, table 3.4")
    def beam_static():
        '''Tip deflection of a cantilever.'''
        yield printed("tip deflection, 10 reduced elements", "mm", "3.0807", computed_mm)
        yield relative("tip deflection, exact element", "m", exact, computed, tolerance=1e-8, kind="exact")

`pliant validate beam-static` finds and runs it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np

from pliant.errors import OptionError
from pliant_testing.discovery import Registry

Kind = Literal["published", "exact", "independent code", "conservation law", "other formulation", "itself"]
Rows = Callable[[], Iterable["Row"]]


class Source(NamedTuple):
    """One kind of reference: its mark in tables, and what it means."""

    mark: str
    meaning: str


KINDS: dict[Kind, Source] = {
    "published": Source("P", "printed in a document that others wrote"),
    "exact": Source("E", "closed form, series, root of a known equation, or an identity that must hold"),
    "independent code": Source("C", "computed by a program that shares no mechanics with pliant"),
    "conservation law": Source(
        "L", "energy, momentum, closed joints, reciprocity, symmetry, indifference to the frame"
    ),
    "other formulation": Source("F", "another formulation, element or linearisation of pliant"),
    "itself": Source("S", "the same method of pliant, refined or run another way; or a demand of ours"),
}
"""Where references come from, the strongest first. What pliant computed is the last two."""


@dataclass(frozen=True)
class Row:
    """One comparison; `kind` says where its reference comes from."""

    quantity: str
    unit: str
    reference: float
    computed: float
    error: float
    tolerance: float
    ok: bool
    kind: Kind
    skipped: str = ""  # why it was not computed, if it was not: then it is neither right nor wrong

    def as_dict(self) -> dict[str, Any]:
        """Return a plain form for JSON; a number that is not finite becomes None."""
        return {
            "quantity": self.quantity,
            "unit": self.unit,
            "kind": self.kind,
            "reference": _finite(self.reference),
            "computed": _finite(self.computed),
            "error": _finite(self.error),
            "tolerance": _finite(self.tolerance),
            "ok": self.ok,
        } | ({"skipped": self.skipped} if self.skipped else {})


def absolute(quantity: str, unit: str, reference: float, computed: float, *, tolerance: float, kind: Kind) -> Row:
    """Return a row with |computed - reference| <= tolerance, in the unit of the quantity."""
    return _row(quantity, unit, reference, computed, abs(computed - reference), tolerance, kind)


def relative(quantity: str, unit: str, reference: float, computed: float, *, tolerance: float, kind: Kind) -> Row:
    """Return a row with |computed - reference| <= tolerance |reference|."""
    if reference == 0.0:
        raise OptionError(f"{quantity}: a relative error needs a reference other than zero; use `absolute`.")
    return _row(quantity, unit, reference, computed, abs(computed / reference - 1.0), tolerance, kind)


def printed(quantity: str, unit: str, published: str, computed: float, *, units: float = 0.5) -> Row:
    """Return a row that equals a printed number, given as the string "186.5", within half a unit of its last digit.

    `units` widens this to, say, one whole unit where the source itself rounds intermediate numbers.
    """
    number = Decimal(published)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise OptionError(f"{quantity}: {published!r} is not a printed number such as '186.5'.")
    tolerance = units * 10.0**exponent
    reference = float(number)
    rounding = 1e-9 * tolerance  # a value exactly between two digits equals both
    return _row(quantity, unit, reference, computed, abs(computed - reference), tolerance + rounding, "published")


def at_most(quantity: str, unit: str, computed: float, *, limit: float, kind: Kind) -> Row:
    """Return a row with |computed| <= limit, for an error whose ideal is zero; `kind` is the kind of its reference."""
    return _row(quantity, unit, 0.0, computed, abs(computed), limit, kind)


def skipped(quantity: str, unit: str, why: str, *, kind: Kind) -> Row:
    """Return a row that could not be computed here, because a peer is not installed, say; it is not ok."""
    nan = math.nan
    return Row(quantity, unit, nan, nan, nan, nan, False, kind, why)


def order(
    quantity: str,
    steps: Sequence[float],
    errors: Sequence[float],
    *,
    kind: Kind,
    expected: float = 2.0,
    tolerance: float = 0.1,
) -> Row:
    """Return a row with the order of convergence: the slope p of log(error) = p log(step) + c, by least squares.

    `kind` is the kind of reference of the errors.
    """
    finite = len(steps) == len(errors) >= 2 and bool(np.all(np.isfinite(errors))) and min(errors) > 0.0
    slope = float(np.polyfit(np.log(steps), np.log(errors), 1)[0]) if finite else math.nan
    return absolute(quantity, "1", expected, slope, tolerance=tolerance, kind=kind)


@dataclass(frozen=True)
class Case:
    """A named set of comparisons and the document they are taken from."""

    name: str
    source: str
    rows: Rows

    @property
    def summary(self) -> str:
        """Return the first line of the docstring."""
        return (self.rows.__doc__ or "").strip().split("\n")[0]


@dataclass(frozen=True)
class Report:
    """Rows of a case, and its time."""

    case: str
    source: str
    rows: list[Row]
    seconds: float

    @property
    def ok(self) -> bool:
        """Return whether there are rows and all computed ones hold."""
        computed = [row for row in self.rows if not row.skipped]
        return bool(computed) and all(row.ok for row in computed)

    def as_dict(self) -> dict[str, Any]:
        """Return a plain form for JSON."""
        return {
            "case": self.case,
            "source": self.source,
            "rows": [row.as_dict() for row in self.rows],
            "seconds": self.seconds,
        }


CASES: Registry[Case] = Registry("validation case", "validate.py")


def case(name: str, *, source: str) -> Callable[[Rows], Rows]:
    """Register a function that yields rows. `source` names document and section or table."""

    def register(rows: Rows) -> Rows:
        CASES.add(name, Case(name, source, rows), home=rows)
        return rows

    return register


def run(name: str) -> Report:
    """Run one case."""
    chosen = CASES.get(name)
    start = time.perf_counter()
    rows = list(chosen.rows())
    return Report(chosen.name, chosen.source, rows, time.perf_counter() - start)


def _row(
    quantity: str, unit: str, reference: float, computed: float, error: float, tolerance: float, kind: Kind
) -> Row:
    ok = bool(error <= tolerance)  # False for NaN
    return Row(quantity, unit, float(reference), float(computed), float(error), float(tolerance), ok, kind)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
