"""Results in space: labels and units, files, pictures from all sides, animations."""

from __future__ import annotations

import json
import re

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from PIL import Image

mpl.use("Agg")

import matplotlib.pyplot as plt

from pliant.errors import OptionError
from pliant.results import Result, ResultError, animate, load_result, plots, schema
from pliant.results.drawing import scene
from pliant.results.drawing.clips import mode_clips
from pliant.results.drawing.painter import Painter
from pliant.results.drawing.parts import PIECES
from pliant.results.drawing.view import view_of
from pliant_testing.results.planar import example_motion
from pliant_testing.results.spatial import NODES, spatial_modes, spatial_motion, spatial_path, spatial_statics
from tests.unit.results.test_animate import painted
from tests.unit.results.test_plots import refused

EXAMPLES = {"motion": spatial_motion, "statics": spatial_statics, "modes": spatial_modes, "path": spatial_path}
ROD = slice(0, NODES)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def remade(original, data):
    return Result(data, original.kind, original.outcome, original.provenance)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def lines(ax):
    """Return lines with data, (points, 2 or 3) each; pins and supports left out."""
    drawn = [line for line in ax.lines if line.get_linestyle() != "None"]
    data = [np.array(line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()).T for line in drawn]
    return [points for points in data if len(points)]


# --- labels, units, files ----------------------------------------------------------------------------------------


def test_units_are_those_of_space():
    run = spatial_motion()
    assert [schema.units_of(run.resultant, name) for name in ("N", "Vz", "T", "Mz")] == ["N", "N", "N m", "N m"]
    assert schema.units_of(run.reaction, "Mx") == "N m"
    assert run.angular_velocity.dims == ("time", "body", "axis")
    assert run.angular_velocity.attrs["units"] == "rad/s"
    assert run.rotation.attrs["units"] == "rad"
    assert schema.is_spatial(run.data)
    assert not schema.is_spatial(example_motion().data)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_saved_and_loaded_is_the_same(kind, tmp_path):
    run = EXAMPLES[kind]()
    again = load_result(run.save(tmp_path / "run.nc"))
    xr.testing.assert_identical(again.data, run.data)
    assert (again.kind, again.outcome) == (run.kind, run.outcome)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda d: d.assign_coords(axis=["x", "y", "w"]), r"'axis' in space are x, y, z; not x, y, w"),
        (lambda d: d.assign_coords(component=list("abcdef")), "'component' in space are N, Vy, Vz, T, My, Mz; not a"),
        (lambda d: d.assign_coords(quaternion=["x", "y", "z", "w"]), "'quaternion' in space are w, x, y, z"),
        (lambda d: d.isel(axis=[0, 1]), "'axis' in space are x, y, z; not x, y"),
        (lambda d: d.isel(wrench=[0, 1, 5]), "'wrench' in space are Fx"),
        (lambda d: d.assign(orientation=2.0 * d["orientation"]), "orientation holds quaternions"),
        (lambda d: d.assign(angular_velocity=d["angular_velocity"].isel(axis=0)), "angular_velocity has dimensions"),
        (lambda d: d.assign(resultant=d["resultant"].where(d["time"] < 1.0)), "resultant holds nan"),
    ],
)
def test_wrong_numbers_are_refused(change, message):
    run = spatial_motion()
    with pytest.raises(ResultError, match=message):
        remade(run, change(run.data))


def test_a_planar_result_has_no_spatial_labels():
    run = example_motion()
    with pytest.raises(ResultError, match="'component' in the plane are N, V, M; not N, T, M"):
        remade(run, run.data.assign_coords(component=["N", "T", "M"]))


def test_a_point_of_a_path_is_an_equilibrium():
    path = spatial_path()
    rest = path.equilibrium(3)
    assert rest.orientation.sizes == {"body": 2, "quaternion": 4}
    np.testing.assert_array_equal(rest.state["q"], path.path_q.values[3])


def test_examples_turn_as_they_say():
    run = spatial_motion()
    arm = run.position.sel(marker="platform/corner") - run.position.sel(marker="rod/tip")
    w, *v = run.orientation.sel(body="platform").values.T
    start, v = np.broadcast_to(arm.values[0], arm.shape), np.stack(v, axis=1)
    turned = start + 2.0 * np.cross(v, np.cross(v, start) + w[:, None] * start)  # rotation by a quaternion
    np.testing.assert_allclose(turned, arm.values, atol=1e-12)


# --- histories and resultants ------------------------------------------------------------------------------------


def test_histories_of_vectors():
    run = spatial_motion()
    assert legend(plots.plot_history(run, "angular_velocity", body="platform")) == ["x", "y", "z"]
    ax = plots.plot_history(run, "orientation", body="platform", component=["w", "z"])
    assert legend(ax) == ["w", "z"]
    assert ax.get_ylabel() == "orientation"
    assert legend(plots.plot_history(run, "momentum")) == ["x", "y", "z"]
    assert plots.plot_history(run, "momentum", component="angular z").get_ylabel() == "momentum [N m s]"
    ax = plots.plot_history(run, "reaction", joint="foot")
    assert (legend(ax), ax.get_ylabel()) == (["Fx", "Fy", "Fz"], "reaction [N]")
    np.testing.assert_allclose(plots.plot_energy(run).lines[0].get_ydata()[0], 0.0)


