"""Colours of values, and the bar that explains them."""

from __future__ import annotations

import html

import numpy as np
import numpy.typing as npt

from pliant.results.drawing.colouring import Quantity

Colours = npt.NDArray[np.uint8]

SIGNED = ((0, 92, 168), (168, 168, 168), (213, 94, 0))
"""Negative, zero, positive: as in pictures and the HTML player, a little darker for lit scenes."""
UNSIGNED = SIGNED[1:]
RIGID = (104, 113, 125)  # visible on white and on black, like all others
PLAIN = (0, 158, 115)  # in none of the colour bars
TENDON = (110, 110, 110)


def colours(values: npt.NDArray[np.float64], largest: float, signed: bool) -> Colours:
    """Return colours (..., 3) of values from -largest or 0 to largest."""
    scale = values / largest if largest > 0.0 else np.zeros_like(values)
    place = np.clip(0.5 * (scale + 1.0) if signed else scale, 0.0, 1.0)
    known = np.array(SIGNED if signed else UNSIGNED, float)
    channels = [np.interp(place, np.linspace(0.0, 1.0, len(known)), known[:, k]) for k in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def linear(paint: Colours) -> Colours:
    """Convert colours for lines, which the scene takes as linear light: undo the coding of sRGB (IEC 61966-2-1)."""
    coded = paint / 255.0
    light = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    return (255.0 * light).round().astype(np.uint8)


def bar(quantity: Quantity, largest: float) -> str:
    """Return a colour bar with its name, units and ends, as HTML."""
    stops = ", ".join(f"rgb{stop}" for stop in (SIGNED if quantity.signed else UNSIGNED))
    name = quantity.name if quantity.units == "1" else f"{quantity.name} [{quantity.units}]"
    look = f"height:.8em; border-radius:.4em; margin:.15em 0; background:linear-gradient(90deg, {stops})"
    ends = (-largest if quantity.signed else 0.0, 0.0 if quantity.signed else 0.5 * largest, largest)
    labels = "".join(f"<span>{end:.3g}</span>".replace("-", "−") for end in ends)
    return (
        f'<div style="margin:.4em .9em .6em; font-size:.85em">'
        f'<div>{html.escape(name)}</div><div style="{look}"></div>'
        f'<div style="display:flex; justify-content:space-between">{labels}</div></div>'
    )
