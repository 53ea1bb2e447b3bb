"""Shapes of the lightest cantilever and of the strongest column.

``python -m pliant_evidence.optimise.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pliant_evidence.drawing import panels, save
from pliant_evidence.optimise import examples


def optimise() -> None:
    """Draw heights and radii over the uniform beam's, beside the best of any shape."""
    left, right = panels(1, 2, (11.0, 3.6))
    s = np.linspace(0.0, 1.0, 400)
    places = np.linspace(0.0, 1.0, examples.STATIONS)
    strip, column = examples.cantilever(), examples.column()
    left.plot(s, 2.0 ** (1.0 / 3.0) * np.sqrt(1.0 - s), "--", label="any shape: 0.840 of the mass")
    ratio = strip.result["mass"] / strip.before["mass"]
    heights = [value / 4e-3 for value in strip.values.values()]
    left.plot(places, heights, "o-", label=f"four heights: {ratio:.3f}")
    turn = np.linspace(0.0, np.pi, 400)  # Keller: A = 4/3 sin^2 t at x = (t - sin 2t / 2) / pi of a pinned column
    along, area = (turn - 0.5 * np.sin(2.0 * turn)) / np.pi, 4.0 / 3.0 * np.sin(turn) ** 2
    half = turn >= 0.5 * np.pi
    right.plot(2.0 * along[half] - 1.0, np.sqrt(area[half]), "--", label="any shape: 1.333 of the load")
    load = column.result["critical_load"] / column.before["critical_load"]
    right.plot(places, [value / 5e-3 for value in column.values.values()], "o-", label=f"four radii: {load:.3f}")
    for ax, name in ((left, "height"), (right, "radius")):
        ax.axhline(1.0, color="#666666", linewidth=0.8, linestyle=":")
        ax.set_xlabel("s, from the clamp to the free end")
        ax.set_ylabel(f"{name} over the uniform one's")
        ax.set_ylim(0.0)
        ax.legend()


if __name__ == "__main__":
    save({"optimise": optimise}, Path(sys.argv[1]))
