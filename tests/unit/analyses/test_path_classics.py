"""Requirements of a path on classical problems, whatever the units, meshes, ranges and slenderness."""

from __future__ import annotations

from math import acos, pi
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant_evidence.buckling import chain, theory
from pliant_gallery import buckling

DOWN, PUSH = {"load/y": -1.0}, {"load/x": -1.0}
QUADRATIC = pl.Exact(20, order=2)


def slender(axial_stiffness: float, bending_stiffness: float = 1.0) -> pl.Section:
    return pl.Section(axial_stiffness, axial_stiffness, bending_stiffness, mass_per_length=1.0)


def follow(model: pl.Model, parameter: object, to: float, elements: object = QUADRATIC, **options: float) -> pl.Result:
    return pl.path(pl.compile(model, elements=elements), parameter, to=to, **options)


def loads(path: pl.Result, kind: str) -> list[float]:
    return path.event_parameter.values[path.event_kind.values == kind].tolist()


@pytest.mark.parametrize(("length", "stiffness"), [(1e-6, 1e-12), (1e-3, 1.0), (1.2, 1.4e3), (1e3, 1e9)])
def test_units_do_not_matter(length: float, stiffness: float) -> None:
    unit = stiffness / length**2
    frame = buckling.lee_frame(length=length, section=slender(1e6 * unit, stiffness))
    here = follow(frame, DOWN, 25.0 * unit)
    there = follow(buckling.lee_frame(), DOWN, 25.0)
    assert here.parameter.size == there.parameter.size
    assert np.array(loads(here, "limit point")) / unit == pytest.approx(loads(there, "limit point"), rel=1e-7)


def test_a_signal_and_a_factor_are_the_same_path() -> None:
    factor = follow(buckling.lee_frame(), DOWN, 25.0)
    signal = follow(buckling.lee_frame(), "load/y", -25.0)
    assert signal.event_parameter.values == pytest.approx(-factor.event_parameter.values, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "order", "counts"),
    [(pl.Exact, 2.0, (10, 20, 40)), (pl.Corotational, 2.0, (10, 20, 40))],
    ids=["exact", "corotational"],
)
def test_limit_load_converges_at_the_order_of_the_element(make: type, order: float, counts: tuple[int, ...]) -> None:
    exact = next(chain.lee_frame(buckling.SLENDER).events(to=19.5))[1]
    errors = [loads(follow(buckling.lee_frame(), DOWN, 20.0, make(n)), "limit point")[0] - exact for n in counts]
    assert np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(-order, abs=0.1)


def test_stability_of_lee_frame_changes_at_its_limit_points_only() -> None:
    path = follow(buckling.lee_frame(), DOWN, 25.0)
    first, second = path.event_point.values
    unstable = path.unstable_directions.values
    assert unstable.tolist() == [0] * (first + 1) + [1] * (second - first) + [0] * (unstable.size - second - 1)


def test_sides_of_a_branch_mirror_each_other() -> None:
    system = pl.compile(buckling.arch(half_angle=acos(0.6)), elements=QUADRATIC)
    primary = pl.path(system, DOWN, to=20.0)
    assert primary.event_kind.values[:2].tolist() == ["bifurcation", "limit point"]
    right, left = (pl.branch(system, primary, 0, toward=("arch@0.5", (side, 0))) for side in (1, -1))
    crown = {"marker": "arch@0.5"}
    assert float(right.position.sel(**crown, axis="x")[1]) > 0.0 > float(left.position.sel(**crown, axis="x")[1])
    # it comes down to the inverted arch, crosses the primary path there, and returns on the other side
    assert right.event_parameter.values == pytest.approx(left.event_parameter.values, rel=1e-4)
    assert right.position.sel(**crown, axis="y").values.min() < 0.2
    # where it meets the path rounding makes it unstable, stable and unstable again: one event, whatever the step
    for step in (0.041, 0.06):
        other = pl.branch(system, primary, 0, toward=("arch@0.5", (1, 0)), step=step)
        assert other.event_parameter.values == pytest.approx(right.event_parameter.values, rel=1e-4)


