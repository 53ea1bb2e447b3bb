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
from pliant.errors import PartsTouch
from pliant_evidence.pacoma import studies
from pliant_gallery import pacoma, robots
from pliant_gallery.leg.theory import elastica
from pliant_gallery.pacoma.control import DISPLACED, SAMPLE_TIME, Controlled
from pliant_gallery.pacoma.docking import rigid_leg


def legs() -> None:
    """Draw the robot at rest from the side and from above, its leaves bowing out and in."""
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
    """Draw the leaves' sag while all tendons get shorter (left), and the tension beside the elastica (right)."""
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


def docking() -> None:
    """Draw the ring's force over time at 7.5 degrees: the prototype's damper, a light one, rigid legs; the robot."""
    runs = {
        "prototype: 1500 N s/m": studies.damped(1500.0),
        "15 N s/m": studies.damped(15.0),
        "rigid legs": studies.approach(7.5, 0.05, rigid_leg()),
    }
    figure = plt.figure(figsize=(11.0, 4.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.3, 1.0))
    force, spent = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
    for (name, encounter), colour in zip(runs.items(), pl.plots.COLOURS, strict=False):
        run, found = studies.docked(encounter)
        pressed, lost = run.normal_force.sel(contact="ring"), run.energy.sel(energy_kind="dissipated")
        force.plot(1e3 * run.time, pressed, color=colour, label=f"{name}, peak {found.peak:.1f} N")
        spent.plot(1e3 * run.time, 1e3 * lost, color=colour)
    force.axhline(45.5, color="0.6", linestyle=":", label="prototype's test, 45.5 N; speed, masses not published")
    force.set(ylabel="force on the ring [N]", title="satellite of 20 kg at 50 mm/s, 7.5° off; chaser of 100 kg floats")
    spent.set(xlabel="time [ms]", ylabel="energy lost [mJ]")
    force.legend(frameon=False, fontsize=8)
    side = figure.add_subplot(grid[:, 1])
    pl.plots.plot_shape(studies.docked(runs["15 N s/m"])[0], times=(0.0, 0.25), view="xz", ax=side)
    side.set_title("15 N s/m: at 0 and 250 ms")
    if (legend := side.get_legend()) is not None:
        legend.remove()


def sensitivity() -> None:
    """Draw the peak over the damper for three pretensions (left), over the misalignment for three speeds (right)."""
    _, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.0), layout="constrained")
    dampers = (5.0, 15.0, 50.0, 150.0, 500.0, 1500.0, 5000.0)
    for pull, colour in zip((70.0, 89.0, 110.0), pl.plots.COLOURS, strict=False):
        peaks = [studies.docked(studies.damped(c, pull), end_time=SHORT)[1].peak for c in dampers]
        left.semilogx(dampers, peaks, "o-", color=colour, label=f"tendons {pull:.0f} N along straight leaves")
    rigid = studies.docked(studies.approach(7.5, 0.05, rigid_leg()), end_time=SHORT)[1].peak
    left.axhline(rigid, color="k", linestyle="--", label="rigid legs")
    left.axvline(1500.0, color="0.6", linestyle=":", label="prototype's damper")
    left.set(xlabel="damper [N s/m]", ylabel="peak force [N]", ylim=(0.0, 1.1 * rigid), title="7.5° off, 50 mm/s")
    angles = (0.0, 2.5, 5.0, 7.5, 10.0)
    for speed, colour in zip((0.02, 0.05, 0.1), pl.plots.COLOURS, strict=False):
        for kind, style, name in ((pacoma.LEAF, "o-", "prototype"), (rigid_leg(), "x--", "rigid legs")):
            peaks = [studies.docked(studies.approach(a, speed, kind), end_time=SHORT)[1].peak for a in angles]
            right.plot(angles, peaks, style, color=colour, label=f"{1e3 * speed:.0f} mm/s, {name}")
    right.axhline(45.5, color="0.6", linestyle=":")
    right.set(xlabel="misalignment [°]", ylabel="peak force [N]", yscale="log", title="1500 N s/m, 89 N")
    for ax in (left, right):
        ax.legend(frameon=False, fontsize=8)


