"""The planar robot, and both architectures side by side.

``python -m pliant_evidence.six_leg.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_evidence.six_leg import control
from pliant_gallery import robots
from pliant_gallery.six_leg import ELEMENTS, robot


def shape() -> None:
    """Draw platform, cranks, leaves and tendons of the six-leg robot at rest."""
    ax = pl.plots.plot_shape(robots.stand(robot(), elements=ELEMENTS).rest)
    ax.get_figure().set_size_inches(6.0, 6.0)  # type: ignore[union-attr]


def architectures() -> None:
    """Draw the deviation of the platform and torques over time, of two robots."""
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 6.0), sharex=True)
    for column, (name, study) in enumerate((("planar, leaf legs", control.planar()), ("6-RUS", control.rods()))):
        start = study.start()
        for word, controller in (("centralised", study.centralised()), ("decentralised", study.decentralised())):
            answer = study.run(controller, start, end_time=1.0)
            label = f"{word}: {answer.settling:.2f} s, effort {answer.effort:.2g} s"
            axes[0, column].semilogy(answer.motion.time, answer.deviation / answer.deviation[0], label=label)
            torques = answer.motion.applied.values[:, : len(study.legs)]
            colour = axes[0, column].lines[-1].get_color()
            axes[1, column].plot(
                answer.motion.sample,
                torques - np.array(study.platform.map.values[: len(study.legs)]),
                color=colour,
                lw=0.7,
            )
        axes[0, column].axhline(0.05, color="0.7", lw=0.8)
        axes[0, column].set(title=name, ylim=(1e-4, 2.0), ylabel="deviation of the platform, of its start")
        axes[0, column].legend(fontsize=8)
        axes[1, column].set(xlabel="time (s)", ylabel="change of torque (N m)")
    figure.tight_layout()


if __name__ == "__main__":
    for name, draw in (("six-leg", shape), ("six-leg-control", architectures)):
        draw()
        plt.gcf().savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, bbox_inches="tight")
        plt.close("all")
