"""Paths ended where a contact or a stop begins to push with its whole stiffness at once: their direction jumps."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import PliantWarning

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
LENGTH, GAP, HARD = 0.5, 1e-3, 1e9


def over_floors(*places: float, spatial: bool = False, size: float = 1.0, gap: float = GAP) -> pl.System:
    """Return a cantilever over floors at some places; its tip is pushed towards them."""
    m = pl.Model("cantilever", plane=None if spatial else "xy")
    section = pl.Section.rectangle(0.002 * size, 0.02 * size, pl.STEEL) if spatial else None
    section = section or pl.Section.rectangle(0.02 * size, 0.002 * size, pl.STEEL)
    pose = {"position": (0, 0, 0), "orientation": (0, 0, 0)} if spatial else {"angle": 0.0}
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=LENGTH * size, section=section, **pose))
    down = "z" if spatial else "y"
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), name="load", **{down: 0.0}))
    for k, s in enumerate(places):
        where = (s * LENGTH * size, 0, -gap * size) if spatial else (s * LENGTH * size, -gap * size)
        m.add(pl.Contact(f"floor {k}", ground.at(*where), beam.at(s=s), stiffness=HARD * size))
    return pl.compile(m, elements=pl.Exact(4, order=3))


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_a_cantilever_meets_a_stop_and_leaves_it(spatial: bool, size: float) -> None:
    """Load and deflection lie on two straight lines, on the way there and back."""
    soft, down = 3.0 * STRIP.bending_stiffness / LENGTH**3 * size, "z" if spatial else "y"
    system, load = over_floors(1.0, spatial=spatial, size=size), soft * GAP * size
    for begin, to in ((0.0, -40.0 * load), (-40.0 * load, 0.0)):
        found = pl.path(system, f"load/{down}", begin=begin, to=to)
        assert found.outcome.ok
        assert not found.event_kind.size
        assert len(found.point) < 60
        beyond = np.maximum(-found.parameter.values - load, 0.0)
        share = HARD * size / (HARD * size + soft)
        np.testing.assert_allclose(found.normal_force.values[:, 0], share * beyond, atol=1e-3 * load)
        tip = -found.position.sel(marker="beam/tip", axis=down).values
        exact = np.minimum(-found.parameter.values / soft, GAP * size) + beyond / (HARD * size)
        np.testing.assert_allclose(tip, exact, atol=1e-4 * GAP * size)


def test_several_floors_are_met_at_one_load_and_one_after_the_other() -> None:
    for places in ((1.0, 1.0), (0.5, 0.75, 1.0)):
        system = over_floors(*places)
        found = pl.path(system, "load/y", to=-60.0)
        assert found.outcome.ok
        alone = pl.statics(system.with_signals({"load/y": -60.0}))
        np.testing.assert_allclose(found.normal_force.values[-1], alone.normal_force.values, rtol=1e-9)


def latch(stop: float | None, *, driven: bool = False) -> pl.System:
    """Return two inclined beams that snap through, with a stop on the way."""
    m, slope, width = pl.Model("latch"), 8 * pl.DEG, 0.005
    section = pl.Section.rectangle(8e-3, 0.5e-3, pl.STEEL)
    ground, shuttle = m.add(pl.Ground(), pl.Body("shuttle", mass=0.05, inertia=1e-6, position=(0, 0), angle=0.0))
    for name, side in (("left", -1), ("right", 1)):
        beam = m.add(pl.Beam(name, length=0.05, section=section, angle=slope if side < 0 else np.pi - slope))
        foot = ground.at(side * (width + 0.05 * np.cos(slope)), -0.05 * np.sin(slope))
        m.add(pl.Weld(foot, beam.at(s=0)), pl.Weld(shuttle.at(side * width, 0), beam.at(s=1)))
    line = ground.at(0, 0, angle=90 * pl.DEG)
    rail = m.add(pl.Prismatic(line, shuttle.at(), name="rail"))
    m.add(pl.Motion(line, shuttle.at(), x=0.0, name="drive") if driven else pl.Force(shuttle.at(), y=0.0, name="push"))
    if stop is not None:
        m.add(pl.Stop(rail, lower=stop, stiffness=1e7))
    return pl.compile(m, elements=pl.Exact(4, order=3))


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_stop_on_the_way_of_a_snap_turns_the_load_around() -> None:
    """The load falls along the unstable path, and grows again where the stop is met: a limit point, the only one that
    the stop adds. The bifurcation before it is found as without it, though a stop may be next to it.
    """
    plain = pl.path(latch(None), "push/y", to=-400.0)
    found = pl.path(latch(-0.004), "push/y", to=-400.0)
    assert found.outcome.ok
    assert found.event_kind.values.tolist() == ["bifurcation", "limit point", "limit point"]
    np.testing.assert_allclose(found.event_parameter.values[:2], plain.event_parameter.values[:2], rtol=1e-6)
    height = found.position.sel(marker="shuttle(0, 0)", axis="y").values
    at = int(found.event_point[2])
    assert height[at] == pytest.approx(-0.004, rel=1e-5)
    assert height[-1] < -0.004
    assert found.unstable_directions.values[at] == found.unstable_directions.values[-1] + 1
    here = float(plain.position.sel(marker="shuttle(0, 0)", axis="y")[int(plain.event_point[3])])
    for beside in (-1e-8, 0.0):
        near = pl.path(latch(here + beside), "push/y", to=-400.0)
        assert near.event_kind.values.tolist() == plain.event_kind.values.tolist()
        np.testing.assert_allclose(near.event_parameter.values, plain.event_parameter.values, rtol=1e-3)


def test_a_branch_that_closes_on_itself_is_complete() -> None:
    """A closed branch was called failed, though all of it was followed; where an end was required, it is."""
    system = latch(None, driven=True)
    straight = pl.path(system, "drive/x", begin=0.0, to=-0.016)
    loop = pl.branch(system, straight, 0)
    assert loop.outcome.ok
    assert loop.outcome.message == "closed on itself"
    with pytest.warns(PliantWarning, match="closed on itself"):
        assert not pl.branch(system, straight, 0, to=-0.016).outcome.ok
