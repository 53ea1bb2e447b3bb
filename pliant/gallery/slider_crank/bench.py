"""Elastic slider-crank, timed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import pi
from typing import Any

import pliant as pl
from pliant.benchmarking import Comparison, benchmark
from pliant.gallery.exudyn_beams import ANGLE, Beams, Plan, X, Y, compare
from pliant.gallery.slider_crank import CRANK, ROD, model, section

END = 3.0  # s


@benchmark("slider-crank")
def slider_crank() -> Iterator[Comparison]:
    """Elastic slider-crank, 2 x 20 and 2 x 100 elements, aluminium and rubber."""
    for material in ("aluminium", "rubber"):
        for elements, step in ((20, 5e-3), (20, 1e-3), (100, 1e-3)):
            system = pl.compile(model(material=material), elements={"crank": elements, "rod": elements})
            plan = Plan(END, round(END / step), report=0.025, marker="rod/base", size=2 * CRANK)
            build = partial(mechanism, material=material, elements=elements)
            required = 8.0 if (material, elements) == ("aluminium", 20) else 4.0
            size = f"{material}, 2 x {elements}, step {1e3 * step:g} ms"
            yield compare("slider-crank", size, system, build, plan, required_ratio=required)


def mechanism(exudyn: Any, *, material: str, elements: int) -> Beams:
    """Crank and rod in Exudyn."""
    beams = Beams(exudyn)
    crank = beams.beam((0.0, 0.0), (CRANK, 0.0), section(material), elements)
    rod = beams.beam((CRANK + ROD, 0.0), (CRANK, 0.0), section(material), elements)
    for coordinate in (X, Y):
        beams.tie(crank[0], coordinate)
        beams.tie(crank[-1], coordinate, to=rod[-1])
    beams.tie(rod[0], Y)
    beams.push(crank[0], ANGLE, torque)
    beams.watch(rod[0])
    return beams


def torque(t: Any, mathematics: Any) -> Any:
    """The drive of the model, in Exudyn's symbols."""
    return mathematics.IfThenElse(t < 1.2, 0.01 * mathematics.sin(pi / 1.2 * t), 0.0 * t)
