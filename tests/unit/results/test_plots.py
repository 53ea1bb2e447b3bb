"""Plots: what is in the axes is what is in the result, labelled."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from pliant.errors import OptionError
from pliant.results import Provenance, Result, plots
from pliant.results.drawing import scene
from pliant.results.drawing.parts import PIECES
from pliant_testing.results.planar import example_modes, example_motion, example_path, example_statics


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def lines(ax):
    """Return lines with data, pins and supports left out."""
    return [line for line in ax.lines if line.get_linestyle() != "None" and len(line.get_xdata())]


def nodes(line):
    """Return the nodes of a beam on the curve that is drawn through them."""
    return line.get_xydata()[::PIECES]


def test_history_draws_every_curve_with_its_name():
    run = example_motion()
    ax = plots.plot_history(run, "position")
    assert legend(ax) == ["link/tip x", "link/tip y", "beam/tip x", "beam/tip y"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "position [m]")
    np.testing.assert_array_equal(ax.lines[2].get_xdata(), run.time.values)
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), run.position.sel(marker="beam/tip", axis="x").values)
    assert len({line.get_color() for line in ax.lines}) == 4


def test_history_of_one_curve_names_it_in_the_title():
    ax = plots.plot_history(example_motion(), "velocity", marker="beam/tip", component="y")
    assert len(ax.lines) == 1
    assert ax.get_title() == "beam/tip, y"
    assert ax.get_ylabel() == "velocity [m/s]"
    assert ax.get_legend() is None


def test_history_takes_several_names():
    ax = plots.plot_history(example_motion(), "angle", body=["beam", "link"])
    assert legend(ax) == ["beam", "link"]
    assert ax.get_ylabel() == "angle [deg]"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.degrees(example_motion().angle.sel(body="beam")))


def test_history_never_mixes_units():
    run = example_motion()
    ax = plots.plot_history(run, "reaction", joint="pivot")
    assert legend(ax) == ["Fx", "Fy"]
    assert ax.get_ylabel() == "reaction [N]"
    assert plots.plot_history(run, "reaction", component="M").get_ylabel() == "reaction [N m]"
    with pytest.raises(OptionError, match="N and N m; plot them apart"):
        plots.plot_history(run, "reaction", component=["Fx", "M"])


def test_histories_in_one_picture_go_on_with_colours_and_legend():
    run = example_motion()
    ax = plots.plot_history(run, "angle", body="link")
    plots.plot_history(run, "angle", body="beam", ax=ax)
    assert legend(ax) == ["link", "beam"]
    assert ax.get_title() == "swinging link and beam"
    plots.plot_history(run, "position", marker="beam/tip", ax=ax)
    assert legend(ax) == ["link", "beam", "x", "y"]
    plots.plot_history(run, "position", marker="link/tip", ax=ax)
    assert legend(ax)[4:] == ["link/tip x", "link/tip y"]  # names that are taken get a suffix
    assert [line.get_color() for line in ax.lines] == list(plots.COLOURS[:6])


def test_results_in_one_picture_are_told_apart_by_label():
    run = example_motion()
    ax = plots.plot_energy(run, component="kinetic", label="coarse")
    plots.plot_energy(run, component=["kinetic", "potential"], label="fine", ax=ax)
    assert legend(ax) == ["coarse", "fine kinetic", "fine potential"]


def test_history_of_one_output_time_works():
    run = example_motion(outputs=2)
    short = Result(run.data.isel(time=[0]), run.kind, run.outcome, run.provenance)
    assert len(plots.plot_history(short, "position").lines[0].get_xdata()) == 1
    assert len(lines(plots.plot_shape(short))) == 2


def test_given_axes_are_used():
    _, ax = plt.subplots()
    run, still = example_motion(), example_statics()
    assert plots.plot_history(run, "energy", ax=ax) is ax
    assert plots.plot_energy(run, ax=ax) is ax
    assert plots.plot_shape(still, ax=ax) is ax
    assert plots.plot_resultants(still, ax=ax) is ax
    assert plt.get_fignums() == [ax.figure.number]


def test_energy():
    ax = plots.plot_energy(example_motion())
    assert legend(ax) == ["kinetic", "potential", "supplied", "dissipated", "balance"]
    assert ax.get_ylabel() == "energy, change since the start [J]"
    for line, kind in zip(ax.lines, legend(ax), strict=True):
        energy = example_motion().energy.sel(energy_kind=kind).values
        np.testing.assert_allclose(line.get_ydata(), energy - energy[0], atol=1e-15)
    assert len(plots.plot_energy(example_motion(), component="kinetic").lines) == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda r: plots.plot_history(r, "postion"), "no variable 'postion'. Did you mean position"),
        (lambda r: plots.plot_history(r, "position", marker="beam/top"), r"no marker 'beam/top'.*beam/tip"),
        (lambda r: plots.plot_history(r, "position", body="link"), "no dimension 'body'"),
        (lambda r: plots.plot_history(r, "angle", component="x"), "no components to choose from"),
        (lambda r: plots.plot_history(r, "shape"), "46 curves along station, axis; at most 14"),
        (lambda r: plots.plot_history(r, "ground_position"), "no dimension 'time'"),
        (lambda r: plots.plot_shape(r, times=[0.0, 2.5]), r"between 0 and 2 s; got 2\.5 s"),
        (lambda r: plots.plot_shape(r, times=[]), "got none"),
        (lambda r: plots.plot_shape(r, times=np.nan), "got nan s"),
        (lambda r: plots.plot_resultants(r, "T"), "no resultant 'T'; choose one of N, V, M"),
        (lambda r: plots.plot_resultants(r, beam="link"), "no beam 'link'"),
        (lambda r: plots.plot_modes(r), "no variable 'mode_shape'"),
    ],
)
def test_wrong_questions_get_clear_answers(call, message):
    refused(call, example_motion(), message)


def refused(call, result, message):
    """Check that the question is answered with the message, and no figure is left open."""
    with pytest.raises(OptionError, match=message):
        call(result)
    assert plt.get_fignums() == []


def test_shape_of_a_motion_fades():
    run = example_motion()
    ax = plots.plot_shape(run, times=[0.0, 0.5, 1.9])
    drawn = lines(ax)
    assert len(drawn) == 6
    assert [line.get_alpha() for line in drawn] == [0.25, 0.25, 0.625, 0.625, 1.0, 1.0]
    np.testing.assert_allclose(nodes(drawn[3]), run.shape.sel(time=0.5).values[2:], atol=1e-15)
    assert legend(ax) == ["link", "beam", "t = 0 s", "t = 0.5 s", "t = 1.9 s"]
    assert ax.get_aspect() == 1.0
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "y [m]")


def test_shape_draws_ground_pivots():
    ax = plots.plot_shape(example_statics())
    supports = [line for line in ax.lines if line.get_markersize() > 20]
    np.testing.assert_array_equal(supports[0].get_xydata(), [[0.0, 0.0]])
    run = example_statics()
    bare = Result(run.data.drop_dims("ground"), run.kind, run.outcome, run.provenance)
    assert len(lines(plots.plot_shape(bare))) == 2


def test_times_of_something_still_are_refused():
    with pytest.raises(OptionError, match="does not depend on time"):
        plots.plot_shape(example_statics(), times=0.0)


def test_modes_are_drawn_about_the_equilibrium():
    result = example_modes()
    panels = plots.plot_modes(result)
    assert [ax.get_title() for ax in panels] == [
        "mode 1: 5 Hz, ζ = 1 %",
        "mode 2: 20 Hz, ζ = 2 %",
        "mode 3: 45 Hz, ζ = 3 %",
        "mode 4: 80 Hz, ζ = 4 %",
    ]
    base = result.shape.values[2:]
    _, still, back, forth = (nodes(line) for line in lines(panels[1])[2:6])
    np.testing.assert_allclose(still, base, atol=1e-15)
    np.testing.assert_allclose(back + forth, 2.0 * base, atol=1e-15)
    largest = np.abs(forth - base).max()
    assert 0.9 * 0.15 * 0.7 < largest <= 0.15 * 0.7 * (1 + 1e-12)


def test_modes_chosen_and_scaled():
    result = example_modes()
    (panel,) = plots.plot_modes(result, modes=[2], scale=0.01)
    forth = nodes(lines(panel)[5])
    assert np.abs(forth - result.shape.values[2:]).max() <= 0.01
    fast = Result(
        result.data.assign(frequency_hz=result.frequency_hz * 1000), "modes", result.outcome, result.provenance
    )
    assert plots.plot_modes(fast, modes=[4])[0].get_title() == "mode 4: 80000 Hz, ζ = 4 %"
    with pytest.raises(OptionError, match="mode 9 is not in this result; it has modes 1 to 4"):
        plots.plot_modes(result, modes=[9])
    with pytest.raises(OptionError, match="no modes to plot"):
        plots.plot_modes(result, modes=[])


def test_resultants_along_a_beam():
    still = example_statics()
    ax = plots.plot_resultants(still)
    np.testing.assert_allclose(lines(ax)[0].get_ydata(), still.resultant.sel(component="M").values)
    np.testing.assert_allclose(lines(ax)[0].get_xdata(), still.section_s.values)
    assert ax.get_ylabel() == "bending moment M [N m]"
    assert plots.plot_resultants(still, "V").get_ylabel() == "shear force V [N]"
    moving = plots.plot_resultants(example_motion(), "N", times=[0.1, 0.2], beam="beam")
    assert legend(moving) == ["beam", "t = 0.1 s", "t = 0.2 s"]


def path_with(path, **coordinates):
    """Return the path with other labels along it."""
    return Result(path.data.assign_coords(coordinates), "path", path.outcome, path.provenance)


def test_path_is_solid_where_stable_and_dashed_where_not():
    path = example_path()
    ax = plots.plot_path(path, quantity="position", marker="beam/tip", component="x")
    stretches = lines(ax)
    assert [line.get_linestyle() for line in stretches] == ["-", "--", "-"]
    ends = [(line.get_ydata()[0], line.get_ydata()[-1]) for line in stretches]  # the tip moves by 0.25 s
    np.testing.assert_allclose(ends, [(0.0, 0.075), (0.075, 0.175), (0.175, 0.25)], atol=1e-12)
    np.testing.assert_array_equal(stretches[1].get_xdata(), path.parameter.values[12:29])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x of push [N]", "x position of beam/tip [m]")
    assert legend(ax) == ["stable", "unstable", "limit point"]


def test_a_stable_path_needs_no_legend():
    path = example_path()
    calm = Result(path.data.isel(point=slice(0, 10)).drop_dims("event"), "path", path.outcome, path.provenance)
    ax = plots.plot_path(calm, quantity="angle", body="beam")
    assert [line.get_linestyle() for line in lines(ax)] == ["-"]
    assert ax.get_legend() is None
    assert ax.get_ylabel() == "angle of beam [deg]"


def test_events_of_a_path_have_symbols_of_their_own():
    path = example_path()
    other = path_with(path, event_kind=("event", ["bifurcation", "flutter"]))
    ax = plots.plot_path(path, other, quantity="position", marker="beam/tip", component="x", labels=["one", "two"])
    assert legend(ax) == ["one", "two", "stable", "unstable", "limit point", "bifurcation", "flutter"]
    marks = [line for line in ax.lines if line.get_linestyle() == "None" and len(line.get_xdata())]
    assert [line.get_marker() for line in marks] == ["o", "o", "s", "D"]
    np.testing.assert_allclose([float(line.get_xdata()[0]) for line in marks[:2]], path.event_parameter.values)
    np.testing.assert_allclose([float(line.get_ydata()[0]) for line in marks[:2]], [0.075, 0.175])


def test_path_swapped_is_load_over_deflection():
    path = example_path()
    ax = plots.plot_path(path, quantity="position", marker="beam/tip", component="x", swap=True)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x position of beam/tip [m]", "x of push [N]")
    np.testing.assert_array_equal(lines(ax)[2].get_ydata(), path.parameter.values[28:])


def test_path_of_one_point_and_of_unknown_stability():
    path = example_path()
    short = Result(path.data.isel(point=[0]).drop_dims("event"), "path", path.outcome, path.provenance)
    assert plots.plot_path(short, quantity="angle", body="beam").lines[-1].get_marker() == "."
    unknown = path_with(
        path, unstable_directions=("point", np.full(41, -1)), stable=("point", np.zeros(41, dtype=bool))
    )
    assert "unstable or not determined" in legend(plots.plot_path(unknown, quantity="angle", body="beam"))


def test_an_event_leaves_stability_to_its_neighbours():
    path = example_path()
    for at_events in ([True, True], [False, False], [True, False]):
        stable = path.stable.values.copy()
        stable[[12, 28]] = at_events
        stretches = scene.stable_stretches(path_with(path, stable=("point", stable)))
        np.testing.assert_array_equal(np.flatnonzero(~stretches), np.arange(12, 28))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda p: plots.plot_path(quantity="angle"), "no path to plot"),
        (lambda p: plots.plot_path(p, quantity="position"), "along marker: choose one of link/tip, beam/tip"),
        (lambda p: plots.plot_path(p, quantity="position", marker="beam/tip"), "along axis: choose one of x, y"),
        (lambda p: plots.plot_path(p, quantity="postion"), "Did you mean position"),
        (lambda p: plots.plot_path(p, quantity="angle", body="beem"), r"no body 'beem'.*beam"),
        (lambda p: plots.plot_path(p, p, quantity="angle", body="beam", labels=["one"]), "one for each of the 2 paths"),
        (lambda p: plots.plot_path(example_motion(), quantity="angle", body="beam"), "no dimension 'point'"),
        (
            lambda p: plots.plot_path(
                p, path_with(p, parameter=("point", p.parameter.values)), quantity="angle", body="beam"
            ),
            "different parameters",
        ),
        (lambda p: plots.plot_history(p, "position"), "use plot_path"),
        (lambda p: plots.plot_shape(p, times=0.0), "does not depend on time"),
        (lambda p: plots.plot_shape(p, points=[41]), r"points=\[41\]: give whole numbers from 0 to 40"),
        (lambda p: plots.plot_shape(p, points=[]), r"points=\[\]"),
        (lambda p: plots.plot_shape(p, points=0.5), r"points=0\.5"),
        (lambda p: plots.plot_shape(example_motion(), points=0), "does not depend on point"),
    ],
)
def test_wrong_questions_about_paths_get_clear_answers(call, message):
    refused(call, example_path(), message)


def test_shapes_along_a_path_are_coloured_by_the_parameter():
    path = example_path()
    ax = plots.plot_shape(path, points=[0, 20, -1])
    drawn = lines(ax)
    assert [line.get_linestyle() for line in drawn] == ["-", "-", "--", "--", "-", "-"]
    np.testing.assert_allclose(nodes(drawn[3]), path.shape.values[20, 2:], atol=1e-15)
    colours = [line.get_color() for line in drawn]
    assert colours[0] == colours[1]
    assert len(set(colours)) == 3
    assert ax.figure.axes[1].get_ylabel() == "x of push [N]"
    assert ax.figure.axes[1].get_ylim() == pytest.approx((0.0, path.parameter.values[-1]))
    assert legend(ax) == ["stable", "unstable"]
    assert len(lines(plots.plot_shape(path))) == 12
    ax = plots.plot_shape(path, points=3)
    assert len(lines(ax)) == 2
    assert ax.get_legend() is None


def test_resultants_at_points_of_a_path():
    path = example_path()
    ax = plots.plot_resultants(path, "M", points=[0, 40])
    assert legend(ax) == ["beam", "x of push = 0 N", "x of push = 4.333 N"]
    np.testing.assert_allclose(lines(ax)[1].get_ydata(), path.resultant.sel(component="M").values[40])


def test_legend_lies_beside_the_data():
    ax = plots.plot_shape(example_motion())
    ax.figure.canvas.draw()
    beside = ax.get_legend().get_window_extent()
    assert beside.x0 >= ax.get_window_extent().x1
    assert beside.x1 <= ax.figure.bbox.x1


def test_names_are_taken_literally():
    for run in (example_motion(), example_modes()):
        names = np.where(run.part == "beam", "$x_$", run.part)
        data = run.data.assign_coords(part=("station", names))
        odd = Result(data, run.kind, run.outcome, Provenance("a $x_$ b", "test"))
        plots.plot_shape(odd).figure.canvas.draw()
    plots.plot_modes(odd)[0].figure.canvas.draw()


def test_modes_may_have_the_colours_of_their_sizes():
    result = example_modes()
    (panel,) = plots.plot_modes(result, modes=[2], colour="size")
    sizes = np.concatenate([np.asarray(each.get_array()) for each in panel.collections if each.get_array() is not None])
    assert sizes.min() >= 0.0
    assert 0.0 < sizes.max() <= 1.0
    with pytest.raises(OptionError, match="colour='red'"):
        plots.plot_modes(result, colour="red")
