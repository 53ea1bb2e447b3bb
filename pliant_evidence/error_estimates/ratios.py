"""Estimated over true errors, as rows: what all questions share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import pliant as pl
from pliant.analyses.estimate import differences
from pliant_testing.validation import Kind, Row

FACTOR = 5.0
ROUNDING = 1e-9  # of the quantity: below, there is no error to speak of
FINE = pl.Exact(8, order=4)
QUANTITIES = ("position", "marker_angle", "orientation", "tension", "event_parameter", "frequency_hz")
RESULTANTS = ("largest_resultant",)


def ratio(quantity: str, estimated: float, true: float, kind: Kind) -> Row:
    """Compare estimated with true error; the row's error is their ratio or its inverse, whichever is larger."""
    found = estimated / true
    off = max(found, 1.0 / found) if found > 0.0 else np.inf
    return Row(quantity, "estimate / true", 1.0, found, off, FACTOR, bool(off <= FACTOR), kind)


def against(
    name: str, question: Callable[..., pl.Result], model: pl.Model, options: Mapping[str, Any], **asked: Any
) -> Iterator[Row]:
    """Compare with finite elements of order 4; resultants, which these report at few places, with a mesh
    eight times as fine.
    """
    system = pl.compile(model, **options)
    found = pl.estimate(question, system, **asked)
    yield from rows(name, found, question(pl.compile(model, elements=FINE), **asked))
    yield from rows(name, found, question(pl.refine(system, factor=8), **asked), "itself", RESULTANTS)


def itself(
    name: str, question: Callable[..., pl.Result], model: pl.Model, options: Mapping[str, Any], **asked: Any
) -> Iterator[Row]:
    """Check rows of a question against the same formulation on a mesh eight times as fine."""
    system = pl.compile(model, **options)
    truth = question(pl.refine(system, factor=8), **asked)
    yield from rows(name, pl.estimate(question, system, **asked), truth, "itself", (*QUANTITIES, *RESULTANTS))


def rows(
    name: str,
    found: pl.Result,
    truth: pl.Result,
    kind: Kind = "other formulation",
    quantities: Sequence[str] = QUANTITIES,
) -> Iterator[Row]:
    """Check every quantity whose error is above rounding, where it is largest."""
    true = differences(found, truth)
    for quantity in quantities:
        key = f"{quantity}_error"
        if key not in true or not true[key].size:
            continue
        errors, estimated = np.nan_to_num(true[key].values), found.data[key].values
        at = int(np.argmax(errors))
        scale = found.data[quantity if quantity in found.data.variables else "position"]
        if errors.flat[at] > ROUNDING * float(abs(scale).max()):
            yield ratio(
                f"{name}: {quantity.replace('_', ' ')}", float(estimated.flat[at]), float(errors.flat[at]), kind
            )
