"""Diagram of a reading over one slider: the path of equilibria along a signal, or separate equilibria for an option."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.analyses.statics.path import path
from pliant.analyses.statics.statics import statics
from pliant.errors import ConvergenceError, PliantError, PliantWarning
from pliant.results import Result
from pliant.results.drawing.canvas import COLOURS
from pliant_studio.page import chart
from pliant_studio.session.mechanism import Reading, Slider
from pliant_studio.session.session import Session

POINTS = 12  # on either side, for an option of the model
MOST = 300  # points of a path
MARKS = {"limit point": "s", "bifurcation": "o"}


@dataclass
class Curve:
    """A section of equilibria: setting and reading in the units shown, and stability."""

    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    stable: list[bool | None] = field(default_factory=list)
    events: list[tuple[str, float, float]] = field(default_factory=list)  # kind and place
    ended: str = ""  # reason why it ends


@dataclass
class Diagram:
    """Curves from the present equilibrium to both ends of a slider's range."""

    slider: Slider
    reading: Reading
    curves: list[Curve]

    def csv(self) -> str:
        """Return the numbers as a table."""
        rows = [f"{chart.words(self.slider)},{chart.words(self.reading)},stable,stretch"]
        for k, curve in enumerate(self.curves):
            for x, y, stable in zip(curve.x, curve.y, curve.stable, strict=True):
                rows.append(f"{x:.12g},{y:.12g},{'' if stable is None else int(stable)},{k}")
        return "\n".join([*rows, ""])

    def picture(self) -> np.ndarray:
        """Return the picture, (height, width, 3) bytes: solid where stable, dashed where not."""
        ax = chart.paper(self.slider, self.reading)
        for curve in self.curves:
            x, y = np.array(curve.x), np.array(curve.y)
            firm = np.array([stable is not False for stable in curve.stable], bool)
            for wanted, style in ((True, "-"), (False, "--")):
                shown = np.where(_touching(firm == wanted), y, np.nan)
                ax.plot(x, shown, style, color=COLOURS[0], linewidth=1.6)
            for kind, at, value in curve.events:
                ax.plot(at, value, MARKS.get(kind, "d"), color=COLOURS[1], markersize=5)
        if self.curves and self.curves[0].x:
            ax.plot(self.curves[0].x[0], self.curves[0].y[0], "o", color=COLOURS[2], markersize=7)
        return chart.picture(ax)


def diagram(session: Session, slider: Slider, reading: Reading) -> Iterator[Diagram]:
    """Yield the diagram as it grows, without changing the session.

    >>> from pliant_studio.session.mechanism import mechanism
    >>> session = Session(mechanism("four-bar"))
    >>> *_, whole = diagram(session, session.mechanism.slider("push"), session.reads[0])
    >>> [curve.ended for curve in whole.curves], whole.curves[0].x[-1], whole.curves[1].x[-1]
    (['', ''], 40.0, -40.0)
    """
    if session.trouble:
        raise ConvergenceError(f"A diagram needs an equilibrium to start from, and none was found: {session.trouble}")
    whole = Diagram(slider, reading, [])
    for end in (slider.high, slider.low):
        curve = Curve()
        whole.curves.append(curve)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)  # stability is drawn
            try:
                for _ in (_along if slider.signals else _beside)(session, slider, reading, end, curve):
                    yield whole
            except PliantError as error:
                curve.ended = str(error)
                yield whole


def _along(session: Session, slider: Slider, reading: Reading, end: float, curve: Curve) -> Iterator[None]:
    """Follow the path of equilibria, folds included, until it leaves the range of the slider."""
    begin, to = session.values[slider.name], end / slider.per_si
    if begin == to:
        return
    walked = path(session.system, dict(slider.signals), start=session.rest, begin=begin, to=to, most_points=MOST)
    x = walked.parameter.values * slider.per_si
    outside = np.flatnonzero((x < slider.low - slider.step) | (x > slider.high + slider.step))
    count = int(outside[0]) if len(outside) else len(x)
    curve.x = [float(value) for value in x[:count]]
    curve.y = [float(value) for value in reading.of(walked).values[:count]]
    curve.stable = [bool(value) for value in walked.stable.values[:count]]
    for kind, point in zip(walked.event_kind.values, walked.event_point.values, strict=True):
        if point < count:
            curve.events.append((str(kind), curve.x[int(point)], curve.y[int(point)]))
    curve.ended = "" if walked.outcome.ok or count < len(x) else walked.outcome.message
    yield


def _beside(session: Session, slider: Slider, reading: Reading, end: float, curve: Curve) -> Iterator[None]:
    """Compute separate equilibria, each started from the previous one."""
    rest: Result = session.rest
    for value in np.linspace(session.values[slider.name], end / slider.per_si, POINTS + 1).tolist():
        if curve.x:
            rest = statics(session.built({**session.values, slider.name: value}), start=rest)
        found: Any = rest.outcome.figures.get("stable")
        curve.x.append(slider.shown(value))
        curve.y.append(float(reading.of(rest)))
        curve.stable.append(None if found is None else bool(found))
        yield


def _touching(wanted: np.ndarray) -> np.ndarray:
    """Return points of one kind and their neighbours, so that sections meet."""
    near = wanted.copy()
    near[1:] |= wanted[:-1]
    return near
