"""The studio without its page: sliders move along the true path, snaps are reported, the script gives equal numbers."""

from __future__ import annotations

import threading
import zipfile
from io import BytesIO

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, OptionError
from pliant.model.files import io as model_io
from pliant_gallery.leg import theory
from pliant_studio.page import tables
from pliant_studio.page.worker import Worker
from pliant_studio.session import files
from pliant_studio.session.any_model import of_model
from pliant_studio.session.diagram import diagram
from pliant_studio.session.mechanism import Reading, mechanism, mechanisms
from pliant_studio.session.script import script
from pliant_studio.session.session import Session

TENSION, MIDDLE = "tension of the tendon", "middle of the leaf, x"


@pytest.fixture
def leg() -> Session:
    return Session(mechanism("leg"))


# --- equilibrium -------------------------------------------------------------------------------------------------


def test_leg_starts_where_theory_says(leg):
    exact = theory.equilibrium()  # an elastica, without finite elements
    assert leg.stable
    assert leg.readings()[TENSION] == pytest.approx(exact.tension, rel=1e-3)
    assert leg.readings()[MIDDLE] == pytest.approx(1e3 * exact.middle[0], rel=1e-4)


def test_a_slider_keeps_the_branch_and_tells_where_it_ends(leg):
    assert leg.set("tendon_rest_length", 0.27).text == ""
    assert leg.readings()[MIDDLE] > 240.0  # outward
    notice = leg.set("tendon_rest_length", 0.30)
    assert notice.severe
    fold = float(notice.text.split(" at ")[1].split(" mm")[0])
    assert fold == pytest.approx(1e3 * theory.fold(), rel=1e-3)
    assert leg.stable
    assert leg.readings()[MIDDLE] < 210.0  # inward, or straight
    leg.set("tendon_rest_length", 0.17)
    assert leg.readings()[MIDDLE] < 150.0  # the way back is another


def test_many_small_moves_are_one_large_move(leg):
    for length in np.linspace(0.17, 0.25, 9):
        leg.set("tendon_rest_length", float(length))
    other = Session(leg.mechanism)
    other.set("tendon_rest_length", 0.25)
    np.testing.assert_allclose(leg.rest.shape, other.rest.shape, atol=1e-9)
    assert leg.steps == other.steps  # one step each, from the first value to the last


def test_without_weight_the_straight_leaf_buckles_to_a_branch(leg):
    leg.set("gravity", 0.0)
    leg.set("tendon_rest_length", 0.45)
    straight = leg.readings()
    notice = leg.set("tendon_rest_length", 0.20)
    assert notice.text.startswith("bifurcation")
    assert leg.stable
    assert [step.how for step in leg.steps] == ["followed", "snapped", "followed", "branched"]
    assert abs(leg.readings()[MIDDLE] - straight[MIDDLE]) > 50.0


def test_an_option_leads_where_a_fresh_model_is(leg):
    leg.set("tendon_stiffness", 300.0)
    leg.set("lower_mass", 1.2)
    fresh = Session(leg.mechanism, {"tendon_stiffness": 300.0, "lower_mass": 1.2})
    np.testing.assert_allclose(leg.rest.shape, fresh.rest.shape, atol=1e-8)


def test_other_elements_keep_the_way_that_was_gone(leg):
    leg.set("tendon_rest_length", 0.30)
    inward = leg.readings()[MIDDLE]
    leg.set("elements", 8.0)
    assert leg.readings()[MIDDLE] == pytest.approx(inward, abs=0.5)
    assert leg.values["elements"] == 8.0
    leg.restart()
    assert leg.values == leg.mechanism.values
    assert leg.steps == []


def test_what_fails_changes_nothing(leg, monkeypatch):
    before = leg.values, leg.rest
    with pytest.raises(OptionError, match=r"rest length of the tendon: 900 mm is out of range; choose between 120 and"):
        leg.set("tendon_rest_length", 0.9)
    with pytest.raises(OptionError, match=r"no slider 'gravty'. Did you mean gravity"):
        leg.set("gravty", 1.0)

    def fail(*_, **__):
        raise ConvergenceError("no")

    monkeypatch.setattr("pliant_studio.session.session.path", fail)
    with pytest.raises(ConvergenceError):
        leg.set("gravity", 1.0)
    assert (leg.values, leg.rest) == before


# --- motion ------------------------------------------------------------------------------------------------------


def test_lqr_brings_the_leg_back():
    leg = Session(mechanism("leg-motor"))
    assert leg.readings()["lower link, q1"] == pytest.approx(3.0)
    reading = Reading("q1", "deg", "angle:lower link", 1.0 / pl.DEG)
    held, falling = (reading.of(leg.release(2.0, choice=choice)) for choice in ("LQR", "constant torque"))
    assert abs(float(held[-1])) < 0.1
    assert abs(float(falling[-1])) > 6.0  # twice as far as it was held