def test_branches_of_a_higher_mode_stay_unstable() -> None:
    system = pl.compile(buckling.column(), elements=QUADRATIC)
    straight = pl.path(system, PUSH, to=100.0)
    assert np.unique(straight.unstable_directions).tolist() == [0, 1, 2, 3]
    for mode in range(3):
        bent = pl.branch(system, straight, mode, to=1.3 * float(straight.event_parameter[mode]))
        assert set(bent.unstable_directions.values[1:].tolist()) == {mode}


@pytest.mark.parametrize("factor", [2.0, 30.0, 1000.0])
def test_a_path_that_goes_far_does_not_lose_its_first_events(factor: float) -> None:
    path = follow(buckling.column(), PUSH, factor * pi**2)
    assert path.outcome.ok
    assert float(path.parameter[-1]) == pytest.approx(factor * pi**2)
    assert loads(path, "bifurcation")[0] == pytest.approx(pi**2, rel=1e-4)
    assert int(path.unstable_directions[-1]) == path.outcome.bifurcations


def test_shortening_a_slender_column_passes_many_bifurcations() -> None:
    """The column buckles at a strain of 1e-5; the path has to go a thousand times further."""
    m = pl.Model("driven column")
    ground, beam = m.add(pl.Ground(), pl.Beam("column", length=1.0, section=buckling.SLENDER, angle=0.0))
    m.add(
        pl.Revolute(ground.at(0, 0), beam.at(s=0)),
        pl.Slider(ground.at(0, 0), beam.at(s=1)),
        pl.Motion(ground.at(0, 0), beam.at(s=1), x=1.0, name="drive"),
    )
    system = pl.compile(m, elements=QUADRATIC)
    path = pl.path(system, "drive/x", to=0.99)
    assert float(path.parameter[-1]) == pytest.approx(0.99)
    assert 1.0 - loads(path, "bifurcation")[0] == pytest.approx(pi**2 / 1e6, rel=1e-2)
    bent = pl.branch(system, path, 0, to=0.9)
    assert bent.outcome.ok
    assert bool(bent.stable[-1])


@pytest.mark.parametrize("to", [20.0, 60.0, 300.0])
def test_an_event_does_not_depend_on_how_far_the_path_goes(to: float) -> None:
    exact = dict(chain.arch(acos(0.6), "pinned-pinned", buckling.SLENDER).events(to=16.0))
    path = follow(buckling.arch(half_angle=acos(0.6)), DOWN, to, pl.Exact(20, order=3))
    assert loads(path, "bifurcation")[0] == pytest.approx(exact["bifurcation"], rel=5e-6)
    assert loads(path, "limit point")[0] == pytest.approx(exact["limit point"], rel=1e-6)


@pytest.mark.parametrize("to", [75.0, 400.0])
def test_two_bifurcations_close_together_are_both_found(to: float) -> None:
    """A clamped low arch tips over on the way down and back again, between 54 and 47."""
    path = follow(buckling.arch(half_angle=0.2, supports="clamped-clamped"), DOWN, to)
    assert path.event_kind.values.tolist() == ["limit point", "bifurcation", "bifurcation", "limit point"]


@pytest.mark.parametrize("axial_stiffness", [1e4, 1e6, 1e8])
def test_slenderness_does_not_stop_a_path(axial_stiffness: float) -> None:
    """EA L^2 / EI of 1e8 is a strip 3000 times as long as thick."""
    section = slender(axial_stiffness)
    path = follow(buckling.lee_frame(section=section), DOWN, 25.0)
    assert path.outcome.ok
    exact = [load for _, load in chain.lee_frame(section).events(to=19.5)]
    assert loads(path, "limit point") == pytest.approx(exact, rel=1e-4)