def test_resultants_along_a_rod():
    still = spatial_statics()
    my, mz = (still.resultant.sel(component=name).values for name in ("My", "Mz"))
    ax = plots.plot_resultants(still)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.sqrt(my**2 + mz**2))
    assert ax.get_ylabel() == "bending moment |M| [N m]"
    np.testing.assert_array_equal(plots.plot_resultants(still, "Mz").lines[0].get_ydata(), mz)
    labels = [plots.plot_resultants(still, name).get_ylabel() for name in ("N", "Vy", "V", "T", "My")]
    assert labels == [
        "axial force N [N]",
        "shear force Vy [N]",
        "shear force |V| [N]",
        "torque T [N m]",
        "bending moment My [N m]",
    ]
    with pytest.raises(OptionError, match="no resultant 'Q'; choose one of N, Vy, Vz, T, My, Mz, V, M"):
        plots.plot_resultants(still, "Q")


def test_bifurcation_diagram():
    ax = plots.plot_path(spatial_path(), quantity="position", marker="rod/tip", component="z")
    assert ax.get_ylabel() == "z position of rod/tip [m]"
    assert legend(ax) == ["stable", "unstable", "bifurcation"]


# --- shapes ------------------------------------------------------------------------------------------------------


def test_shape_in_space_has_equal_scales():
    still = spatial_statics()
    ax = plots.plot_shape(still)
    assert ax.name == "3d"
    rod, platform, tendon = lines(ax)
    np.testing.assert_allclose(rod[::PIECES], still.shape.values[ROD], atol=1e-15)
    np.testing.assert_allclose(platform[0], platform[-1], atol=1e-15)  # around it
    for corner in still.shape.values[NODES : NODES + 4]:
        assert np.min(np.linalg.norm(platform - corner, axis=1)) < 1e-15
    np.testing.assert_array_equal(tendon, still.shape.values[NODES + 4 :])
    assert legend(ax) == ["rod", "platform", "tendon"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("x [m]", "y [m]", "z [m]")
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    scale = ax.get_box_aspect() / np.ptp(limits, axis=1)
    np.testing.assert_allclose(scale, scale[0])
    assert np.all(limits[:, 0] <= still.shape.values.min(axis=0))
    assert np.all(limits[:, 1] >= still.shape.values.max(axis=0))


def test_something_flat_keeps_a_visible_box():
    still = spatial_statics()
    flat = remade(still, still.data.assign(shape=still.shape * [1.0, 0.0, 1.0]))
    ax = plots.plot_shape(flat)
    assert np.ptp(ax.get_ylim()) >= 0.2 * np.ptp(ax.get_zlim())


@pytest.mark.parametrize("view, columns", [("xy", [0, 1]), ("xz", [0, 2]), ("yz", [1, 2])])
def test_views_along_an_axis_are_plane(view, columns):
    still = spatial_statics()
    ax = plots.plot_shape(still, view=view)
    assert ax.name == "rectilinear"
    assert ax.get_aspect() == 1.0
    assert (ax.get_xlabel(), ax.get_ylabel()) == (f"{view[0]} [m]", f"{view[1]} [m]")
    np.testing.assert_allclose(lines(ax)[0][::PIECES], still.shape.values[ROD][:, columns], atol=1e-15)


def test_view_by_angles_and_given_axes():
    still = spatial_statics()
    ax = plots.plot_shape(still, view=(10.0, 20.0))
    assert (ax.elev, ax.azim) == (10.0, 20.0)
    assert plots.plot_shape(still, ax=ax) is ax
    flat = plt.figure().add_subplot()
    assert plots.plot_shape(still, view="xz", ax=flat) is flat


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda r: plots.plot_shape(r, view="zx"), r"view='zx': give 'xy', 'xz', 'yz', '3d', or \(elevation"),
        (lambda r: plots.plot_shape(r, view=(1.0,)), "give 'xy'"),
        (lambda r: plots.plot_shape(r, view=(1.0, np.nan)), "give 'xy'"),
        (lambda r: plots.plot_shape(example_motion(), view="3d"), "planar and seen in 'xy' only"),
        (lambda r: animate(r, "run.gif", view=3), "view=3: give"),
        (lambda r: plots.plot_history(r, "shape"), "96 curves"),
    ],
)
def test_wrong_views_get_clear_answers(call, message):
    refused(call, spatial_motion(), message)


def test_axes_must_fit_the_view():
    still = spatial_statics()
    with pytest.raises(OptionError, match=r"make them with projection='3d', or choose view='xy'"):
        plots.plot_shape(still, ax=plt.figure().add_subplot())
    with pytest.raises(OptionError, match="no projection, or view='3d'"):
        plots.plot_shape(still, view="xy", ax=plt.figure().add_subplot(projection="3d"))


