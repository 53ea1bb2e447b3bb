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
    """Draw both views of the arm, one tendon pulled after the other; circles were measured, crosses are computed, by
    the linear law with the authors' material and by a neo-Hookean one.
    """
    axes = panels(1, 2, (11.0, 5.0))
    tensions, places = models.measured()
    meshes = {"link 1": pl.Exact(8, order=2), "link 2": pl.Exact(2, order=2)}
    laws = {"x": (models.LINEAR, "-"), "+": (models.NEO_HOOKEAN, "--")}
    for sign, (material, style) in laws.items():
        system = pl.compile(models.soft_arm(material), elements=meshes)
        for one, two in tensions.tolist():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PliantWarning)
                rest = pl.statics(system.with_signals({"tendon 1/tension": one, "tendon 2/tension": two}))
            line = rest.shape.sel(station=np.isin(rest.part, ["link 1", "link 2"])).values * 1e3
            markers = rest.position.sel(marker=NAMES).values * 1e3
            colour = f"C{int(two > one)}"
            for ax, across in zip(axes, (0, 1), strict=True):
                ax.plot(line[:, across], line[:, 2], color=colour, linestyle=style, linewidth=1.0, alpha=0.7)
                ax.plot(markers[:, across], markers[:, 2], linestyle="", marker=sign, color=colour, markersize=5)
    for ax, (across, name) in zip(axes, enumerate("xy"), strict=True):
        for pose in 1e3 * places:
            look = {"linestyle": "", "marker": "o", "fillstyle": "none", "color": "0.3", "markersize": 5}
            ax.plot(pose[:, across], pose[:, 2], **look)
        ax.set(xlabel=f"{name} [mm]", ylabel="z [mm]", aspect="equal")
    axes[1].set_title("tendon 1 (blue) or 2 (orange); o measured, x (line) linear, + (dashes) neo-Hookean", fontsize=9)


if __name__ == "__main__":
    save({"soft-arm": soft_arm}, Path(sys.argv[1]))
