"""Demonstration: the leg from straight to pretensioned to released, with pictures."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import pliant as pl
from pliant.results import Result
from pliant_gallery.leg import LEG, model, theory
from pliant_gallery.leg.demo_figures import figures
from pliant_gallery.leg.stages import INWARD, MIDDLE, REST_LENGTH, Pretension, pretension, release

ELEMENTS = pl.Exact(10, order=2)
SHOWN = 1.25  # s of the release in the GIF
STEPS = (
    "shorten the tendon until the leaf buckles, to either side (path of equilibria and its branches)",
    "add the weight, find the modes, and where the outward equilibrium ends",
    "take the hold of the upper link away: the leg falls, 3 s",
)


class Leg(NamedTuple):
    """Results of the demonstration."""

    outward: Pretension
    inward: Pretension
    natural: Result  # path with weight from the straight leg: it bends inward
    cut_off: Result  # path with weight from the outward rest back to the fold at which that branch ends
    modes: Result
    motion: Result


def run(out: Path, console: Console) -> dict[str, Path]:
    """Compute the leg and write the results into the folder ``out``; return the files, by name."""
    began = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    say = console.print
    say("[bold]The PACOMA leg of the thesis (chapter 5)[/]: two links, a leaf of titanium, a tendon that is too short.")
    for number, step in enumerate(STEPS, start=1):
        say(f"  {number}. {step}")
    leg = compute()
    say(f"computed in {time.perf_counter() - began:.2f} s; beside it theory without finite elements:")
    say(summary(leg))
    results = {"path": leg.outward.bent, "rest": leg.outward.rest, "modes": leg.modes, "motion": leg.motion}
    files = {name: result.save(out / f"{name}.nc", overwrite=True) for name, result in results.items()}
    say("drawing ...")
    drawn = figures(leg, out)
    moving = {"pretension.html": pl.animate(leg.outward.bent, out / "pretension.html")}
    beginning = replace(leg.motion, data=leg.motion.data.sel(time=slice(0.0, SHOWN)))
    moving["leg.gif"] = pl.animate(beginning, out / "leg.gif", fps=10)
    moving["leg.html"] = pl.animate(leg.motion, out / "leg.html")
    for heading, group in (("results", files), ("figures", drawn), ("animations", moving)):
        say(heading)
        for path in group.values():
            say(f"  {path}", highlight=False, soft_wrap=True)
    say(f"[green]done in {time.perf_counter() - began:.1f} s[/]. To see the leg fall, open in a browser:")
    say(f"  {moving['leg.html']}", highlight=False, soft_wrap=True)
    say(f"More: pliant view {files['motion']}, pliant studio", highlight=False, soft_wrap=True)
    return files | drawn | moving


def compute() -> Leg:
    """Compute all stages."""
    held, free = (pl.compile(model(hold=hold), elements=ELEMENTS) for hold in ("q3", None))
    outward, inward = pretension(held), pretension(held, side=INWARD)
    shortest, longest = LEG.tendon_rest_length, LEG.leaf_length
    return Leg(
        outward,
        inward,
        natural=pl.path(held, REST_LENGTH, begin=longest, to=shortest),
        cut_off=pl.path(held, REST_LENGTH, start=outward.rest, begin=shortest, to=(longest, 0.98 * shortest)),
        modes=pl.modal(held, at=outward.rest, modes=3),
        motion=release(free, outward.rest),
    )


def summary(leg: Leg) -> Table:
    """Return a table of the results beside theory without finite elements."""
    rest, exact = leg.outward.rest, theory.equilibrium()
    table = Table("quantity", title="leg", title_justify="left")
    for heading in ("computed", "theory"):
        table.add_column(heading, justify="right")

    def row(quantity: str, form: str, computed: float, reference: float | None = None) -> None:
        table.add_row(quantity, format(computed, form), "" if reference is None else format(reference, form))

    buckling = leg.outward.straight.event_point.values[0]
    load = float(leg.outward.straight.tension.sel(line="tendon")[buckling])
    row("tension at which the leaf buckles (N)", ".3f", load, theory.buckling_load())
    row("tendon at rest (N)", ".3f", float(rest.tension.sel(line="tendon")), exact.tension)
    row("distance of the leaf's ends (mm)", ".3f", 1e3 * float(rest.line_length.sel(line="tendon")), 1e3 * exact.chord)
    row("lower link, q1 (deg)", ".3f", float(rest.angle.sel(body="lower link")) / pl.DEG, exact.q1 / pl.DEG)
    x, y = rest.position.sel(marker=MIDDLE).values
    row("middle of the leaf, x (mm)", ".3f", 1e3 * x, 1e3 * exact.middle[0])
    row("middle of the leaf, y (mm)", ".3f", 1e3 * y, 1e3 * exact.middle[1])
    axial = float(np.abs(rest.resultant.sel(component="N")).max()) / LEG.section.axial_stiffness
    row("largest axial strain", ".2e", axial, exact.axial_strain)
    fold = float(leg.cut_off.event_parameter.values[0])
    row("outward branch ends at a rest length of (mm)", ".3f", 1e3 * fold, 1e3 * theory.fold())
    for mode, frequency in enumerate(leg.modes.frequency_hz.values, start=1):
        row(f"mode {mode}, held (Hz)", ".3f", float(frequency))
    motion = leg.motion.outcome
    row("release: largest error of a joint (m)", ".1e", motion.constraint_error)
    row("release: largest energy error (J)", ".1e", motion.energy_error)
    return table