def test_shape_of_a_motion_fades():
    ax = plots.plot_shape(spatial_motion(), times=[0.0, 0.5])
    assert [line.get_alpha() for line in ax.lines if line.get_linestyle() != "None"][:6] == [0.25] * 3 + [1.0] * 3
    assert legend(ax) == ["rod", "platform", "tendon", "t = 0 s", "t = 0.5 s"]
    ax.figure.canvas.draw()


def test_ground_is_marked_and_welds_are_no_pins():
    ax = plots.plot_shape(spatial_statics())
    (ground,) = [line for line in ax.lines if line.get_markersize() > 10]
    np.testing.assert_array_equal(np.array(ground.get_data_3d()).T, [[0, 0, 0], [0.3, 0, 0]])
    assert [part.dots.tolist() for part in scene.parts(spatial_statics())] == [[], [], [NODES + 5]]  # the guide


def test_shapes_along_a_path():
    path = spatial_path()
    ax = plots.plot_shape(path, points=[0, -1])
    assert [line.get_linestyle() for line in ax.lines if line.get_linestyle() != "None"][:2] == ["-", "-"]
    assert legend(ax) == ["stable", "unstable"]
    assert ax.figure.axes[1].get_ylabel() == "z of press [N]"
    ax.figure.canvas.draw()


def test_modes_in_space():
    result = spatial_modes()
    panels = plots.plot_modes(result)
    assert [ax.name for ax in panels] == ["3d"] * 4
    assert panels[1].get_title() == "mode 2: 4 Hz, ζ = 2 %"
    base = result.shape.values[ROD]
    still, back, forth = (line[::PIECES] for line in lines(panels[2])[:3])
    np.testing.assert_allclose(still, base, atol=1e-15)
    np.testing.assert_allclose(back + forth, 2.0 * base, atol=1e-15)
    np.testing.assert_allclose((forth - base)[:, [0, 2]], 0.0, atol=1e-15)  # the third goes along y
    panels[0].figure.canvas.draw()
    assert plots.plot_modes(result, modes=[1], view="xz")[0].name == "rectilinear"


# --- animations --------------------------------------------------------------------------------------------------


def test_moment_is_a_magnitude():
    run = spatial_motion()
    moment = scene.moments(run)
    assert np.isnan(moment[:, NODES:]).all()
    my, mz = (run.resultant.sel(component=name).values[:, 0] for name in ("My", "Mz"))
    np.testing.assert_allclose(moment[:, 0], np.hypot(my, mz), atol=1e-15)


def test_painter_colours_by_moment_and_keeps_everything_inside():
    run = spatial_motion()
    clip, painter = painted(run)
    straight, bent = painter.paint(0, "straight"), painter.paint(12, "bent")
    assert bent.shape == (540, 720, 4)
    moving = np.any(straight != bent, axis=-1)
    assert 500 < moving.sum() < 0.2 * moving.size  # the box stands still
    orange = [np.sum(image[:, :600, 0].astype(int) - image[:, :600, 2] > 120) for image in (bent, straight)]
    assert orange[0] > orange[1] + 50
    limits = np.array([painter.axes.get_xlim(), painter.axes.get_ylim(), painter.axes.get_zlim()])
    assert np.all(limits[:, 0] <= clip.frames.min(axis=(0, 1)))
    assert np.all(limits[:, 1] >= clip.frames.max(axis=(0, 1)))


@pytest.mark.parametrize("kind, view", [("motion", None), ("path", "xz")])
def test_gif(kind, view, tmp_path):
    path = animate(EXAMPLES[kind](), tmp_path / "run.gif", fps=3.0, view=view, max_frames=8)
    with Image.open(path) as image:
        assert image.size == (720, 540)
        assert image.n_frames > 3


def test_modes_are_painted_without_moments():
    modes = spatial_modes()
    clip = mode_clips(modes, mode=2, scale=None, speed=1.0, all_modes=False)[0]
    painter = Painter(modes, clip.frames, clip.moment, view_of(modes, (0.0, 0.0)), [])
    assert painter.paint(3, clip.label).shape == (540, 720, 4)
    assert len(painter.figure.axes) == 1  # no scale of moments


def test_html_holds_all_three_coordinates(tmp_path):
    run = spatial_motion()
    page = animate(run, tmp_path / "run.html", view="yz").read_text(encoding="utf-8")
    assert not re.search(r"https?://|src=|@import|url\(|fetch\(|NaN|\{\{", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
    assert (data["axes"], data["view"]) == (3, "yz")
    metres = np.array(data["origin"]) + data["step"] * np.array(data["clips"][0]["frames"][7]).reshape(-1, 3)
    np.testing.assert_allclose(metres, run.shape.values[7], atol=0.6 * data["step"])
    assert len(data["parts"][0]["line"]) == PIECES * (NODES - 1) + 1
    assert min(map(min, data["clips"][0]["colours"][0])) >= 0
    slantwise = animate(run, tmp_path / "run.html", view=(30.0, 40.0)).read_text(encoding="utf-8")
    assert '"view":[30.0,40.0]' in slantwise
