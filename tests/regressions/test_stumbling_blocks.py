"""Messages that sent new users the wrong way."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest

import pliant as pl
from pliant._words import MEANT
from pliant.analyses.statics.statics import resting
from pliant.analyses.statics.stiffness import Stiffness
from pliant.errors import (
    AssemblyError,
    ConvergenceError,
    FarFromGuess,
    LabelError,
    ModelError,
    OptionError,
    OtherBranch,
    SingularError,
)
from pliant.results.drawing.colouring import quantities
from pliant_gallery.examples import column, driven_pendulum
from pliant_testing.results.planar import example_motion


def four_bar(coupler: pl.Link | pl.Beam) -> pl.Model:
    m = pl.Model("four-bar")
    ground, crank, rocker = m.add(
        pl.Ground(),
        pl.Link("crank", length=0.1, mass=0.2, angle=60 * pl.DEG),
        pl.Link("rocker", length=0.25, mass=0.3),
    )
    m.add(coupler)
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
    m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)), pl.Gravity())
    return m


def strip(length: float) -> pl.Beam:
    return pl.Beam("coupler", length=length, section=pl.Section.rectangle(10e-3, 1e-3, pl.STEEL))


@pytest.mark.parametrize("length", [0.9, 300.0])
@pytest.mark.parametrize("bends", [False, True])
def test_a_loop_that_no_guess_closes_says_so(length: float, bends: bool) -> None:
    coupler = strip(length) if bends else pl.Link("coupler", length=length, mass=1.0)
    unless = " unless 'coupler' bends that far" if bends else ""
    told = f"No pose closes its loop{unless}: the joints on 'coupler' are {length:.3g} m apart, .* reach 0.65 m"
    with warnings.catch_warnings():
        warnings.simplefilter("error", FarFromGuess)
        with pytest.raises(AssemblyError, match=told):
            pl.compile(four_bar(coupler))


def test_a_crank_too_long_in_space_says_so_and_an_open_angle_does_not() -> None:
    m = pl.Model("spatial", plane=None)
    ground, a, b = m.add(pl.Ground(), pl.Link("a", length=0.1, mass=1.0), pl.Link("b", length=0.2, mass=1.0))
    m.add(pl.Spherical(ground.at(0, 0), a.at(s=0)), pl.Spherical(a.at(s=1), b.at(s=0)))
    m.add(pl.Spherical(b.at(s=1), ground.at(0, 0, 0.5)))
    with pytest.raises(AssemblyError, match=r"the joints on 'ground' are 0\.5 m apart, .* reach 0\.3 m"):
        pl.compile(m)
    welded = pl.Model("welded")
    ground, a = welded.add(pl.Ground(), pl.Link("a", length=0.1, mass=1.0))
    welded.add(pl.Weld(ground.at(0, 0), a.at(s=0), angle=0.0), pl.Weld(ground.at(0.1, 0), a.at(s=1), angle=1.0))
    with pytest.raises(AssemblyError, match="give better angle guesses"):
        pl.compile(welded)


def test_what_nothing_holds_is_not_told_of_gravity_it_has_nor_of_beams_it_has_not() -> None:
    m = pl.Model("puck")
    m.add(pl.Body("puck", mass=1.0, inertia=1.0))
    m.add(pl.Gravity())
    with pytest.raises(ConvergenceError, match=r"Add a joint or a spring that holds it, or simulate .* instead\.$"):
        pl.statics(pl.compile(m))


def test_a_feed_is_not_told_to_become_a_tendon() -> None:
    m = pl.Model("fed")
    rod = pl.Beam("rod", length=0.3, section=pl.Section.circle(1e-3, pl.STEEL))
    ground, carriage, _ = m.add(pl.Ground(), pl.Body("carriage", mass=0.1, inertia=1e-4), rod)
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Prismatic(ground.at(-0.1, 0), carriage.at()))
    m.add(pl.Feed("feed", rod, guide=ground.at(0, 0), carriage=carriage.at(), stock=0.5))
    with pytest.raises(ModelError, match=r"Compile with formulation='dae', or with 'relative' or 'shooting'\.$"):
        pl.compile(m, formulation="udwadia_kalaba")


def test_variables_of_other_analyses_are_named_and_signals_once() -> None:
    system = pl.compile(four_bar(pl.Link("coupler", length=0.3, mass=0.1)))
    rest = pl.statics(system)
    with pytest.raises(AttributeError, match=r"frequency_hz is a variable of pl\.modal\.$"):
        _ = rest.frequency_hz
    with pytest.raises(AttributeError, match="Did you mean position") as caught:
        _ = rest.positoin
    assert "state_q" not in str(caught.value)
    with pytest.raises(OptionError, match=r"Did you mean gravity/y or gravity/x\?$"):
        pl.path(system, "gravty", to=1.0)


def test_columns_of_a_shown_result_do_not_touch() -> None:
    m = pl.Model("cantilever")
    ground, beam = m.add(pl.Ground(), strip(0.3))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    assert re.search(r"strain_per_resultant\(station, component\)  1/N", repr(pl.statics(pl.compile(m))))


def test_a_stiffness_shows_its_numbers() -> None:
    stage = Stiffness("stage", np.zeros(2), np.diag([1e-3, 1e-6, 1e-2]), 0.1)
    shown = repr(stage).splitlines()
    assert shown[0] == "Stiffness(marker 'stage' at (0, 0) m; matrix, N and N m for m and rad)"
    assert [[float(x) for x in row.split()] for row in shown[1:]] == np.diag([1e3, 1e6, 1e2]).tolist()
    held = Stiffness("stage", np.zeros(2), np.diag([0.0, 0.0, 1e-2]), 0.1)
    assert "compliance" in repr(held)
    assert repr(held).endswith("0.01")


def test_parts_name_the_nearest_argument_and_their_ends() -> None:
    with pytest.raises(TypeError, match=r"Link .*'lenght'\. Did you mean length.* It is written Link\(name"):
        pl.Link("a", lenght=1.0, mass=1.0)  # type: ignore[call-arg]
    link = pl.Link("a", length=1.0, mass=1.0)
    with pytest.raises(AttributeError, match=r"Its tip is the marker \.at\(s=1\)"):
        _ = link.tip  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(link)).length == copy.deepcopy(link).length == 1.0


def test_a_mechanism_without_beams_has_not_buckled() -> None:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-90 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    system = pl.compile(m)
    left = replace(system.find_equilibrium(system.start(), time=0.0, load_steps=1), left=1)
    with pytest.warns(OtherBranch, match="'pendulum' does not stay at the equilibrium next to its start"):
        resting(system, left, {})


def carriage(angle: float | None, **slide: object) -> pl.Model:
    """Build a carriage on a slide along y, between two clamped leaves."""
    m = pl.Model("carriage")
    ground, body = m.add(pl.Ground(), pl.Body("carriage", mass=0.05, inertia=1e-5, position=(0, 0), angle=angle))
    leaf = m.add(pl.Beam("leaf", length=0.1, section=pl.Section.rectangle(10e-3, 1e-3, pl.STEEL), angle=0.0))
    m.add(pl.Weld(ground.at(-0.1, 0), leaf.at(s=0), angle=0.0), pl.Weld(leaf.at(s=1), body.at(0, 0), angle=0.0))
    m.add(
        pl.Prismatic(ground.at(0, 0, **({} if slide else {"angle": 90 * pl.DEG})), body.at(0, 0), name="slide", **slide)
    )
    return m


def test_a_slide_of_the_plane_is_turned_by_its_marker() -> None:
    with pytest.raises(ModelError, match=r"axis = y .*marker a's x axis: turn that one.*angle=90 \* pl.DEG"):
        carriage(0.0, axis="y")


def test_only_a_joint_that_has_an_angle_is_said_to_take_one() -> None:
    with pytest.warns(pl.errors.PliantWarning, match=r'"slide" closes a loop.*give angle= to carriage\.'):
        pl.compile(carriage(None), elements=2)


def test_a_number_does_not_push_what_slides() -> None:
    system = pl.compile(carriage(0.0), elements=2)
    with pytest.raises(OptionError, match=r"A number, .*is a rate of turning.*\(vx, vy, rad/s\)"):
        pl.transient(system, end_time=1e-3, step=1e-4, push={"carriage": 0.5})
    assert pl.transient(system, end_time=1e-3, step=1e-5, push={"carriage": (0.0, 0.1, 0.0)}).time.size == 101


def test_the_effort_of_a_drive_has_its_unit_in_pictures() -> None:
    m = carriage(0.0)
    m.add(pl.Motion(m.ground.at(0, 0, angle=90 * pl.DEG), m.part("carriage").at(0, 0), x=0.0, name="drive"))
    path = pl.path(pl.compile(m, elements=2), "drive/x", to=1e-3)
    assert pl.plots.plot_path(path, quantity="drive_effort", joint="drive").get_ylabel() == "drive effort of drive [N]"


def turntable(held: bool):
    """Build a finger bent by a tendon in a channel, on a wrist that turns freely about the vertical or is held."""
    m = pl.Model("wrist", plane=None)
    ground, wrist = m.add(pl.Ground(), pl.Body("wrist", mass=0.3, inertia=3e-4, position=(0, 0, 0)))
    soft = pl.Material("soft", youngs_modulus=70e9, density=2700.0, poisson_ratio=0.33)
    finger = m.add(pl.Beam("finger", length=0.1, section=pl.Section.rectangle(12e-3, 0.8e-3, soft)))
    up = pl.rotation(y=-90 * pl.DEG)
    m.add(pl.Revolute(ground.at(0, 0, 0), wrist.at(0, 0, 0), axis="z", name="turn"))
    m.add(pl.Weld(wrist.at(0, 0.02, 0.01, orientation=up), finger.at(s=0), orientation=(0, 0, 0)))
    m.add(pl.ChannelTendon("pull", finger, offset=(-4e-3, 0.0), tension=40.0))
    if held:
        m.add(pl.Motion(ground.at(0, 0, 0), wrist.at(0, 0, 0), angle=0.0, axis="z"))
    return pl.compile(m, elements=pl.Exact(3, order=3))


def test_what_turns_freely_is_not_said_to_snap() -> None:
    """The tangent is singular all along its branch: rounding decided where that "ended"."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        free = pl.statics(turntable(held=False))
    assert [w.category.__name__ for w in said] == ["NeutralEquilibrium"]
    assert free.outcome.ok
    angle = 40.0 * 4e-3 * 0.1 / (70e9 * 12e-3 * 0.8e-3**3 / 12)  # T e L / EI: the finger is an arc
    height = 0.01 + 0.1 * (1.0 - 40.0 / (70e9 * 12e-3 * 0.8e-3)) * np.sin(angle) / angle
    assert float(free.position.sel(marker="finger/tip", axis="z")) == pytest.approx(height, abs=1e-9)
    with pytest.raises(OptionError, match=r'such as "joint_angle:pin"'):
        pl.linearise(turntable(held=True), at=None, inputs=["pull/tension"], outputs=["angle:wrist"])


