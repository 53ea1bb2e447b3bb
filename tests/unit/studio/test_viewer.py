"""The viewer without a browser: frames, colours, words, refusals."""

from __future__ import annotations

import socket
import sys

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CapabilityError, OptionError
from pliant.results.drawing.colouring import Quantity, joint_forces, quantities
from pliant_gallery.examples import column
from pliant_studio.viewer import bars, camera
from pliant_studio.viewer.film import films
from pliant_studio.viewer.stage import pieces, solid
from pliant_testing.results.planar import example_modes, example_motion, example_path, example_statics
from pliant_testing.results.spatial import spatial_motion


@pytest.fixture(scope="module")
def cantilever():
    """Build a strip with a force at its tip, whose moment and strain are known: small, so that it stays straight."""
    m = pl.Model("cantilever", plane="xy")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=2.0, y=-1e-3))
    return pl.statics(pl.compile(m, elements=pl.Exact(8, order=2)))


def test_strain_of_axial_force_and_moment(cantilever):
    found = quantities(cantilever)
    moment, strain = found["bending moment"], found["strain"]
    base = np.flatnonzero(cantilever.data["part"].values == "beam")[0]
    area, I = 0.02 * 0.002, 0.02 * 0.002**3 / 12.0
    youngs = pl.STEEL.youngs_modulus
    expected = 2.0 / (youngs * area) + abs(moment.values[0, base]) * 0.001 / (youngs * I)
    assert strain.values[0, base] == pytest.approx(expected, rel=1e-3)
    assert strain.units == "1"
    assert not strain.signed
    assert moment.signed


def test_forces_of_joints_are_reactions_at_their_markers(cantilever):
    places, forces = joint_forces(cantilever)
    np.testing.assert_allclose(places, np.zeros((1, 1, 2)), atol=1e-12)
    np.testing.assert_allclose(forces, [[[-2.0, 1e-3]]], atol=1e-9)


def test_speed_of_a_turning_link():
    m = pl.Model("rotor", plane="xy")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.5, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    run = pl.transient(pl.compile(m), push={"arm": 2.0}, end_time=0.5, step=1e-3)
    speed = quantities(run)["speed"].values
    assert speed[250, 1] == pytest.approx(1.0, rel=1e-5)  # 2 rad/s, 0.5 m
    assert speed[250, 0] == pytest.approx(0.0, abs=1e-9)


def test_films_of_every_kind():
    (motion,) = films(example_motion())
    assert (motion.seconds, motion.captions[0], motion.frame_at(9.9)) == (2.0, "t = 0.000 s", len(motion.frames) - 1)
    assert "bending moment" in motion.quantities
    (path,) = films(example_path(), "walk")
    assert path.label == "walk"
    assert path.captions[0].endswith(", stable")
    assert any(caption.endswith("unstable") for caption in path.captions)
    modes = films(example_modes())
    assert [film.captions[0] for film in modes] == ["mode 1: 5 Hz", "mode 2: 20 Hz", "mode 3: 45 Hz", "mode 4: 80 Hz"]
    assert modes[0].frame_at(0.5) == modes[0].frame_at(2.5)  # a period takes 2 s, and begins again
    (still,) = films(example_statics())
    assert len(still.frames) == 1
    (space,) = films(spatial_motion())
    assert space.box[0].shape == (3,)


def test_what_cannot_be_seen_is_refused():
    run = example_motion()
    short = pl.Result(run.data.isel(time=[0]), run.kind, run.outcome, run.provenance)
    with pytest.raises(OptionError, match="one instant cannot be played"):
        pl.view(short, port=0)
    with pytest.raises(OptionError, match="1 cannot be drawn: give a Result, a Model"):
        pl.view([1, 2])
    with pytest.raises(OptionError, match=r"several, or a mapping from labels; got \[\]"):
        pl.view([])


def test_colours_end_where_the_bar_ends():
    values = np.array([-2.0, 0.0, 2.0])
    np.testing.assert_array_equal(bars.colours(values, 2.0, True), bars.SIGNED)
    np.testing.assert_array_equal(bars.colours(np.array([0.0, 2.0]), 2.0, False), bars.UNSIGNED)
    np.testing.assert_array_equal(bars.linear(np.array([0, 255], np.uint8)), [0, 255])
    assert bars.linear(np.array([188], np.uint8))[0] == 128  # half the light is coded as 188
    shown = bars.bar(Quantity("bending <moment>", "N m", values[None], True), 2.0)
    assert "bending &lt;moment&gt; [N m]" in shown
    assert "−2" in shown


