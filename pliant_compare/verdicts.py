"""Verdicts on two answers: agreement, or the cause of their difference, from numbers and evidence only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from math import isfinite
from typing import Any, NamedTuple

COARSE = 0.05  # of the scale: agreement within more is meaningless
ROUNDING = 1e-12  # of the scale
NEGLIGIBLE = 1e-5  # of the scale: a thousandth of the limit of ok (docs/what-ok-means.md) needs no cause


class Judged(Enum):
    """Kinds of verdicts; the value is the wording."""

    REFERENCE = "reference"
    AGREES = "agrees"
    EXPLAINED = "differs, explained"
    OPEN = "cannot tell"
    DIFFERS = "differs, unexplained"
    NOT_JUDGED = "not judged"

    @property
    def ok(self) -> bool:
        """Return whether nothing needs to be looked into."""
        return self not in (Judged.OPEN, Judged.DIFFERS)


class Verdict(NamedTuple):
    """Verdict on one quantity of one answer, compared with the reference.

    difference   largest, in the units of the quantity; relative: as a part of its scale
    uncertainty  of both answers together; None: unknown
    words        the verdict, as a sentence
    """

    judged: Judged
    difference: float
    relative: float
    uncertainty: float | None
    words: str

    @property
    def ok(self) -> bool:
        """Return whether nothing needs to be looked into."""
        return self.judged.ok

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary, for files and programs."""
        return {**self._asdict(), "judged": self.judged.value, "ok": self.ok}


REFERENCE = Verdict(Judged.REFERENCE, 0.0, 0.0, None, "what the others are compared with")


def verdict(
    difference: float,
    scale: float,
    uncertainty: float | None,
    *,
    tolerance: float | None = None,
    evidence: Iterable[Callable[[], str | None]] = (),
) -> Verdict:
    """Return the verdict on a difference.

    uncertainty  of both answers together; a difference within it is agreement. None: unknown; infinite: not refined
    tolerance    part of the scale up to which a difference does not matter
    evidence     tests of causes, in order; the first that finds one is accepted. Without one, and without a tolerance,
                 up to a hundred-thousandth of the scale is agreement

    >>> verdict(2e-6, 1.0, 5e-6).words
    'agrees within 2e-06 (2e-06 of the range; uncertain by 5e-06)'
    >>> verdict(2e-2, 1.0, 5e-6).judged
    <Judged.DIFFERS: 'differs, unexplained'>
    >>> verdict(2e-2, 1.0, 5e-6, evidence=[lambda: "it has no shear"]).words
    'differs by 0.02 (0.02 of the range; uncertain by 5e-06) because it has no shear'
    """
    relative = difference / scale
    known = uncertainty is not None and isfinite(uncertainty)
    size = f"{difference:.3g} ({relative:.2g} of the range{f'; uncertain by {uncertainty:.2g}' if known else ''})"

    def judged(how: Judged, words: str) -> Verdict:
        return Verdict(how, difference, relative, uncertainty if known else None, words)

    within = known and uncertainty is not None and difference <= uncertainty <= COARSE * scale
    if within or relative <= (ROUNDING if tolerance is None else tolerance):
        return judged(Judged.AGREES, f"agrees within {size}")
    if uncertainty is None and tolerance is None:
        return judged(Judged.NOT_JUDGED, f"differs by {size}; not judged, its error is not known")
    for cause in evidence:
        if words := cause():
            return judged(Judged.EXPLAINED, f"differs by {size} because {words}")
    if tolerance is None and relative <= NEGLIGIBLE:
        return judged(Judged.AGREES, f"agrees within {size}")
    if uncertainty is not None and (difference <= uncertainty or uncertainty > COARSE * scale):
        return judged(Judged.OPEN, f"cannot tell: differs by {size}; {'refine further' if known else 'not refined'}")
    return judged(Judged.DIFFERS, f"differs by {size}, unexplained")
