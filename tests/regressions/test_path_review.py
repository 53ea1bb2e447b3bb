"""Findings of a hostile review of paths and tendons, kept from coming back."""

from __future__ import annotations

from math import acos, pi

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, ModelError, OptionError, PliantWarning
from pliant_gallery import buckling
from pliant_gallery.leg import model
from pliant_gallery.leg.stages import pretension


def roped(stiffness: float) -> pl.System:
    m = pl.Model("roped arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    m.add(
        pl.Revolute(ground.at(0, 0), arm.at(s=0)),
        pl.TorsionSpring("spring", ground.at(0, 0), arm.at(s=0), stiffness=10.0, rest_angle=0.3),
        pl.Tendon("rope", arm.at(s=1), ground.at(0, 1.5), stiffness=stiffness, rest_length=1.0),
    )
    return pl.compile(m)


@pytest.mark.parametrize("stiffness", [1e2, 1e3, 1e4, 1e5])
@pytest.mark.parametrize(("begin", "to"), [(None, 0.6), (2.0, 0.6), (0.6, 2.0)])
def test_a_path_passes_between_slack_and_taut(stiffness: float, begin: float | None, to: float) -> None:
    found = pl.path(roped(stiffness), "rope/rest_length", begin=begin, to=to)
    assert found.outcome.ok
    assert not found.event_kind.size


def test_a_rest_length_cannot_become_negative() -> None:
    with pytest.raises(OptionError, match="cannot be negative"):
        pl.path(roped(1e3), "rope/rest_length", to=-0.5)


def test_limit_points_are_no_bifurcations_where_stability_is_unknown() -> None:
    m = buckling.lee_frame()
    m.add(pl.Force(m.part("girder").at(s=0.2), y=0.0, name="follower", follower=True))
    found = pl.path(pl.compile(m, elements=pl.Exact(300)), "load/y", to=-20.0)
    assert found.event_kind.values.tolist() == ["limit point", "limit point"]
    assert "not determined" in found.outcome.message


@pytest.mark.parametrize("rocker", [0.25, 0.26, 0.27, 0.26e-6])
def test_dead_centres_of_a_drive_are_limit_points_and_a_closed_path_is_not_ok(rocker: float) -> None:
    """Rounding in the matrix, which is singular there, said bifurcations of some lengths, and of all micrometres."""
    crank, coupler, base = (size * (1.0 if rocker > 1e-3 else 1e-6) for size in (0.3, 0.3, 0.4))
    m = pl.Model("four-bar")
    ground = m.add(pl.Ground())
    links = m.add(
        pl.Link("crank", length=crank, mass=0.1, angle=1.0),
        pl.Link("coupler", length=coupler, mass=0.1),
        pl.Link("rocker", length=rocker, mass=0.1, angle=2.0),
    )
    m.add(
        pl.Revolute(ground.at(0, 0), links[0].at(s=0)),
        pl.Revolute(links[0].at(s=1), links[1].at(s=0)),
        pl.Revolute(links[1].at(s=1), links[2].at(s=1)),
        pl.Revolute(ground.at(base, 0), links[2].at(s=0)),
        pl.Gravity(),
        pl.Motion(ground.at(0, 0), links[0].at(s=0), angle=1.0, name="drive"),
    )
    with pytest.warns(PliantWarning, match="closed on itself"):
        found = pl.path(pl.compile(m), "drive/angle", to=3.0)
    dead = acos((crank**2 + base**2 - (coupler + rocker) ** 2) / (2.0 * crank * base))
    assert set(found.event_kind.values) == {"limit point"}
    np.testing.assert_allclose(np.abs(found.event_parameter.values), dead, rtol=1e-6)
    assert not found.outcome.ok


def test_a_branch_may_lead_back_to_zero_load() -> None:
    """A post on a level spring: the load falls to zero as the post lies down."""
    m = pl.Model("post")
    ground, post = m.add(pl.Ground(), pl.Link("post", length=1.0, mass=1.0, angle=pi / 2))
    m.add(
        pl.Revolute(ground.at(0, 0), post.at(s=0)),
        pl.Spring("side", post.at(s=1), ground.at(5, 1), stiffness=1.0, rest_length=5.0),
        pl.Force(post.at(s=1), y=-1.0, name="load"),
    )
    system = pl.compile(m)
    upright = pl.path(system, "load/y", to=-2.0)
    assert upright.event_parameter.values == pytest.approx([-1.0], rel=1e-9)
    for to in (0.0, -0.01):
        assert pl.branch(system, upright, 0, to=to).parameter.values[-1] == pytest.approx(to, abs=1e-9)


def test_an_end_just_below_a_limit_load_is_not_stepped_over() -> None:
    system = pl.compile(buckling.lee_frame(), elements=pl.Exact(10, order=2))
    limit = float(pl.path(system, {"load/y": -1.0}, to=25.0).event_parameter[0])
    found = pl.path(system, {"load/y": -1.0}, to=limit - 5e-5)
    assert not found.event_kind.size
    assert bool(found.stable.all())


def test_until_is_not_met_before_the_marker_has_moved() -> None:
    system = pl.compile(buckling.column(supports="clamped-free"), elements=10)
    found = pl.path(system, {"load/x": -1.0}, to=5.0, until=("column/tip", "y", 0.0))
    assert found.parameter.values[-1] == pytest.approx(5.0)


