"""Campbell diagram of a shaft on two bearings.

``python -m pliant_evidence.steady_spin.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import pliant as pl
from pliant_evidence.drawing import panels, save
from pliant_evidence.steady_spin.validate import shaft


def campbell() -> None:
    """Draw slender shaft in turning axes and in those that stand still; critical speeds are the natural frequencies."""
    left, right = panels(1, 2, (13.0, 4.5))
    system = pl.compile(shaft(), elements=pl.Exact(3, order=3))
    found = pl.campbell(system, rates=np.linspace(0.5, 50.0, 34), spin=pl.Spin(0.0, axis="x"), modes=4)
    pl.plot_campbell(found, ax=left)
    pl.plot_campbell(found, axes="fixed", ax=right)
    left.get_legend().remove()


if __name__ == "__main__":
    save({"campbell": campbell}, Path(sys.argv[1]))
