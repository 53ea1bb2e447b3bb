"""A slider of an option that moved a mechanism far was reported as a snap, also of a strip that has one equilibrium."""

from __future__ import annotations

import pliant as pl
from pliant_studio.session.any_model import of_model
from pliant_studio.session.session import Session


def strip() -> pl.Model:
    m = pl.Model("strip")
    h = pl.Parameter("thickness", 3e-3, low=0.5e-3, high=3e-3, unit="m")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-0.5, name="load"))
    return m


def test_a_strip_does_not_snap() -> None:
    """The tip goes down by half of the strip's length."""
    session = Session(of_model(strip()))
    notice = session.set("thickness", 0.5e-3)
    assert not notice.severe, notice.text
    assert session.rest.position.sel(marker="beam/tip", axis="y") < -0.2
