"""The 6-RUS robot at the pose of the published study, and a slice of its workspace.

``python -m pliant_evidence.six_rus.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import pliant as pl
from pliant_evidence.six_rus.validate import POINT, TURN
from pliant_gallery.six_rus.kinetostatics import kinetostatics

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def robot() -> Figure:
    """Return rods, cranks and platform, held by the motor angles found."""
    solver = kinetostatics()
    ax = pl.plots.plot_shape(solver.result(solver.inverse(POINT, TURN)), view=(20.0, -60.0))
    ax.get_figure().set_size_inches(8.0, 5.0)  # type: ignore[union-attr]
    return ax.get_figure()  # type: ignore[return-value]


def slices() -> Figure:
    """Return condition number and margin to the motors' limits of the level platform in the plane y = 0."""
    import matplotlib.pyplot as plt

    found = kinetostatics().workspace({"x": np.linspace(-0.46, 0.46, 47), "z": np.linspace(0.06, 0.72, 34)})
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
    for ax, quantity in zip(axes, ("condition", "limit_margin"), strict=True):
        pl.plot_workspace(found, quantity, ax=ax)
        ax.set_aspect("equal")
    return figure


if __name__ == "__main__":
    for name, draw in {"six-rus": robot, "six-rus-workspace": slices}.items():
        draw().savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, bbox_inches="tight")
