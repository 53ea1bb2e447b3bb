"""Tendons in channels of beams: what they refuse, how they stretch, and that all reports of them agree."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, PliantWarning
from pliant.system.limits import channels
from pliant_testing import check_part

SECTION = pl.Section(
    axial_stiffness=3e4,
    shear_stiffness=1e4,
    bending_stiffness=2.0,
    mass_per_length=0.3,
    bending_stiffness_y=2.0,
    torsional_stiffness=1.5,
    shear_stiffness_z=1e4,
)
FINE = pl.Exact(4, order=2)


def arm(
    offset: Any, *, plane: str | None = "xy", damping: Any = None, length: float = 0.5, curvature: float = 0.0,
    **given: Any,
) -> pl.Model:  # fmt: skip
    model = pl.Model("arm", plane=plane)
    beam = pl.Beam("arm", length=length, section=SECTION, damping=damping, curvature=curvature)
    ground, beam = model.add(pl.Ground(), beam)
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.ChannelTendon("pull", beam, offset=offset, **given))
    return model


@pytest.mark.parametrize("stiffness", [{"stiffness": 40.0, "rest_length": 1.0}, {}])
def test_a_driven_channel_keeps_the_contracts_of_parts(stiffness: dict[str, float]) -> None:
    driven: dict[str, Any] = {"tension": pl.Expression("2 + t"), **stiffness}
    rows = ((0.1, 0.02), (0.03, 0.06), (0.05, -0.03))
    check_part(pl.ChannelTendon, offset=(0.1, 0.03), in_space={"offset": rows, **driven}, **driven)


@pytest.mark.parametrize(("plane", "offset"), [("xy", 0.02), (None, (0.02, 0.0))])
def test_an_elastic_channel_shortens_until_the_rod_holds_it(plane: str | None, offset: Any) -> None:
    """T (1/k + L/EA + y^2 L/EI) is what it was shortened by: a straight channel bends to an arc, however far."""
    k, length, y, short = 2e4, 0.5, 0.02, 0.01
    rest = pl.statics(pl.compile(arm(offset, plane=plane, stiffness=k, shortening=short), elements=FINE))
    tension = short / (1.0 / k + length / 3e4 + y * y * length / 2.0)
    assert float(rest.tension.sel(line="pull")) == pytest.approx(tension, rel=1e-6)
    assert float(rest.line_length.sel(line="pull")) == pytest.approx(length - short + tension / k, rel=1e-9)


def test_a_channel_of_half_the_rod_bends_that_half() -> None:
    rest = pl.statics(pl.compile(arm(0.02, tension=50.0, end=0.5), elements=FINE))
    curve = 50.0 * 0.02 / 2.0
    assert float(rest.angle.sel(body="arm")) == pytest.approx(0.0, abs=1e-12)
    slope = rest.shape.sel(station=rest.part == "arm").values[-3:]
    assert np.diff(slope, axis=0)[1] == pytest.approx(np.diff(slope, axis=0)[0], abs=1e-9)  # straight beyond
    tangent = np.diff(slope, axis=0)[1]
    assert np.arctan2(tangent[1], tangent[0]) == pytest.approx(curve * 0.25, abs=1e-7)


def test_plane_and_space_meet_as_the_mesh_becomes_finer() -> None:
    apart = []
    for elements in (4, 8):
        flat, wide = (
            pl.statics(pl.compile(model, elements=elements)).position.sel(marker="arm/tip").values
            for model in (arm(0.02, tension=200.0), arm(0.02, tension=200.0).promoted())
        )
        apart.append(float(np.linalg.norm(wide[:2] - flat[:2])))
    assert apart[0] / apart[1] == pytest.approx(4.0, rel=0.1)


def test_it_is_drawn_beside_the_rod() -> None:
    rest = pl.statics(pl.compile(arm((0.02, 0.01), tension=0.0), elements=FINE))
    drawn = rest.shape.sel(station=rest.part == "pull").values
    assert drawn[:, 1] == pytest.approx(np.linspace(0.02, 0.01, len(drawn)))
    assert len(drawn) == 9


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"offset": ((0.01, 0.0), (0.0, 0.01)), "tension": 1.0}, "a number or numbers, in a planar model"),
        ({"offset": 0.01, "tension": 1.0, "start": 0.7, "end": 0.4}, "above start = 0.7"),
        ({"offset": 0.01}, "neither stiffness nor tension"),
        ({"offset": 8.0, "tension": 1.0}, r"offset at s = 0 = \[8.0\].*within the 0.5 m that Beam .arm. is long"),
        ({"offset": lambda s: 1.0 / s, "tension": 1.0}, "failed at s = 0: ZeroDivisionError"),
        ({"offset": lambda s: (s, s), "tension": 1.0}, "a number y, finite"),
        ({"offset": "1 cm", "tension": 1.0, "end": 2.0}, "between 0 and 1"),
    ],
)
def test_what_it_refuses(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        arm(**given)


@pytest.mark.parametrize("formulation", ["udwadia_kalaba", "shooting", "kinked"])
def test_formulations_that_know_no_channels_say_so(formulation: str) -> None:
    with pytest.raises(ModelError, match=r'ChannelTendon "pull".*dae'):
        pl.compile(arm(0.02, tension=1.0), formulation=formulation)


def test_a_channel_that_winds_faster_than_elements_follow_is_not_ok() -> None:
    """Five turns in three elements of order 3: a tip that is 1.5 % of the length off was ok."""
    helix = arm(lambda s: (0.02 * cos(10 * pi * s), 0.02 * sin(10 * pi * s)), plane=None, tension=1.0)
    with pytest.warns(PliantWarning, match=r"winding of 'pull' .*: 3\.5 rad.* 3 times as many elements"):
        assert not pl.statics(pl.compile(helix, elements=pl.Exact(3, order=3))).outcome.ok
    assert pl.statics(pl.compile(helix, elements=pl.Exact(9, order=3))).outcome.ok


@pytest.mark.parametrize(("plane", "aside"), [("xy", 0.15), (None, (0.15, 0.0))])
def test_a_channel_beyond_the_centre_of_a_bend_is_not_ok(plane: str | None, aside: Any) -> None:
    """A rod that is an arc of 0.1 m radius at rest: within 0.09 m the channel runs on, at 0.15 m backwards."""
    near = 0.09 if plane else (0.09, 0.0)
    good, bad = (pl.statics(pl.compile(arm(at, plane=plane, curvature=10.0, tension=1e-3))) for at in (near, aside))
    assert good.outcome.ok
    (failed,) = bad.outcome.failed
    assert failed.name == "offset of 'pull', on the inner side"
    assert failed.value == pytest.approx(1.5, rel=0.01)  # at Gauss points, of chords


@pytest.mark.parametrize(("plane", "aside"), [("xy", 0.02), (None, (0.02, 0.0))])
def test_a_tension_that_folds_its_channel_is_named(plane: str | None, aside: Any) -> None:
    """EI / y^2 bends the rod about the channel."""
    system = pl.compile(arm(aside, plane=plane, tension=1.0), elements=2)
    section = system.model.beams[0].section_at(0.0)
    most = section.bending_stiffness / 0.02**2
    u = system.signals(np.zeros(1))[0]
    place = system.signal_number("pull/tension")
    for share, told in ((0.99, False), (1.01, True)):
        u[place] = share * most
        assert ('ChannelTendon "pull"' in channels.describe_folding(system, u)) is told