def test_arguments_of_markers_and_sections_are_told() -> None:
    """`too many positional arguments`, and no word of which function."""
    arm = pl.Link("arm", length=1.0, mass=1.0)
    with pytest.raises(TypeError, match=r"Link\.at: too many positional arguments\. It is written at\(s=0\.0"):
        arm.at(0.1, 0.2, 0.3)
    with pytest.raises(TypeError, match=r"Section\.rectangle: missing a required argument: 'height'"):
        pl.Section.rectangle(0.1, hight=2.0, material=pl.STEEL)


def test_a_word_of_another_program_is_answered_with_ours() -> None:
    with pytest.raises(AttributeError, match=r"no name 'Clamp'. It is called pl.Weld here"):
        _ = pl.Clamp  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"It is called pl.plots.plot_shape here"):
        _ = pl.plot_shape  # type: ignore[attr-defined]
    ours = [name for names in MEANT for name in names.split(" or ")]
    assert [name for name in ours if not callable(attrgetter(name)(pl))] == []
    others = " ".join(MEANT.values()).split()
    assert len(others) == len(set(others))
    assert [word for word in others if word in pl.__all__] == []


def test_a_label_that_is_not_there_is_told_without_the_errors_of_libraries() -> None:
    with pytest.raises(LabelError, match="Did you mean beam/tip") as told:
        example_motion().position.sel(marker="beam/tpi")
    assert told.value.__suppress_context__


