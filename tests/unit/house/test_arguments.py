"""Functions that users call name arguments that do not fit, and leave other errors alone."""

from __future__ import annotations

import pickle

import pytest

import pliant as pl
from pliant.errors import CapabilityError, OptionError


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pl.plot_campbell(None), r"plot_campbell: result = None is not allowed; it must be Result\. It is"),
        (lambda: pl.predict(None, None, start=None, end_time=1.0), "predict: controller = None is not allowed"),
        (lambda: pl.load_result(3), "load_result: path = 3 is not allowed; it must be text or Path"),
        (lambda: pl.craig_bampton("a", "b", [0], 0), "mass = 'a' is not allowed; it must be an array of numbers or"),
        (lambda: pl.basins(lambda a: None, {"a": "abc"}, wells={"x": None, "y": None}), "axes = {'a': 'abc'} is not"),
        (lambda: pl.reduced_body("a", [(0, 0)], mass=1, stiffness=1), r"nodes = \[\(0, 0\)\] .* a dict from text"),
        (lambda: pl.compile("four-bar"), "compile: model = 'four-bar' is not allowed; it must be Model"),
    ],
)  # fmt: skip
def test_an_argument_that_does_not_fit_is_named(call, message):
    with pytest.raises(OptionError, match=message):
        call()


def test_what_is_no_system_is_called_so():
    with pytest.raises(CapabilityError, match="statics: system = None is not allowed; it must be a compiled system"):
        pl.statics(None)


def test_unknown_and_missing_arguments_are_told_with_the_nearest():
    with pytest.raises(
        TypeError, match=r"statics got an unexpected .* 'strt'\. Did you mean start\? It is written stat"
    ):
        pl.statics(None, strt=1)
    with pytest.raises(
        TypeError, match=r"transient was called wrongly: missing .* 'end_time'\. It is written transient\("
    ):
        pl.transient(None)
    with pytest.raises(
        TypeError, match=r"Ramp got an unexpected .*'duration'.* It is written Ramp\(start, end, t0, t1"
    ):
        pl.Ramp(0, 1, duration=1)
    with pytest.raises(TypeError, match=r"Box is missing y and z\. It is written Box\(x, y, z"):
        pl.Box(1)
    for given in (0.1, "10 cm"):
        with pytest.raises(TypeError, match=r"rectangle: missing .* 'height'.*It is written rectangle\(width, height"):
            pl.Section.rectangle(given)


def test_errors_of_a_users_function_stay_what_they_are():
    def mine(t: float) -> float:
        raise ZeroDivisionError("mine")

    wells = {"x": pl.statics(pl.compile(_pendulum(0.1))), "y": pl.statics(pl.compile(_pendulum(0.2)))}
    with pytest.raises(ZeroDivisionError, match="mine"):
        pl.basins(mine, {"t": [1.0]}, wells=wells, within=1.0, workers=1)


def test_a_guarded_function_is_found_by_pickle():
    assert pickle.loads(pickle.dumps(pl.statics)) is pl.statics


def _pendulum(angle: float) -> pl.Model:
    model = pl.Model("pendulum")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    return model
