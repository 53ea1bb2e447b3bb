"""Found in the viewer and the studio by looking: a plane that was seen in perspective, sizes that viser does not draw,
two thousand bodies that never opened, a player without names.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import pliant as pl
from pliant.results.drawing import scene
from pliant.results.drawing.pins import together
from pliant.results.names import MOST_PARTS, joint_names, part_names
from pliant_studio.viewer import camera
from pliant_studio.viewer import stage as figures
from pliant_studio.viewer.film import films
from pliant_studio.viewer.stage import HEIGHT, Stage


def chain(count: int, size: float = 1.0) -> pl.Model:
    """Build the links one after the other, hanging."""
    m = pl.Model("chain")
    end = m.add(pl.Ground()).at(0, 0)
    for k in range(count):
        link = m.add(pl.Link(f"link {k}", length=size / count, mass=0.1, angle=-0.5 * np.pi + 0.2 * (-1) ** k))
        m.add(pl.Revolute(end, link.at(s=0), name=f"pin {k}"))
        end = link.at(s=1)
    return m


class Recorder:
    """A scene that remembers what is put into it."""

    def __init__(self) -> None:
        self.added: dict[str, tuple] = {}

    def __getattr__(self, name: str):
        return lambda where, *arguments, **options: self.added.setdefault(where, (name, arguments, options))


@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.6])
def test_what_lies_one_over_the_other_in_a_plane_is_not_displaced(aspect):
    seen = camera.look(np.zeros(3), np.array([1.0, 0.7, 0.0]), True)
    away = float(np.linalg.norm(seen.eye(aspect) - seen.middle))
    pixels = 800.0 / (2.0 * away * np.tan(0.5 * seen.field))  # of a unit of the scene, on a page 800 high
    edge = 0.5 * 800.0 * max(aspect, 1.0) / pixels
    for height in HEIGHT.values():
        assert pixels * edge * height / (away - height) < 0.1


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e5])
def test_a_mechanism_of_any_size_is_as_large_in_the_scene(size):
    """viser draws nothing nearer than 0.01 and farther than 1000 into its pictures."""
    film, recorder = films(chain(5, size).sketch())[0], Recorder()
    low, high = film.box
    stage = Stage(recorder, "/0", film.result, 1.0 / float((high - low).max()), np.zeros(3))
    stage.draw(film.frames[0], None, None, 0, {})
    points = recorder.added["/0/links"][1][0]
    assert float(np.ptp(points.reshape(-1, 3), axis=0).max()) == pytest.approx(1.0)
    assert recorder.added["/0/links"][2]["thickness"] == pytest.approx(0.024)


def test_many_bodies_are_few_nodes_of_the_scene():
    sketch, recorder = chain(MOST_PARTS + 1).sketch(), Recorder()
    shape = sketch.data["shape"].values
    stage = Stage(recorder, "/0", sketch, 1.0 / scene.extent(shape), np.zeros(3))
    stage.draw(shape, None, None, 0, {})
    stage.names(shape, True)
    assert set(recorder.added) == {"/0/links", "/0/pins", "/0/supports/pin"}
    assert len(recorder.added["/0/pins"][1][0]) == MOST_PARTS + 1
    assert part_names(sketch, shape) == []


def test_places_are_those_that_are_near_in_all_coordinates():
    rng = np.random.default_rng(1)
    points = np.repeat(rng.uniform(size=(300, 4)), 3, axis=0)[rng.permutation(900)]
    numbers = together(points + rng.uniform(-1e-9, 1e-9, points.shape), 1e-6)
    same = np.linalg.norm(points[:, None] - points[None], axis=-1) < 1e-6
    np.testing.assert_array_equal(numbers[:, None] == numbers[None], same)


@pytest.mark.parametrize(("last", "opened"), [(0.3, []), (0.9, ["pin D"])])
def test_the_player_shows_names_and_joints_that_do_not_close(last, opened):
    m = pl.Model("four-bar")
    ground, crank, coupler, rocker = m.add(
        pl.Ground(),
        pl.Link("crank", length=0.1, mass=0.1, angle=1.2),
        pl.Link("coupler", length=0.3, mass=0.1),
        pl.Link("rocker", length=0.25, mass=0.1),
    )
    m.add(
        pl.Revolute(ground.at(0, 0), crank.at(s=0), name="pin A"),
        pl.Revolute(crank.at(s=1), coupler.at(s=0), name="pin B"),
        pl.Revolute(coupler.at(s=1), rocker.at(s=1), name="pin C"),
        pl.Revolute(ground.at(last, 0), rocker.at(s=0), name="pin D"),
    )
    found = re.search(r'id="data">(.*?)</script>', pl.show(m).page, re.S)
    data = json.loads(found[1])
    assert (data["named"], len(data["named_at"]), data["still"]) == (True, 3, True)
    assert {"pin A", "pin B", "pin C"} <= {each["text"] for each in data["names"]}
    assert [each["name"] for each in data["open"]] == opened
    assert [part["name"] for part in data["parts"]] == ["crank", "coupler", "rocker"]


def test_an_equilibrium_has_names_too():
    """The box *names* of the viewer raised ValueError there."""
    m = chain(2)
    m.add(pl.Gravity())
    rest = pl.statics(pl.compile(m))
    assert {"pin 0", "pin 1"} <= {each.text for each in joint_names(rest)}


def test_names_of_parts_that_lie_on_each_other_stand_apart():
    m = pl.Model("rod beside its tendon")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Tendon("tendon", ground.at(0, 0), rod.at(s=1), tension=1.0))
    sketch = m.sketch()
    one, other = (each.place for each in part_names(sketch, sketch.data["shape"].values))
    assert np.linalg.norm(one - other) > 0.1


def test_what_is_selected_has_its_own_units():
    """Drives among other joints had the units "1, 1, N m"."""
    m = chain(2)
    m.add(pl.Motion(m.ground.at(0, 0), m.part("link 0").at(s=0), angle=-1.0, name="motor"), pl.Gravity())
    rest = pl.statics(pl.compile(m))
    assert rest.drive_effort.sel(joint="motor").attrs["units"] == "N m"
    assert rest.reaction.sel(wrench=["Fx", "M"]).attrs["units"] == "N, N m"


def test_ends_of_rods_have_corners_of_their_own():
    """Rods looked like rows of pearls: smooth shading mixed the normals of sides and ends of their pieces."""
    corners, faces = figures._unit("rod")
    half = len(corners) // 2
    along = np.ptp(corners[faces][..., 0], axis=1) > 0.5
    assert set(faces[along].ravel()) == set(range(half))
    assert faces[~along].min() >= half
