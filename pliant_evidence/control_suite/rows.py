"""Rows of a motion under control beside the same motion by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pliant_testing.validation import Row, at_most

CLOSE = 1e-3  # of the range of a coordinate or an input: what the check of a motion allows an error in time


WORDS = ("first", "second", "third", "fourth")


def compared(name: str, run: Any, columns: np.ndarray, places: np.ndarray, inputs: np.ndarray) -> Iterator[Row]:
    """Check coordinates at all samples and what was applied, over their ranges."""
    for k in range(min(columns.shape[1], places.shape[1])):
        off = np.max(np.abs(columns[:, k] - places[: len(columns), k])) / np.ptp(places[:, k])
        what = f"{name}: {WORDS[k]} coordinate, of its range"
        yield at_most(what, "1", off, limit=CLOSE, kind="independent code")
    inputs = inputs.reshape(len(inputs), -1)
    off = np.max(np.abs(run.applied.values - inputs) / np.ptp(inputs, axis=0))
    yield at_most(f"{name}: what was applied, of its range", "1", off, limit=CLOSE, kind="independent code")
