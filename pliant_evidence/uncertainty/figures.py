"""Scatter of a frequency, and of a truss near its limit point.

``python -m pliant_evidence.uncertainty.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

from scipy import stats

import pliant as pl
from pliant_evidence.drawing import panels, save
from pliant_evidence.optimise.designs import snapping, strip
from pliant_evidence.uncertainty.validate import limit


def uncertainty() -> None:
    """Draw samples and first order where they agree, and where they do not."""
    left, right = panels(1, 2, (11.0, 3.6))
    system = pl.compile(strip(), elements=2)
    to = {"h": 3e-5, "L": stats.uniform(0.495, 0.01)}
    pl.plot_uncertainty(pl.uncertainty(system, to=to, of=["frequency_hz:1"], samples=256), ax=left)
    load, _ = limit()
    near = stats.norm(0.97 * load, 0.04 * abs(load))
    found = pl.uncertainty(pl.compile(snapping()), to={"push": near}, of=["position:top(0, 0):y"], samples=256)
    pl.plot_uncertainty(found, ax=right)
    left.set_title("strip: first order is right")
    right.set_title(f"truss: {100.0 * found.snaps.value:.0f} % of the samples snap and are not shown")


if __name__ == "__main__":
    save({"uncertainty": uncertainty}, Path(sys.argv[1]))
