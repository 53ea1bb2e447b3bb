"""Figures 16 and 17 of the shooting paper: point B of the released four-bar; and its shapes.

``python -m pliant_evidence.elastic_four_bar.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pliant_evidence.drawing import panels, save
from pliant_evidence.elastic_four_bar import theory
from pliant_evidence.elastic_four_bar.validate import FINE_STEP, by_elements, lowering, released, sway

END = 1.0  # s


def release() -> None:
    """Draw B along x and y, and the frame over half a period; dots are finite elements."""
    along, across, frame = panels(1, 3, (13.0, 4.2), width_ratios=(1.3, 1.3, 1.0))
    run, fine = released(FINE_STEP), by_elements()
    time = run.time.values
    for ax, values, dots in ((along, sway(run)[1], sway(fine)[1]), (across, lowering(run), lowering(fine))):
        ax.plot(time, 1e3 * values)
        ax.plot(time[::10], 1e3 * dots[::10], linestyle="", marker=".", color="black", markersize=3.5, zorder=3)
        ax.set(xlabel="time [s]", xlim=(0.0, END))
    along.set(title="B along x (figure 16)", ylabel="[mm]")
    across.set(title="B along y (figure 17)", ylabel="[mm]")
    period = 1.0 / theory.sway_frequency()
    for share in np.linspace(0.0, 0.5, 6):
        k = int(np.argmin(np.abs(time - share * period)))
        for part in ("left", "coupler", "right"):
            x, y = run.shape.isel(time=k).values[run.part.values == part].T
            frame.plot(x, y, color=str(0.75 * share / 0.5), linewidth=1.4)
    frame.set(title="half a period", xlabel="x [m]", ylabel="y [m]", aspect="equal")


if __name__ == "__main__":
    save({"shooting-fourbar": release}, Path(sys.argv[1]))