def test_planar_points_lie_in_space():
    np.testing.assert_array_equal(solid(np.array([[1.0, 2.0]])), [[1.0, 2.0, 0.0]])
    assert pieces(np.zeros((5, 3))).shape == (4, 2, 3)
    assert pieces(np.zeros((1, 3))).shape == (1, 2, 3)


def test_page_is_for_this_machine_only_and_needs_viser(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OptionError, match="cannot be opened"):
            pl.view(example_motion(), port=taken.getsockname()[1])
    page = pl.view({"a": example_motion(), "b": example_path()}, port=0)
    assert page.server.get_host() == "127.0.0.1"
    assert page.theatre.colour.value == "bending moment"
    assert "<b>a</b>" in page.theatre.caption.content
    page.stop()
    with pytest.raises(OptionError, match="port=99999"):
        pl.view(example_motion(), port=99999)
    monkeypatch.setitem(sys.modules, "viser", None)  # not installed
    with pytest.raises(CapabilityError, match=r"pip install 'pliant\[studio\]'"):
        pl.view(example_motion())


def test_inline_player_is_framed_and_cannot_reach_out():
    shown = pl.show(example_motion())._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown
    assert shown.count("<iframe") == 1
    assert "<script" not in shown  # escaped


def test_scrubbing_follows_a_path_through_its_limit_points():
    """A shallow truss snaps through: its load goes up, down and up again while its apex only goes down."""
    m = pl.Model("truss")
    ground, apex = m.add(pl.Ground(), pl.Body("apex", mass=1.0, inertia=1.0, position=(0.0, 0.2)))
    m.add(pl.Prismatic(ground.at(0, 0, angle=np.pi / 2), apex.at(0, 0, angle=np.pi / 2), name="rail"))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.add(pl.Spring(name, ground.at(x, 0), apex.at(0, 0), stiffness=1e3, rest_length=float(np.hypot(1.0, 0.2))))
    m.add(pl.Force(apex.at(0, 0), y=0.0, name="load"))
    system = pl.compile(m)
    film = films(pl.path(system, "load/y", start=pl.statics(system), begin=0.0, to=-8.0))[0]
    load = np.array([float(each.partition("= ")[2].split(" ")[0].replace("−", "-")) for each in film.captions])
    turns = np.flatnonzero(np.diff(np.sign(np.diff(load[np.flatnonzero(np.diff(load, prepend=1.0))]))))
    assert len(turns) == 2
    height = [film.frames[film.frame_at(share * film.seconds)][-1, 1] for share in np.linspace(0.0, 1.0, 40)]
    assert np.all(np.diff(height) < 0.0)  # forth
    back = [film.frames[film.frame_at(share * film.seconds)][-1, 1] for share in np.linspace(1.0, 0.0, 40)]
    assert back == height[::-1]


def test_a_page_of_any_width_shows_all():
    """A box of 2 x 1 x 0.1, in space and in the plane: its corners are within the picture, and nearly fill it."""
    low, high = np.array([0.0, 0.0, 0.0]), np.array([2.0, 1.0, 0.1])
    corners = np.array([(x, y, z) for x in (0.0, 2.0) for y in (0.0, 1.0) for z in (0.0, 0.1)])
    for planar in (False, True):
        seen = camera.look(low, high, planar)
        for aspect in (0.4, 1.0, 2.5):
            eye = seen.eye(aspect)
            right = np.cross(seen.up, seen.way)
            right /= np.linalg.norm(right)
            rays = corners - eye
            depth = -rays @ seen.way
            across = np.abs(rays @ right) / depth / np.tan(0.5 * seen.field) / aspect
            upright = np.abs(rays @ np.cross(seen.way, right)) / depth / np.tan(0.5 * seen.field)
            assert 0.55 < max(across.max(), upright.max()) < 1.0


def test_a_model_is_viewed_before_anything_is_solved():
    (film,) = films(pl.Model.sketch(column()))
    assert film.captions == ("as assembled",)
    assert film.quantities == {}
    page = pl.view(column(), port=0)
    try:
        assert len(page.theatre.stages) == 1
    finally:
        page.stop()


def test_lines_drawn_by_markers_are_shown_and_chosen():
    run = example_motion()
    with pytest.raises(OptionError, match=r"view: traces: there is no marker 'beam/top'. Did you mean beam/tip"):
        pl.view(run, traces="beam/top", port=0)
    page = pl.view(run, traces=["beam/tip"], port=0)
    try:
        (stage,) = page.theatre.stages
        assert len(stage.handles["traces"].points) == run.sizes["time"] - 1
        page.theatre.trace.value = "link/tip"
        assert len(stage.handles["traces"].points) == 2 * (run.sizes["time"] - 1)
        page.theatre.show(films(example_statics()))
        assert "traces" not in page.theatre.stages[0].handles
    finally:
        page.stop()
