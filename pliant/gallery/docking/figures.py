"""Docking with flexible and with rigid legs: forces on the ring, and the robot when it is struck.

``python -m pliant.gallery.docking.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import pliant as pl
from pliant.gallery.docking import PACOMA
from pliant.gallery.docking.studies import RIGID, dock

SHOWN = 0.02, 0.3


def forces_and_robot() -> None:
    """Left the force over time, right the robot at two instants."""
    runs = {"flexible legs": dock(step=2e-4, end_time=0.5), "rigid legs": dock(stiffening=RIGID, step=2e-4)}
    figure = plt.figure(figsize=(12.0, 4.2))
    grid = figure.add_gridspec(2, 3, width_ratios=(1.5, 1.0, 1.0))
    force, gap = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
    for (name, run), colour in zip(runs.items(), pl.plots.COLOURS, strict=False):
        pressed = run.normal_force.sel(contact="ring")
        force.plot(1e3 * run.time, pressed, color=colour, label=f"{name}, peak {float(pressed.max()):.1f} N")
        spent = run.energy.sel(energy_kind="dissipated")
        gap.plot(1e3 * run.time, 1e3 * spent, color=colour, label=name)
    force.set(ylabel="force on the ring [N]", title=f"{1e3 * PACOMA.speed:.0f} mm/s, 7.5° off")
    gap.set(xlabel="time [ms]", ylabel="energy lost [mJ]")
    force.legend(frameon=False)
    flexible = runs["flexible legs"]
    for k, time in enumerate(SHOWN):
        ax = figure.add_subplot(grid[:, 1 + k], projection="3d")
        pl.plots.plot_shape(flexible, times=time, view=(8.0, -80.0), ax=ax)
        ax.set_title(f"flexible legs, {1e3 * time:.0f} ms")
    figure.tight_layout()


if __name__ == "__main__":
    forces_and_robot()
    plt.gcf().savefig(Path(sys.argv[1]) / "docking.png", dpi=90, bbox_inches="tight")