@pytest.fixture(scope="module")
def pendulum() -> tuple[object, pl.Result, pl.LinearModel]:
    system = pl.compile(driven_pendulum())
    rest = pl.statics(system)
    outputs = ["angle:arm", "angular_velocity:arm"]
    return system, rest, pl.linearise(system, at=rest, inputs=["motor/torque"], outputs=outputs)


def test_a_gain_is_no_controller_and_says_what_makes_it_one(pendulum) -> None:  # type: ignore[no-untyped-def]
    system, rest, plant = pendulum
    gain = pl.lqr(plant, Q=1.0, R=1.0, sample_time=0.01)
    assert re.fullmatch(r"Gain\(motor/torque from 2 states, every 0.01 s; poles decay at .* 1/s\)", repr(gain))
    with pytest.raises(OptionError, match=r"A gain of lqr goes into pl.lqg, with an observer"):
        pl.transient(system, start=rest, end_time=0.1, step=1e-2, controller=gain)


def test_what_a_controller_applied_is_drawn_over_time(pendulum) -> None:  # type: ignore[no-untyped-def]
    system, rest, plant = pendulum
    gain = pl.lqr(plant, Q=1.0, R=1.0, sample_time=0.01)
    controller = pl.state_feedback(gain, outputs=list(plant.output_names))
    run = pl.transient(system, start=rest, push={"arm": 0.1}, end_time=0.1, step=1e-2, controller=controller)
    ax = pl.plots.plot_history(run, "applied")
    assert np.array_equal(ax.lines[0].get_xydata(), np.column_stack([run.data["sample"], run.applied[:, 0]]))
    assert ax.get_xlabel() == "time [s]"


