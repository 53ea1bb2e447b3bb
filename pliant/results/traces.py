"""Lines that markers draw in a motion or along a path: coupler curves, the path of a foot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pliant.errors import OptionError
from pliant.results.drawing import canvas, scene
from pliant.results.drawing.parts import Array
from pliant.results.result import Result


class Trace(NamedTuple):
    """Positions of a marker over time, (instant, axis); a line of a ghost has no name."""

    marker: str
    places: Array


def traces(result: Result, markers: Sequence[str] | str) -> list[Trace]:
    """Return the lines of the named markers; raise OptionError if the result has none of them, or does not move.

    >>> from pliant_testing.results.planar import example_motion
    >>> [(trace.marker, trace.places.shape[1]) for trace in traces(example_motion(), "beam/tip")]
    [('beam/tip', 2)]
    """
    if not len(markers):
        return []
    if result.kind not in ("motion", "path"):
        raise OptionError(f"traces={markers!r}: nothing moves in a {result.kind} result; take a motion or a path.")
    scene.need(result, "position")
    known = result.data["marker"].values.tolist()
    chosen = canvas.check_names(markers, known, "marker")
    lead = "time" if result.kind == "motion" else "point"
    found = result.data["position"].transpose(lead, "marker", "axis").values
    return [Trace(name, found[:, known.index(name)]) for name in chosen]
