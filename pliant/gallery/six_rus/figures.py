"""The 6-RUS robot at the pose of the published study.

``python -m pliant.gallery.six_rus.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pliant as pl
from pliant.gallery.six_rus import model
from pliant.gallery.six_rus.kinetostatics import ELEMENTS, inverse
from pliant.gallery.six_rus.validate import POINT, TURN


def robot() -> None:
    """Rods, cranks and platform, held by the motor angles found."""
    held = inverse(pl.compile(model(), elements=ELEMENTS), POINT, TURN)
    ax = pl.plots.plot_shape(held, view=(20.0, -60.0))
    ax.get_figure().set_size_inches(8.0, 5.0)  # type: ignore[union-attr]


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    robot()
    plt.gcf().savefig(Path(sys.argv[1]) / "six-rus.png", dpi=90, bbox_inches="tight")
