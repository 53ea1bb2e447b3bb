"""Rest lengths of all tensioned lines, tendons and channels, from their routes in some configuration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.forces.channel import rows
from pliant.forces.tendon import planar, planar_long, planar_long_rough
from pliant.forces.tendon.tensioned import Tensioned

LINES = planar, planar_long, planar_long_rough, rows


def _elastic(layout: Any, q: np.ndarray | None) -> Iterator[tuple[Tensioned, float]]:
    """Yield the lines with a stiffness, and the lengths of their routes in a configuration, by default as assembled."""
    for module in LINES:
        for line in module.lines(layout):
            if line.stiffness:
                yield line, module.route_length(layout, line, q)


def signals(layout: Any) -> list[int]:
    """Return the signals that are rest lengths of elastic lines."""
    lines = (line for module in LINES for line in module.lines(layout) if line.stiffness)
    return [layout.signal(0.0, line, "rest_length") for line in lines]


def rest_lengths(layout: Any, q: np.ndarray) -> list[tuple[int, float]]:
    """Return the signals, and their values at which no elastic line is stretched in a configuration."""
    return [(layout.signal(0.0, line, "rest_length"), length) for line, length in _elastic(layout, q)]


def pretension(layout: Any) -> None:
    """Set the rest lengths from the routes in the assembled pose, for lines with a given force or shortening."""
    for line, length in _elastic(layout, None):
        number = layout.signal(0.0, line, "rest_length")
        layout.signals[number] = replace(layout.signals[number], signal=line.rest(length))
