"""A law that divides by the distance of its points: analyses in space called it at distance zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, sin
from typing import Any, ClassVar

import pytest

import pliant as pl
from pliant.errors import ModelError, PliantWarning
from pliant_testing import check_part


@dataclass(frozen=True, eq=False)
class Dipoles(pl.Between, pl.PointLaw):
    """``V = k (2 - cos phi) / (x^2 + y^2)``."""

    units: ClassVar = {"strength": "N m^3"}
    measures: ClassVar = ("x", "y", "rz")
    numbers: ClassVar = ("strength",)

    name: str
    a: pl.Marker
    b: pl.Marker
    strength: float

    @staticmethod
    def resist(p: Any, x: Any, rate: Any, u: Any, f: Any, f_x: Any, f_rate: Any) -> None:
        c, s, square = p[0] * (2.0 - cos(x[2])), p[0] * sin(x[2]), hypot(x[0], x[1]) ** 2
        for i in range(2):
            f[i] = -2.0 * (1.0 / square) * c * x[i] / square
            f_x[i, 2] = f_x[2, i] = -2.0 * s * x[i] / square**2
            for j in range(2):
                f_x[i, j] = 8.0 * c * x[i] * x[j] / square**3
            f_x[i, i] -= 2.0 * c / square**2
        f[2], f_x[2, 2] = s / square, p[0] * cos(x[2]) / square

    @staticmethod
    def energy(p: Any, x: Any, u: Any) -> float:
        return p[0] * (2.0 - cos(x[2])) / (x[0] * x[0] + x[1] * x[1])


@dataclass(frozen=True, eq=False)
class FlatDipoles(Dipoles):
    """Dipoles of the plane alone."""

    planar_only: ClassVar[bool] = True


def held(kind: Any, plane: str | None) -> pl.Model:
    m = pl.Model("held", plane=plane)
    place, inertia, angle = ((0.1, 0.05), 1e-3, 0.0) if plane else ((0.1, 0.05, 0.02), (1e-3,) * 3, 0.0)
    ground, body = m.add(pl.Ground(), pl.Body("b", mass=1.0, inertia=inertia, position=place, angle=angle, free=True))
    m.add(kind("d", ground.at(0, 0), body.at(), 1e-4))
    m.add(pl.Bushing("hold", ground.at(*place), body.at(), stiffness=100.0, turning_stiffness=1.0))
    return m


@pytest.mark.parametrize("plane", ["xy", None], ids=["plane", "space"])
def test_analyses_do_not_call_it_there(plane: str | None) -> None:
    system = pl.compile(held(Dipoles, plane))
    assert pl.statics(system).outcome.ok
    assert pl.transient(system, end_time=0.01, step=1e-3).outcome.ok


def test_how_far_it_turns_in_space_is_still_checked() -> None:
    checked = [check.name for check in pl.statics(pl.compile(held(Dipoles, None))).outcome.checks]
    assert "turn of 'd'" in checked


def test_check_part_names_it() -> None:
    with pytest.warns(PliantWarning, match=r"Dipoles in space: its law fails at x = \[0.*ZeroDivisionError: .*round"):
        check_part(Dipoles)


def test_a_part_of_the_plane_is_checked_there_and_refused_in_space() -> None:
    with pytest.warns(PliantWarning) as warned:
        check_part(FlatDipoles)
    assert [str(each.message)[:25] for each in warned] == ["FlatDipoles in the plane:"]
    with pytest.raises(ModelError, match=r'FlatDipoles "d": a FlatDipoles is for the plane, but the model is spatial'):
        held(FlatDipoles, None)
