"""Loads at which columns, strips, rings and frames buckle, snap or flutter: errors on coarse meshes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant_evidence.buckling import theory
from pliant_evidence.error_estimates.ratios import ratio
from pliant_evidence.lateral_buckling import theory as lateral
from pliant_gallery import buckling, lateral_buckling
from pliant_testing.validation import Kind, Row

PUSH = {"load/x": -1.0}
STRIP = {"strong": 10.0, "weak": 1.0, "torsion": 1.0}
FORK = {"strong": 3.0, "weak": 1.0, "torsion": 0.8}


class Loaded(NamedTuple):
    """A path, the events on it and the loads where they should be."""

    name: str
    model: pl.Model
    parameter: str | Mapping[str, float]
    kind: str
    loads: tuple[float, ...]
    elements: Any = 6
    reference: Kind = "exact"


def problems() -> Iterator[Loaded]:
    """Yield problems of "buckling" and "lateral-buckling" with closed forms, or quick solutions of their own."""
    for supports in buckling.SUPPORTS:
        loads = tuple(theory.column_loads(supports, 2))
        yield Loaded(f"{supports} column", buckling.column(supports=supports), PUSH, "bifurcation", loads, 12)
    yield Loaded("column under its weight", buckling.heavy_column(), PUSH, "bifurcation", (theory.heavy_column(),))
    ring = buckling.ring()
    yield Loaded("ring under pressure", ring, "load/y", "bifurcation", (theory.RING_PRESSURE,), 8)
    beck = buckling.follower_column()
    yield Loaded("Beck column", beck, PUSH, "flutter", (theory.follower_flutter(),), 8)
    strip, load = lateral_buckling.cantilever(**STRIP), lateral.cantilever(**STRIP)
    yield Loaded("cantilever strip", strip, "load/y", "bifurcation", (-load,), 6, "independent code")
    fork, moment = lateral_buckling.between_forks(**FORK), lateral.between_forks(**FORK)
    yield Loaded("strip between forks", fork, lateral_buckling.ENDS, "bifurcation", (moment,))


def bifurcations() -> Iterator[Row]:
    """Check all events of the problems."""
    for each in problems():
        system = pl.compile(each.model, elements=each.elements)
        found = pl.estimate(pl.path, system, each.parameter, to=1.3 * each.loads[-1])
        at = np.flatnonzero(found.event_kind.values == each.kind)
        for number, (event, load) in enumerate(zip(at, each.loads, strict=False), start=1):
            true = abs(float(found.event_parameter[event]) - load)
            name = f"{each.name}: {each.kind} {number}"
            yield ratio(name, float(found.event_parameter_error[event]), true, each.reference)
