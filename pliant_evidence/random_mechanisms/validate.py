"""Accelerations of random mechanisms in space against equations written by hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from pliant.errors import PliantWarning
from pliant_evidence.random_mechanisms.generate import difference
from pliant_testing.validation import Row, at_most, case

COUNT = 500
TRAITS = ("loop", "redundant", "without mass")


@case("accelerations", source="Newton and Euler by hand; Udwadia, Kalaba 1996; Udwadia, Schutte 2010")
def accelerations() -> Iterator[Row]:
    """Accelerations of 500 random mechanisms in space, with loops, redundant joints, no mass; with constraints on all
    coordinates, and on relative ones.
    """
    yield from rows(COUNT)
    yield from rows(COUNT, "relative", " in relative coordinates")


def rows(count: int, formulation: str = "udwadia_kalaba", words: str = "") -> Iterator[Row]:
    """Check largest differences over so many mechanisms, as parts of the largest acceleration."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # of redundant joints
        found = [difference(seed, formulation) for seed in range(count)]
    for trait in (None, *TRAITS):
        some = [off for traits, off in found if trait is None or trait in traits]
        name = f"accelerations{words}, {len(some)} mechanisms{f' ({trait})' if trait else ''}: largest difference"
        yield at_most(name, "1", max(some), limit=1e-9, kind="independent code")
