"""What is read over one or two sliders: an equilibrium at every point of a grid, each started from its neighbour."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.analyses.statics import statics
from pliant.errors import ConvergenceError, OptionError, PliantError, PliantWarning
from pliant.results import Result
from pliant.workbench import chart
from pliant.workbench.mechanism import Reading, Slider
from pliant.workbench.session import Session


@dataclass
class Grown:
    """What has been read so far: `values` is (line, point) in the units shown, NaN where there is none yet or where no
    equilibrium was found; those are counted.
    """

    along: Slider
    across: Slider | None
    reading: Reading
    x: np.ndarray
    lines: np.ndarray
    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    done: int = 0
    missing: int = 0

    @property
    def share(self) -> float:
        """How much of it is done."""
        return self.done / max(self.values.size, 1)

    def csv(self) -> str:
        """The numbers as a table, a row a point."""
        over = [chart.words(each) for each in (self.along, self.across) if each is not None]
        rows = [",".join([*over, chart.words(self.reading)])]
        for j, line in enumerate(self.lines):
            for k, x in enumerate(self.x):
                place = [f"{x:.12g}", *([] if self.across is None else [f"{line:.12g}"])]
                rows.append(",".join([*place, f"{self.values[j, k]:.12g}"]))
        return "\n".join([*rows, ""])

    def picture(self) -> np.ndarray:
        """(height, width, 3) of bytes: a curve for every value of the second slider."""
        from matplotlib import colormaps

        ax = chart.paper(self.along, self.reading)
        for k, line in enumerate(self.lines):
            colour = colormaps["viridis"](0.9 * k / max(len(self.lines) - 1, 1))
            label = "" if self.across is None else f"{line:.4g} {self.across.unit}"
            ax.plot(self.x, self.values[k], "o-", color=colour, linewidth=1.4, markersize=3.5, label=label)
        ax.set_xlim(self.along.low, self.along.high)
        if self.across is not None:
            ax.legend(title=self.across.label, fontsize=8, title_fontsize=8)
        return chart.picture(ax)


def grid(
    session: Session, along: Slider, across: Slider | None, reading: Reading, *, points: int = 15, lines: int = 5
) -> Iterator[Grown]:
    """The study as it grows; the session is not changed. Every equilibrium starts from the one before on its line, the
    first of a line from that of the line before.

    >>> from pliant.workbench.mechanism import mechanism
    >>> session = Session(mechanism("four-bar"))
    >>> sliders = [session.mechanism.slider(name) for name in ("push", "thickness")]
    >>> *_, whole = grid(session, *sliders, session.reads[0], points=3, lines=2)
    >>> whole.values.shape, whole.missing, bool(np.isfinite(whole.values).all())
    ((2, 3), 0, True)
    """
    if session.trouble:
        raise ConvergenceError(f"A study needs an equilibrium to start from, and none was found: {session.trouble}")
    if across is not None and across.name == along.name:
        raise OptionError(f"A study over {along.label} twice: choose another slider, or none.")
    second = np.array([0.0]) if across is None else np.linspace(across.low, across.high, lines)
    whole = Grown(along, across, reading, np.linspace(along.low, along.high, points), second)
    whole.values = np.full((len(second), points), np.nan)
    begin: Result = session.rest
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        for j, line in enumerate(second):
            rest = begin
            for k, x in enumerate(whole.x):
                values = {**session.values, along.name: float(x) / along.per_si}
                if across is not None:
                    values[across.name] = float(line) / across.per_si
                try:
                    rest = statics(system_at(session, values), start=rest)
                    whole.values[j, k] = float(reading.of(rest))
                    begin = rest if k == 0 else begin
                except PliantError:
                    whole.missing += 1
                whole.done += 1
                yield whole


def system_at(session: Session, values: dict[str, float]) -> Any:
    """The system with values of all sliders: those of the model's options, and those of signals."""
    driven = {
        name: factor * values[each.name] for each in session.mechanism.sliders for name, factor in each.signals.items()
    }
    return session.built(values).with_signals(driven)
