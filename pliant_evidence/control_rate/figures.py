"""The continuum Stewart-Gough robot along its path, and how long steps of a motion take.

``python -m pliant_evidence.control_rate.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pliant_evidence.control_rate.bench import RUNS, TICKS, WORST, ticks
from pliant_evidence.control_rate.robot import PATH, THERE, kinetostatics

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def path() -> Figure:
    """Draw rods and platform at the ends of the path, and motors, stiffness and strain along it."""
    import matplotlib.pyplot as plt

    robot, start = kinetostatics()
    found = robot.follow(PATH, start=start)
    figure = plt.figure(figsize=(11.0, 4.2), layout="constrained")
    space = figure.add_subplot(1, 3, 1, projection="3d")
    for pose, colour in ((start, "0.65"), (robot.inverse(THERE[-1], start=start), "C0")):
        drawn = robot.result(pose)
        shape, parts = drawn.shape.values, drawn.part.values
        for name in dict.fromkeys(each for each in parts.tolist() if each.startswith("rod")):
            space.plot(*shape[parts == name].T, color=colour, linewidth=1.2)
        tips = np.array([shape[parts == f"rod {k}"][-1] for k in (1, 2, 3, 4, 5, 6, 1)])
        ring = tips[np.argsort(np.arctan2(tips[:6, 1] - pose.position[1], tips[:6, 0]))]
        space.plot(*np.vstack([ring, ring[:1]]).T, color=colour, linewidth=2.0)
    space.plot(*THERE.T, color="C3", linewidth=1.0)
    space.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title="the path, and its ends")
    space.set_aspect("equal")
    space.set_xticks([-0.05, 0.05])
    space.set_yticks([0.0, 0.2])
    space.view_init(12.0, -25.0)
    fed, stiff = figure.add_subplot(1, 3, 2), figure.add_subplot(1, 3, 3)
    fed.plot(1e3 * found.motor.values)
    fed.set(xlabel="pose", ylabel="place of the carriages [mm]", title="motors, there and back")
    stiff.plot(1e-3 * found.softest.values)
    stiff.set(xlabel="pose", ylabel="softest stiffness [N/mm]", title="of the platform, motors held", ylim=(0.0, None))
    return figure


def histogram() -> Figure:
    """Draw how long the steps of a motion at 1 kHz take."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11.0, 3.6), layout="constrained", sharey=True)
    for ax, order in zip(axes, (2, 3), strict=True):
        found = ticks(order)
        own, bins = 1e3 * found.own, np.linspace(0.0, 1.5, 76).tolist()
        work = np.clip(1e3 * found.work.ravel(), 0.0, bins[-2])
        ax.hist(work, bins, color="0.8", label=f"processor time, all {RUNS} runs")
        ax.hist(own, bins, color="C0", label=f"a step by itself: the least of {RUNS} runs")
        ax.axvline(1e3 * WORST, color="C3", linewidth=1.0, label="wanted at most")
        ax.set(
            xlabel="a step with its values [ms]",
            yscale="log",
            title=f"6 x 4 elements of order {order}: median {np.median(own):.2f} ms, slowest {own.max():.2f} ms",
        )
    axes[0].set_ylabel(f"steps of {TICKS}")
    axes[0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    for name, draw in {"control-rate-path": path, "control-rate-steps": histogram}.items():
        draw().savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, bbox_inches="tight")
