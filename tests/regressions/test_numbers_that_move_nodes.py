"""A number of a force that says where an element of a beam ends could not be differentiated by."""

from __future__ import annotations

from typing import Any

import numpy as np

import pliant as pl

WIRE = pl.Section.circle(0.4e-3, pl.STEEL)


def sleeve(m: pl.Model, wire: pl.Beam, end: pl.Parameter) -> None:
    m.add(pl.Sleeve("tube", wire, outer_radius=0.8e-3, inner_radius=0.5e-3, material=pl.STEEL, curvature=5.0, end=end))


def channel(m: pl.Model, wire: pl.Beam, end: pl.Parameter) -> None:
    m.add(pl.ChannelTendon("tendon", wire, offset=2e-3, tension=1.0, end=end))


def test_where_a_sleeve_and_a_tendon_end() -> None:
    cases: Any = ((None, (0, 0, 0), 8.0, sleeve), ("xy", (0, 0), 0.0, channel))
    for plane, origin, curvature, add in cases:
        m = pl.Model("wire", plane=plane)
        ground, wire = m.add(pl.Ground(), pl.Beam("wire", length=0.2, section=WIRE, curvature=curvature))
        m.add(pl.Weld(ground.at(*origin), wire.at(s=0)))
        add(m, wire, pl.Parameter("end", 0.6))
        system = pl.compile(m, elements=5)
        of: Any = {"one": "position", "two": lambda _, rest: rest.position}
        found = pl.sensitivity(system, pl.statics(system), of=of).derivative
        size = float(np.max(np.abs(found.two)))
        assert size > 0.1
        np.testing.assert_allclose(found.one, found.two, atol=1e-7 * size)
