"""Laws of one measure alone, a distance or an angle: without arrays for its gradient and Hessian they are three times
as fast. Not so the distance in space, with its 78 entries a part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pliant.forces._law.spread import Arrays
from pliant.forces._lines import Chord, add_line, along, chord
from pliant.forces._turns import IN_PLANE, IN_SPACE
from pliant.jit import kernel
from pliant.kernels.sums import Along, Into


class Gauge(NamedTuple):
    """Three kernels: value and derivatives (part, e, q); the rate (part, e, v, derivatives); and what a force does
    (part, e, derivatives, v, force, into), with the tangent of `_turns.spatial_spread`.
    """

    measure: Callable[..., Any]
    rate: Callable[..., Any]
    spread: Callable[..., Any]


@kernel
def length(part: Arrays, e: int, q: np.ndarray) -> tuple[float, Chord]:
    """Length of the line of part e, and the line."""
    line = chord(q, part.dofs[e], part.arms[e])
    return line.length, line


@kernel
def growth(part: Arrays, e: int, v: np.ndarray, line: Chord) -> float:
    """How fast it grows."""
    return along(line.gradient, v, part.dofs[e])


@kernel
def pull(part: Arrays, e: int, line: Chord, v: np.ndarray, force: Along, into: Into) -> None:
    """Of a force along it."""
    add_line(line, part.dofs[e], part.slots[e], v, force, into)


GAUGES: dict[tuple[str, ...], Gauge] = {
    ("distance", "planar"): Gauge(length, growth, pull),
    ("angle", "planar"): Gauge(*IN_PLANE[:3]),
    ("angle", "spatial"): Gauge(*IN_SPACE[:3]),
}
