"""Figures 7 and 8 of the shooting paper: the tip of the spinning arm in axes that turn with the hub.

``python -m pliant_evidence.spinning_beam.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pliant_evidence.drawing import GREY, panels, save
from pliant_evidence.spinning_beam.validate import shot, spin_up, stretch, tip
from pliant_gallery.spinning_beam import data

END = 20.0  # s


def spinning() -> None:
    """Draw case 1 by shooting, dots are finite elements; on the right the small extension once the speed is steady."""
    along, across, steady = panels(1, 3, (13.0, 4.0))
    given = data(1)
    run = shot(1, end_time=END)
    time, x, y = tip(given, run)
    for ax, values in ((along, x), (across, y)):
        ax.plot(time, values)
    dots, x_solid, y_solid = tip(given, spin_up(1, end_time=END))
    every = slice(None, None, 100)
    for ax, values in ((along, x_solid), (across, y_solid)):
        ax.plot(dots[every], values[every], linestyle="", marker=".", color="black", markersize=4)
    along.set(title="tip along the hub's x (figure 7)", xlabel="time [s]", ylabel="[m]")
    across.set(title="tip along the hub's y (figure 8)", xlabel="time [s]", ylabel="[m]")
    late = time >= given.rise_time - 2.0
    micro = 1e6
    steady.plot(time[late], micro * x[late], label="of the tip, along the hub's x")
    steady.plot(time[late], micro * stretch(given, run)[late], label="of the arm, along itself: e(1)")
    steady.axhline(micro * given.steady_extension, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    steady.set(title="steady extension (table 3)", xlabel="time [s]", ylabel="[µm]")
    steady.set_ylim(*(micro * given.steady_extension * np.array([0.97, 1.02])))
    steady.legend(loc="lower right", frameon=False, fontsize=8)


if __name__ == "__main__":
    save({"shooting-spinning-beam": spinning}, Path(sys.argv[1]))
