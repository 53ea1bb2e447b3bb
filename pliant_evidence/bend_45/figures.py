"""The bend under its load, a rod rolled up and one wound into a helix.

``python -m pliant_evidence.bend_45.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from math import pi
from pathlib import Path

import numpy as np

import pliant as pl
from pliant_evidence.bend_45 import rolling
from pliant_evidence.bend_45.rows import at_rest
from pliant_evidence.drawing import save
from pliant_gallery.bend_45 import model

ELEMENTS = pl.Exact(24, order=2)


def rods() -> None:
    """Draw three panels in space; each shows several loads."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(13.0, 4.4))
    shares = np.linspace(0.0, 1.0, 7)
    helix = 4.0 * pi * rolling.BENDING * np.array([0.6, 0.0, 0.8])
    panels = {
        "45-degree bend, loads up to 600": [model(load=600.0 * share) for share in shares],
        "rolled up once": [rolling.model(moment=(0, 0, 2 * pi * rolling.BENDING * share)) for share in shares],
        "wound into a helix": [rolling.model(moment=helix * share) for share in shares[::3]],
    }
    for k, (title, models) in enumerate(panels.items()):
        ax = figure.add_subplot(1, 3, k + 1, projection="3d")
        for share, each in zip(np.linspace(0.0, 1.0, len(models)), models, strict=True):
            rest = at_rest(each, ELEMENTS)
            ax.plot(*rest.shape.values.T, color=str(0.75 * (1.0 - share)), linewidth=1.6)
        ax.set(title=title)
        ax.set_aspect("equal")
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_major_locator(plt.MaxNLocator(3))


if __name__ == "__main__":
    save({"bend-45": rods}, Path(sys.argv[1]))