def test_a_mode_that_no_input_moves_is_refused_with_what_to_try() -> None:
    A = [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -9.0, 0.0]]
    free = pl.LinearModel(A, [[0.0], [1.0], [0.0], [0.0]], np.eye(4), np.zeros((4, 1)))
    with pytest.raises(SingularError, match=r"nothing can stabilise it. Take an input .* damping .*pl.reduce"):
        pl.lqr(free, Q=1.0, R=1.0)


def test_the_path_that_a_branch_has_come_back_to_can_be_taken() -> None:
    system = pl.compile(column(), elements=20)
    straight = pl.path(system, "load/x", to=-6.0, until="bifurcation")
    up = pl.branch(system, straight, toward=("beam/tip", (0, 1)), to=-5.0)
    back = pl.path(system, "load/x", start=up.equilibrium(), to=-1.0, until=("beam/tip", "y", -0.01))  # it turns
    for side, stable in ((1, True), (-1, False)):
        again = pl.branch(system, back, side=side, to=(-1.0, -6.0))
        assert again.outcome.ok
        assert again.parameter.values[-1] == pytest.approx(-1.0 if stable else -6.0)
        assert abs(again.position.sel(marker="beam/tip", axis="y").values[-1]) < 1e-6
        assert bool(again.stable.values[-1]) is stable


def test_rounding_is_not_painted_as_a_bending_moment() -> None:
    system = pl.compile(column(), elements=8)
    pressed = pl.statics(system.with_signals({"load/x": -2.0}))  # straight
    assert "axial force" in quantities(pressed)
    assert "bending moment" not in quantities(pressed)
    assert {"bending moment", "shear force"} <= set(quantities(pl.statics(system.with_signals({"load/y": 0.1}))))


def test_a_place_may_be_written_out_with_its_z() -> None:
    m = pl.Model("mast", plane=None)
    ground, mast, top = m.add(
        pl.Ground(),
        pl.Beam("mast", length=0.3, section=pl.Section.circle(2e-3, pl.STEEL), orientation=(0.0, -0.5 * np.pi, 0.0)),
        pl.Body("top", mass=0.1, inertia=1e-5),
    )
    m.add(pl.Weld(ground.at(0.1, 0, 0), mast.at(s=0)), pl.Weld(mast.at(s=1), top.at()))
    system = pl.compile(m, elements=2)
    rest = pl.statics(system)
    short = rest.position.sel(marker="top(0, 0)")
    assert rest.position.sel(marker="top(0, 0, 0)").equals(short)
    assert rest.sel(marker="top(0.0,0,0)").position.equals(short)
    assert m.part("weld ground(0.10, 0, 0) - mast/base") is m.joints[0]
    assert pl.stiffness(system, marker="top(0, 0, 0)").marker == "top(0, 0)"
    with pytest.raises(LabelError, match=r"no marker 'top\(0, 0, 1\)'. Did you mean top\(0, 0\)"):
        rest.position.sel(marker="top(0, 0, 1)")


def test_curves_without_values_are_not_drawn() -> None:
    m = pl.Model("driven")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)))
    m.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=pl.Ramp(0.0, 1.0, 0.0, 1.0), name="drive"))
    run = pl.transient(pl.compile(m), end_time=0.1, step=1e-2)
    assert len(run.joint) > len(pl.plots.plot_history(run, "drive_effort").lines) == 1
    assert pl.plots.plot_history(run, "drive_effort").get_ylabel() == "drive effort [N m]"


def test_long_names_in_a_legend_leave_room_for_the_curves() -> None:
    run = pl.transient(pl.compile(four_bar(pl.Link("coupler", length=0.3, mass=0.1))), end_time=0.1, step=1e-2)
    figure = pl.plots.plot_history(run, "joint_angle").figure
    figure.canvas.draw()
    assert figure.axes[0].get_window_extent().width > 4.0 * figure.dpi  # inches


def test_british_units_are_known() -> None:
    bar = pl.Link("bar", length="2 ft", mass="1 lb")
    assert (bar.length, bar.mass) == pytest.approx((0.6096, 0.45359237))
    spring = pl.Spring("s", pl.Ground().at(0, 0), bar.at(s=1), stiffness="10 lbf/in", rest_length=0.1)
    assert spring.stiffness == pytest.approx(1751.268)
    with pytest.raises(ModelError, match=r"'furlong' is not a known unit. Known are .* lb, lbf, kgf, gf, psi"):
        pl.Link("bar", length="2 furlong", mass=1.0)
