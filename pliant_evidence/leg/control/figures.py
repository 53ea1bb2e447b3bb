"""Pictures of the controlled leg.

``python -m pliant_evidence.leg.control.figures docs/images`` draws the documentation's figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl
from pliant.results.drawing import canvas
from pliant.results.plots import COLOURS, GREY
from pliant.results.plots.closed_loops import plot_comparison
from pliant_evidence.leg.control.studies import PACE, answers, q3, region
from pliant_gallery.leg import control

MOST = 5.0  # N m, of the motor
SIZES = (0.03, 0.1, 0.3)  # rad
RUNS = 200


def figures(out: Path, prefix: str = "") -> dict[str, Path]:
    """Draw everything into a folder; the files by name."""
    import matplotlib.pyplot as plt

    light, prototype = control.posture(control.LIGHT_DAMPER), control.posture(control.DAMPER)
    drawings: dict[str, Callable[[], Any]] = {
        "hold": lambda: hold(light),
        "poles": lambda: poles(light, prototype),
        "agreement": lambda: agreement(light, prototype),
        "region": lambda: reach(light),
        "service": lambda: service(light),
    }
    files = {}
    for name, draw in drawings.items():
        draw()
        files[name] = out / f"{prefix}{name}.png"
        plt.gcf().savefig(files[name], dpi=90)
        plt.close()
    return files


def hold(at: control.Posture) -> None:
    """Let go from three places: the motion beside its linear prediction, and without control."""
    grid = canvas.panels(2, 3, (11.0, 5.6), sharex=True)
    controller = control.by_motor(at.plant).controller
    for column, answer in zip(grid.T, answers(at, controller, SIZES, end_time=1.2), strict=True):
        plot_comparison(answer.run, answer.prediction, outputs=[control.Q3], axes=column)
        loose = control.run(at, None, at.displaced(answer.size), end_time=1.2)
        column[0].plot(loose.time, q3(loose), color=GREY, linewidth=1.0, label="constant torque")
        column[0].set(title=f"q1 displaced by {answer.size:g} rad", ylim=np.array([-1.3, 1.15]) * answer.nonlinear[0])
        for ax in column:
            ax.get_legend().remove()
    grid[0, 0].set_ylabel("q3 [rad]")
    grid[1, 0].set_ylabel("torque [N m]")
    for ax in grid[:, 1:].flat:
        ax.set_ylabel("")
    lines = grid[0, 0].get_lines()
    grid[0, 0].legend(lines, ["nonlinear", "linear", "constant torque"], loc="lower right", frameon=False)


def poles(light: control.Posture, prototype: control.Posture) -> None:
    """Open and closed loop: near zero where the legs differ, and the leaf's bending."""
    grid = canvas.panels(1, 2, (11.0, 4.6))
    for ax, (title, at, length) in zip(
        grid.flat, (("c = 15 N s/m", light, 1e-3), ("c = 1500 N s/m", prototype, 5e-5)), strict=True
    ):
        design = control.by_motor(at.plant, length=length)
        check = pl.spillover(design.controller, reduced=design.small)
        for values, style in (
            (at.plant.poles(), {"marker": "x", "color": GREY, "label": "open loop"}),
            (design.gain.poles, {"marker": "o", "color": COLOURS[0], "label": "regulator"}),
            (design.observer.poles, {"marker": "s", "color": COLOURS[1], "label": "observer"}),
            (check.poles, {"marker": ".", "color": "black", "markersize": 3, "label": "all, full model"}),
        ):
            style = {"markersize": 7, "markerfacecolor": "none", **style}
            ax.plot(values.real, values.imag, linestyle="", **style)
        ax.set(xscale="symlog", yscale="symlog", xlim=(-300, 0.2), ylim=(-1, 900), title=title)
        ax.set(xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")
        ax.axvline(0.0, color=GREY, linewidth=0.8)
    grid[0, 1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)


def agreement(light: control.Posture, prototype: control.Posture) -> None:
    """Draw how far the motion is from the linear one, over the size of the perturbation."""
    (ax,) = canvas.panels(1, 1, (7.0, 4.6)).flat
    cases = (
        ("motor, all sensors", light, control.by_motor_and_gauge(light.plant), 0.3),
        ("motor, encoder and tendon", light, control.by_motor(light.plant), 0.3),
        ("tendon", light, control.by_tendon(light.plant), 0.03),
        ("motor, c = 1500 N s/m", prototype, control.by_motor(prototype.plant, length=5e-5), 0.03),
    )
    for (label, at, design, largest), marker in zip(cases, "osD^", strict=True):
        found = list(answers(at, design.controller, np.geomspace(0.003, largest, 6).tolist()))
        ax.loglog([a.size for a in found], [a.difference for a in found], marker=marker, label=label)
    sizes = np.array([0.003, 0.3])
    ax.loglog(sizes, 0.3 * sizes, color=GREY, linestyle=":", label="in proportion to the size")
    ax.set(xlabel="displacement of the lower link [rad]", ylabel="largest difference of q3, relative")
    ax.set_title("nonlinear closed loop, from the linear prediction")
    ax.legend(frameon=False)


def reach(at: control.Posture) -> None:
    """Draw random starts: where the posture is held, and how often, over the size of the start."""
    starts, shares = canvas.panels(1, 2, (11.0, 4.8)).flat
    limited = {"low": -MOST, "high": MOST}
    few, many = (
        control.by_motor(at.plant).controller,
        control.by_motor_and_gauge(at.plant).controller,
    )
    loops: tuple[tuple[str, Any, float, float], ...] = (
        ("constant torque", None, 0.1, 16.0),
        ("tendon, 0.2 to 0.36 m", control.by_tendon(at.plant).controller.limited(low=0.2, high=0.36), 0.2, 6.0),
        ("motor, encoder and tendon", few.limited(**limited), 2.4, 4.0),
        ("motor, all sensors", many.limited(**limited), 2.4, 4.0),
    )
    for label, controller, largest, end_time in loops:
        found = region(at, controller, reach=largest, runs=RUNS, seed=1, end_time=end_time)
        held, edges = found.held.values == 1.0, np.linspace(0.0, largest, 11)
        inside = np.digitize(np.nan_to_num(found.size.values, nan=largest), edges)
        share = [np.mean(held[inside == k]) if np.any(inside == k) else np.nan for k in range(1, edges.size)]
        shares.plot(0.5 * (edges[1:] + edges[:-1]), 100.0 * np.array(share), marker=".", label=label)
        if label == "motor, encoder and tendon":
            starts.plot(found.angle[held], found.rate[held] / PACE, ".", color=COLOURS[0], label="held")
            starts.plot(found.angle[~held], found.rate[~held] / PACE, "x", color=COLOURS[1], label="lost")
    starts.set(xlabel="displacement of the lower link [rad]", ylabel=f"push / {PACE:g} 1/s [rad]", aspect="equal")
    starts.set_title(f"motor, encoder and tendon, {MOST:g} N m")
    starts.legend(loc="upper right")
    shares.set(xscale="log", xlabel="size of the start [rad]", ylabel="held [%]", ylim=(-3, 103))
    shares.set_title(f"{RUNS} random starts each")
    shares.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)


