"""Pictures of the crank-slider: figures 4, 5, 10, 11, 12, 13 and 15 of the Udwadia-Kalaba paper, and the basins.

``python -m pliant_evidence.crank_slider.figures docs/images`` draws the documentation's figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import pliant as pl
from pliant.results import Result
from pliant_evidence.crank_slider.theory import Push, Rigid
from pliant_evidence.drawing import GREY, panels, save
from pliant_gallery.crank_slider import DAMPED, PAPER, PUSH, forcing, model

UK = "udwadia_kalaba"
TIMES = np.linspace(0.0, 30.0, 1501)  # s
BLUE, ORANGE, GREEN, *_ = pl.plots.COLOURS
STYLES: tuple[dict[str, Any], ...] = (
    {"linewidth": 2.2},
    {"linewidth": 1.0},
    {"linewidth": 1.0, "linestyle": (0, (1, 2))},
)


def figures(out: Path, prefix: str = "crank-slider-") -> list[Path]:
    """Draw everything into a folder."""
    drawings: dict[str, Callable[[], None]] = {
        "rigid": rigid,
        "response": response,
        "basins": maps,
        "flexible": flexible,
        "modes": modes,
        "stiffening": stiffening,
    }
    return save(drawings, out, prefix)


def rigid() -> None:
    """Draw figure 4: free and forced motion of the rigid mechanism; dots are the single equation."""
    free, forced = panels(1, 2, (11.0, 4.0))
    times, wells = TIMES[TIMES <= 20.0], Rigid().wells()
    for ax, forces in ((free, (0.0,)), (forced, (2.0, 5.0))):
        for force in forces:
            system = pl.compile(model(push=forcing(force)), formulation=UK)
            run = pl.transient(system, end_time=times[-1], times=times, tolerances=(1e-6, 1e-8))
            ax.plot(times, run.angle.sel(body="crank") / pl.DEG, label=f"{force:g} N" if force else "free")
            dots = times[::25]
            theory = Rigid().motion(dots, Push(force))[0] / pl.DEG
            ax.plot(dots, theory, linestyle="", marker=".", markersize=4, color="black", zorder=3)
        for angle in wells[::2] if ax is forced else wells[2:]:
            ax.axhline(angle / pl.DEG, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
        ax.set(xlabel="time [s]", ylabel="angle of the crank [deg]")
    free.set_title("free, under gravity (figure 4 a)")
    forced.set_title("pushed at 1.3 rad/s, under gravity (figure 4 b)")
    forced.legend(loc="center right", frameon=False)


def response() -> None:
    """Draw figure 5: steady vibration over frequency for growing forces; where one force leads to two vibrations."""
    import matplotlib.pyplot as plt

    curves, peaks, jump = panels(1, 3, (13.0, 4.2), width_ratios=(2.0, 1.0, 1.3))
    omegas = np.arange(0.1, 7.01, 0.1)
    found = sweep(omegas, np.arange(0.5, 10.01, 0.5)).sel(direction="up")
    shades = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, found.amplitude.size))
    tops = []
    for shade, force in zip(shades, found.amplitude.values, strict=True):
        curve = found.highest.sel(amplitude=force).values / pl.DEG
        curves.plot(found.frequency_hz, curve, color=shade, linewidth=1.0)
        k = int(np.argmax(curve))
        bend, slope, _ = np.polyfit(omegas[k - 1 : k + 2] - omegas[k], curve[k - 1 : k + 2], 2)
        tops.append((omegas[k] - 0.5 * slope / bend) / (2.0 * pi))
    for force in (0.5, 10.0):
        curves.annotate(
            f" {force:g} N", (1.114, found.highest.sel(amplitude=force)[-1] / pl.DEG), fontsize=9, va="center"
        )
    curves.axvline(abs(Rigid().eigenvalue()) / (2.0 * pi), color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    curves.set(
        title="highest angle (figure 5)", xlabel="frequency of the push [Hz]", ylabel="crank [deg]", xlim=(0.0, 1.2)
    )
    peaks.plot(tops, found.amplitude, marker=".", color=BLUE)
    peaks.set(title="where the peak is", xlabel="[Hz]", ylabel="amplitude of the push [N]")
    near = np.arange(2.8, 3.6, 0.02)
    both = sweep(near, np.array([10.5]))
    for way, colour in (("up", BLUE), ("down", ORANGE)):
        curve = both.highest.sel(direction=way).values.ravel() / pl.DEG
        jump.plot(near / (2.0 * pi), curve, label=way, color=colour, linewidth=1.2)
    jump.set(title="10.5 N: two vibrations", xlabel="frequency of the push [Hz]", ylabel="highest angle [deg]")
    jump.legend(loc="upper right", frameon=False)


def sweep(omegas: np.ndarray, forces: np.ndarray) -> xr.Dataset:
    """Return highest angles of the crank without weight, from 45 degrees."""
    return pl.frequency_sweep(
        pl.compile(model(gravity=False)),
        PUSH,
        frequencies_hz=omegas / (2.0 * pi),
        amplitudes=forces,
        outputs=["angle:crank"],
        settled=1e-4,
    ).data.isel(output=0)


def maps(points: int = 51) -> None:
    """Draw in which pose the mechanism ends, over angle and rate of the crank at the start, and over the force."""
    from matplotlib.colors import ListedColormap

    angles, rates, forces = (np.linspace(*ends, points) for ends in ((-75.0, 75.0), (-5.0, 5.0), (0.0, 6.0)))
    axes = panels(1, 3, (13.0, 4.4))
    grids: dict[str, dict[str, Any]] = {
        "free": {"angle": angles * pl.DEG, "rate": rates},
        "2 N at 1.3 rad/s": {"angle": angles * pl.DEG, "rate": rates, "force": [2.0]},
        "from rest, at 1.3 rad/s": {"angle": angles * pl.DEG, "force": forces},
    }
    for ax, (title, grid) in zip(axes, grids.items(), strict=True):
        found = pl.basins(end, grid, wells=rests()).data.squeeze()
        kind = np.select(
            [found.well == "upper", found.well == "lower", found.well == "elsewhere"], [1.0, 0.0, 2.0], 3.0
        )
        y = found.well.dims[1]
        shades = ListedColormap(["#9ecae1", "#fdae6b", "#bbbbbb", "#000000"])
        ax.pcolormesh(found.angle / pl.DEG, found[y], kind.T, cmap=shades, vmin=0, vmax=3)
        ax.set(title=title, xlabel="angle of the crank at the start [deg]")
        ax.grid(visible=False)
        if y == "rate":
            ax.plot(np.array(Rigid().wells()) / pl.DEG, np.zeros(3), linestyle="", marker="+", color="black")
            ax.plot(45.0, 0.0, linestyle="", marker="o", color="black", markersize=5)
            ax.set_ylabel("its rate [rad/s]")
        else:
            ax.plot([45.0, 45.0], [2.0, 5.0], linestyle="", marker="o", color="black", markersize=5)
            ax.set_ylabel("amplitude of the push [N]")


def rests() -> dict[str, Result]:
    """Return the two stable poses."""
    return {name: pl.statics(pl.compile(model(angle=angle))) for name, angle in (("upper", 0.7), ("lower", -0.9))}


def end(angle: float, rate: float = 0.0, force: float = 0.0) -> Result:
    """Return the motion from an angle and a rate of the crank, under a push."""
    system = pl.compile(model(angle=angle, push=forcing(force)))
    return pl.transient(system, push={"crank": rate}, end_time=24.0, step=0.02, every=5)


def flexible() -> None:
    """Draw figures 10 and 11: base of the flexible crank and slider link, free and under 5 N."""
    axes = panels(2, 2, (12.0, 7.0))
    for column, force in enumerate((0.0, 5.0)):
        push = forcing(force)
        runs = {
            "20 rigid elements, spring along its line": _long(model(DAMPED, flexible=True, push=push), 20),
            "the same, spring along x": _long(model(DAMPED, flexible=True, push=push, spring="x"), 20),
            "finite elements, spring along its line": pl.transient(
                pl.compile(model(DAMPED, flexible=True, push=push), elements=pl.Exact(20, order=2)),
                end_time=TIMES[-1], times=TIMES, step=1e-3,
            ),
        }  # fmt: skip
        for row, (body, name) in enumerate((("crank", "base of the crank"), ("slider", "slider link"))):
            ax = axes[2 * row + column]
            for (label, run), style, colour in zip(runs.items(), STYLES, (BLUE, ORANGE, "black"), strict=True):
                angle = run.angle.sel(body=body) / pl.DEG
                ax.plot(TIMES, angle, label=label, color=colour, **style)
            title = f"{'5 N at 1.3 rad/s (figure 11' if force else 'free (figure 10'} {'ab'[row]})"
            ax.set(title=title, ylabel=f"{name} [deg]", xlabel="time [s]" if row else "")
    axes[1].legend(loc="upper right", frameon=False, fontsize=8)


def _long(given: pl.Model, elements: int) -> Result:
    system = pl.compile(given, formulation=UK, elements=elements)
    return pl.transient(system, end_time=TIMES[-1], times=TIMES, tolerances=(1e-8, 1e-10))


def modes() -> None:
    """Draw figures 12 and 13: the first ten modes."""
    system = pl.compile(model(flexible=True, gravity=False), formulation=UK, elements=20)
    found = pl.modal(system, modes=10, damped=True)
    rest, moved = found.shape.values, np.real(_real_shapes(found.mode_shape.values))
    parts = found.part.values
    for mode, ax in enumerate(panels(2, 5, (13.0, 5.0), sharex=True, sharey=True)):
        for name in dict.fromkeys(parts[found.part_kind.values == "rigid"]):
            here = parts == name
            place = rest[here] + 0.35 * moved[mode, here]
            ax.plot(*rest[here].T, color=GREY, linewidth=1.0)
            ax.plot(*place.T, color=ORANGE if name == "slider" else BLUE, linewidth=1.6)
        ax.set(title=f"{mode + 1}: {float(found.frequency_hz[mode]):.3g} Hz", aspect="equal")


def _real_shapes(shapes: np.ndarray) -> np.ndarray:
    """Return the complex shapes turned so that their largest displacement is real."""
    flat = shapes.reshape(len(shapes), -1)
    largest = flat[np.arange(len(flat)), np.argmax(np.abs(flat), axis=1)]
    return np.asarray(shapes * (np.abs(largest) / largest)[:, None, None])


def stiffening() -> None:
    """Draw table 6 and figure 15: the first five frequencies as the crank gets stiffer."""
    (ax,) = panels(1, 1, (7.0, 4.6))
    factors = np.geomspace(1.0, 1000.0, 31)
    found = np.array([
        pl.modal(
            pl.compile(model(replace(PAPER, stiffening=factor), flexible=True, gravity=False), formulation=UK),
            modes=5, damped=True,
        ).frequency_hz.values
        for factor in factors
    ])  # fmt: skip
    for mode in range(5):
        ax.loglog(factors, found[:, mode], label=f"mode {mode + 1}")
    ax.axhline(abs(Rigid().eigenvalue()) / (2.0 * pi), color=GREY, linewidth=0.8, linestyle="--")
    ax.set(title="stiffer cranks (table 6, figure 15)", xlabel="factor of the springs", ylabel="frequency [Hz]")
    ax.legend(loc="upper left", frameon=False)


if __name__ == "__main__":
    figures(Path(sys.argv[1]))
