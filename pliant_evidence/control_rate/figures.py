"""The continuum Stewart-Gough robot along its path, and how long steps of a motion take.

``python -m pliant_evidence.control_rate.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pliant_evidence.control_rate.bench import TICKS, WORST, ticks
from pliant_evidence.control_rate.robot import PATH, THERE, kinetostatics

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def path() -> Figure:
    """Rods and platform at the ends of the path, and motors, stiffness and strain along it."""
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
    """How long the steps of a motion at 1 kHz take of the processor."""
    import matplotlib.pyplot as plt

    took = 1e3 * ticks(clock=time.thread_time)
    figure, ax = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
    ax.hist(took, bins=np.linspace(0.0, max(0.6, float(took.max())), 60).tolist(), color="C0")
    ax.axvline(1e3 * WORST, color="C3", linewidth=1.0)
    ax.set(
        xlabel="processor time of a step with its values [ms]",
        ylabel=f"steps of {TICKS}",
        yscale="log",
        title=f"6-RUS at 1 kHz: median {np.median(took):.3f} ms, slowest {took.max():.3f} ms",
    )
    return figure


if __name__ == "__main__":
    for name, draw in {"control-rate-path": path, "control-rate-steps": histogram}.items():
        draw().savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, bbox_inches="tight")