def service(at: control.Posture) -> None:
    """Draw what a real loop has to live with: reference, limits, noise, delay."""
    grid = canvas.panels(2, 4, (13.0, 5.6), sharex=True)
    few, start = control.by_motor(at.plant).controller, at.displaced(0.3)
    step = pl.Expression(f"{at.q3} + where(t < 0.1, 0, 0.1)")
    exact = control.by_motor_and_gauge(at.plant, integral=[control.Q3]).controller
    cases: tuple[tuple[str, Any, Any], ...] = (
        ("reference of q3, integral", exact.following({control.Q3: step}), at.equilibrium),
        ("1 to 1.5 N m, 100 N m/s", few.limited(low=1.0, high=1.5, rate=100.0), start),
        ("noise of 0.1 mrad, 10 µm", few.with_noise({control.Q1: 1e-4, control.LENGTH: 1e-5}, seed=1), at.equilibrium),
        ("delay of 3 samples", few.delayed(3), start),
    )
    for (above, below), (title, controller, begin) in zip(grid.T, cases, strict=True):
        motion = control.run(at, controller, begin, end_time=2.0)
        above.plot(motion.time, q3(motion))
        below.step(motion.sample, motion.applied.sel(input=control.TORQUE), where="post")
        above.set_title(title)
        below.set_xlabel("time [s]")
    grid[0, 0].plot(*np.array([[0.0, 0.1, 0.1, 2.0], [0.0, 0.0, 0.1, 0.1]]), color=GREY, linestyle="--")
    grid[0, 0].set_ylabel("q3 [rad]")
    grid[1, 0].set_ylabel("torque [N m]")


if __name__ == "__main__":
    figures(Path(sys.argv[1]), prefix="leg-control-")
