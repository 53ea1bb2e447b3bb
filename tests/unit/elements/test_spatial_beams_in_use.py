"""Benchmarks of beams in space: taper, surface strains, orientation of markers, branches to a side."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import ConvergenceError, ModelError, OptionError, PliantWarning

STRIP = pl.Section.rectangle(0.002, 0.02, pl.STEEL)
SLIM = pl.Section.rectangle(0.001, 0.01, pl.STEEL)


def cantilever(**options) -> pl.Model:
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, **{"section": STRIP, **options}))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity(), pl.Force(beam.at(s=1), y=-3.0, name="load"))
    return m


@pytest.mark.parametrize("elements", [pl.Exact(6), pl.Corotational(6)])
def test_taper_is_that_of_the_plane(elements) -> None:
    flat = cantilever(section=pl.LinearStiffness((STRIP, SLIM)))
    plane, space = (pl.statics(pl.compile(m, elements=elements)) for m in (flat, flat.promoted()))
    assert space.position.values[..., :2] == pytest.approx(plane.position.values, abs=1e-12)
    assert space.energy.values == pytest.approx(plane.energy.values, rel=1e-9, abs=1e-12)


def test_tapered_rod_twists_as_the_integral_says() -> None:
    m = pl.Model("rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=0.5, section=pl.LinearStiffness((STRIP, SLIM))))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Moment(rod.at(s=1), x=0.2))
    tip = pl.statics(pl.compile(m, elements=64)).marker_orientation.sel(marker="rod/tip").values
    first, last = STRIP.torsional_stiffness, SLIM.torsional_stiffness
    exact = 0.2 * 0.5 * np.log(first / last) / (first - last)  # the integral of 1 / GJ, which is linear
    assert 2.0 * np.arctan2(tip[1], tip[0]) == pytest.approx(exact, rel=1e-3)


def test_strains_of_a_strip_are_those_at_its_surface() -> None:
    """A strip bent flat has its half thickness as lever, not its half height."""
    m = pl.Model("strip", plane=None)
    ground, strip = m.add(pl.Ground(), pl.Beam("strip", length=0.5, section=STRIP))
    curvature = 2.0
    m.add(pl.Weld(ground.at(0, 0), strip.at(s=0)))
    m.add(pl.Moment(strip.at(s=1), y=curvature * STRIP.bending_stiffness_y, follower=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        rest = pl.statics(pl.compile(m, elements=8))
    assert rest.outcome.figures["largest_strain"] == pytest.approx(0.001 * curvature, rel=1e-6)


def test_markers_tell_their_orientation() -> None:
    turn = Rotation.from_rotvec([0.3, -0.2, 0.5])
    m = pl.Model("rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=1.0, section=STRIP))
    held = pl.rotation(z=0.4)
    m.add(pl.Weld(ground.at(0, 0, orientation=held), rod.at(s=0)), rod.at(s=1, orientation=turn, name="eye"))
    eye = pl.statics(pl.compile(m, elements=4)).marker_orientation.sel(marker="rod/eye").values
    expected = Rotation.from_rotvec(held) * turn
    assert Rotation.from_quat(eye, scalar_first=True).as_matrix() == pytest.approx(expected.as_matrix(), abs=1e-12)
    m = pl.Model("arm")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    m.add(pl.Weld(ground.at(0, 0), arm.at(s=0), angle=0.3), arm.at(s=1, angle=0.2, name="eye"))
    assert float(pl.statics(pl.compile(m)).marker_angle.sel(marker="arm/eye")) == pytest.approx(0.5)


def column(section: pl.Section) -> pl.Model:
    m = pl.Model("column", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("column", length=0.5, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=0.0, name="load"))
    return m


def test_branches_to_a_side() -> None:
    system = pl.compile(column(STRIP), elements=8)
    straight = pl.path(system, "load/x", to=-60.0)
    ends = [pl.branch(system, straight, toward=("column/tip", (0, 0, side))) for side in (1, -1)]
    tips = [end.position.sel(marker="column/tip").values[-1] for end in ends]
    assert tips[0][2] > 0.1
    assert tips[0] == pytest.approx(tips[1] * (1, 1, -1), abs=1e-9)
    with pytest.raises(OptionError, match=r"does not move that marker that way; it moves it by \(.*, .*, .*\)"):
        pl.branch(system, straight, toward=("column/tip", (0, 1)))
    with pytest.raises(OptionError, match=r"give \(marker, \(x, y, z\)\)"):
        pl.branch(system, straight, toward=("column/tip", (0, 1, 0, 0)))
    held = pl.branch(system, straight, side=1, until=("column/tip", "z", 0.1))
    assert abs(float(held.position.sel(marker="column/tip", axis="z")[-1])) == pytest.approx(0.1, abs=1e-6)


def test_a_round_column_has_no_side() -> None:
    system = pl.compile(column(pl.Section.circle(0.002, pl.STEEL)), elements=6)
    straight = pl.path(system, "load/x", to=-40.0)
    assert straight.event_multiplicity.values.tolist() == [2]
    with pytest.raises(ConvergenceError, match="2 directions give way together there, as of a round column"):
        pl.branch(system, straight)


def test_linear_elements_are_of_the_plane() -> None:
    with pytest.raises(
        OptionError, match=r"elements of beam 'column': Linear.* is for planar models; 'column' is spatial"
    ):
        pl.compile(column(STRIP), elements=pl.Linear(4))


def test_quaternions_of_results_are_orientations() -> None:
    turn = Rotation.from_rotvec([0.3, -0.2, 0.5])
    marker = pl.Ground().at(0, 0, orientation=turn.as_quat(scalar_first=True))
    assert Rotation.from_quat(marker.turn, scalar_first=True).as_rotvec() == pytest.approx(turn.as_rotvec(), abs=1e-14)
    with pytest.raises(ModelError, match=r"orientation = .* must be a quaternion \(w, x, y, z\) of length 1"):
        pl.Ground().at(0, 0, orientation=(1.0, 1.0, 0.0, 0.0))


@pytest.mark.parametrize("elements", [8, 9, 12])
@pytest.mark.parametrize("turns", [1, 3])
def test_rolling_up_takes_one_load_step(elements: int, turns: int) -> None:
    """Elements a quarter turn apart make a pivot of zero in a tangent that is not singular."""
    from pliant_evidence.bend_45 import rolling

    given = rolling.model(moment=(0.0, 0.0, 2.0 * np.pi * turns * rolling.BENDING), follower=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # not stable under a moment that follows
        rest = pl.statics(pl.compile(given, elements=elements))
    assert rest.outcome.load_steps == 1
    assert rest.outcome.iterations < 10
    assert np.linalg.norm(rest.position.sel(marker="rod/tip")) < 1e-10


@pytest.mark.parametrize("order", [2, 3])
def test_curved_beams_in_plane_and_space_go_to_one_limit(order: int) -> None:
    """Curvature is interpolated differently at higher order: apart by the order of their error, 2 p, and no more."""
    apart = []
    for elements in (2, 4, 8):
        flat = cantilever(curvature=3.0)
        tips = [
            pl.statics(pl.compile(m, elements=pl.Exact(elements, order=order))).position.sel(marker="beam/tip").values
            for m in (flat, flat.promoted())
        ]
        apart.append(np.max(np.abs(tips[0] - tips[1][:2])))
    assert apart[0] / apart[1] > 0.7 * 4.0**order
    assert apart[1] / apart[2] > 0.7 * 4.0**order
