"""Conditions of joints: numbers between two frames, in words that mean the same in the plane and in space.

=============  =====================================================================================================
point "x"      of the way from a's point to b's along an axis of the ground
place "x"      of the way from a's point to b's along an axis of the joint's frame on a
distance       of the two points
angle "z"      of b from a about an axis of the joint's frame; in the plane without bounds
crossed "xy"   cosine between an axis of a and one of b
aligned "xz"   of the shortest rotation from a's z to b's: the part about a's x
turned "x"     of the rotation since the pose that is kept: the part about a's x
=============  =====================================================================================================

The equations are in kernels/measures; system/packing/joint_rows.py makes rows of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from pliant.errors import ModelError
from pliant.model.markers import Marker
from pliant.model.signals.base import SignalLike

POINTS = ("point", "place", "distance")  # measures in which directions have no part
LOCKS = ("x", "y", "z", "rx", "ry", "rz")  # directions that may be locked
IN_PLANE = {"point": ("x", "y"), "place": ("x", "y"), "distance": ("",), "angle": ("z",)}
PAIRS = tuple(a + b for a in "xyz" for b in "xyz")
IN_SPACE = {
    **dict.fromkeys(("point", "place", "angle", "turned"), ("x", "y", "z")),
    "distance": ("",),
    "crossed": PAIRS,
    "aligned": tuple(pair for pair in PAIRS if pair[0] != pair[1]),
}
PLANE = ("x", "y", "rz")  # directions that may be locked in the plane
GUESSED = "as guessed"  # kept as the guesses of the bodies give it, while loops are closed
ASSEMBLED = "as assembled"  # kept as it is when all loops are closed


class Term(NamedTuple):
    """A measure between two markers, by default the joint's, in the joint's frames on them."""

    measure: str
    axes: str = ""
    factor: float = 1.0
    a: Marker | None = None
    b: Marker | None = None


class Condition(NamedTuple):
    """``sum factor measure = kept + signal``: one row of a joint.

    kept     a number, or `GUESSED` or `ASSEMBLED`
    signal   what drives it, and the name of this quantity
    period   in space, where angles are known up to whole turns: the sum is known up to whole periods
    """

    terms: tuple[Term, ...]
    kept: float | str = 0.0
    signal: SignalLike | None = None
    quantity: str = ""
    period: float = 0.0


def check(owner: str, conditions: Sequence[Condition], spatial: bool) -> None:
    """Refuse conditions that cannot become rows; the message names the joint."""
    space, known = ("space", IN_SPACE) if spatial else ("the plane", IN_PLANE)
    for condition in conditions:
        if not isinstance(condition, Condition) or not condition.terms:
            raise ModelError(
                f"{owner}: its conditions hold {condition!r:.60}; each is a Condition of one or more Terms."
            )
        for term in condition.terms:
            axes = known.get(term.measure, ())
            if term.axes not in axes:
                words = ", ".join(axes) or ", ".join(known)
                what = f"{term.measure} {term.axes!r}"
                raise ModelError(f"{owner}: a condition on {what}, which {space} does not have; it has {words}.")
            if not isfinite(term.factor) or term.factor == 0.0:
                raise ModelError(
                    f"{owner}: the factor of {term.measure} is {term.factor}; it must be finite, and not 0."
                )
        kept = condition.kept
        if kept not in (GUESSED, ASSEMBLED) if isinstance(kept, str) else not isfinite(kept):
            raise ModelError(f"{owner}: kept is {kept!r}; it must be a finite number, {GUESSED!r} or {ASSEMBLED!r}.")


def of_words(words: Iterable[str], spatial: bool, kept: float | str = GUESSED) -> list[Condition]:
    """Return conditions of a joint that locks motions along ("x") and about ("rx") axes of its frame on a.

    Points that coincide are also conditions along the axes of the ground. If no rotation is free, it is ``kept``; with
    one free axis the two sides stay aligned; with two, the first on a and the second on b stay at a right angle.

    >>> [condition.terms[0][:2] for condition in of_words(("x", "y", "z", "rx", "ry"), True)]
    [('point', 'x'), ('point', 'y'), ('point', 'z'), ('aligned', 'xz'), ('aligned', 'yz')]
    >>> [condition.terms[0][:2] for condition in of_words(("y", "z", "rx", "ry", "rz"), False)]
    [('place', 'y'), ('angle', 'z')]
    """
    return list(_of_words(tuple(words), spatial, kept))


@lru_cache(maxsize=256)  # of words and numbers only: the same joint is asked many times in a compile
def _of_words(words: tuple[str, ...], spatial: bool, kept: float | str) -> tuple[Condition, ...]:
    axes = "xyz" if spatial else "xy"
    points = [axis for axis in axes if axis in words]
    found = [Condition((Term("point" if len(points) == len(axes) else "place", axis),)) for axis in points]
    if not spatial:
        return *found, *(Condition((Term("angle", "z"),), kept) for word in words if word == "rz")
    locked = [axis for axis in axes if f"r{axis}" in words]
    free = [axis for axis in axes if axis not in locked]
    if len(locked) == 3:
        return *found, *(Condition((Term("turned", axis),), kept) for axis in locked)
    if len(locked) == 2:
        return *found, *(Condition((Term("aligned", axis + free[0]),)) for axis in locked)
    return *found, *(Condition((Term("crossed", "".join(free)),)) for _ in locked)
