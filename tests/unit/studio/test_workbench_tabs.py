"""Study, control and robot of the studio, without a page: against closed forms of the mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ConvergenceError, OptionError
from pliant_gallery.examples import two_links
from pliant_studio.page import tables
from pliant_studio.session.any_model import of_model
from pliant_studio.session.feedback import IN_PLACE, Weights, _reduced, close, inputs
from pliant_studio.session.grid import Grid
from pliant_studio.session.mechanism import Reading
from pliant_studio.session.robot import Robot, motors, platforms
from pliant_studio.session.session import Session


def strip() -> Session:
    """Return a leaf clamped at one end, its thickness a parameter, loaded at the other."""
    thickness = pl.Parameter("thickness", 1e-3, low=1e-3, high=2e-3, unit="m")
    m = pl.Model("strip")
    leaf = pl.Section.rectangle(0.02, thickness, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=leaf))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-0.01, name="load"))
    return Session(of_model(m, ranges={"load/y": (-0.02, 0.02)}))


def pendulum() -> Session:
    """Return a rod held upright by a drive."""
    m = pl.Model("inverted pendulum")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0, angle=np.pi / 2))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), rod.at(s=0), angle=np.pi / 2, name="hold"))
    return Session(of_model(m))


def test_a_study_over_two_sliders_is_the_beam_formula():
    session = strip()
    along, across = (session.mechanism.slider(name) for name in ("load/y", "thickness"))
    reading = next(each for each in session.reads if each.label == "beam/tip, y")
    asked, seen = Grid(reading, along, across, points=3, lines=2), []
    found = asked.ask(session, seen.append)
    assert np.isnan(asked.values(seen[0])).sum() > 0  # it grows
    stiffness = [pl.STEEL.youngs_modulus * 0.02 * h**3 / 12.0 for h in (1e-3, 2e-3)]
    exact = 1e3 * np.array([[f * 0.5**3 / (3.0 * EI) for f in (-0.02, 0.0, 0.02)] for EI in stiffness])
    np.testing.assert_allclose(asked.values(found), exact, rtol=1e-3, atol=1e-9)
    assert found.kind == "study"
    assert asked.said(found) == ["6 equilibria."]
    rows = asked.csv(found).splitlines()
    assert rows[0] == 'thickness [mm],"load, y [N]","beam/tip, y [mm]",status,stable,reason'
    assert rows[1].startswith("1,-0.02,")
    assert rows[1].endswith(",ok,1,")
    assert asked.picture(found).shape[2] == 3
    assert session.values["thickness"] == 1e-3  # the session is where it was


def test_a_study_tells_why_points_have_no_answer_and_keeps_what_it_has_when_it_is_stopped():
    session = strip()
    asked = Grid(Refusing("tip", "mm", "position:beam/tip:y", 1e3), session.mechanism.slider("load/y"), points=4)
    session.built = None  # nothing is compiled: only a signal is varied
    found = asked.ask(session)
    assert asked.said(found) == [
        "2 equilibria, 2 without an answer (crosses).",
        "At load, y 0.006667 N and 1 more: beyond its reach",
    ]
    assert asked.csv(found).splitlines()[-1] == "0.02,nan,failed,,beyond its reach"
    assert asked.picture(found).shape[2] == 3

    def stop(so_far: pl.Result) -> None:
        raise KeyboardInterrupt

    kept = asked.ask(session, stop)
    assert asked.said(kept) == ["1 equilibria, 3 not computed."]


class Refusing(Reading):
    """A reading that has a value below zero only."""

    def of(self, result: pl.Result):
        """Return the value."""
        value = super().of(result)
        if value > 1e-9:
            raise ConvergenceError("beyond its reach")
        return value


def test_a_study_over_one_slider_twice_is_refused():
    session = strip()
    load = session.mechanism.slider("load/y")
    with pytest.raises(OptionError, match="twice"):
        Grid(session.reads[0], load, load).ask(session)


def test_what_is_only_rounding_is_shown_as_zero():
    """Rounding beside a whole turn, and beside the whole mechanism, is zero, also where nothing else has the unit."""
    session = strip()
    session.reads = [Tiny("angle", "deg", ""), Tiny("place", "mm", "")]
    assert tables.equilibrium(session).count(">0<") == 2
    session.reads = [Tiny("force", "N", "")]
    assert "e−30<" in tables.equilibrium(session)  # there may be nothing but small forces


class Tiny(Reading):
    """A reading of next to nothing."""

    def of(self, result: pl.Result):
        """Return the value."""
        return 5e-30


def test_lqr_holds_an_inverted_pendulum():
    """Open poles equal a rod's, sqrt(3 g / 2 L); without control it falls, with it comes back."""
    session = pendulum()
    assert inputs(session) == [f"{IN_PLACE}hold"]
    angle = session.reads[0]
    found = close(session, inputs(session)[0], angle, Weights(0.0, 0.0), push=("rod", 0.1), seconds=2.0)
    assert found.open_poles.real.max() == pytest.approx(np.sqrt(1.5 * 9.81), rel=1e-6)
    held, fallen = (angle.of(found.motions[name]).values for name in ("closed loop", "without control"))
    assert abs(held[-1] - 90.0) < 1e-3
    assert abs(fallen[-1] - 90.0) > 45.0
    dear = close(session, inputs(session)[0], angle, Weights(0.0, 3.0), push=("rod", 0.1), seconds=2.0)
    assert np.abs(dear.gain.K).max() < np.abs(found.gain.K).max()  # a dear input is used less


def test_modes_that_are_equally_fast_are_kept_together(monkeypatch):
    """A symmetric mechanism: `pl.reduce` refuses to keep one of a pair, and the whole plant would be far too much."""
    plant = pl.LinearModel(
        A=np.diag([-1.0, -2.0, -3.0, -3.0, -9.0]), B=np.ones((5, 1)), C=np.ones((1, 5)), D=np.zeros((1, 1))
    )
    with pytest.raises(OptionError, match="equally fast"):
        pl.reduce(plant, modes=3)
    assert len(_reduced(plant).A) == 4


def test_a_controller_needs_an_equilibrium_and_something_measured():
    session = pendulum()
    session.trouble = "none"
    with pytest.raises(ConvergenceError, match="none was found"):
        close(session, f"{IN_PLACE}hold", session.reads[0], Weights(0, 0), push=("rod", 0.1), seconds=1.0)


def test_a_robot_is_dragged_and_driven():
    session = Session(of_model(two_links()))
    assert motors(session) == ["shoulder/angle", "elbow/angle"]
    assert "lower/tip" in platforms(session)
    robot = Robot.of(session, "lower/tip", motors(session))
    robot.reach((1.0, 1.0))
    np.testing.assert_allclose(np.sort(robot.pose.motors), [0.0, np.pi / 2], atol=1e-9)
    np.testing.assert_allclose(robot.shown.position.sel(marker="lower/tip"), (1.0, 1.0), atol=1e-9)
    with pytest.raises(OptionError, match="2 hold a place, 3 a pose"):
        Robot.of(session, "lower/tip", ["shoulder/angle"])
    with pytest.raises(OptionError, match="no signal 'knee/angle'"):
        Robot.of(session, "lower/tip", ["shoulder/angle", "knee/angle"])
