"""Tendon-driven arms as data: arcs they are bent to, forward and inverse, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant.model import rotations
from pliant_gallery.robots import TendonArm, TendonSegment
from pliant_gallery.robots.stewart_continuum import UP

ARM = TendonArm(segments=(TendonSegment(length=0.2, disks=2), TendonSegment(length=0.15, angle=1.0, disks=2)))
CURVATURES = (0.5, 2.0), (-1.0, 1.0)


def arcs(arm: TendonArm, curvatures: Any, tensions: np.ndarray) -> np.ndarray:
    """Return the tip of circular arcs, shortened by the sum of the tensions that run through them over EA."""
    point, turn = np.zeros(3), np.array(UP)
    counts = np.cumsum([0, *(segment.tendons for segment in arm.segments)])
    for k, (segment, bend) in enumerate(zip(arm.segments, curvatures, strict=True)):
        shape = pl.Beam("arc", length=segment.length, section=arm.section, curvature=(0.0, *bend))
        places, turns = shape.rest_pose_in_space([1.0])
        shorter = 1.0 - float(np.sum(tensions[counts[k] :])) / arm.section.axial_stiffness
        point, turn = point + turn @ (shorter * places[0]), turn @ rotations.matrix(turns[0])
    return point


def test_tendons_bend_segments_to_arcs() -> None:
    tensions = ARM.tensions(CURVATURES, least=0.5)
    assert np.min(tensions) == pytest.approx(0.5)
    system = pl.compile(ARM.model(), elements=pl.Exact(7, order=3))
    rest = pl.statics(system.with_signals(dict(zip(ARM.motors, tensions.tolist(), strict=True))))
    exact = arcs(ARM, CURVATURES, tensions)
    assert rest.position.sel(marker="backbone/tip").values == pytest.approx(exact, abs=1e-9)
    assert np.linalg.norm(exact - (0.0, 0.0, 0.35)) > 0.1


def test_forward_inverse_stiffness_and_mass() -> None:
    tensions = ARM.tensions(CURVATURES, least=2.0)
    system = pl.compile(ARM.model(), elements=pl.Exact(4, order=2))
    system = system.with_signals(dict(zip(ARM.motors, tensions.tolist(), strict=True)))
    bent = pl.statics(system)
    legs = pl.Kinetostatics(system, platform="backbone/tip", motors=[ARM.motors[k] for k in (0, 1, 4)])
    wanted = bent.position.sel(marker="backbone/tip").values + (0.004, -0.003, 0.001)
    pose = legs.inverse(wanted, start=bent)
    assert legs.forward(pose.motors, start=pose).position == pytest.approx(wanted, abs=1e-9)
    assert np.all(np.linalg.eigvalsh(pl.stiffness(system, at=bent, marker="backbone/tip").matrix[:3, :3]) > 0.0)
    assert system.mass == pytest.approx(0.35 * ARM.section.mass_per_length + 4e-3, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"offset": 0.02}, r"offset = 0\.02 is not allowed; it must be at most the radius of the disks, 0\.01 m"),
        ({"tendons": 0}, "a whole number from 1 on"),
        ({"disks": 2.5}, "a whole number from 0 on"),
        ({"length": -1.0}, "length"),
    ],
)
def test_what_is_no_segment(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        TendonSegment(**{"length": 0.2, **given})


def test_what_is_no_arm() -> None:
    with pytest.raises(ModelError, match="no segments"):
        TendonArm(segments=())
    with pytest.raises(ModelError, match="1 tensions for 3 tendons"):
        TendonArm(segments=(TendonSegment(length=0.2),), pulled=(1.0,))
    with pytest.raises(OptionError, match="two finite numbers for each of the 2 segments"):
        ARM.tensions(((1.0, 2.0),))
    pair = TendonArm(segments=(TendonSegment(length=0.2, tendons=2),))
    with pytest.raises(OptionError, match="2 tendons cannot bend a segment either way"):
        pair.tensions(((1.0, 0.0),))