def test_a_function_that_fails_ends_the_path_with_its_points() -> None:
    def at(height: float) -> pl.System:
        if height < 5e-4:
            raise ModelError(f"height = {height:g} is not made")
        m = pl.Model("strip")
        section = pl.Section.rectangle(0.02, height, pl.STEEL)
        ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section))
        m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1e-4, name="load"))
        return pl.compile(m, elements=4)

    with pytest.warns(PliantWarning, match="height"):
        found = pl.path(at, "height", begin=1e-3, to=2e-4, step=0.3)
    assert not found.outcome.ok
    assert found.data.sizes["point"] > 3


def test_path_and_system_must_belong_together() -> None:
    coarse, fine = (pl.compile(buckling.column(), elements=n) for n in (8, 16))
    found = pl.path(coarse, {"load/x": -1.0}, to=15.0)
    with pytest.raises(OptionError, match="made with"):
        pl.branch(fine, found)
    with pytest.raises(OptionError, match="made with"):
        pl.imperfect(fine, found, amplitude=1e-3)
    with pytest.raises(OptionError, match="small"):
        pl.imperfect(coarse, found, amplitude=10.0)


def test_a_path_goes_on_from_one_of_its_points() -> None:
    system = pl.compile(buckling.lee_frame(), elements=pl.Exact(10, order=2))
    whole = pl.path(system, "load/y", to=-25.0)
    behind = int(whole.event_point[0]) + 5  # between the limit points: onwards is away from the end
    rest = pl.path(system, "load/y", start=whole.equilibrium(behind), to=-25.0, away=True)
    np.testing.assert_allclose(rest.event_parameter.values, whole.event_parameter.values[1:], rtol=1e-6)


def test_a_path_may_end_at_a_kind_of_event() -> None:
    system = pl.compile(buckling.lee_frame(), elements=pl.Exact(10, order=2))
    found = pl.path(system, "load/y", to=-25.0, until="limit point")
    assert found.event_kind.values.tolist() == ["limit point"]
    assert int(found.event_point[0]) == found.data.sizes["point"] - 1
    assert found.outcome.ok
    with pytest.raises(OptionError, match="bifurcation"):
        pl.path(system, "load/y", to=-25.0, until="snap")


def test_a_start_begins_where_the_system_is() -> None:
    system = pl.compile(model(), elements=10)
    rest = pretension(system).rest
    onward = pl.path(system, "tendon/rest_length", start=rest, to=0.15)
    assert onward.parameter.values[0] == pytest.approx(0.16967)
    assert onward.position.sel(marker="leaf@0.5", axis="x").values.min() > 0.35


@pytest.mark.parametrize("parameter", [{"load/x": "a"}, {"load/x": 0.0}])
def test_meaningless_factors_are_refused(parameter: dict) -> None:
    with pytest.raises(OptionError):
        pl.path(pl.compile(buckling.column(), elements=4), parameter, to=1.0)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_a_leg_too_coarse_to_be_weighed_is_refused() -> None:
    with pytest.raises(ConvergenceError, match="more elements"):
        pretension(pl.compile(model(), elements=pl.Exact(2)))


@pytest.mark.filterwarnings("ignore::pliant.errors.Buckled")
def test_a_branch_is_refused_on_other_signals_than_those_of_its_path() -> None:
    """The branch began at a point that was no equilibrium of the system given, silently."""
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, 0.001, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-1.0, y=0.0, name="load"))
    system = pl.compile(m, elements=8)
    straight = pl.path(system, "load/x", to=-6.0)
    with pytest.raises(OptionError, match=r"load/y = 0, the system 0\.5.*with_signals\(\{'load/y': 0\.0\}\)"):
        pl.branch(system.with_signals({"load/y": 0.5}), straight)
    other = system.with_signals({"load/x": -2.0})  # the path's own
    assert pl.branch(other, straight, to=-4.0).outcome.ok
    assert pl.branch(system, straight, to=-4.0).outcome.ok


@pytest.mark.parametrize("slope", [2.63, 2.656, 2.724])
def test_a_bifurcation_in_the_step_of_a_limit_point_is_found(slope: float) -> None:
    """Two springs that lean together steeply: sideways the apex is unstable between two heights on either side. Next to
    a limit point a bifurcation that undoes the count of unstable directions was passed over, ok: 15 of 60 such trusses.
    """
    m = pl.Model("truss")
    ground, apex = m.add(pl.Ground(), pl.Body("apex", mass=1.0, inertia=1.0, position=(0.0, slope), angle=0.0))
    for name, side in (("left", -1.0), ("right", 1.0)):
        m.add(pl.Spring(name, ground.at(side, 0), apex.at(), stiffness=1.0, rest_length=np.hypot(1.0, slope)))
    m.add(pl.TorsionSpring("turn", ground.at(0, 0), apex.at(), stiffness=1.0), pl.Force(apex.at(), name="push"))
    y = np.linspace(-slope, slope, 100_001)
    lines = np.hypot(1.0, y)
    push = 2.0 * (1.0 - np.hypot(1.0, slope) / lines) * y
    across = 1.0 / lines**2 + (1.0 - np.hypot(1.0, slope) / lines) * (y / lines) ** 2
    critical = np.flatnonzero(np.diff(np.sign(across)))[::-1]
    found = pl.path(pl.compile(m), "push/y", to=3.0 * float(np.min(push[y > 0.0])))
    kinds = found.event_kind.values
    assert found.outcome.ok
    assert list(kinds).count("limit point") == 2
    np.testing.assert_allclose(found.event_parameter.values[kinds == "bifurcation"], push[critical], atol=1e-4)
