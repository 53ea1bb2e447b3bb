"""Numbering of spatial models: places of freedoms and quaternions, arms and turns of markers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.model import rotations
from pliant.system.numbering.spatial_layout import SpatialLayout

ROUND = pl.Section.circle(0.001, pl.STEEL)


@pytest.fixture
def model() -> pl.Model:
    m = pl.Model("m", plane=None)
    ground, link = m.add(pl.Ground(), pl.Link("link", length=1.0, mass=1.0))
    rod = m.add(pl.Beam("rod", length=2.0, section=ROUND))
    m.add(pl.Spherical(ground.at(0, 0, 0), link.at(s=0)), pl.Spherical(link.at(s=1), rod.at(s=0)))
    m.add(rod.at(s=0.5, y=0.1, orientation=pl.rotation(x=0.3)))
    return m


@pytest.fixture
def layout(model: pl.Model) -> SpatialLayout:
    return SpatialLayout(model, {"rod": pl.Exact(4)})


def test_nodes_and_freedoms(layout: SpatialLayout) -> None:
    assert (layout.ground, layout.freedoms, layout.assembled.size) == (6, 36, 70)
    assert layout.dofs([[0, 2]], 2).tolist() == [[0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]]
    assert layout.frames([[0, 6]], 2).tolist() == [[42, 66]]
    assert layout.dofs([1]).dtype == layout.frames([1]).dtype == np.uint32
    assert layout.assembled[42:].reshape(-1, 4).tolist() == [[1.0, 0.0, 0.0, 0.0]] * 7


def test_markers_in_their_nodes(model: pl.Model, layout: SpatialLayout) -> None:
    link, rod, ground = model.part("link"), model.part("rod"), model.part("ground")
    assert layout.arm(link.at(s=1, z=0.2)).tolist() == [0.5, 0.0, 0.2]  # from the centre of mass
    assert layout.arm(ground.at(1, 2, 3)).tolist() == [1.0, 2.0, 3.0]
    middle = model.watched[0]
    assert layout.node(middle) == 3
    assert layout.arm(middle).tolist() == [0.0, 0.1, 0.0]
    assert rotations.logarithm(layout.turn(middle)) == pytest.approx([0.3, 0.0, 0.0])
    assert layout.node(rod.at(s=1)) == 5


def test_places_of_markers_in_a_configuration(model: pl.Model, layout: SpatialLayout) -> None:
    turned, extra = Rotation.from_rotvec([0.3, -0.2, 0.5]), Rotation.from_rotvec([0.0, 0.1, 0.0])
    q, frame = layout.assembled.copy(), int(layout.frames([3])[0, 0])
    q[18:24] = 1.0, 2.0, 3.0, *extra.as_rotvec()  # a rotation that is not taken up counts
    q[frame : frame + 4] = np.roll(turned.as_quat(), 1)
    marker = model.watched[0]
    whole = turned * extra
    assert layout.place(marker, q) == pytest.approx([1, 2, 3] + whole.apply([0.0, 0.1, 0.0]))
    expected = (whole * Rotation.from_rotvec([0.3, 0, 0])).as_matrix()
    assert rotations.matrix(layout.direction(marker, q)) == pytest.approx(expected)


def test_bent_beams(layout: SpatialLayout) -> None:
    mesh = layout.beams[0]
    mesh.pose, mesh.turn = np.zeros((5, 3)), np.tile(rotations.IDENTITY, (5, 1))
    shift = np.zeros(layout.freedoms)
    shift[6 * 3 : 6 * 4] = 0.0, 0.1, 0.0, 0.0, 0.0, 0.2
    bent = layout.bent(shift).beams[0]
    assert bent.pose[2].tolist() == [0.0, 0.1, 0.0]
    assert rotations.logarithm(bent.turn)[2] == pytest.approx([0.0, 0.0, 0.2])
    assert not np.any(mesh.pose)


def test_spin_that_means_nothing() -> None:
    m = pl.Model("m", plane=None)
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0))
    bob = m.add(pl.Body("bob", mass=1.0, inertia=0.0))
    m.add(pl.Spherical(ground.at(0, 0, 0), bar.at(s=0)), pl.Spherical(bar.at(s=1), bob.at()))

    def idle() -> list[str]:
        return [spin.body.name for spin in pl.compile(m).layout.idle]

    assert idle() == ["bar", "bob", "bob", "bob"]
    m.add(pl.Spring("spring", ground.at(0, 1, 0), bar.at(s=0.5, y=0.1), 1.0, 0.0))  # off the axis: it turns the bar
    assert idle() == ["bob", "bob", "bob"]
    m.add(pl.Motor("motor", ground.at(0, 0, 0), bob.at(), 1.0))
    assert idle() == []
