"""The leg six times: chapter 4, chapter 5 as written and mended, and pliant's co-rotational and exact elements.

from pliant_evidence.historical.thesis_leg.compare import compare, figure, table

legs = compare()                                # 20 s
print(table(legs))                              # Markdown
figure(legs, "thesis-leg.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

import pliant as pl
from pliant_evidence.historical.thesis_leg.first import FirstModel
from pliant_evidence.historical.thesis_leg.full import DEFECTS, FullModel
from pliant_evidence.historical.thesis_leg.mechanism import Array
from pliant_evidence.historical.thesis_leg.statics import equilibrium, lowest_stiffness
from pliant_gallery.leg import LEG, model
from pliant_gallery.leg.stages import pretension, release

SHORT = LEG.leaf_length - 0.1  # m: chord of the leaf in the prototype, which is 100 mm shorter
TABLE_5_3 = (4.65e-2, 3.42e-2, 2.87e-2, -8.03e-1)
OWN = DEFECTS - {"reaction", "tendon"}
"""What stays of chapter 5 when its equilibrium is computed in earnest."""


class Leg(NamedTuple):
    """A leg under the tendon of 89 N, q3 held at 0, and then let go."""

    name: str
    nodes: Array  # of the leaf, (nodes, 2) m
    stretch: Array  # of every element, between its nodes
    strain: float  # largest axial strain in the strain energy
    distance: float | None  # of A and B (m); None: no equilibrium found
    tension: float | None  # of the tendon (N)
    buckling: float  # load at which the straight leaf buckles (N)
    time: Array  # of the fall (s)
    gap: Array  # of the loop during it (m)


def compare(*, end_time: float = 3.0) -> list[Leg]:
    """Compare all legs. Chapter 5 as written falls from its own equilibrium too, to blame the integrator alone."""
    own = FullModel(defects=OWN - {"position"})
    mended = FullModel(elements=10, defects=())
    rest = own.pretension().q
    return [
        _first(end_time),
        _as_written(rest, end_time),
        _full("chapter 5, equilibrium", own, rest, end_time),
        _full("chapter 5, mended", mended, bowed_rest(mended), end_time),
        _consistent("co-rotational", pl.Corotational(elements=10), end_time),
        _consistent("geometrically exact", pl.Exact(elements=10), end_time),
    ]


def bowed_rest(model: FullModel) -> Array:
    """Return rest of a mended model on the outward side: bent with the links held 100 mm nearer, then let go by q1."""
    held = model.pretension(model.straight(level="q3", chord=SHORT), hold=(0, 2), imperfection=0.05)
    return model.pretension(held.q, imperfection=0.0).q


def buckling_load(full: FullModel) -> float:
    """Return the tendon force at which chapter 5's straight leaf buckles (N), without weight; 0 without thrust."""

    def straight(force: float) -> FullModel:
        rest_length = LEG.leaf_length - force / LEG.tendon_stiffness
        given = replace(LEG, gravity=0.0, tendon_rest_length=rest_length)
        return FullModel(given, elements=full.elements, defects=full.defects)

    def stiffness(force: float) -> float:
        leg = straight(force)
        return lowest_stiffness(leg, equilibrium(leg, leg.straight(level="q3"), hold=(2,)), hold=(2,))

    if full.chord_stiffness(full.straight(level="q3")) < 1e-9 * LEG.section.axial_stiffness / LEG.leaf_length:
        return 0.0
    return float(brentq(stiffness, 20.0, 80.0, xtol=1e-6))


def _first(end_time: float) -> Leg:
    first = FirstModel()
    q, run = first.straight(level="q3"), first.simulate(end_time=end_time)
    force = LEG.tendon_stiffness * (LEG.leaf_length - LEG.tendon_rest_length)
    nodes, stretch = first.nodes(q), first.nodal_strain(q)
    return Leg("chapter 4", nodes, stretch, 0.0, LEG.leaf_length, force, inf, run.time, run.gap)


def _as_written(rest: Array, end_time: float) -> Leg:
    """Return the leg closed by (5.43) alone with its links where 100 mm of shortening puts them: no rest exists."""
    full = FullModel()
    q, run = full.shortened(SHORT), full.fall(rest, end_time=end_time)
    nodes, stretch = full.nodes(q), full.nodal_strain(q)
    strain = float(np.abs(full.strains(q)[0]).max())
    return Leg("chapter 5 as written", nodes, stretch, strain, None, None, buckling_load(full), run.time, run.gap)


