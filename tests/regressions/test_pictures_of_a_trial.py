"""Pictures that hid what they should show, found by drawing mechanisms that are not in the gallery."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import pliant as pl
from pliant.results.drawing import scene
from pliant.results.drawing.pictured import result_to_draw
from pliant_testing.results.spatial import spatial_motion


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def lift() -> pl.Model:
    """Build two crossed bars, a table that slides on one of them, a leaf."""
    m = pl.Model("lift")
    ground = m.add(pl.Ground())
    one = m.add(pl.Link("one", length=0.4, mass=0.3, angle=0.6, position=(0.0, 0.0)))
    two = m.add(pl.Link("two", length=0.4, mass=0.3, angle=np.pi - 0.6, position=(0.33, 0.0)))
    table = m.add(pl.Body("table", mass=1.0, inertia=5e-3, position=(0.165, 0.226)))
    leaf = m.add(pl.Beam("leaf", length=0.2, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL), angle=np.pi))
    m.add(
        pl.Revolute(ground.at(0, 0), one.at(s=0), name="foot"), pl.Revolute(one.at(s=0.5), two.at(s=0.5), name="cross")
    )
    m.add(pl.Slider(ground.at(0, 0), two.at(s=0), name="sliding foot"))
    m.add(pl.Revolute(table.at(-0.165, 0), two.at(s=1)), pl.Slider(table.at(0, 0), one.at(s=1), name="slot"))
    m.add(pl.Revolute(two.at(s=0), leaf.at(s=1)), pl.Revolute(leaf.at(s=0), ground.at(0.53, 0)), pl.Gravity())
    return m


@pytest.fixture(scope="module")
def rest() -> pl.Result:
    return pl.statics(pl.compile(lift(), elements=2))


def test_a_pin_between_the_ends_of_two_links_is_drawn(rest):
    shape, dots = rest.data["shape"].values, [k for part in scene.parts(rest) for k in part.dots]
    cross = rest.position.sel(marker="two@0.5").values
    assert np.linalg.norm(shape[dots] - cross, axis=1).min() < 1e-9


def test_the_rail_of_a_part_begins_at_the_part():
    sketch = result_to_draw(lift())
    rails = {
        solid.name: solid.points(sketch.data["shape"].values) for solid in scene.solids(sketch) if solid.kind == "rail"
    }
    assert rails["slot"][:, 0].min() < 0.165 < 0.33 < rails["slot"][:, 0].max() + 1e-3  # from the table to the bar
    assert rails["sliding foot"][:, 0].min() > 0.3  # of the ground only where something slides


def test_names_do_not_cover_each_other_and_are_inside():
    ax = pl.plots.plot_shape(lift())
    ax.figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert {"one", "two", "cross", "slot", "leaf"} <= set(boxes)
    assert not [(a, b) for a, b in combinations(boxes, 2) if boxes[a].overlaps(boxes[b])]
    assert all(ax.figure.bbox.x0 < box.x0 and box.x1 < ax.figure.bbox.x1 for box in boxes.values())


def test_a_limit_that_nothing_exceeds_is_drawn_and_a_small_one_is_written_out(rest):
    assert pl.plots.plot_shape(rest, colour="strain", limit=1.0).get_legend() is None
    shown = pl.plots.plot_shape(rest, colour="strain", limit=1e-7).get_legend().get_texts()
    assert [text.get_text() for text in shown] == ["above 1e-07"]


def test_a_picture_of_one_instant_says_which_and_one_of_modes_shows_the_first(rest):
    system = pl.compile(lift(), elements=2)
    run = pl.transient(system, start=rest, end_time=0.01, step=1e-3, estimate=False)
    assert pl.plots.plot_shape(run, times=0.005).get_title() == "lift, t = 0.005 s"
    modes = pl.modal(system, at=rest, modes=2)
    ax = pl.plots.plot_shape(modes)
    assert ax.get_title() == f"lift, mode 1: {float(modes.frequency_hz[0]):.4g} Hz"
    lines = [np.column_stack(line.get_data()) for line in ax.lines]
    assert max(len(line) for line in lines) >= 48
    assert len(lines) > 2 * len(scene.parts(modes))


def test_a_figure_is_about_as_high_as_what_is_drawn():
    m = pl.Model("strip")
    ground, strip = m.add(pl.Ground(), pl.Beam("strip", length=0.5, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), strip.at(s=0)))
    assert pl.plots.plot_shape(m).figure.get_figheight() < 3.0


def test_small_changes_are_not_written_as_an_offset(rest):
    run = pl.transient(pl.compile(lift(), elements=2), start=rest, end_time=2e-3, step=1e-3)
    ax = pl.plots.plot_history(run, "angle")
    ax.set_ylim(20.000001, 20.000002)
    ax.figure.canvas.draw()
    assert ax.yaxis.get_offset_text().get_text() == ""
    logarithmic = plt.subplots()[1]
    logarithmic.set_yscale("log")
    assert pl.plots.plot_history(run, "angle", ax=logarithmic) is logarithmic


def test_a_study_over_one_quantity_is_drawn_as_a_curve():
    found = pl.study(lambda a: {"square": a * a}, over={"a": [1.0, 2.0, 3.0]}, on="threads")
    assert pl.plot_map(found, "square").lines[0].get_ydata().tolist() == [1.0, 4.0, 9.0]


def test_the_height_of_a_thin_box_is_labelled_beside_its_numbers():
    m = pl.Model("mast", plane=None)
    ground, mast = m.add(pl.Ground(), pl.Beam("mast", length=0.12, section=pl.Section.circle(1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0, 0, orientation=pl.rotation(y=np.pi / 2)), mast.at(s=0)))
    ax = pl.plots.plot_shape(m)
    cube = pl.plots.plot_shape(spatial_motion())
    assert ax.zaxis.labelpad > 1.5 * cube.zaxis.labelpad  # matplotlib makes pads smaller in a slim box
    assert len(ax.xaxis.get_majorticklocs()) == 1  # two would cover the labels of y


def test_a_bar_of_colours_and_a_legend_leave_room_for_the_mechanism(rest):
    ax = pl.plots.plot_shape(rest, colour="strain", arrows="force", ghost=lift())
    ax.figure.canvas.draw()
    legend, drawn = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.y1 < drawn.y0
    assert drawn.width > 0.6 * ax.figure.bbox.width
