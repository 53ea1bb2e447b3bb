"""The silicone arm beside its measured poses.

``python -m pliant_evidence.tendon_robot.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.drawing import panels, save
from pliant_evidence.tendon_robot import models

NAMES = ["link 1/p1", "link 1/p2", "link 1/p3", "link 2/p4"]


def soft_arm() -> None:
    """Both views of the arm, one tendon pulled after the other; circles were measured, crosses are computed."""
    axes = panels(1, 2, (11.0, 5.0))
    tensions, places = models.measured()
    system = pl.compile(models.soft_arm(), elements={"link 1": pl.Exact(8, order=2), "link 2": pl.Exact(2, order=2)})
    for k, (one, two) in enumerate(tensions.tolist()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            rest = pl.statics(system.with_signals({"tendon 1/tension": one, "tendon 2/tension": two}))
        line = rest.shape.sel(station=np.isin(rest.part, ["link 1", "link 2"])).values * 1e3
        markers = rest.position.sel(marker=NAMES).values * 1e3
        colour = f"C{int(two > one)}"
        for ax, across in zip(axes, (0, 1), strict=True):
            ax.plot(line[:, across], line[:, 2], color=colour, linestyle="-", linewidth=1.0, alpha=0.7)
            ax.plot(markers[:, across], markers[:, 2], linestyle="", marker="x", color=colour, markersize=4)
            ax.plot(
                *(1e3 * places[k])[:, [across, 2]].T,
                linestyle="",
                marker="o",
                fillstyle="none",
                color="0.3",
                markersize=5,
            )
    for ax, name in zip(axes, "xy", strict=True):
        ax.set(xlabel=f"{name} [mm]", ylabel="z [mm]", aspect="equal")
    axes[0].set_title("tendon 1 (blue) or 2 (orange) pulled; o measured, x computed", fontsize=9)


if __name__ == "__main__":
    save({"soft-arm": soft_arm}, Path(sys.argv[1]))