def _full(name: str, full: FullModel, rest: Array, end_time: float) -> Leg:
    run = full.fall(rest, end_time=end_time)
    tension, *_ = full.tendon(rest, np.zeros_like(rest))
    distance = float(np.linalg.norm(full.reach(rest)[0]))
    strain = float(np.abs(full.strains(rest)[0]).max())
    nodes, stretch = full.nodes(rest), full.nodal_strain(rest)
    return Leg(name, nodes, stretch, strain, distance, tension, buckling_load(full), run.time, run.gap)


def _consistent(name: str, element: Any, end_time: float) -> Leg:
    way = pretension(pl.compile(model(), elements=element))
    run = release(pl.compile(model(hold=None), elements=element), way.rest, end_time=end_time)
    rest, leaf = way.rest.data, way.rest.data.part.values == "leaf"
    nodes = rest.shape.values[leaf]
    stretch = np.linalg.norm(np.diff(nodes, axis=0), axis=1) * (len(nodes) - 1) / LEG.leaf_length - 1.0
    strain = float(np.abs(rest.resultant.sel(component="N")).max()) / LEG.section.axial_stiffness
    buckling = float(way.straight.tension.values[int(way.straight.event_point[0]), 0])
    end_a, end_b = (run.position.sel(marker=marker).values for marker in ("leaf/tip", "upper link/tip"))
    gap = np.linalg.norm(end_a - end_b, axis=1)
    distance, tension = float(rest.line_length[0]), float(rest.tension[0])
    return Leg(name, nodes, stretch, strain, distance, tension, buckling, run.time.values, gap)


def table(legs: Sequence[Leg]) -> str:
    """Return the table as Markdown."""

    def line(name: str, words: Sequence[str]) -> str:
        return f"| {name} | " + " | ".join(words) + " |"

    def number(value: float | None, form: str, missing: str) -> str:
        return missing if value is None else format(value, form)

    def load(leg: Leg) -> str:
        return "never" if leg.buckling == inf else f"{leg.buckling:.2f}"

    def fall(leg: Leg) -> str:
        return f"{leg.gap.max():.0e}" if leg.gap[-1] < 1e-3 else f"open after {1e3 * leg.time[-1]:.0f} ms"

    worst = [100.0 * leg.stretch[np.argmax(np.abs(leg.stretch))] for leg in legs]
    lines = [
        line("", [leg.name for leg in legs]),
        "|---|" + "---|" * len(legs),
        line("distance of A and B (m)", [number(leg.distance, ".4f", "no equilibrium") for leg in legs]),
        line("force of the tendon (N)", [number(leg.tension, ".2f", "–") for leg in legs]),
        line(
            "largest change of an element's length", [f"{value:.1f} %" if abs(value) > 0.01 else "0" for value in worst]
        ),
        line(
            "largest axial strain in the energy", [f"{leg.strain:.0e}" if leg.strain > 1e-12 else "0" for leg in legs]
        ),
        line("straight leaf buckles at (N)", [load(leg) for leg in legs]),
        line("gap of the loop in free fall (m)", [fall(leg) for leg in legs]),
    ]
    return "\n".join(lines) + "\n"


def figure(legs: Sequence[Leg], path: str | Path) -> None:
    """Draw shapes under the same tendon, lengths of the elements, gap of the loop in free fall."""
    import matplotlib.pyplot as plt

    from pliant.results.plots import COLOURS, GREY

    drawing, (shapes, lengths, gaps) = plt.subplots(1, 3, figsize=(13.0, 4.6), layout="constrained")
    for leg, colour in zip(legs, (GREY, *COLOURS), strict=False):
        look = {"color": colour, "label": leg.name, "linewidth": 4.0 if leg.name == "co-rotational" else 1.8}
        shapes.plot(*leg.nodes.T, marker=".", **look)
        lengths.stairs(leg.stretch, np.linspace(0.0, 1.0, len(leg.stretch) + 1), baseline=None, **look)
        gaps.loglog(leg.time[1:], np.maximum.accumulate(leg.gap[1:]), **look)
    lengths.plot((np.arange(4) + 0.5) / 4, TABLE_5_3, "k*", label="table 5.3")
    shapes.plot(*zip(LEG.lower_pivot, LEG.upper_pivot, strict=True), "k^", markersize=8)
    shapes.set(
        title="tendon of 89 N, q3 held\n(as written: project_loop at 100 mm)",
        xlabel="x [m]",
        ylabel="y [m]",
        aspect="equal",
        xlim=(-0.05, 0.45),
    )
    lengths.set(title="change of the elements' lengths", xlabel="s / L", ylabel="between nodes")
    gaps.set(title="free fall: largest gap of the loop so far", xlabel="time [s]", ylabel="[m]", ylim=(1e-17, 1e3))
    lengths.legend(fontsize=8)
    drawing.savefig(path, dpi=110)
    plt.close(drawing)
