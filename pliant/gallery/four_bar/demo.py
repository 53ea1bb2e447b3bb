"""Demonstration: the four-bar of the thesis, rigid and with a flexible coupler, from words to pictures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import pliant as pl
from pliant.gallery.four_bar import model
from pliant.results import Result

END = 3.0
STEP = 1e-3
EVERY = 10


def run(out: Path, console: Console) -> dict[str, Path]:
    """Compute both mechanisms into the folder ``out``; returns the files written, by name."""
    began = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    say = console.print
    say("[bold]Four-bar of the thesis (chapter 2)[/]: released at q1 = 0, it swings under its weight for 3 s")
    rigid = _rigid(say)
    flexible = _flexible(say)
    say(summary(rigid, flexible))
    files = {name: results.save(out / f"{name}.nc", overwrite=True) for name, results in {**rigid, **flexible}.items()}
    say("drawing")
    files |= figures(rigid, flexible, out)
    motion = flexible["flexible_motion"]
    files["four_bar.html"] = pl.animate(motion, out / "four_bar.html")
    beginning = replace(motion, data=motion.data.sel(time=slice(0.0, 1.25)))
    files["four_bar.gif"] = pl.animate(beginning, out / "four_bar.gif", fps=10)
    for path in files.values():
        say(f"  {path}", highlight=False)
    say(f"[green]done in {time.perf_counter() - began:.1f} s[/]; open {out / 'four_bar.html'} in a browser")
    return files


def _rigid(say: Callable[..., Any]) -> dict[str, Result]:
    """Rigid links: rest, mode, and the motion along both routes."""
    say("rigid links: rest, mode, motion with multipliers and by geometric reduction")
    system = pl.compile(model())
    rest = pl.statics(system)
    implicit = pl.transient(system, end_time=END, step=STEP, every=EVERY)
    reduced = pl.compile(model(), formulation="geometric", coordinate="crank")
    explicit = pl.transient(reduced, end_time=END, accuracy=1e-6, times=implicit.time.values)
    modes = pl.modal(system, at=rest, modes=1)
    return {"rigid_rest": rest, "rigid_modes": modes, "rigid_implicit": implicit, "rigid_explicit": explicit}


def _flexible(say: Callable[..., Any]) -> dict[str, Result]:
    """Coupler of titanium: motion, then rest and modes from where it is near the end."""
    say("coupler as a titanium leaf, 20 elements: motion, rest, modes")
    system = pl.compile(model(coupler="flexible", damping=0.01), elements=20)
    motion = pl.transient(system, end_time=END, step=STEP, spectral_radius=0.8, every=EVERY)
    rest = pl.statics(system, start=motion)
    return {
        "flexible_rest": rest,
        "flexible_modes": pl.modal(system, at=rest, modes=6),
        "flexible_motion": motion,
    }


def summary(rigid: dict[str, Result], flexible: dict[str, Result]) -> Table:
    """What was found, side by side."""
    table = Table("quantity", title="four-bar", title_justify="left")
    for heading in ("rigid", "flexible coupler"):
        table.add_column(heading, justify="right")
    rests, modes = (rigid["rigid_rest"], flexible["flexible_rest"]), (rigid["rigid_modes"], flexible["flexible_modes"])
    motions = rigid["rigid_implicit"], flexible["flexible_motion"]

    def row(quantity: str, form: str, *values: float) -> None:
        table.add_row(quantity, *(format(value, form) for value in values))

    for body in ("crank", "rocker"):
        row(f"{body} at rest (deg)", ".3f", *(float(rest.angle.sel(body=body)) / pl.DEG for rest in rests))
    row("lowest frequency (Hz)", ".4f", *(float(mode.frequency_hz[0]) for mode in modes))
    row("farthest swing of the crank (deg)", ".2f", *(float(m.angle.sel(body="crank").min()) / pl.DEG for m in motions))
    row("steps of 1 ms", "d", *(m.outcome.steps for m in motions))
    row("largest error of a joint (m)", ".1e", *(m.outcome.constraint_error for m in motions))
    row("largest energy error (J)", ".1e", *(m.outcome.energy_error for m in motions))
    difference = float(np.abs(rigid["rigid_implicit"].angle - rigid["rigid_explicit"].angle).max())
    table.add_row("implicit - explicit, largest angle (rad)", f"{difference:.1e}", "-")
    moment = float(np.abs(flexible["flexible_motion"].resultant.sel(component="M")).max())
    table.add_row("largest bending moment (N m)", "-", f"{moment:.3f}")
    return table


def figures(rigid: dict[str, Result], flexible: dict[str, Result], out: Path) -> dict[str, Path]:
    """Pictures of what happened."""
    import matplotlib.pyplot as plt

    plots, motion = pl.plots, flexible["flexible_motion"]
    instants = np.linspace(0.0, 0.4, 6).tolist()
    drawings: dict[str, Callable[[], Any]] = {
        "angles": lambda: _angles(rigid["rigid_implicit"], rigid["rigid_explicit"]),
        "energy": lambda: plots.plot_energy(motion),
        "shapes": lambda: plots.plot_shape(motion, times=instants),
        "moments": lambda: plots.plot_resultants(motion, "M", times=instants),
        "modes": lambda: plots.plot_modes(flexible["flexible_modes"], modes=(1, 2, 3)),
    }
    files = {}
    for name, draw in drawings.items():
        draw()
        files[f"{name}.png"] = out / f"{name}.png"
        plt.gcf().savefig(files[f"{name}.png"], dpi=90)
        plt.close()
    return files


def _angles(implicit: Result, explicit: Result) -> None:
    """Both routes on one another."""
    ax = pl.plots.plot_history(implicit, "angle")
    for line, body in zip(list(ax.get_lines()), implicit.angle.body.values, strict=True):
        line.set(linewidth=3.0, alpha=0.4)
        ax.plot(
            explicit.time.values,
            explicit.angle.sel(body=body).values,
            color=line.get_color(),
            linestyle="--",
            linewidth=1.0,
        )
    ax.set_title("rigid four-bar: multipliers (wide) and geometric reduction (dashed)")
