"""Animations: right frames at the right times, whole files, no network."""

from __future__ import annotations

import json
import re
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.errors import FileError, OptionError
from pliant.results import Provenance, Result, animate
from pliant.results.drawing import scene
from pliant.results.drawing.animation import show
from pliant.results.drawing.clips import MODE_FRAMES, motion_clip, path_clip
from pliant.results.drawing.colouring import quantities
from pliant.results.drawing.painter import Painter
from pliant.results.drawing.view import view_of
from pliant.results.plots.shapes import plot_shape
from pliant.results.traces import traces
from pliant_gallery.examples import column
from pliant_testing.results.planar import example_modes, example_motion, example_path, example_statics


def player_data(path):
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))


def metres(data, integers):
    return np.array(data["origin"]) + data["step"] * np.array(integers).reshape(-1, 2)


# --- what is shown -----------------------------------------------------------------------------------------------


def test_clip_plays_the_motion_at_the_asked_speed():
    run = example_motion()
    clip = motion_clip(run, fps=10.0, speed=0.5, max_frames=600)
    assert clip.seconds == 4.0
    assert len(clip.times) == 41
    assert clip.rate == 10.0
    np.testing.assert_allclose(clip.frames[[0, -1]], run.shape.values[[0, -1]], atol=1e-15)


def test_frames_are_linear_between_outputs():
    run = example_motion(outputs=3)
    halfway = scene.resample(run.time.values, run.shape.values, np.array([0.5]))[0]
    np.testing.assert_allclose(halfway, 0.5 * (run.shape.values[0] + run.shape.values[1]), atol=1e-15)


def test_frames_are_capped_without_changing_the_duration():
    clip = motion_clip(example_motion(), fps=1000.0, speed=1.0, max_frames=50)
    assert len(clip.times) == 50
    assert clip.seconds == 2.0


def test_a_path_is_walked_evenly_with_captions():
    path = example_path()
    clip = path_clip(path, fps=8.0, speed=1.0, max_frames=600)
    assert clip.seconds == 5.0
    np.testing.assert_allclose(clip.frames, path.shape.values, atol=1e-12)  # 41 frames at the 41 even points
    assert clip.captions[0] == "x of push = 0.000 N, stable"
    assert clip.captions[12] == "x of push = 2.700 N, unstable"  # from the limit point on
    assert clip.captions[27].endswith("unstable")
    assert clip.captions[28] == "x of push = 1.633 N, stable"
    np.testing.assert_allclose(clip.moment.values[7, 2], path.resultant.sel(component="M").values[7, 0], atol=1e-12)
    uneven = Result(path.data.isel(point=[0, 1, 2, 40]).drop_dims("event"), "path", path.outcome, path.provenance)
    halfway = path_clip(uneven, fps=0.4, speed=1.0, max_frames=600).frames[1]  # at arclength 0.5 of points 0.05 and 1
    share = (0.5 - 0.05) / 0.95
    np.testing.assert_allclose(halfway, (1 - share) * path.shape.values[2] + share * path.shape.values[40], atol=1e-12)


def test_a_path_that_stands_still_for_a_while_is_walked():
    path = example_path()
    data = path.data.isel(point=[0, 5, 5, 9]).assign_coords(point=range(4)).drop_dims("event")
    clip = path_clip(Result(data, "path", path.outcome, path.provenance), fps=5.0, speed=1.0, max_frames=600)
    assert np.isfinite(clip.frames).all()
    np.testing.assert_allclose(clip.frames[-1], path.shape.values[9], atol=1e-15)


def test_moments_lie_on_beams_only():
    run = example_motion()
    moment = quantities(run)["bending moment"].values
    assert np.isnan(moment[:, :2]).all()
    section = run.resultant.sel(component="M").values
    np.testing.assert_allclose(moment[:, 2], section[:, 0], atol=1e-15)
    np.testing.assert_allclose(moment[:, 12], section[:, 5], atol=1e-15)


def test_complex_mode_is_turned_to_its_largest_phase():
    result = example_modes()
    field = scene.mode_displacement(result, 1, None)
    assert (field.real**2).sum() > (field.imag**2).sum()
    assert np.abs(field).max() == pytest.approx(0.15 * 0.7)


def painted(run):
    """Return clip and painter of a motion, seen as it is by itself."""
    clip = motion_clip(run, fps=24.0, speed=1.0, max_frames=600)
    return clip, Painter(run, clip.frames, clip.moment, view_of(run, None), [])


def test_painter_colours_beams_by_moment():
    clip, painter = painted(example_motion())
    bent, straight = painter.paint(3, "bent"), painter.paint(0, "straight")
    assert bent.shape == (540, 720, 4)
    strongly_orange = [np.sum(image[..., 0].astype(int) - image[..., 2] > 120) for image in (bent, straight)]
    assert strongly_orange[0] > strongly_orange[1] + 50
    limits = [painter.axes.get_xlim(), painter.axes.get_ylim()]
    for axis, (low, high) in enumerate(limits):
        assert low < clip.frames[..., axis].min()
        assert high > clip.frames[..., axis].max()
    scales = [np.ptp(limits[0]) / painter.axes.bbox.width, np.ptp(limits[1]) / painter.axes.bbox.height]
    assert scales[0] == pytest.approx(scales[1])


