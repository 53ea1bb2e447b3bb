"""Helpers shared by all pictures: colours, axes, titles, legends, choices by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._spelling import known_as
from pliant.errors import OptionError, nearest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito (2008), Color Universal Design, without the yellow that is lost on white."""

GREY = "#666666"
FAINT = "#dddddd"
VALUES = ("#0072B2", "#9a9a9a", "#D55E00")
"""Negative, zero and positive values of what colours show; the HTML player and the viewer have the same."""
CLOSE = "#E69F00"
"""The value at a limit: what is above it is red."""
NAME: dict[str, Any] = {"clip_on": True, "fontsize": 8, "parse_math": False}  # of parts, joints, markers
TICKS = 7  # spaces between the numbers of an axis, at most
NARROWEST, NARROWEST_BOX, LETTER = 5.0, 6.0, 0.085  # inches: axes with labels, a box in space, one letter of a legend


def axes(ax: Axes | None, size: tuple[float, float] = (8.0, 4.5)) -> Axes:
    """Prepare the given axes, or new ones: our colours, continued after the curves already drawn, and a light grid."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=size, layout="constrained")[1]
    from cycler import cycler
    from matplotlib.ticker import AutoLocator, ScalarFormatter

    styles = cycler(linestyle=["-", "--"]) * cycler(color=COLOURS)
    used = len(ax.get_legend_handles_labels()[1]) % len(styles)
    ax.set_prop_cycle(styles[used:].concat(styles[:used]) if used else styles)
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in (ax.xaxis, ax.yaxis):
        form, places = side.get_major_formatter(), side.get_major_locator()
        if isinstance(form, ScalarFormatter):  # not on scales of logarithms, dates or words
            form.set_useOffset(False)
        if isinstance(places, AutoLocator):
            places.set_params(nbins=TICKS)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> np.ndarray:
    """Make a grid of new axes; size in inches, options of `plt.subplots`."""
    import matplotlib.pyplot as plt

    grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **options)[1]
    for ax in grid.flat:
        axes(ax)
    return np.asarray(grid)


def pair() -> tuple[Axes, Axes]:
    """Make two new axes, one above the other."""
    above, below = panels(2, 1, (8.0, 6.0), sharex=True).flat
    return above, below


def title(ax: Axes, text: str) -> None:
    """Set a title, taken literally."""
    ax.set_title(text, parse_math=False)


def legend(ax: Axes, wanted: bool, *, below: bool = False) -> None:
    """Add a legend beside the axes, or below them if a colour bar is beside them; names are taken literally."""
    if not (wanted and ax.get_legend_handles_labels()[1]):
        return
    beside, narrowest = 1.01, NARROWEST
    if ax.name == "3d" and not below:  # a box leaves room at one side, and its labels reach beyond it
        ax.set_anchor("W")
        beside, narrowest = 1.12, NARROWEST_BOX
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (beside, 1.0)}
    if below:
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": 2}
    shown = ax.legend(**place, borderaxespad=0.0, frameon=False)
    for text in shown.get_texts():
        text.set_parse_math(False)
    if not below:
        _make_room(ax, narrowest + LETTER * max(len(text.get_text()) for text in shown.get_texts()))


def _make_room(ax: Axes, needed: float) -> None:
    """Widen the figure if long names in the legend would leave little of the only axes in it."""
    from matplotlib.figure import Figure

    figure = ax.figure
    if isinstance(figure, Figure) and len(figure.axes) == 1 and figure.get_figwidth() < needed:
        figure.set_figwidth(needed)


def halo() -> list[Any]:
    """Return the effect of a white rim around text, which makes it readable in front of lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.0, foreground="white")]


def in_few_digits(values: Sequence[float]) -> list[str]:
    """Format numbers with three digits, or with as many as make them differ.

    >>> in_few_digits([0.14998, 0.2]), in_few_digits([12.31, 12.34])
    (['0.15', '0.2'], ['12.31', '12.34'])
    """
    written = ([f"{value:.{digits}g}" for value in values] for digits in range(3, 13))
    return next((words for words in written if len(set(words)) == len(values)), [f"{value:.4g}" for value in values])


def label(words: str, units: str) -> str:
    """Return the text at an axis."""
    return words if units == "1" else f"{words} [{units}]"


def display_units(values: Any, units: str) -> tuple[Any, str]:
    """Convert values and units for drawing: angles in degrees.

    >>> display_units(np.array([0.5 * np.pi]), "rad"), display_units(2.0, "rad/s")
    ((array([90.]), 'deg'), (2.0, 'rad/s'))
    """
    return (np.degrees(values), "deg") if units == "rad" else (values, units)


def check_names(names: str | Sequence[str], among: Sequence[str], dimension: str) -> list[str]:
    """Return the names as a list; raise OptionError if one is not a name of the dimension."""
    chosen = [known_as(name, among) for name in ([names] if isinstance(names, str) else names)]
    for name in chosen:
        if name not in among:
            more = " Add one to the model to record it: model.add(beam.at(s=0.5))." if dimension == "marker" else ""
            raise OptionError(f"there is no {dimension} {name!r} in this result. {nearest(name, among)}{more}")
    return chosen


def colours(count: int) -> list[str]:
    """Return this many colours, repeated if there are more than the palette has."""
    return [COLOURS[i % len(COLOURS)] for i in range(count)]
