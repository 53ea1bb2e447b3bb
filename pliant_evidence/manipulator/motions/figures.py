"""Pictures of the flexible manipulators: figures 3 to 16 of the paper redrawn, with the exact arm beside its models.

``python -m pliant_evidence.manipulator.motions.figures docs/images`` draws the documentation's figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import pliant as pl
from pliant_evidence.drawing import GREY, panels, save
from pliant_evidence.manipulator import motions
from pliant_gallery.manipulator import FIGURES, Arm, deflection

BLUE, ORANGE, GREEN, *_ = pl.plots.COLOURS
MM = 1e3
SLOW = Arm(25.0, torque=4.0, frequency=1.0)
AXIAL = np.linspace(1000.0, 5000.0, 9)  # m/s
BENDING = np.linspace(25.0, 60.0, 8)


def figures(out: Path, prefix: str = "manipulator-") -> list[Path]:
    """Draw everything into a folder."""
    drawings: dict[str, Callable[[], None]] = {
        "four-models": four_models,
        "velocities": velocities,
        "frequencies": natural_frequencies,
        "kinks": kinks,
        "figure-12": figure_12,
        "two-links": two_links,
    }
    return save(drawings, out, prefix)


def four_models() -> None:
    """Draw figures 3, 4, 5: four models and the exact arm; below, how far they are from it."""
    axes = panels(2, 3, (13.0, 6.6), sharex="col")
    for column, figure in enumerate((3, 4, 5)):
        arm, (above, below) = FIGURES[figure], (axes[column], axes[3 + column])
        run = motions.exact_motion(arm)
        time, exact = run.time.values, motions.across(run, arm)
        for name, options in motions.FOUR.items():
            values = motions.across(motions.motion(arm, **options), arm)
            style = {"linestyle": "--"} if "conventional" in name else {}
            above.plot(time, MM * values, label=name, linewidth=1.1, **style)
            below.plot(time, MM * (values - exact), linewidth=0.9, **style)
        above.plot(time, MM * exact, color="black", linewidth=0.8, linestyle=":", label="exact arm")
        torque = f"{arm.torque:g} sin({'' if arm.frequency == 1.0 else f'{arm.frequency:g} '}t) N m"
        above.set_title(f"figure {figure}: U_g {arm.bending_velocity:g} m/s, {torque}")
        below.set_xlabel("time [s]")
    axes[0].set_ylabel("tip deflection [mm]")
    axes[3].set_ylabel("less that of the exact arm [mm]")
    axes[0].legend(loc="lower right", frameon=False, fontsize=8)


def velocities() -> None:
    """Draw figures 6 and 7: largest deflections over U_a and U_g."""
    along, side, fast, slow = panels(2, 2, (12.0, 8.0))
    for colour, speed in ((BLUE, 25.0), (ORANGE, 45.0)):
        for frequency, style in ((1.0, "-"), (10.0, "--")):
            arms = [replace(SLOW, bending_velocity=speed, axial_velocity=a, frequency=frequency) for a in AXIAL]
            found = motions.largest_deflections(arms)
            label = f"U_g {speed:g} m/s, 4 sin({frequency:g}t)"
            for ax, values in zip((along, side), found.T, strict=True):
                ax.plot(AXIAL, MM * values, style, color=colour, marker=".", label=label)
    along.set(title="axial (figure 6 a)", yscale="log", xlabel="U_a [m/s]", ylabel="largest deflection [mm]")
    side.set(title="transverse (figure 6 b)", xlabel="U_a [m/s]")
    along.legend(frameon=False, fontsize=8)
    for ax, frequency in ((fast, 5.0), (slow, 1.0)):
        for axial in (1000.0, 3000.0, 4800.0):
            arms = [replace(SLOW, bending_velocity=u, axial_velocity=axial, frequency=frequency) for u in BENDING]
            values = motions.largest_deflections(arms)[:, 1]
            ax.plot(BENDING, MM * values, marker=".", label=f"third order, U_a {axial:g} m/s")
        arms = [replace(SLOW, bending_velocity=u, frequency=frequency) for u in BENDING]
        ax.plot(BENDING, MM * motions.largest_deflections(arms, strain="linear")[:, 1], color=GREY, label="linear")
        exact = [motions.largest(motions.across(motions.exact_motion(arm, step=2e-4), arm)) for arm in arms]
        ax.plot(BENDING, MM * np.array(exact), linestyle="", marker="x", color="black", label="exact arm, 4800 m/s")
        ax.set(title=f"4 sin({frequency:g}t) (figure 7 {'ab'[ax is slow]})", xlabel="U_g [m/s]")
    fast.set_ylabel("largest transverse deflection [mm]")
    fast.legend(frameon=False, fontsize=8)


def natural_frequencies() -> None:
    """Draw figures 8, 9, 10: frequencies along the motion, and their means over U_a and U_g."""
    first, second, each, over_a, over_g, off = panels(2, 3, (13.5, 7.4))
    arm, speeds = FIGURES[8], np.linspace(25.0, 100.0, 7)
    time = motions.motion(arm).time.values
    names = {"force": "K + Delta K of eq. 14", "tangent": "Hessian of the strain energy"}
    for (form, label), colour in zip(names.items(), (BLUE, ORANGE), strict=True):
        for ax, values in zip((first, second), motions.frequencies(arm, stiffness=form).T, strict=True):
            ax.plot(time, values, color=colour, linewidth=0.8, label=label)
        over = [motions.rms(motions.frequencies(replace(arm, axial_velocity=a), stiffness=form)[:, 0]) for a in AXIAL]
        over_a.plot(AXIAL, over, color=colour, marker=".", label=label)
    linear = motions.frequencies(arm, strain="linear")[0, 0]
    over_a.axhline(linear, color=GREY, linewidth=0.9, linestyle="--", label="linear model")
    found = {float(u): motions.frequencies(replace(arm, bending_velocity=u))[:, 0] for u in speeds}
    for u in speeds[::2]:
        each.plot(time, found[u], linewidth=0.9, label=f"U_g {u:g} m/s")
    means = np.array([motions.rms(values) for values in found.values()])
    over_g.plot(speeds, means, marker=".")
    off.plot(speeds, 100.0 * (means / np.polyval(np.polyfit(speeds, means, 1), speeds) - 1.0), marker=".")
    first.set(title="first frequency (figure 8)", xlabel="time [s]", ylabel="[rad/s]", ylim=(165.0, 225.0))
    second.set(title="second frequency (figure 8)", xlabel="time [s]")
    each.set(title="first frequency (figure 10 a)", xlabel="time [s]")
    over_a.set(title="first, root mean square (figure 9)", xlabel="U_a [m/s]", ylabel="[rad/s]")
    over_g.set(title="the same (figure 10 b)", xlabel="U_g [m/s]", ylabel="[rad/s]")
    off.set(title="off a straight line", xlabel="U_g [m/s]", ylabel="[%]")
    first.legend(frameon=False, fontsize=8, loc="upper left")
    for ax in (each, over_a):
        ax.legend(frameon=False, fontsize=8)


def kinks() -> None:
    """Draw figure 11: deflection along the axes of the link for growing kinks."""
    across_link, along_link, sizes = panels(1, 3, (13.0, 4.2))
    angles = np.arange(0.0, 151.0, 15.0)
    peaks = []
    for angle in angles:
        arm = replace(FIGURES[12], kink=float(angle) * pl.DEG)
        run = motions.motion(arm)
        values = MM * deflection(run, arm)
        peaks.append(np.abs(values).max(axis=0))
        if angle % 30.0 == 0.0 and angle <= 120.0:
            across_link.plot(run.time, values[:, 1], linewidth=1.0, label=f"{angle:g} deg")
            along_link.plot(run.time, values[:, 0], linewidth=1.0)
    across_link.set(title="along Y of the link (figure 11)", xlabel="time [s]", ylabel="tip deflection [mm]")
    along_link.set(title="along X", xlabel="time [s]")
    across_link.legend(frameon=False, fontsize=8)
    for values, name in zip(np.transpose(peaks), ("X", "Y"), strict=True):
        sizes.plot(angles, values, marker=".", label=name)
    sizes.set(title="largest", xlabel="kink [deg]", ylabel="[mm]")
    sizes.legend(frameon=False)


def figure_12() -> None:
    """Draw figure 12: linear and nonlinear, their difference, the exact arm; effect of terms and elements."""
    above, below, errors = panels(1, 3, (13.5, 4.4))
    arm = FIGURES[12]
    run = motions.exact_motion(arm, periods=2.0)
    time, exact = run.time.values, motions.across(run, arm)
    runs = {
        strain: motions.across(motions.motion(arm, periods=2.0, strain=strain), arm)
        for strain in ("linear", "third", "nonlinear")
    }
    names = {"linear": "linear", "third": "third order (the paper's)", "nonlinear": "third and fourth order"}
    for strain, values in runs.items():
        above.plot(time, MM * values, linewidth=1.1, label=names[strain])
    above.plot(time, MM * exact, color="black", linestyle=":", linewidth=0.9, label="exact arm")
    above.set(title="figure 12: two elements, no kink", xlabel="time [s]", ylabel="tip deflection [mm]", ylim=(-30, 50))
    above.legend(frameon=False, fontsize=8, loc="upper left")
    below.plot(time, 100.0 * (runs["third"] - runs["linear"]) / motions.largest(runs["third"]), linewidth=1.0)
    below.set(title="third order less linear", xlabel="time [s]", ylabel="[% of the largest nonlinear]")
    counts = (2, 3, 4, 6, 8)
    for strain in ("linear", "third", "nonlinear", "mean"):
        off = [
            motions.largest(motions.across(motions.motion(arm, periods=2.0, strain=strain, elements=n), arm) - exact)
            for n in counts
        ]
        label = {"mean": "mean axial strain"}.get(strain, names.get(strain))
        errors.loglog(counts, 100.0 * np.array(off) / motions.largest(exact), marker=".", label=label)
    errors.set(title="off the exact arm", xlabel="elements", ylabel="[% of the largest]")
    errors.set_xticks(counts, [str(n) for n in counts])
    errors.minorticks_off()
    errors.legend(frameon=False, fontsize=8)


def two_links() -> None:
    """Draw figures 13 to 16: joint angles, and differences of component and system modes."""
    axes = panels(2, 3, (13.5, 7.2), sharex=True)
    for row, figure in enumerate((13, 15)):
        arm = FIGURES[figure]
        angles, difference, tips = axes[3 * row : 3 * row + 3]
        runs = {
            name: motions.motion(arm, periods=3.0, **o)
            for name, o in (("component", motions.COMPONENT), ("system", motions.SYSTEM))
        }
        time = runs["system"].time.values
        turned = {}
        for name, run in runs.items():
            turned[name] = run.coordinates.sel(coordinate=["joint1", "joint2"]).values
            for k in (0, 1):
                style = {"linestyle": "--", "color": "black", "linewidth": 0.8} if name == "system" else {}
                angles.plot(time, turned[name][:, k], label=f"theta {k + 1}, {name}", **style)
        gap = turned["system"] - turned["component"]
        for k in (0, 1):
            difference.plot(time, MM * gap[:, k], linewidth=1.0, label=f"theta {k + 1}")
            one, other = (motions.across(runs[name], arm, k) for name in ("system", "component"))
            tips.plot(time, 1e6 * (one - other), linewidth=0.7, label=f"link {k + 1}")
        angles.set(title=f"U_g {arm.bending_velocity:g} m/s: joints (figure {figure})", ylabel="[rad]")
        difference.set(title="system less component", ylabel="[mrad]")
        tips.set(title=f"tip deflections, difference (figure {figure + 1})", ylabel="[um]")
    for ax in axes[3:]:
        ax.set_xlabel("time [s]")
    for ax in axes[:3]:
        ax.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    figures(Path(sys.argv[1]))
