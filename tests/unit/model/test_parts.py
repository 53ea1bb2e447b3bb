"""Lines of a picture: smooth beams, stars, chains of links as one beam, pins where something turns."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from pliant.results import Outcome, Provenance, Result, plots
from pliant.results.drawing import scene
from pliant.results.drawing.parts import PIECES, looks
from pliant_testing.results.planar import example_motion


def drawn(pieces, *, joints=(), grounds=(), markers=None):
    """Return parts of an equilibrium of pieces (name, kind, points), as they are drawn; joints (drawing, marker)."""
    markers = markers or {}
    shape = np.concatenate([np.asarray(points, float) for *_, points in pieces])
    data = xr.Dataset(
        {
            "shape": (("station", "axis"), shape),
            "position": (("marker", "axis"), np.array([*markers.values()]).reshape(-1, 2)),
            "ground_position": (("ground", "axis"), np.array(grounds, float).reshape(-1, 2)),
            "reaction": (("joint", "wrench"), np.zeros((len(joints), 3))),
        },
        {
            "part": ("station", [name for name, _, points in pieces for _ in points]),
            "part_kind": ("station", [kind for _, kind, points in pieces for _ in points]),
            "s": ("station", np.concatenate([np.linspace(0.0, 1.0, len(points)) for *_, points in pieces])),
            "axis": ["x", "y"],
            "marker": np.array([*markers], dtype=str),
            "ground": [f"ground{place}" for place in grounds],
            "joint": [f"joint {k}" for k in range(len(joints))],
            "joint_drawing": ("joint", np.array([drawing for drawing, _ in joints], dtype=str)),
            "joint_marker": ("joint", np.array([marker for _, marker in joints], dtype=str)),
            "wrench": ["Fx", "Fy", "M"],
        },
    )
    return Result(data, "statics", Outcome(True, ""), Provenance("pieces", "statics"))


def test_a_bent_beam_is_drawn_round():
    angle = np.linspace(0.0, np.pi, 9)
    result = drawn([("beam", "beam", np.stack([np.cos(angle), np.sin(angle)], axis=1))])
    (part,) = scene.parts(result)
    line = part.line(result.shape.values)
    np.testing.assert_allclose(line[:: len(line) // 8], result.shape.values, atol=1e-15)
    # a polygon would be off by 1 - cos(pi / 16) = 0.019; slopes of parabolas are right to second order
    assert np.abs(np.linalg.norm(line, axis=1) - 1.0).max() < 0.004
    assert len(line) >= 1 + 8 * PIECES


def test_short_beams_and_odd_places_are_drawn_as_they_are():
    for points in ([[0, 0], [1, 0]], [[0, 0]]):
        result = drawn([("beam", "beam", points)])
        np.testing.assert_array_equal(scene.parts(result)[0].line(result.shape.values), points)
    result = drawn([("beam", "beam", [[0, 0], [1, 1], [2, 0]])])
    odd = Result(
        result.data.assign_coords(s=("station", [0.0, 0.5, 0.5])), "statics", result.outcome, result.provenance
    )
    np.testing.assert_array_equal(scene.parts(odd)[0].line(odd.shape.values), odd.shape.values)


def test_a_rigid_body_is_drawn_around_its_corners():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    result = drawn([("plate", "rigid", corners), ("rod", "rigid", [[0, 0], [0, -1]])])
    plate, rod = scene.parts(result)
    line = plate.line(result.shape.values)
    np.testing.assert_allclose(np.linalg.norm(np.diff(line, axis=0), axis=1), 1.0)  # from corner to corner
    np.testing.assert_allclose(line[0], line[-1])
    assert {tuple(point) for point in line.tolist()} == {tuple(point) for point in corners.tolist()}
    np.testing.assert_array_equal(rod.line(result.shape.values), [[0, 0], [0, -1]])


def test_links_of_a_chain_are_one_beam():
    links = [[[0, 0], [1, 0]], [[1, 0], [2, 1]], [[2, 1], [3, 1]]]
    pieces = [(name, "rigid", points) for name, points in zip(("beam", "beam.2", "beam.3"), links, strict=True)]
    result = drawn([*pieces, ("crank.2", "rigid", [[3, 1], [4, 1]]), ("tip", "line", [[3, 1], [5, 5]])])
    parts = scene.parts(result)
    assert [(part.name, part.kind) for part in parts] == [("beam", "chain"), ("crank.2", "rigid"), ("tip", "line")]
    np.testing.assert_array_equal(parts[0].line(result.shape.values), [[0, 0], [1, 0], [2, 1], [3, 1]])
    assert parts[0].dots.tolist() == [5]  # where the crank is held; the pins between its links get no dot
    ax = plots.plot_shape(result)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["beam", "crank.2", "tip"]
    assert len({line.get_color() for line in ax.lines if line.get_label() in ("beam", "crank.2")}) == 2
    plots.plot_modes(
        Result(
            result.data.assign(mode_shape=(("mode", "station", "axis"), np.ones((1, 10, 2)))).assign_coords(mode=[1]),
            "modes",
            result.outcome,
            result.provenance,
        )
    )


def test_many_parts_share_colours_by_name():
    legs = [(f"leg {k}", "beam", [[k, 0], [k, 1]]) for k in range(1, 7)]
    plate = ("platform", "rigid", [[0, 1], [7, 1]])
    few, many = (
        looks(scene.parts(drawn(pieces))) for pieces in ([*legs, plate], [*legs, ("hub", *legs[0][1:]), plate])
    )
    assert len({colour for colour, _ in few}) == 7
    assert [name for _, name in few] == ["leg 1", "leg 2", "leg 3", "leg 4", "leg 5", "leg 6", "platform"]
    assert [name for _, name in many] == ["leg 1 ... leg 6", *[None] * 5, "hub", "platform"]
    assert [colour for colour, _ in many] == [*[plots.COLOURS[0]] * 6, *plots.COLOURS[1:3]]


@pytest.mark.parametrize(
    "joints, pins",
    [
        ((), [0, 1]),
        ((("pin", "beam/base"),), [0, 1]),
        ((("clamp", "beam/base"),), [0]),
        ((("clamp", "link/tip"),), [0]),
        ((("clamp", "somewhere"),), [0, 1]),
        ((("clamp", "link/base"), ("pin", "beam/base")), [1]),
        ((("clamp", "beam/base"), ("pin", "beam/base")), [0, 1]),
        ((("clamp", "beam/base"), ("none", "beam/base")), [0]),
    ],
)
def test_pins_are_where_parts_meet_and_are_not_welded(joints, pins):
    places = {"link/base": (0.0, 0.0), "link/tip": (1.0, 0.0), "beam/base": (1.0, 0.0)}
    pieces = [
        ("link", "rigid", [[0, 0], [1, 0]]),
        ("beam", "beam", [[1, 0], [2, 0.1], [3, 0.4]]),
        ("spring", "line", [[3, 0.4], [3, 2]]),
    ]
    parts = scene.parts(drawn(pieces, joints=joints, grounds=[(0.0, 0.0)], markers=places))
    assert [k for part in parts for k in part.dots] == pins


def test_parts_that_only_pass_each_other_have_no_pin():
    run = example_motion()
    shape = run.shape.values.copy()
    shape[:, 2:] += np.linspace(0.0, 0.1, 61)[:, None, None]  # the beam drifts away
    data = run.data.assign(shape=(("time", "station", "axis"), shape))
    parts = scene.parts(Result(data, run.kind, run.outcome, run.provenance))
    assert [k for part in parts for k in part.dots] == [0]
