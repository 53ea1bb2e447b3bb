"""Accelerations of random mechanisms in space against equations written by hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from pliant.errors import PliantWarning
from pliant.validation import Row, at_most, case
from pliant_evidence.random_mechanisms.generate import Random, difference

COUNT = 500
TRAITS = ("loop", "redundant", "without mass")


@case("accelerations", source="Newton and Euler by hand; Udwadia, Kalaba 1996; Udwadia, Schutte 2010")
def accelerations() -> Iterator[Row]:
    """Accelerations of 500 random mechanisms in space, with loops, redundant joints, no mass; of trees by recursion."""
    yield from rows(COUNT)
    yield from trees(COUNT)


def rows(count: int) -> Iterator[Row]:
    """Largest differences over so many mechanisms, as parts of the largest acceleration."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # of redundant joints
        found = [difference(seed) for seed in range(count)]
    for trait in (None, *TRAITS):
        some = [off for traits, off in found if trait is None or trait in traits]
        name = f"accelerations, {len(some)} mechanisms{f' ({trait})' if trait else ''}: largest difference"
        yield at_most(name, "1", max(some), limit=1e-9, kind="independent code")


def trees(count: int) -> Iterator[Row]:
    """The same in relative coordinates, of those of so many mechanisms that are trees."""
    seeds = [seed for seed in range(count) if not Random(seed).traits & {"loop", "redundant"}]
    worst = max(difference(seed, "relative")[1] for seed in seeds)
    name = f"accelerations in relative coordinates, {len(seeds)} trees: largest difference"
    yield at_most(name, "1", worst, limit=1e-9, kind="independent code")
