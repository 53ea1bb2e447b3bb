"""Work and precision beside peers: error against processor time, a panel a motion.

``python -m pliant_evidence.work_precision.figures docs/images`` draws it for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pliant as pl
from pliant_evidence.drawing import panels, save
from pliant_evidence.precision import front
from pliant_evidence.work_precision.bench import measured
from pliant_evidence.work_precision.jobs import JOBS


def work_precision() -> None:
    """Draw the best settings of pliant and of the peer as lines, all others as dots."""
    for ax, job in zip(panels(2, 3, (12.0, 7.0)), JOBS, strict=True):
        here, there, peer = measured(job)
        for settings, label, colour in ((there, peer.label if peer else "", 1), (here, "pliant", 0)):
            if settings:
                look = {"color": pl.plots.COLOURS[colour]}
                ax.loglog([1e3 * s.seconds for s in settings], [s.error for s in settings], ".", ms=2, **look)
                best = [(1e3 * s.seconds, s.error) for s in front(settings)]
                ax.loglog(*zip(*best, strict=True), "o-", label=label, **look)
        ax.set(
            title=job.name, xlabel="processor time [ms]", ylabel="error, of the size", ylim=(1e-7, 1.0), xlim=(2.0, 5e3)
        )
        ax.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    save({"work-precision": work_precision}, Path(sys.argv[1]))
