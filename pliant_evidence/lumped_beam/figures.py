"""Figure 8 of the Udwadia-Kalaba paper: how far the frequencies of 3, 5, 9 and 20 rigid elements are from the beam's.

``python -m pliant_evidence.lumped_beam.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import pliant as pl
from pliant_evidence.drawing import panels
from pliant_evidence.lumped_beam import theory
from pliant_evidence.lumped_beam.validate import FREQUENCIES, SPRINGS, frequencies
from pliant_gallery.lumped_beam import model


def differences() -> None:
    """Draw frequencies over the exact beam's, with the paper's fitted springs."""
    beam = model().beams[0]
    exact = theory.euler_bernoulli(beam.section, beam.length, 10)
    (ax,) = panels(1, 1, (7.0, 4.2))
    for elements, colour in zip(FREQUENCIES, pl.plots.COLOURS, strict=False):
        found = frequencies(pl.Lumped(elements, stiffness=float(SPRINGS[elements][1])), len(FREQUENCIES[elements]))
        error = 100.0 * np.abs(found / exact[: found.size] - 1.0)
        ax.semilogy(range(1, found.size + 1), error, marker="o", color=colour, label=f"{elements} elements")
    ax.set(title="rigid elements against the exact beam (figure 8)", xlabel="mode", ylabel="difference [%]")
    ax.legend(loc="lower right", frameon=False)


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    differences()
    plt.gcf().savefig(Path(sys.argv[1]) / "lumped-beam.png", dpi=90)
