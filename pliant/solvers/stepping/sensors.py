"""Sensors of a sampled controller within the time loop, for systems with nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from pliant.model.loads import Line
from pliant.solvers.stepping.sampling import (
    ANGLE,
    LINE,
    POSITION,
    RATE,
    SECTION,
    SPACE_POSITION,
    SPACE_RATE,
    SPACE_TURN,
    SPACE_VELOCITY,
    STRAIN,
    VELOCITY,
    Sensors,
)
from pliant.system.packing import fused
from pliant.system.system import System

KINDS = {
    **{"angle": ANGLE, "angular_velocity": RATE, "position": POSITION, "velocity": VELOCITY},
    **{**dict.fromkeys(Line.results, LINE), "resultant": SECTION, "strain": STRAIN},
}
KINDS_IN_SPACE = KINDS | {
    **{"rotation": SPACE_TURN, "angular_velocity": SPACE_RATE},
    **{"position": SPACE_POSITION, "velocity": SPACE_VELOCITY},
}
LINE_COLUMNS = {name: k for k, name in enumerate(Line.results)}


class Reading(Protocol):
    """Output: a weighted sum of entries (label, component) of a variable; `control.outputs.Term` is one."""

    @property
    def variable(self) -> str: ...
    @property
    def labels(self) -> np.ndarray: ...
    @property
    def component(self) -> int: ...
    @property
    def weights(self) -> np.ndarray: ...


def are_compiled(system: Any, terms: Sequence[Reading]) -> bool:
    """Return whether all outputs are read in compiled code; others are read in Python, between steps."""
    kinds = KINDS_IN_SPACE if system.space.quaternions else KINDS
    return all(term.variable in kinds for term in terms)


def sensors(system: System, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
    """Return the sensors of outputs with these names and terms, all of compiled variables."""
    observer = system.observer()
    kinds = KINDS_IN_SPACE if system.space.quaternions else KINDS
    turning, _ = observer.labels.bodies
    points = observer.points(list(observer.markers.values()))
    entries: list[tuple[Any, ...]] = []
    for output, term in enumerate(terms):
        for label, weight in zip(term.labels.tolist(), term.weights.tolist(), strict=True):
            node, place, column, offset = _place(system, term, label, turning, points)
            frame = system.equations.frames + 4 * node
            entries.append((output, weight, kinds[term.variable], place, frame, column, offset))
    columns = list(zip(*entries, strict=True))
    used = {term.variable for term in terms}
    state, wide = np.zeros((1, system.size)), len(system.space.resultants)
    line_starts, section_starts = observer.labels.line_starts, observer.labels.sections[0]
    lines, sections = int(line_starts[-1]), int(section_starts[-1])
    fused.prepare(system.equations.parts, ("readings", "resultants"))
    return Sensors(
        output=np.array(columns[0], np.uint32),
        scale=np.array(columns[1], float),
        kind=np.array(columns[2], np.uint32),
        place=np.array(columns[3], np.uint32),
        frame=np.array(columns[4], np.uint32),
        column=np.array(columns[5], np.uint32),
        offset=np.array(columns[6], float).reshape(-1, 3),
        line_starts=line_starts,
        section_starts=section_starts,
        lines=np.zeros((1, lines if used & set(LINE_COLUMNS) else 0, 3)),
        sections=np.zeros((1, sections if "resultant" in used else 0, wide)),
        strains=np.zeros((1, sections if "strain" in used else 0, wide)),
        q=state,
        v=state.copy(),
        rest=state.copy(),
        u=np.zeros((1, len(system.layout.signals))),
    )


def _place(
    system: System, term: Reading, label: int, turning: np.ndarray, points: Any
) -> tuple[int, int, int, tuple[float, ...]]:
    """Return node, first freedom or number of an entry, its column, and the offset of a marker."""
    none, width = (0.0, 0.0, 0.0), system.space.width
    if term.variable in ("angle", "rotation", "angular_velocity"):
        node = int(turning[label])
        return node, width * node, term.component, none
    if term.variable in ("position", "velocity"):
        node = int(points.node[label])
        return node, width * node, term.component, (*points.offset[label].tolist(), 0.0)[:3]
    return 0, label, LINE_COLUMNS.get(term.variable, term.component), none
