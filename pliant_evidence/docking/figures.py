"""Docking with flexible and with rigid legs: forces on the ring, and the robot when it is struck.

``python -m pliant_evidence.docking.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import pliant as pl
from pliant_evidence.docking.studies import RIGID, dock
from pliant_gallery.docking import PACOMA

SHOWN = 0.0, 0.3


def forces_and_robot() -> None:
    """Draw the force on the ring and the energy lost over time (left) and the flexible robot from the side (right)."""
    runs = {"flexible legs": dock(step=2e-4, end_time=0.5), "rigid legs": dock(stiffening=RIGID, step=2e-4)}
    figure = plt.figure(figsize=(12.0, 4.8), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.3, 1.0))
    force, lost = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
    for (name, run), colour in zip(runs.items(), pl.plots.COLOURS, strict=False):
        pressed, spent = run.normal_force.sel(contact="ring"), run.energy.sel(energy_kind="dissipated")
        force.plot(1e3 * run.time, pressed, color=colour, label=f"{name}, peak {float(pressed.max()):.1f} N")
        lost.plot(1e3 * run.time, 1e3 * spent, color=colour)
    force.set(ylabel="force on the ring [N]", title=f"docking at {1e3 * PACOMA.speed:.0f} mm/s, 7.5° off")
    lost.set(xlabel="time [ms]", ylabel="energy lost [mJ]")
    force.legend(frameon=False)
    side = pl.plots.plot_shape(runs["flexible legs"], times=SHOWN, view="xz", ax=figure.add_subplot(grid[:, 1]))
    side.set_title("flexible legs at 0 and 300 ms, from the side")


if __name__ == "__main__":
    forces_and_robot()
    plt.gcf().savefig(Path(sys.argv[1]) / "docking.png", dpi=90, bbox_inches="tight")