@pytest.mark.parametrize("name", mechanisms())
def test_the_script_gives_the_same_numbers(name, tmp_path):
    session = Session(mechanism(name))
    first, second = session.mechanism.sliders[0], session.mechanism.sliders[2]
    for slider, share in ((first, 0.5), (second, 0.4)):
        session.set(slider.name, slider.si(slider.low + share * (slider.high - slider.low)))
    program = tmp_path / "reproduced.py"
    program.write_text(script(session, end_time=0.02), encoding="utf-8")
    found: dict = {"__name__": "reproduced"}
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), found)
    np.testing.assert_allclose(found["rest"].shape, session.rest.shape, atol=1e-10)
    np.testing.assert_allclose(found["modes"].frequency_hz, session.modes().frequency_hz, rtol=1e-6)
    np.testing.assert_allclose(found["motion"].shape, session.release(0.02).shape, atol=1e-9)


def test_the_script_of_a_snap(leg):
    leg.set("tendon_rest_length", 0.30)
    leg.set("gravity", 8.0)
    found: dict = {"__name__": "reproduced"}
    exec(script(leg, end_time=0.01), found)
    np.testing.assert_allclose(found["rest"].shape, leg.rest.shape, atol=1e-10)


# --- what is shown and taken home --------------------------------------------------------------------------------


def test_model_file_and_results(leg):
    leg.set("tendon_rest_length", 0.2)
    system = pl.compile(model_io.loads(files.model_file(leg)), elements=pl.Exact(10, order=2))
    np.testing.assert_allclose(pl.statics(system, start=leg.rest).shape, leg.rest.shape, atol=1e-9)
    packed = zipfile.ZipFile(BytesIO(files.archive({"equilibrium": leg.rest, "modes": leg.modes()})))
    assert packed.namelist() == ["equilibrium.nc", "modes.nc"]


def test_tables_and_curves(leg):
    assert "equilibrium, stable" in tables.equilibrium(leg)
    assert tables.modes(leg.modes(), 2).count("Hz") == 2
    motion = leg.release(0.05)
    plots = tables.curves(leg, motion)
    assert [plot["axes"][1]["label"] for plot in plots] == ["[deg]", "[N]", "[mm]", "[J]"]
    assert all(len({len(line) for line in plot["data"]}) == 1 for plot in plots)
    assert tables.number(-1.5e-14, 1.0) == "0"
    assert tables.number(-1.5e-12, 1.5e-12) == "−1.5e−12"  # small, and all there is


# --- models of the user -----------------------------------------------------------------------------------------


def arch(load: float = 0.5) -> pl.Model:
    """Build a strip between two pins, pressed into an arch by a drive, and pushed in the middle."""
    thickness = pl.Parameter("thickness", "1.2 mm", low="0.8 mm", high="2 mm", unit="m")
    m = pl.Model("arch")
    strip = pl.Section.rectangle(0.02, thickness, pl.STEEL)
    ground, leaf, block = m.add(
        pl.Ground(),
        pl.Beam("leaf", length=0.3, section=strip),
        pl.Body("block", mass=0.1, inertia=1e-5, position=(0.3, 0.0), angle=0.0),
    )
    m.add(pl.Revolute(ground.at(0, 0), leaf.at(s=0)), pl.Revolute(leaf.at(s=1), block.at()))
    m.add(pl.Prismatic(ground.at(0.3, 0), block.at(), name="rail"))
    m.add(pl.Motion(ground.at(0, 0), block.at(), x=0.295, name="press"), pl.Force(leaf.at(s=0.5), y=load, name="push"))
    return m


def test_sliders_of_a_model_of_ones_own():
    found = of_model(arch(), ranges={"push/y": (-2.0, 1.0)})
    assert [slider.name for slider in found.sliders] == ["thickness", "press/x", "push/y", "push/x", "elements"]
    thickness, press, push = found.sliders[:3]
    assert (thickness.low, thickness.high) == pytest.approx((0.8, 2.0))
    assert thickness.unit == press.unit == "mm"
    assert (press.low, press.high) == pytest.approx((220.0, 370.0))
    assert (push.low, push.high, push.unit) == (-2.0, 1.0, "N")
    assert list(found.releases) == ["release press", "without push/y", "start as assembled", "go on as it is"]
    with pytest.raises(OptionError, match=r"ranges: 'push/z' is no slider. Did you mean push/"):
        of_model(arch(), ranges={"push/z": (0.0, 1.0)})
    with pytest.raises(OptionError, match=r"ranges: 'push/y' from 1 to 0; the first must be smaller"):
        of_model(arch(), ranges={"push/y": (1.0, 0.0)})


