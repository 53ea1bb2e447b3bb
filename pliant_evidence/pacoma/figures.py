"""PACOMA's leaves out and in, the path that bends them, and what docks on them.

``python -m pliant_evidence.pacoma.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant import robots
from pliant.errors import PartsTouch
from pliant.gallery import pacoma
from pliant.gallery.leg.theory import elastica
from pliant_evidence.pacoma import studies


def legs() -> None:
    """The robot at rest from the side and from above, its leaves bowing out and in."""
    _, axes = plt.subplots(2, 2, figsize=(9.0, 8.0), layout="constrained")
    for row, side in zip(axes, ("out", "in"), strict=True):
        kind = replace(pacoma.LEAF, bow=side)
        standing = robots.pretension(pacoma.robot(kind), elements=pacoma.ELEMENTS).standing
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PartsTouch)
            apart = 1e3 * float(robots.clearance(standing.robot, standing.rest).min())
        for ax, view in zip(row, ("xz", "xy"), strict=True):
            pl.plots.plot_shape(standing.rest, view=view, ax=ax)
            middle = 0.5 * pacoma.HEIGHT if view == "xz" else 0.0
            ax.set_aspect("equal", adjustable="box")
            ax.set(xlim=(-0.45, 0.45), ylim=(middle - 0.4, middle + 0.4))
            if (legend := ax.get_legend()) is not None:
                legend.remove()
        row[0].set_title(f'bow="{side}", from the side')
        row[1].set_title(f"from above: neighbours {apart:.0f} mm apart" if apart else "from above: neighbours touch")


def pretension() -> None:
    """Left how far out the leaves are while all tendons get shorter, right the tension, beside the elastica."""
    found, kind = studies.standing(), pacoma.LEAF
    _, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.8), layout="constrained")
    shares = {f"tendon {k}/rest_length": kind.length for k in range(1, 7)}
    whole = pl.path(found.jig, shares, begin=1.0, to=kind.tendon_rest_length / kind.length)
    for path, label in ((whole, "straight"), (found.bent, "bent out")):
        rest, colour = 1e3 * kind.length * path.parameter, pl.plots.COLOURS[0 if path is found.bent else 1]
        place = path.position.sel(marker="leaf 1@0.5").values
        ends = path.position.sel(marker=["leaf 1/base", "leaf 1/tip"]).mean("marker").values
        for stable, style in ((True, "-"), (False, "--")):
            shown = np.where(path.stable.values == stable, 1.0, np.nan)
            words = f"{label}{'' if stable else ', unstable'}"
            if np.isfinite(shown).any():
                left.plot(rest, shown * 1e3 * np.linalg.norm(place - ends, axis=1), style, color=colour, label=words)
                right.plot(rest, shown * path.tension[:, 0], style, color=colour)
    chords = np.linspace(0.385, 0.4999, 60)
    loads = np.array([elastica(chord).load for chord in chords])
    slack = 1e3 * (chords - loads / kind.tendon_stiffness)
    left.plot(slack, [1e3 * elastica(chord).deflection for chord in chords], "k:", label="elliptic integrals")
    right.plot(slack, loads, "k:")
    left.set(xlabel="rest length of the tendons [mm]", ylabel="leaf off its chord [mm]")
    right.set(xlabel="rest length of the tendons [mm]", ylabel="tension of a tendon [N]")
    left.legend(frameon=False)
    for ax in (left, right):
        ax.invert_xaxis()


FIGURES = {"pacoma-legs": legs, "pacoma-pretension": pretension}


if __name__ == "__main__":
    for name, draw in FIGURES.items():
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            draw()
            plt.gcf().savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, bbox_inches="tight")
