"""Refinement: a grid that becomes finer only where an outcome changes, as at a border of stability or a snap.

Cells are boxes between the first points. A cell with different outcomes at its corners, or at points of finer
neighbours on its sides, is halved along every axis, level by level. The next points depend on outcomes only, so that a
killed study continues with the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.studies.designs import Axis, Design, column, is_taken

Point = tuple[int, ...]  # on the lattice of the finest level
FAILED = "failed"


class Refined(Design):
    """A grid whose cells are halved, level by level, where an outcome changes.

    over    ``{"load/y": np.linspace(-10, 0, 6), "height": [1e-3, 2e-3]}``: the first grid, values in increasing order
    by      name of the quantity (text or numbers) that decides; default: ``"stable"``. A failed run is a different
            outcome
    jump    numbers that differ by no more than this are the same outcome; default: 0
    levels  how often a cell may be halved
    runs    largest number of runs: a level that would need more is not started

    >>> import pliant as pl
    >>> over = Refined({"x": [0.0, 1.0, 2.0]}, by="side", levels=4)
    >>> found = pl.study(lambda x: {"side": "left" if x < 1.3 else "right"}, over=over, on="threads")
    >>> sorted(found.x.values.tolist())
    [0.0, 1.0, 1.25, 1.3125, 1.375, 1.5, 2.0]
    """

    def __init__(
        self, over: Mapping[str, Axis], *, by: str = "stable", jump: float = 0.0, levels: int = 4, runs: int = 10_000
    ) -> None:
        self.by, self.jump, self.levels, self.runs = by, float(jump), levels, runs
        self.first = {name: column(name, values) for name, values in over.items()}
        for name, values in self.first.items():
            if is_taken(name) or values.dtype.kind not in "fi" or values.size < 2 or np.any(np.diff(values) <= 0):
                raise OptionError(f"Refined: {name}={values!r:.60}: give two or more numbers that increase.")
        if not self.first or not levels >= 1 or not jump >= 0.0:
            raise OptionError("Refined: give at least one axis, levels of at least 1, and a jump of at least 0.")
        size = int(np.prod([values.size for values in self.first.values()]))
        if size > runs:
            raise OptionError(f"Refined: the first grid has {size} points already, more than runs={runs}.")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the axes."""
        return tuple(self.first)

    @property
    def size(self) -> int:
        """Return the largest number of runs."""
        return self.runs

    def describe(self) -> dict[str, object]:
        """Return the description, with the deciding quantity."""
        return {**super().describe(), "by": self.by, "jump": self.jump, "levels": self.levels}

    def points(self) -> dict[str, np.ndarray]:
        """Return the points of the first grid."""
        return self._places(self._corners())

    def more(self, told: Mapping[str, np.ndarray], points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray] | None:
        """Return the points of the next level: all levels are repeated, with the known outcomes."""
        if self.by not in told:
            raise OptionError(f"Refined: by={self.by!r}: the runs return {', '.join(told)}.")
        status, values = told["status"], told[self.by]
        count = next(iter(points.values())).size
        known = dict[Point, Any]()
        fresh, cells = self._corners(), self._cells()
        for _ in range(self.levels + 1):
            if len(known) + len(fresh) > count:
                return self._places(fresh) if len(known) + len(fresh) <= self.runs else None
            for k, point in enumerate(fresh, start=len(known)):
                known[point] = FAILED if status[k] == 3 else values[k]
            fresh = self._halve(cells, known)
            if not fresh:
                return None
        return None

    def _scale(self) -> int:
        return 2**self.levels

    def _corners(self) -> list[Point]:
        steps = (range(0, self._scale() * values.size, self._scale()) for values in self.first.values())
        return list(product(*steps))

    def _cells(self) -> dict[tuple[Point, int], None]:
        """Return the cells of the first grid: lowest corner and width."""
        width = self._scale()
        lows = product(*(range(0, width * (values.size - 1), width) for values in self.first.values()))
        return {(low, width): None for low in lows}

    def _halve(self, cells: dict[tuple[Point, int], None], known: Mapping[Point, Any]) -> list[Point]:
        """Halve cells whose outcomes differ, in place; return the new points, in order."""
        within: dict[tuple[Point, int], list[Any]] = {cell: [] for cell in cells}
        for point, outcome in known.items():
            for cell in self._around(point, cells):
                within[cell].append(outcome)
        fresh: dict[Point, None] = {}
        for cell, outcomes in within.items():
            low, width = cell
            if width == 1 or not self._differ(outcomes):
                continue
            half = width // 2
            del cells[cell]
            for step in product((0, 1), repeat=len(low)):
                cells[tuple(a + half * s for a, s in zip(low, step, strict=True)), half] = None
            for step in product((0, 1, 2), repeat=len(low)):
                fresh[tuple(a + half * s for a, s in zip(low, step, strict=True))] = None
        return [point for point in fresh if point not in known]

    def _around(self, point: Point, cells: Mapping[tuple[Point, int], None]) -> list[tuple[Point, int]]:
        """Return the cells that contain a point, or touch it."""
        found, width = [], self._scale()
        while width >= 1:
            sides = [{a // width * width, (a - 1) // width * width} for a in point]
            found += [(low, width) for low in product(*sides) if (low, width) in cells]
            width //= 2
        return found

    def _differ(self, outcomes: list[Any]) -> bool:
        """Return whether there are two outcomes."""
        words = {each for each in outcomes if isinstance(each, str)}
        numbers = [each for each in outcomes if not isinstance(each, str)]
        return len(words) + bool(numbers) > 1 or bool(numbers) and float(max(numbers)) - float(min(numbers)) > self.jump

    def _places(self, points: list[Point]) -> dict[str, np.ndarray]:
        """Return values at points of the lattice, interpolated evenly in the first grid."""
        lattice = np.array(points).reshape(len(points), -1) / self._scale()
        return {
            name: np.interp(lattice[:, k], np.arange(values.size), values.astype(float))
            for k, (name, values) in enumerate(self.first.items())
        }