def test_ones_own_arch_falls_over_and_comes_back_by_undo():
    session = Session(of_model(arch(), ranges={"push/y": (-200.0, 5.0)}))
    system = pl.compile(arch(), elements=pl.Exact(6, order=2))
    whole = pl.path(system, "push/y", start=pl.statics(system), begin=0.5, to=-200.0)
    first = float(whole.event_parameter[0])
    notice = session.set("push/y", -85.0)
    assert notice.severe
    assert f"at {first:.6g} N" in notice.text
    assert session.readings()["leaf@0.5, y"] < 0.0
    session.undo()
    assert session.readings()["leaf@0.5, y"] > 0.0
    assert session.values["push/y"] == 0.5


def test_the_script_and_the_model_file_of_ones_own():
    session = Session(of_model(arch()))
    session.set("thickness", 1.5e-3)
    session.set("push/y", 1.0)
    found: dict = {"__name__": "reproduced"}
    exec(script(session, end_time=0.002, choice="release press"), found)
    np.testing.assert_allclose(found["rest"].shape, session.rest.shape, atol=1e-10)
    assert float(found["motion"].time[-1]) == 0.002
    again = model_io.loads(files.model_file(session))
    assert again.part("push").y.value == 1.0
    assert again.parameters["thickness"].value == 1.5e-3


def test_what_has_no_equilibrium_is_shown_as_assembled():
    m = pl.Model("loose")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Moment(bar.at(), value=1.0, name="twist"))
    session = Session(of_model(m))
    assert "bar" in session.trouble
    assert "no equilibrium" in tables.equilibrium(session)
    assert session.stable is None
    turned = session.release(0.5, choice="go on as it is").angle.sel(body="bar")
    assert float(turned[-1]) == pytest.approx(0.5 * 3.0 * 0.5**2, rel=1e-3)
    with pytest.raises(OptionError, match=r"loose: 'let go' cannot be done. "):
        session.release(0.5, choice="let go")


def test_a_diagram_has_the_fold_of_the_path(leg):
    slider, reading = leg.mechanism.slider("tendon_rest_length"), leg.reads[-1]
    before = leg.rest
    *_, drawn = diagram(leg, slider, reading)
    (kind, at, _), *_ = drawn.curves[0].events
    assert (kind, at) == ("limit point", pytest.approx(1e3 * theory.fold(), rel=1e-3))
    assert drawn.curves[0].stable[0]
    assert not drawn.curves[0].stable[-1]
    assert leg.rest is before
    assert drawn.csv().splitlines()[0] == "rest length of the tendon [mm],middle of the leaf, x [mm],stable,stretch"
    assert drawn.picture().shape[-1] == 3
    *_, beside = diagram(leg, leg.mechanism.slider("leaf_thickness"), reading)
    assert beside.curves[0].x[-1] == pytest.approx(1.6)
    assert beside.curves[1].x[-1] == pytest.approx(0.9)


@pytest.mark.parametrize("name", ["walker", "flexure-stage", "boom", "concentric-tubes"])
def test_every_model_of_the_gallery_opens(name):
    session = Session(mechanism(name))
    assert not session.trouble
    assert session.readings()


def test_every_mechanism_is_described():
    for name, each in mechanisms().items():
        assert each.name == name
        assert {*each.values} == {slider.name for slider in each.sliders}
        assert all(slider.low < slider.high and slider.label for slider in each.sliders)
        assert all(each.releases.values())
    with pytest.raises(OptionError, match=r"no mechanism 'legg'. Did you mean leg"):
        mechanism("legg")
    assert mechanism("six_rus").name == "six-rus"


def test_worker_does_the_newest_wish_and_survives_errors():
    done, told, gate = [], [], threading.Event()
    worker = Worker(told.append)
    worker.ask("first", lambda: gate.wait(10.0))
    worker.ask("late", lambda: done.append("late"), late=True)
    worker.ask("slider", lambda: done.append("old"))
    worker.ask("slider", lambda: done.append("new"))
    worker.ask("wrong", lambda: 1 / 0)
    gate.set()
    worker.stop()
    assert done == ["new", "late"]
    assert isinstance(told[0], ZeroDivisionError)


def test_worker_is_left_while_it_works():
    done, told, gate = [], [], threading.Event()
    worker = Worker(told.append)
    worker.ask("long", lambda: gate.wait(60.0) and 1 / 0)
    worker.ask("next", lambda: done.append("next"))
    worker.abandon()  # Ctrl-C while something is computed
    assert not gate.is_set()
    gate.set()
    worker.stop()
    assert done == told == []


def test_a_tendon_given_by_its_force_has_a_rest_length_to_set() -> None:
    """Found by a gripper: it did not open."""
    m = pl.Model("gripper")
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=0.08, section=pl.Section.rectangle(0.01, 6e-4, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0.02), leaf.at(s=0)))
    m.add(pl.Tendon("tendon", ground.at(0, 0.005), leaf.at(s=1, y=-0.004), stiffness=5e3, force=3.0))
    session = Session(of_model(m))
    before = session.readings()["tension of tendon"]
    session.set("tendon/rest_length", session.values["tendon/rest_length"] - 1e-4)
    assert session.readings()["tension of tendon"] > before > 0.0
