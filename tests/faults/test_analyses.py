"""Failures of an analysis: each message says what, where and what to try, and nothing is left behind."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import (
    AssemblyError,
    CapabilityError,
    ConvergenceError,
    FileError,
    ModelError,
    OptionError,
    PliantWarning,
    SignalError,
)

SECTION = pl.Section.rectangle(0.02, 0.002, pl.STEEL)


def pendulum(*more: object) -> pl.Model:
    model = pl.Model("pendulum")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    for part in more:
        model.add(part(arm))
    return model


@pytest.fixture(scope="module")
def system() -> object:
    return pl.compile(pendulum())


# steps


def test_a_step_far_too_large_is_noticed(system: object) -> None:
    """The step may be cut back until Newton converges; joints stay closed, and the lost energy is reported."""
    with pytest.warns(PliantWarning, match="energy balance: .* The step is too large"):
        run = pl.transient(system, end_time=1e2, step=1.0)
    assert run.outcome.constraint_error < 1e-6
    assert "energy balance" in run.outcome.message


def exploding() -> pl.Model:
    """Build a force that grows without bound within a step: no step is small enough."""

    def wall(t: float, pose: np.ndarray, velocity: np.ndarray) -> tuple[float, float, float]:
        return 0.0, -1e12 * math.copysign(abs(pose[1] + 0.5) ** 0.1, pose[1] + 0.5) if pose[1] < -0.4 else 0.0, 0.0

    return pendulum(lambda arm: pl.StateForce("wall", arm.at(s=1), wall))


@pytest.mark.filterwarnings("ignore:.*energy balance")
def test_a_motion_that_cannot_go_on_says_where_and_why() -> None:
    system = pl.compile(exploding())
    with pytest.raises(
        ConvergenceError, match=r"The motion stopped at t = 0\.\d+ s: .* even with steps of .* partial=True"
    ):
        pl.transient(system, end_time=2.0, step=0.01)
    run = pl.transient(system, end_time=2.0, step=0.01, partial=True)
    assert not run.outcome.ok
    assert "stopped at t = 0." in run.outcome.message
    assert 0.1 < float(run.time[-1]) < 2.0
    assert np.isfinite(run.position).all()
    assert float(run.state["time"][0]) == pytest.approx(float(run.time[-1]), abs=0.01)


@pytest.mark.filterwarnings("ignore:.*energy balance")
def test_a_partial_result_can_be_saved_and_read(tmp_path: Path) -> None:
    run = pl.transient(pl.compile(exploding()), end_time=2.0, step=0.01, partial=True)
    again = pl.load_result(run.save(tmp_path / "part.nc"))
    assert again.outcome.ok is False
    np.testing.assert_array_equal(again.angle, run.angle)


# equilibria


def test_a_load_beyond_any_equilibrium_says_so() -> None:
    """A constant torque above the largest that gravity can hold."""
    model = pendulum(lambda arm: pl.Moment(arm.at(s=0), 10.0))
    with pytest.raises(ConvergenceError, match="pendulum"):
        pl.statics(pl.compile(model))


def test_a_mechanism_under_load_that_nothing_holds_names_the_part() -> None:
    model = pl.Model("loose")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Moment(arm.at(s=0), 1.0))
    with pytest.raises(ConvergenceError, match=r"not determined: arm can move .*Add a joint, a spring or gravity"):
        pl.statics(pl.compile(model))


def test_an_unstable_equilibrium_is_returned_with_a_warning() -> None:
    model = pl.Model("column")
    slender = pl.Section(1e7, 1e7, 1.0, 1.0, 1e-4)
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=slender, angle=0.0))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-3.0))
    with pytest.warns(PliantWarning, match=r"'column' is unstable in 1 direction.*start="):
        rest = pl.statics(pl.compile(model))
    assert rest.outcome.ok
    assert rest.outcome.stable is False


def test_strain_beyond_the_elements_range_is_told() -> None:
    model = pl.Model("rubber")
    soft = pl.Section(10.0, 4.0, 0.1, 1.0, 1e-4)
    ground, beam = model.add(pl.Ground(), pl.Beam("band", length=1.0, section=soft, angle=0.0))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=5.0))
    with pytest.warns(PliantWarning, match="band"):
        pl.statics(pl.compile(model))


def test_a_loop_that_cannot_close_names_its_joint() -> None:
    model = pl.Model("open")
    ground = model.add(pl.Ground())
    a, b = (model.add(pl.Link(name, length=0.2, mass=1.0)) for name in "ab")
    model.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Revolute(a.at(s=1), b.at(s=0)))
    model.add(pl.Revolute(b.at(s=1), ground.at(1, 0), name="last"))
    with pytest.raises(AssemblyError, match=r"Joint '.*' cannot be closed: .* remain\. No pose closes .* reach 0\.4 m"):
        pl.compile(model)


def test_contradictory_drives_are_refused_before_numbers_start() -> None:
    model = pendulum()
    ground, arm = model.ground, model.part("arm")
    model.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=0.1, name="one"))
    model.add(pl.Motion(ground.at(0, 0), arm.at(s=0), angle=0.2, name="two"))
    with pytest.raises(ModelError, match=r"two.*one.* drives already"):
        pl.compile(model)


# functions that fail

BAD_SIGNALS = {
    "nan": (lambda t: math.nan if t > 0.2 else 0.0, r"force arm/tip/x: .* is nan at t = 0\.2\d* s"),
    "inf": (lambda t: math.inf if t > 0.2 else 0.0, r"is inf at t = 0\.2\d* s"),
    "raises": (lambda t: [][1] if t > 0.2 else 0.0, r"failed at t = 0\.2\d* s: IndexError"),
    "no number": (lambda t: "much", "failed at t = 0 s: ValueError"),
    "expression": (pl.Expression("1/(t - 0.25)"), r"is (inf|nan) at t = 0\.25 s"),
}


@pytest.mark.parametrize("kind", BAD_SIGNALS)
def test_signals_that_are_not_finite_are_named(kind: str, system: object) -> None:
    signal, message = BAD_SIGNALS[kind]
    broken = pendulum(lambda arm: pl.Force(arm.at(s=1), x=signal))
    with pytest.raises(SignalError, match=message):
        pl.transient(pl.compile(broken), end_time=0.5, step=0.01)
    assert pl.transient(system, end_time=0.1, step=0.01).outcome.ok


def test_a_drive_that_is_not_finite_is_named() -> None:
    model = pendulum()
    model.add(pl.Motion(model.ground.at(0, 0), model.part("arm").at(s=0), angle=pl.Expression("log(t)"), name="drive"))
    with pytest.raises(SignalError, match="log"):
        pl.transient(pl.compile(model), end_time=0.1, step=0.01)


# options

WRONG = {
    "end_time": ([math.nan, math.inf, "1", None, [1.0, 2.0]], "end_time="),
    "step": ([0.0, -0.1, math.nan, "x"], "step=.*positive"),
    "every": ([0, 1.5, "2", True], "every=.*whole number"),
    "spectral_radius": ([-0.1, 1.1, math.nan, "a"], "spectral_radius="),
    "newmark": ([(0.25,), (0.25, 0.4), (0.0, 0.5), (math.nan, 0.5), "ab"], "newmark="),
    "constraints": (["index1", 3], "constraints="),
    "baumgarte": ([(1.0,), (math.nan, 1.0), (-1.0, 0.7), (10.0, 0.7)], "baumgarte="),
    "times": ([[], [0.5, 0.2], [0.1, 0.1], [2.0], [-0.5], [math.nan], "abc", [[0.1]]], "times: "),
    "start": (["rest", 3, {}], "start=.* is not a state"),
    "push": ([{"arn": 1.0}], "push: there is no body 'arn'. Did you mean arm"),
}


@pytest.mark.parametrize("option", WRONG)
def test_wrong_options_of_transient(option: str, system: object) -> None:
    values, message = WRONG[option]
    for value in values:
        options = {"end_time": 1.0, "step": 0.01} | {option: value}
        with pytest.raises(OptionError, match=message):
            pl.transient(system, **options)


@pytest.mark.parametrize("push", [{"arm": (1.0, 2.0)}, {"arm": math.nan}, {"arm": "fast"}, 3.0])
def test_wrong_pushes(push: object, system: object) -> None:
    with pytest.raises(OptionError, match=r"push.*give"):
        pl.transient(system, end_time=1.0, step=0.01, push=push)


def test_a_push_against_the_joints_is_refused(system: object) -> None:
    with pytest.raises(OptionError, match="contradict the joints"):
        pl.transient(system, end_time=1.0, step=0.01, push={"arm": (1.0, 0.0, 0.0)})


def test_accuracy_must_be_positive(system: object) -> None:
    for value in (0.0, -1e-6, math.nan):
        with pytest.raises(OptionError, match=r"accuracy=.*positive"):
            pl.transient(system, end_time=1.0, accuracy=value)


def test_the_state_of_another_system_is_refused(system: object) -> None:
    model = pendulum()
    link = model.add(pl.Link("second", length=1.0, mass=1.0))
    model.add(pl.Revolute(model.part("arm").at(s=1), link.at(s=0)))
    other = pl.statics(pl.compile(model))
    with pytest.raises(OptionError, match=r"its state has 6 coordinates and 4 constraint rows, the system has 3 and 2"):
        pl.transient(system, start=other, end_time=1.0, step=0.01)
    with pytest.raises(OptionError, match="its state has 6 coordinates"):
        pl.statics(system, start=other)


def test_unknown_element_options_and_formulations() -> None:
    model = pl.Model("beam")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=1.0, section=SECTION))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    with pytest.raises(OptionError, match=r"no beam 'bean' in the model\. Did you mean beam"):
        pl.compile(model, elements={"bean": 4})
    for wrong in ("eight", 0, -3, 2.5, True):
        with pytest.raises(OptionError, match="elements"):
            pl.compile(model, elements=wrong)
    with pytest.raises(OptionError, match="Formulation 'index1' is not known"):
        pl.compile(model, formulation="index1")
    with pytest.raises(OptionError, match="element"):
        pl.compile(model, element=4)


def test_an_analysis_of_something_that_is_no_system() -> None:
    for analysis in (pl.statics, pl.modal, lambda s: pl.transient(s, end_time=1.0)):
        with pytest.raises(CapabilityError, match=r"compile it first|Compile it first"):
            analysis(pl.Model("not compiled"))
        with pytest.raises(CapabilityError, match="must be a compiled system"):
            analysis("no system")


# nothing half-written


def test_nothing_is_written_over_or_half_written(system: object, tmp_path: Path) -> None:
    run = pl.transient(system, end_time=0.1, step=0.01)
    path = run.save(tmp_path / "run.nc")
    before = path.read_bytes()
    with pytest.raises(FileError, match="exists"):
        run.save(path)
    assert path.read_bytes() == before
    with pytest.raises(FileError):
        run.save(tmp_path / "missing" / "run.nc")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.nc"]


def test_a_failed_analysis_leaves_the_system_as_it_was(system: object) -> None:
    before = system.initial.copy()
    for options in ({"end_time": 1.0, "step": -1.0}, {"end_time": 1.0, "step": 0.01, "push": {"arm": (1.0, 0.0, 0.0)}}):
        with pytest.raises(OptionError):
            pl.transient(system, **options)
    np.testing.assert_array_equal(system.initial, before)
    assert pl.transient(system, end_time=0.1, step=0.01).outcome.ok
