"""Plots: what is in the axes is what is in the result, labelled."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from pliant.errors import OptionError
from pliant.results import Provenance, Result, plots
from pliant.results.example import example_modes, example_motion, example_statics


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def lines(ax):
    """Lines with data, pins and supports left out."""
    return [line for line in ax.lines if line.get_linestyle() != "None" and len(line.get_xdata())]


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
    assert ax.get_ylabel() == "angle [rad]"


def test_history_never_mixes_units():
    run = example_motion()
    ax = plots.plot_history(run, "reaction", joint="pivot")
    assert legend(ax) == ["Fx", "Fy"]
    assert ax.get_ylabel() == "reaction [N]"
    assert plots.plot_history(run, "reaction", component="M").get_ylabel() == "reaction [N m]"
    with pytest.raises(OptionError, match="N and N m; plot them apart"):
        plots.plot_history(run, "reaction", component=["Fx", "M"])


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
    assert ax.get_ylabel() == "energy [J]"
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
    with pytest.raises(OptionError, match=message):
        call(example_motion())
    assert plt.get_fignums() == []


def test_shape_of_a_motion_fades():
    run = example_motion()
    ax = plots.plot_shape(run, times=[0.0, 0.5, 1.9])
    drawn = lines(ax)
    assert len(drawn) == 6
    assert [line.get_alpha() for line in drawn] == [0.25, 0.25, 0.625, 0.625, 1.0, 1.0]
    np.testing.assert_array_equal(drawn[3].get_xydata(), run.shape.sel(time=0.5).values[2:])
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
    _, still, back, forth = (line.get_xydata() for line in lines(panels[1])[2:6])
    np.testing.assert_array_equal(still, base)
    np.testing.assert_allclose(back + forth, 2.0 * base, atol=1e-15)
    largest = np.abs(forth - base).max()
    assert 0.9 * 0.15 * 0.7 < largest <= 0.15 * 0.7 * (1 + 1e-12)


def test_modes_chosen_and_scaled():
    result = example_modes()
    (panel,) = plots.plot_modes(result, modes=[2], scale=0.01)
    forth = lines(panel)[5].get_xydata()
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
