"""Tip of the Princeton beam over the angle of its weight.

``python -m pliant_evidence.princeton.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import pliant as pl
from pliant_evidence.drawing import panels, save
from pliant_evidence.princeton.validate import ANGLES, CHORDWISE, ELEMENTS, FLAPWISE
from pliant_gallery.princeton import LOADS, model, tip


def tips() -> None:
    """Draw chordwise and flapwise displacement and twist under three weights; dots are the published ones."""
    axes = panels(1, 3, (13.0, 4.2))
    angles = np.linspace(0.0, 90.0, 31)
    for load in LOADS:
        found = np.array(
            [tip(pl.statics(pl.compile(model(load=load, angle=a * pl.DEG), elements=ELEMENTS))) for a in angles]
        )
        for ax, values in zip(axes, (found * (1e3, 1e3, 1.0 / pl.DEG)).T, strict=True):
            ax.plot(angles, values, label=f"{load:g} N")
        for ax, published in zip(axes, (CHORDWISE, FLAPWISE), strict=False):
            if load in published:
                ax.plot(ANGLES, published[load], linestyle="", marker="o", color="black", markersize=4)
    for ax, title in zip(axes, ("chordwise [mm]", "flapwise [mm]", "twist [deg]"), strict=True):
        ax.set(xlabel="angle of the weight [deg]", title=title)
    axes[1].legend(frameon=False)


if __name__ == "__main__":
    save({"princeton": tips}, Path(sys.argv[1]))