# --- GIF and MP4 -------------------------------------------------------------------------------------------------


def test_gif_has_the_frames_and_their_delay(tmp_path):
    path = animate(example_motion(), tmp_path / "run.gif", fps=10.0)
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert image.size == (720, 540)
        assert image.n_frames == 21
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
    assert list(tmp_path.iterdir()) == [path]


def test_gif_of_a_mode_is_one_period(tmp_path):
    path = animate(example_modes(), tmp_path / "mode.gif", mode=2)
    with Image.open(path) as image:
        assert image.n_frames == MODE_FRAMES
        assert image.info["duration"] == 40


def test_mp4_is_a_video(tmp_path):
    path = animate(example_motion(), tmp_path / "run.mp4", fps=5.0)
    content = path.read_bytes()
    assert content[4:8] == b"ftyp"
    assert len(content) > 2000
    assert list(tmp_path.iterdir()) == [path]


def test_mp4_without_ffmpeg_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)  # not installed
    with pytest.raises(FileError, match=r"needs the program ffmpeg.*pip install 'pliant\[video\]', or write .gif"):
        animate(example_motion(), tmp_path / "run.mp4")
    assert list(tmp_path.iterdir()) == []


def test_failing_ffmpeg_leaves_nothing(tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho no such encoder >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    with pytest.raises(FileError, match="no such encoder"):
        animate(example_motion(), tmp_path / "run.mp4", fps=5.0)
    assert list(tmp_path.iterdir()) == [program]


def test_gif_and_mp4_of_a_path(tmp_path):
    with Image.open(animate(example_path(), tmp_path / "path.gif", fps=4.0)) as image:
        assert image.n_frames == 21
    if shutil.which("ffmpeg"):
        assert animate(example_path(), tmp_path / "path.mp4", fps=4.0).stat().st_size > 1000


# --- HTML --------------------------------------------------------------------------------------------------------


def test_html_holds_the_motion(tmp_path):
    run = example_motion()
    data = player_data(animate(run, tmp_path / "run.html"))
    (clip,) = data["clips"]
    assert len(clip["frames"]) == len(clip["times"]) == len(clip["colours"][0]) == 61
    assert (clip["seconds"], clip["times"][-1]) == (2.0, 2.0)
    np.testing.assert_allclose(metres(data, clip["frames"][7]), run.shape.values[7], atol=0.6 * data["step"])
    np.testing.assert_allclose(metres(data, data["ground"]["pin"]), [[0.0, 0.0]], atol=0.6 * data["step"])
    assert data["step"] < 1e-4
    assert [(part["name"], part["kind"], len(part["line"])) for part in data["parts"]] == [
        ("link", "rigid", 2),
        ("beam", "beam", 81),
    ]
    assert data["parts"][0]["line"] == [[0, 1.0], [1, 1.0]]  # stations and their weights
    assert data["parts"][1]["line"][4] == [3, 1.0]
    moment = run.resultant.sel(component="M").values
    quantities = {each["name"]: each for each in data["quantities"]}
    assert [*quantities] == ["bending moment", "speed"]
    assert quantities["bending moment"]["largest"] == pytest.approx(np.abs(moment).max())
    assert quantities["bending moment"]["stations"] == list(range(2, 23))  # the beam's stations
    assert max(map(max, clip["colours"][0])) == 1000


def test_html_of_a_short_motion_keeps_its_outputs(tmp_path):
    (clip,) = player_data(animate(example_motion(outputs=101, end_time=0.01), tmp_path / "run.html"))["clips"]
    assert len(clip["frames"]) == 101


def test_html_holds_all_modes_or_one(tmp_path):
    data = player_data(animate(example_modes(), tmp_path / "modes.html"))
    assert [clip["label"] for clip in data["clips"]] == [
        "mode 1: 5 Hz",
        "mode 2: 20 Hz",
        "mode 3: 45 Hz",
        "mode 4: 80 Hz",
    ]
    assert data["clips"][1]["times"][-1] == pytest.approx(1 / 20)
    assert data["clips"][1]["frames"][0] == data["clips"][1]["frames"][-1]
    assert data["quantities"] == data["clips"][1]["colours"] == []
    one = player_data(animate(example_modes(), tmp_path / "one.html", mode=3))
    assert [clip["label"] for clip in one["clips"]] == ["mode 3: 45 Hz"]


def test_html_of_a_path_has_captions(tmp_path):
    (clip,) = player_data(animate(example_path(), tmp_path / "path.html", fps=8.0))["clips"]
    assert len(clip["captions"]) == len(clip["frames"]) == 41
    assert clip["captions"][20] == "x of push = 2.167 N, unstable"
    assert player_data(animate(example_motion(), tmp_path / "run.html"))["clips"][0]["captions"] is None


def test_html_needs_no_network_and_is_small(tmp_path):
    for run in (example_motion(outputs=5001, end_time=60.0), example_modes(), example_path()):
        path = animate(run, tmp_path / f"{run.kind}.html")
        page = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|src=|@import|url\(|fetch\(|XMLHttp|WebSocket", page)
        assert "default-src 'none'" in page
        assert len(page) < 600_000
        assert "NaN" not in page
        assert "{{" not in page


def test_html_takes_names_as_text(tmp_path):
    run = example_motion()
    name = "</script><b>& {{DATA}} {{TITLE}}"
    odd = Result(run.data, run.kind, run.outcome, Provenance(name, "transient"))
    path = animate(odd, tmp_path / "odd.html")
    page = path.read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "<title>&lt;/script&gt;&lt;b&gt;&amp; {{DATA}} {{TITLE}}</title>" in page
    assert player_data(path)["model"] == name


def test_motion_without_resultants_or_ground(tmp_path):
    run = example_motion()
    bare = Result(run.data.drop_dims(["section", "ground"]), run.kind, run.outcome, run.provenance)
    data = player_data(animate(bare, tmp_path / "bare.html"))
    assert [each["name"] for each in data["quantities"]] == ["speed"]
    assert data["ground"] == {"pin": []}
    with Image.open(animate(bare, tmp_path / "bare.gif", fps=2.0)) as image:
        assert image.n_frames == 5


# --- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("run.avi", {}, "'run.avi'; end the name in .gif, .mp4 or .html"),
        ("run.html", {"fps": 0.0}, r"fps of an animation must be finite and above 0; got 0\.0"),
        ("run.html", {"speed": -1.0}, "speed"),
        ("run.html", {"speed": np.nan}, "speed"),
        ("run.html", {"max_frames": 1}, "max_frames"),
    ],
)
def test_bad_options_are_refused(name, options, message, tmp_path):
    with pytest.raises(OptionError, match=message):
        animate(example_motion(), tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_moves_is_refused(tmp_path):
    with pytest.raises(OptionError, match="nothing moves"):
        animate(example_statics(), tmp_path / "still.gif")
    run = example_motion()
    short = Result(run.data.isel(time=[0]), run.kind, run.outcome, run.provenance)
    with pytest.raises(OptionError, match="1 output time cannot be animated"):
        animate(short, tmp_path / "short.gif")
    path = example_path()
    lone = Result(path.data.isel(point=[0]).drop_dims("event"), path.kind, path.outcome, path.provenance)
    with pytest.raises(OptionError, match="a path of 1 point cannot be animated"):
        animate(lone, tmp_path / "lone.gif")
    with pytest.raises(OptionError, match="mode 9"):
        animate(example_modes(), tmp_path / "mode.html", mode=9)
    with pytest.raises(FileError, match="does not exist"):
        animate(run, tmp_path / "no" / "run.html")


def test_lines_drawn_by_markers(tmp_path):
    run = example_motion()
    (line,) = traces(run, "beam/tip")
    np.testing.assert_array_equal(line.places, run.position.sel(marker="beam/tip"))
    ax = plot_shape(run, traces=["beam/tip"])
    dashed = [each for each in ax.lines if each.get_linestyle() == "--"]
    assert any(len(each.get_xdata()) == run.sizes["time"] for each in dashed)
    page = animate(run, tmp_path / "run.html", traces="beam/tip").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    (drawn,) = data["traces"]
    places = np.array(data["origin"]) + data["step"] * np.array(drawn["places"])
    np.testing.assert_allclose(places, line.places, atol=data["step"])
    plain, lined = (animate(run, tmp_path / f"{k}.gif", fps=5, traces=each) for k, each in enumerate(((), "beam/tip")))
    assert plain.read_bytes() != lined.read_bytes()
    with pytest.raises(OptionError, match=r"no marker 'beam/top' in this result. Did you mean beam/tip"):
        traces(run, "beam/top")
    with pytest.raises(OptionError, match="nothing moves in a statics result"):
        traces(example_statics(), "beam/tip")


def test_a_model_and_an_equilibrium_stand_still():
    shown = show(column()).page
    assert "as assembled" in shown
    rest = pl.statics(pl.compile(column()))
    assert "equilibrium, stable" in show(rest).page


def test_colours_cover_all_instants_and_not_only_the_frames():
    run = example_motion()
    largest = float(np.abs(run.resultant.sel(component="M")).max())
    clip = motion_clip(run, fps=1.0, speed=1.0, max_frames=2)
    assert np.nanmax(np.abs(clip.moment.values)) < largest
    assert clip.moment.largest == pytest.approx(largest)
