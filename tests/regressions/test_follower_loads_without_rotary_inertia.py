"""Motions without mass (turning of sections without rotary inertia) were reported to grow, in coordinates that mix them
with others: a cantilever under a follower force was "unstable in 10 directions" by "relative" and, in space, by chains
of links. Beck's column flutters at 20.05 EI / L^2 (M. Beck, Z. angew. Math. Phys. 3, 1952)."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pliant as pl
from pliant.errors import PliantWarning

BECK = 20.05  # EI / L^2
STIFFNESS, LENGTH = 2.0, 0.7
PLANE = {"axial_stiffness": 1e5, "shear_stiffness": 1e5, "bending_stiffness": STIFFNESS, "mass_per_length": 0.3}
SPACE = {"bending_stiffness_y": 40.0, "torsional_stiffness": 40.0, "shear_stiffness_z": 1e5}


def column(load: float, spatial: bool) -> pl.Model:
    section = pl.Section(**PLANE, **(SPACE if spatial else {}), rotary_inertia=0.0)
    m = pl.Model("column", **({"plane": None} if spatial else {}))
    ground, beam = m.add(pl.Ground(), pl.Beam("column", length=LENGTH, section=section))
    held: dict[str, Any] = {"orientation": (0, 0, 0)} if spatial else {"angle": 0.0}
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), **held))
    m.add(pl.Force(beam.at(s=1), x=-load * STIFFNESS / LENGTH**2, follower=True))
    return m


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize(
    ("formulation", "elements"),
    [("dae", pl.Exact(5, order=2)), ("relative", pl.Exact(5, order=2)), ("udwadia_kalaba", 20)],
)
def test_column_of_beck_is_stable_below_its_flutter_load(formulation: str, elements: Any, spatial: bool) -> None:
    for part in (0.93, 1.07):
        system = pl.compile(column(part * BECK, spatial), formulation=formulation, elements=elements)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            found = pl.statics(system).outcome
        assert found.ok
        assert found.stable == (part < 1.0)
