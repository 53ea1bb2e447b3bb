"""Names, and what parts ask for: alike, and answered with how they are written."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant.errors import ModelError


@pytest.mark.parametrize("name", ["leg (left)", "crank #2", "A's arm", "rod & tube", "50% link", "leaf [upper]"])
def test_punctuation_in_names(name, tmp_path):
    m = pl.Model(name)
    ground, arm = m.add(pl.Ground(), pl.Link(name, length=1.0, mass=1.0, angle=0.3))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name=f"{name} pin"), pl.Gravity())
    m.add(pl.Force(arm.at(s=1), y=1.0), pl.Force(arm.at(s=1), x=1.0))
    m.save(tmp_path / "model.toml")
    again = pl.Model.load(tmp_path / "model.toml")
    assert [part.name for part in again] == [part.name for part in m]
    space = {"pl": pl}
    exec(m.as_python(), space)
    run = pl.transient(pl.compile(again), end_time=0.01, step=1e-3)
    run.save(tmp_path / "run.nc")
    assert pl.load_result(tmp_path / "run.nc").angle.sel(body=name).size == 11
    pl.export(run, tmp_path / "run.csv")


def test_loads_at_a_marker_ask_for_the_same():
    m = pl.Model("m")
    arm = m.add(pl.Link("arm", length=1.0, mass=1.0))
    assert m.add(pl.Force(arm.at(s=1))).x == m.add(pl.Moment(arm.at(s=1))).value == pl.Constant(0.0)
    assert m.add(pl.Moment(arm.at(s=1), z=2.0)).value == m.add(pl.Moment(arm.at(s=1), 2.0, follower=True)).value
    for kind in (pl.Force, pl.Moment):
        with pytest.raises(ModelError, match="The marker comes first"):
            kind("load", arm.at(s=1), 2.0)
    with pytest.raises(TypeError, match=r"Tendon is missing b. It is written Tendon\(name, a, b"):
        pl.Tendon("lift", [arm.at(s=0), arm.at(s=1)], stiffness=1.0)
    with pytest.raises(AttributeError, match=r"model\.part"):
        m.body("arm")