def control() -> None:
    """Draw the platform let go 13 mm away under controllers with equal limits, without and with an unknown load."""
    robot = studies.controlled()
    start = robot.displaced(DISPLACED)
    ways: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for name, law in robot.controllers().items():
        runs = [robot.released(law, start, end_time=1.0, load=load) for load in (0.0, 0.5)]
        found = [distance(robot, run) for run in runs]
        (time, far), effort = found[0], float((runs[0].applied.values ** 2).sum()) * SAMPLE_TIME
        late, pushed = time[np.nonzero(far > 0.05 * far[0])[0][-1]], found[1][1][-1]
        words = f"{name}: 5 % after {late:.2f} s, {far[-1]:.2f} mm left, {effort:.2f} (N m)² s; pushed {pushed:.2f} mm"
        ways[words] = found
    draw_control(ways)


def docking_control() -> None:
    """Draw the ring's force, and how far the platform gives way on its chaser, motors held and under controllers."""
    laws = studies.controlled().controllers()
    names = ("PD of every motor", "LQG", "H∞", "LQG, load estimated")
    _, (force, way) = plt.subplots(1, 2, figsize=(10.5, 4.0), layout="constrained")
    for name, colour in zip(("motors held", *names), pl.plots.COLOURS, strict=False):
        run, found = studies.docked_under(laws.get(name))
        far, pressed = studies.yielded(run), run.normal_force.sel(contact="ring")
        force.plot(1e3 * run.time, pressed, color=colour, label=f"{name}, peak {found.peak:.1f} N")
        way.plot(1e3 * run.time, 1e3 * far, color=colour)
    title = "7.5° off, 50 mm/s, prototype's damper"
    force.set(xlabel="time [ms]", ylabel="force on the ring [N]", xlim=(0.0, 400.0), title=title)
    way.set(xlabel="time [ms]", ylabel="platform from its place on the chaser [mm]")
    force.legend(frameon=False, fontsize=8)


def distance(robot: Controlled, run: pl.Result) -> tuple[np.ndarray, np.ndarray]:
    """Time, and how far the platform is from where it stands (mm)."""
    rest = robot.loose.rest.position.sel(marker=pacoma.PLATFORM).values
    return run.time.values, 1e3 * np.linalg.norm(run.position.sel(marker=pacoma.PLATFORM).values - rest, axis=1)


def draw_control(ways: dict[str, list[tuple[np.ndarray, np.ndarray]]]) -> None:
    """Draw distances over time, a line a controller; left without a load, right with one."""
    _, axes = plt.subplots(1, 2, figsize=(10.0, 3.8), layout="constrained", sharey=True)
    for k, (name, both) in enumerate(ways.items()):
        for ax, (time, far) in zip(axes, both, strict=True):
            ax.semilogy(time, far, "--" if name.startswith("MPC") else "-", color=pl.plots.COLOURS[k], label=name)
    for ax, title in zip(axes, ("let go 13 mm away", "and pushed by 0.5 N that nobody knows"), strict=True):
        ax.set(xlabel="time (s)", title=title)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("platform from where it stands (mm)")
    axes[1].legend(fontsize=6)


def film(folder: Path) -> None:
    """Draw the docking with a light damper, which moves enough to be seen, slowed down."""
    run, _ = studies.docked(studies.damped(15.0))
    pl.animate(run, folder / "pacoma-docking.gif", fps=10, speed=0.1)


SHORT = 0.2  # s: no later touch is harder
FIGURES = {
    "pacoma-legs": legs,
    "pacoma-pretension": pretension,
    "pacoma-docking": docking,
    "pacoma-sensitivity": sensitivity,
    "pacoma-control": control,
    "pacoma-docking-control": docking_control,
}


if __name__ == "__main__":
    for name, draw in FIGURES.items():
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            draw()
            plt.gcf().savefig(Path(sys.argv[1]) / f"{name}.png", dpi=90, bbox_inches="tight")
    if len(sys.argv) < 3 or "film" in sys.argv[2:]:
        film(Path(sys.argv[1]))
