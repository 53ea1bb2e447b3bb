"""A law that was not given all fields of its part was silently left out where another family took the part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.forces.rotor import planar


@dataclass(frozen=True, eq=False)
class Flywheel(pl.Between, pl.PointLaw):
    """A spring that is to have an inertia too, which kernels of its own read."""

    units: ClassVar = {"firmness": "N m", "wheel": "kg m^2"}
    measures: ClassVar[tuple[str, ...]] = ("angle",)
    numbers: ClassVar[tuple[str, ...]] = ("firmness",)

    name: str
    a: pl.Marker
    b: pl.Marker
    firmness: float
    wheel: float

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """f = k phi"""
        f[0] = p[0] * x[0]
        f_x[0, 0] = p[0]


def test_a_law_whose_part_another_family_takes_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = planar.pack

    def pack(layout: Any) -> Any:
        layout.forces(Flywheel)
        return plain(layout)

    monkeypatch.setattr(planar, "pack", pack)
    m = pl.Model("wheel")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    ends = ground.at(0, 0), arm.at(s=0)
    m.add(pl.Revolute(*ends), Flywheel("fly", *ends, 5.0, 0.1))
    with pytest.raises(ModelError, match=r'Flywheel "fly" would be ignored.*does not use wheel: name it in `numbers`'):
        pl.compile(m)
