"""Texts and curves of the studio's page: readings, stability, modes, motion over time."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from pliant.results import Result
from pliant.results.drawing.canvas import COLOURS
from pliant.results.drawing.scene import extent
from pliant_studio.session.session import Session
from pliant_studio.viewer.text import paragraph

MOST_POINTS = 600
ROUNDING = 1e-13
"""Of the largest value in a table: what is below is rounding."""
GOOD, BAD, UNKNOWN = "#009e73", "#d55e00", "#6a737d"


def equilibrium(session: Session) -> str:
    """Return stability and readings of the equilibrium, as HTML."""
    words = {None: ("stability not determined", UNKNOWN), True: ("stable", GOOD), False: ("unstable", BAD)}
    text, colour = words[session.stable]
    if session.stable is False:
        text += f" in {session.rest.outcome.unstable_directions} direction(s)"
    units = {reading.label: reading.unit for reading in session.reads}
    values = session.readings()
    length = extent(session.rest.data["shape"].values)
    sizes = {"deg": 180.0, "m": length, "mm": 1e3 * length}  # reference sizes: a turn, the mechanism's length
    for label, value in values.items():
        sizes[units[label]] = max(sizes.get(units[label], 0.0), abs(value))
    rows = [(label, number(value, sizes[units[label]]), units[label]) for label, value in values.items()]
    if session.trouble:
        return paragraph(session.trouble, "no equilibrium") + _table("<b>as assembled</b>", rows)
    return _table(f'<b id="stability" style="color:{colour}">equilibrium, {text}</b>', rows)


def modes(found: Result, most: int = 4) -> str:
    """Return the frequencies of the lowest modes, with growing modes marked, as HTML."""
    frequencies = found.frequency_hz.values[:most]
    rows, highest = [], float(np.max(frequencies, initial=0.0))
    for k, frequency in enumerate(frequencies):
        growing = found.eigenvalue.values[k].real > 1e-9 * abs(found.eigenvalue.values[k])
        rows.append(
            (f"mode {found.mode.values[k]}", number(float(frequency), highest), "Hz, grows" if growing else "Hz")
        )
    return _table("<b>modes, all drives held</b>", rows)


def number(value: float, largest: float) -> str:
    """Format a number with five digits; rounding noise, relative to the largest of its unit, becomes zero.

    >>> number(-3.5e-11, 3.5e-11), number(1e-17, 0.5), number(0.0, 0.0)
    ('−3.5e−11', '0', '0')
    """
    return f"{0.0 if abs(value) <= ROUNDING * largest else value:.5g}".replace("-", "−")


def _table(title: str, rows: list[tuple[str, str, str]]) -> str:
    right = 'style="text-align:right; padding:0 .4em; font-variant-numeric:tabular-nums"'
    cells = "".join(
        f"<tr><td>{html.escape(label)}</td><td {right}>{value}</td><td>{html.escape(unit)}</td></tr>"
        for label, value, unit in rows
    )
    return (
        f'<div style="margin:.3em .9em .6em; font-size:.9em">{title}'
        f'<table style="width:100%; border-spacing:0; margin-top:.2em">{cells}</table></div>'
    )


def curves(session: Session, motion: Result) -> list[dict[str, Any]]:
    """Return plots of the readings over time, one for each unit, and of energy: arguments of viser's `add_uplot`."""
    thin = max(1, -(-motion.data.sizes["time"] // MOST_POINTS))
    time = motion.time.values[::thin]
    by_unit: dict[str, dict[str, Any]] = {}
    for reading in session.reads:
        by_unit.setdefault(reading.unit, {})[reading.label] = reading.of(motion).values[::thin]
    energy = {kind: motion.energy.sel(energy_kind=kind).values[::thin] for kind in ("kinetic", "potential")}
    by_unit["J"] = {**energy, "both": energy["kinetic"] + energy["potential"]}
    return [_plot(time, unit, lines) for unit, lines in by_unit.items()]


def _plot(time: Any, unit: str, lines: dict[str, Any]) -> dict[str, Any]:
    series: list[dict[str, Any]] = [{"label": "t, s"}]
    series += [
        {"label": f"{label}, {unit}", "stroke": COLOURS[k % len(COLOURS)], "width": 2, "points": {"show": False}}
        for k, label in enumerate(lines)
    ]
    axes = ({"label": "t [s]"}, {"label": f"[{unit}]", "size": 60})
    return {
        "data": (np.ascontiguousarray(time), *(np.ascontiguousarray(line) for line in lines.values())),
        "series": tuple(series),
        "scales": {"x": {"time": False}},
        "axes": axes,
        "aspect": 1.7,
        "padding": (14, 24, 0, 0),
    }
