"""Work and precision: error against processor time, a panel a model.

``python -m pliant_evidence.formulations.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pliant as pl
from pliant_evidence.drawing import panels, save
from pliant_evidence.formulations.bench import measured
from pliant_evidence.formulations.models import JOBS

WAYS = ("dae", "dae, order 3", "shooting", "udwadia_kalaba", "kinked", "relative")


def work_and_precision() -> None:
    """Draw all formulations that apply, on all models."""
    from matplotlib.ticker import NullFormatter

    for ax, job in zip(panels(2, 3, (12.0, 7.0)), JOBS, strict=True):
        points = list(measured(job))
        for way in job.ways:
            style = {"color": pl.plots.COLOURS[WAYS.index(way)], "marker": "o", "label": way}
            ours = [(1e3 * point.seconds, point.error) for point in points if point.way == way]
            ax.loglog(*zip(*ours, strict=True), **style)
        ax.set(title=job.name, xlabel="processor time [ms]", ylabel="error, of the scale")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlim(1.0, 2000.0)
        ax.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    save({"work-and-precision": work_and_precision}, Path(sys.argv[1]))