def test_two_bifurcations_at_once() -> None:
    """Two columns side by side: two directions become unstable together, and a branch leaves all the same."""
    m = pl.Model("two columns")
    ground = m.add(pl.Ground())
    for k in (0, 1):
        beam = m.add(pl.Beam(f"column {k}", length=1.0, section=buckling.SLENDER, angle=0.0, position=(0, k)))
        m.add(
            pl.Revolute(ground.at(0, k), beam.at(s=0)),
            pl.Slider(ground.at(0, k), beam.at(s=1)),
            pl.Force(beam.at(s=1), x=0.0, name=f"load {k}"),
        )
    system = pl.compile(m, elements=QUADRATIC)
    path = pl.path(system, {"load 0/x": -1.0, "load 1/x": -1.0}, to=15.0)
    assert loads(path, "bifurcation") == pytest.approx([pi**2], rel=1e-4)
    assert np.unique(path.unstable_directions).tolist() == [0, 2]
    bent = pl.branch(system, path, 0)
    assert bent.outcome.ok


def test_a_follower_load_that_buckles_statically() -> None:
    path = follow(buckling.heavy_column(supports="pinned-pinned", follower=True), PUSH, 30.0, pl.Exact(8, order=3))
    assert path.event_kind.values.tolist() == ["bifurcation"]
    assert float(path.event_parameter[0]) == pytest.approx(theory.pflueger_column(), rel=2e-4)


def test_a_follower_load_that_does_not() -> None:
    path = follow(buckling.follower_column(), PUSH, 30.0, pl.Exact(8, order=3))
    assert path.event_kind.values.tolist() == ["flutter"]
    assert "flutter" in path.outcome.message
    assert bool(path.stable[0])
    assert not bool(path.stable[-1])
    dead = follow(buckling.column(supports="clamped-free"), PUSH, 30.0)
    assert dead.event_kind.values.tolist() == ["bifurcation", "bifurcation"]


def test_flutter_begins_once() -> None:
    """Ziegler's growing oscillation becomes plain growth at (7/2 + sqrt 2) k/l, which is no other onset."""
    path = follow(buckling.double_pendulum(), PUSH, 5.5)
    assert loads(path, "flutter") == pytest.approx([theory.ZIEGLER_FLUTTER], rel=1e-5)


def test_damping_lowers_the_flutter_load() -> None:
    """Growth by less than 1e-6 of the frequency passes as zero: 1.6e-4 of the load for the smaller damping."""
    for damping in (0.01, 0.1):
        path = follow(buckling.double_pendulum(damping=damping), PUSH, 3.0)
        assert loads(path, "flutter")[0] == pytest.approx(theory.ZIEGLER_DAMPED + damping**2 / 2, rel=3e-4)


def test_snap_back_of_a_truss_in_the_driven_place() -> None:
    path = follow(buckling.truss(series=0.1), "drive/y", 0.0)
    turns = 1.5 - np.array(loads(path, "limit point"))
    assert turns == pytest.approx(theory.truss_in_series(0.5, 0.1), abs=1e-9)
    apex = path.position.sel(marker="apex(0, 0)", axis="y").values
    assert np.all(np.diff(apex) < 0.0)  # it goes down throughout, while the handle goes back and forth


def test_a_geometry_as_parameter_is_observed_with_its_own_geometry() -> None:
    """The strain of every point belongs to its own arch, not to the last one."""

    def at(radius: float) -> Any:
        model = buckling.arch(half_angle=0.3, radius=radius)
        return pl.compile(model, elements=pl.Exact(4, order=2)).with_signals({"load/y": -1.0})

    path = pl.path(at, "radius", begin=1.0, to=1.25)
    assert path.outcome.largest_strain < 1e-3
    first = pl.statics(at(1.0))
    assert path.resultant.values[0] == pytest.approx(first.resultant.values, rel=1e-6, abs=1e-8)


def test_a_branch_is_not_the_path_itself() -> None:
    """Next to a bifurcation the slope of the path is mixed with the critical direction, which must not mislead."""
    system = pl.compile(buckling.arch(half_angle=0.2), elements=QUADRATIC)
    primary = pl.path(system, DOWN, to=60.0)
    branch = pl.branch(system, primary, 0, toward=("arch@0.5", (1, 0)))
    assert branch.position.sel(marker="arch@0.5", axis="x").values.max() > 1e-4
