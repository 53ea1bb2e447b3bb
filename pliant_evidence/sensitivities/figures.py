"""Tornado of a loaded strip.

``python -m pliant_evidence.sensitivities.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pliant as pl
from pliant_evidence.drawing import panels, save
from pliant_evidence.sensitivities.models import cantilever


def sensitivities() -> None:
    """Draw what moves the tip of a strip that is bent far, and its first frequency there."""
    left, right = panels(1, 2, (11.0, 3.2))
    system = pl.compile(cantilever("xy", load=-8.0), elements=pl.Exact(4, order=3))
    found = pl.sensitivity(system, pl.statics(system), of=["position", "frequency_hz"], modes=1)
    pl.plot_sensitivity(found, "position", marker="beam/tip", axis="y", ax=left)
    pl.plot_sensitivity(found, "frequency_hz", mode=1, ax=right)


if __name__ == "__main__":
    save({"sensitivities": sensitivities}, Path(sys.argv[1]))
