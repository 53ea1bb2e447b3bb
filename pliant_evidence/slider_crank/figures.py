"""Figures 10 to 12 of the shooting paper, and error against time of shooting and finite elements.

``python -m pliant_evidence.slider_crank.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import pliant as pl
from pliant_evidence import shooting_paper as paper
from pliant_evidence.drawing import GREY, panels, save
from pliant_evidence.slider_crank.bench import BUDGET, END, points
from pliant_evidence.slider_crank.validate import DRIVEN, shot, solid
from pliant_gallery.slider_crank import MATERIALS

BLUE, ORANGE, GREEN, *_ = pl.plots.COLOURS


def motion() -> None:
    """Draw slider and energy; lines are shooting with the paper's settings, dots are converged finite elements."""
    slider, energy, enlarged = panels(1, 3, (13.0, 4.2))
    for material, colour in zip(MATERIALS, (BLUE, ORANGE), strict=True):
        run, fine = shot(material, end_time=END), solid(material, step=2e-4, end_time=END)
        start = run.position.sel(marker="rod/base", axis="x").values[0]
        slider.plot(run.time, run.position.sel(marker="rod/base", axis="x") - start, color=colour, label=material)
        energy.plot(run.time, 1e3 * total(run), color=colour, label=f"{material}, kinetic and strain")
        energy.plot(
            run.time, 1e3 * run.energy.sel(energy_kind="potential"), color=colour, linestyle=":", label="strain"
        )
        twin = solid(material, newmark=paper.NEWMARK, end_time=END)
        enlarged.plot(*ripple(run), color=colour, label=f"{material}, shooting")
        enlarged.plot(*ripple(twin), color="black", linestyle=(0, (1, 3)), zorder=3)
        places = fine.position.sel(marker="rod/base", axis="x").values - start
        dots = slice(None, None, 250)
        slider.plot(fine.time[dots], places[dots], linestyle="", marker=".", color="black", markersize=4, zorder=3)
    slider.set(title="displacement of the slider (figure 10)", xlabel="time [s]", ylabel="[m]")
    energy.set(title="energy (figure 11)", xlabel="time [s]", ylabel="[mJ]")
    enlarged.set(title="after the drive, from its mean (figure 12)", xlabel="time [s]", ylabel="[1e-6]")
    energy.axvline(DRIVEN, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    for ax in (slider, energy, enlarged):
        ax.legend(loc="best", frameon=False, fontsize=8)


def total(run: pl.Result) -> np.ndarray:
    """Return kinetic and strain energy (J)."""
    return np.asarray(run.energy.sel(energy_kind=["kinetic", "potential"]).sum("energy_kind").values)


def ripple(run: pl.Result) -> tuple[np.ndarray, np.ndarray]:
    """Return times after the drive, and how far the energy is from its mean there (millionths)."""
    late = run.time.values >= DRIVEN
    energy = total(run)[late]
    return run.time.values[late], 1e6 * (energy / energy.mean() - 1.0)


def work() -> None:
    """Time against error for aluminium and rubber: every setting a dot, the cheapest for an error joined."""
    for ax, material in zip(panels(1, 2, (11.0, 4.6), sharey=True), MATERIALS, strict=True):
        found = points(material)
        for method, colour in (("shooting", BLUE), ("elements", ORANGE)):
            mine = [point for point in found if point.method == method and np.isfinite(point.error)]
            error, seconds = np.array([(point.error, point.seconds) for point in mine]).T
            ax.loglog(error, seconds, linestyle="", marker=".", color=colour)
            front = [k for k in np.argsort(error) if seconds[k] <= seconds[error <= error[k]].min()]
            name = "shooting" if method == "shooting" else "finite elements"
            ax.loglog(error[front], seconds[front], color=colour, linewidth=1.0, label=name)
        ax.axhline(BUDGET, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
        ax.set(title=f"{material}, 2 s of motion", xlabel="error of the slider / stroke")
        ax.legend(loc="upper right", frameon=False)
    ax.figure.axes[0].set_ylabel("time [s]")


if __name__ == "__main__":
    save({"shooting-slider-crank": motion, "shooting-work": work}, Path(sys.argv[1]))
