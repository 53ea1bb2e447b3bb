"""Grid of a reading over one or two sliders: `pl.study` of equilibria, each followed from the present one."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from pliant.analyses.statics.statics import statics
from pliant.errors import ConvergenceError, Interrupted, OptionError, PliantWarning
from pliant.results import Result
from pliant.studies.rows import FAILED, NOT_OK, STATUS, WAITING
from pliant.studies.study import study
from pliant_studio.page import chart
from pliant_studio.session.mechanism import Reading, Slider
from pliant_studio.session.session import Session

MOST_REASONS = 3


class Grid(NamedTuple):
    """A study of a reading at `points` values of one slider, for each of `lines` values of another if there is one.

    >>> from pliant_studio.session.mechanism import mechanism
    >>> session = Session(mechanism("four-bar"))
    >>> push, thickness = (session.mechanism.slider(name) for name in ("push", "thickness"))
    >>> asked = Grid(session.reads[0], push, thickness, points=3, lines=2)
    >>> found = asked.ask(session)
    >>> found.outcome.ok, asked.values(found).shape
    (True, (2, 3))
    """

    reading: Reading
    along: Slider
    across: Slider | None = None
    points: int = 15
    lines: int = 5

    @property
    def sliders(self) -> list[Slider]:
        """Return the varied sliders."""
        return [self.along] if self.across is None else [self.across, self.along]

    def ask(self, session: Session, watch: Callable[[Result], None] | None = None) -> Result:
        """Run the study, without changing the session; if interrupted, return the part computed."""
        if session.trouble:
            raise ConvergenceError(f"A study needs an equilibrium to start from, and none was found: {session.trouble}")
        if self.across is not None and self.across.name == self.along.name:
            raise OptionError(f"A study over {self.along.label} twice: choose another slider, or none.")
        counts = {self.along.name: self.points} | ({self.across.name: self.lines} if self.across else {})
        over = {
            each.name: np.linspace(each.low, each.high, counts[each.name]) / each.per_si for each in self.sliders
        }  # fmt: skip
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)  # the study has them
                return study(
                    lambda **values: system_at(session, values),
                    over=over,
                    analysis=partial(statics, start=session.rest),
                    keep={self.reading.output: self.reading.of},
                    on="threads",
                    workers=1,  # in order; and the page stays responsive
                    watch=watch,
                )
        except Interrupted as stopped:
            return cast(Result, stopped.result)

    def values(self, found: Result, name: str = "") -> np.ndarray:
        """Return (line, point) values of the reading, or of a variable of the study; NaN where missing."""
        name = name or self.reading.output
        shape = tuple(found.data.sizes[each.name] for each in self.sliders)
        array = found.data[name].values if name in found.data else np.full(shape, np.nan)
        return array.reshape(-1, shape[-1])

    def places(self, found: Result, slider: Slider) -> np.ndarray:
        """Return the values of a slider, in its unit."""
        return np.asarray(found.data[slider.name].values * slider.per_si)

    def csv(self, found: Result) -> str:
        """Return the study as a table, a row a point."""
        page = io.StringIO()
        table = csv.writer(page, lineterminator="\n")
        words = [*map(chart.words, self.sliders), chart.words(self.reading)]
        table.writerow([*words, "status", "stable", "reason"])
        marks = [self.values(found, name).ravel() for name in ("status", "stable", "reason")]
        grid = np.meshgrid(*(self.places(found, each) for each in self.sliders), indexing="ij")
        rows = zip(*(each.ravel() for each in grid), self.values(found).ravel(), *marks, strict=True)
        for *numbers, status, stable, reason in rows:
            known = "" if stable < 0 else int(stable)
            table.writerow([*(f"{number:.12g}" for number in numbers), STATUS[int(status)], known, reason])
        return page.getvalue()

    def picture(self, found: Result) -> np.ndarray:
        """Return the picture, (height, width, 3) bytes: a curve for every value of the second slider; unfilled circles
        are unstable, squares on another branch, crosses at the lower edge are failed points.
        """
        from matplotlib import colormaps

        ax = chart.paper(self.along, self.reading)
        x, lines = self.places(found, self.along), self.values(found)
        second = [np.nan] if self.across is None else self.places(found, self.across)
        status, stable, other = (self.values(found, name) for name in ("status", "stable", "other_branch"))
        for k, line in enumerate(second):
            colour = colormaps["viridis"](0.9 * k / max(len(lines) - 1, 1))
            label = "" if self.across is None else f"{line:.4g} {self.across.unit}"
            for here, style, name in ((other[k] == 0, "o-", label), (other[k] != 0, "s:", "")):
                own = np.where(here, lines[k], np.nan)  # branches are not joined by a line
                ax.plot(x, own, style, color=colour, linewidth=1.4, markersize=3.5, label=name)
            for here, look in ((stable[k] == 0, {"markerfacecolor": "white"}), (status[k] == NOT_OK, {"marker": "d"})):
                ax.plot(x[here], lines[k][here], **{"marker": "o", "markersize": 5, **look}, color=colour, linestyle="")
            lost = x[status[k] == FAILED]
            low = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            ax.plot(lost, np.full(len(lost), 0.02 + 0.03 * k / len(lines)), "x", color=colour, markersize=6, **low)
        margin = 0.02 * (self.along.high - self.along.low)
        ax.set_xlim(self.along.low - margin, self.along.high + margin)
        if self.across is not None:
            ax.legend(title=self.across.label, fontsize=8, title_fontsize=8)
        return chart.picture(ax)

    def said(self, found: Result) -> list[str]:
        """Return the number of equilibria, remarks, and the reasons of failed points."""
        status, stable, other = (self.values(found, name) for name in ("status", "stable", "other_branch"))
        counts = {
            "equilibria": int(np.count_nonzero((status != WAITING) & (status != FAILED))),
            "unstable (circles not filled)": int(np.count_nonzero(stable == 0)),
            "on another branch (squares)": int(np.count_nonzero(other)),
            "without an answer (crosses)": int(np.count_nonzero(status == FAILED)),
            "not computed": int(np.count_nonzero(status == WAITING)),
        }
        first, *others = (f"{count} {word}" for word, count in counts.items() if count or word == "equilibria")
        return [f"{', '.join([first, *others])}.", *self._reasons(found)]

    def _reasons(self, found: Result) -> list[str]:
        """Return each reason once, with the first point that has it."""
        reasons = self.values(found, "reason")
        places: dict[str, list[tuple[int, int]]] = {}
        for at in zip(*np.nonzero(reasons != ""), strict=True):
            places.setdefault(str(reasons[at]), []).append((int(at[0]), int(at[1])))
        told = []
        for reason, where in list(places.items())[:MOST_REASONS]:
            index = where[0][-len(self.sliders) :]
            point = ", ".join(
                f"{each.label} {self.places(found, each)[k]:.4g} {each.unit}".rstrip()
                for each, k in zip(self.sliders, index, strict=True)
            )
            told.append(f"At {point}{f' and {len(where) - 1} more' if where[1:] else ''}: {reason}")
        return [
            *told,
            *([f"{len(places) - MOST_REASONS} more reasons are in the table."] * (len(places) > MOST_REASONS)),
        ]


def system_at(session: Session, values: dict[str, float]) -> Any:
    """Return the system with other values of some sliders; compiled only if an option of the model changes."""
    moved = [session.mechanism.slider(name) for name in values]
    system = session.system
    if not all(slider.signals for slider in moved):
        system, moved = session.built({**session.values, **values}), list(session.mechanism.sliders)
    now = {**session.values, **values}
    return system.with_signals(
        {name: factor * now[each.name] for each in moved for name, factor in each.signals.items()}
    )
