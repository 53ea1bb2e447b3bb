"""Pictures of the leg: bifurcation diagram, shapes, modes, and the histories of thesis figures 5.12 to 5.15."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import pliant as pl
from pliant.gallery.leg import LEG
from pliant.gallery.leg.stages import MIDDLE
from pliant.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pliant.gallery.leg.demo import Leg


def figures(leg: Leg, out: Path) -> dict[str, Path]:
    """Draw everything into a folder; the files by name."""
    import matplotlib.pyplot as plt

    plots, motion = pl.plots, leg.motion
    drawings: dict[str, Callable[[], Any]] = {
        "bifurcation": lambda: bifurcation(leg),
        "shapes": lambda: shapes(leg),
        "modes": lambda: plots.plot_modes(leg.modes),
        "fall": lambda: plots.plot_shape(motion, times=np.linspace(0.0, 0.3, 7).tolist()),
        "angles": lambda: angles(motion),
        "nodes": lambda: nodes(motion),
        "tendon_deformation": lambda: tendon(motion, "line_length", "shortening since the straight leg [mm]"),
        "tendon_force": lambda: tendon(motion, "tension", "tension [N]"),
        "energy": lambda: plots.plot_energy(motion),
    }
    files = {}
    for name, draw in drawings.items():
        draw()
        files[f"{name}.png"] = out / f"{name}.png"
        plt.gcf().savefig(files[f"{name}.png"], dpi=90)
        plt.close()
    return files
