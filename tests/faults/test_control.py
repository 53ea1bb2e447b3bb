"""Bad input to controller design: every mistake names the mode, the signal or the number, and what to do."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.control.models.linear_model import LinearModel
from pliant.errors import ConvergenceError, ModelError, OptionError, SingularError

T = 0.01
# An unstable pendulum and a free mass; "torque" moves the first only, "angle" shows the first only.
A = [[0, 1, 0, 0], [9, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
B = [[0, 0], [1, 0], [0, 0], [0, 1]]
C = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
STATES = ("angle", "place", "angle rate", "place rate")
TWO = LinearModel(
    np.array(A)[np.ix_([0, 2, 1, 3], [0, 2, 1, 3])],
    np.array(B)[[0, 2, 1, 3]],
    np.array(C)[:, [0, 2, 1, 3]],
    np.zeros((4, 2)),
    STATES,
    ("torque", "force"),
    ("angle", "place", "turning", "speed"),
)
ALL = {"torque": 1.0, "force": 1.0}
SEEN = {"angle": 0.01, "place": 0.01}
GAIN = pl.lqr(TWO, Q=1.0, R=1.0, sample_time=T)
OBSERVER = pl.kalman(TWO, process_noise=ALL, measurement_noise=SEEN, sample_time=T)
HOLD = pl.lqg(GAIN, OBSERVER)


def oscillator(**more: Any) -> LinearModel:
    return LinearModel([[0, 1], [-100, 0]], [[0], [1]], [[1, 0]], [[0]], **more)


# regulators


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"Q": 1.0, "inputs": ["force"], "R": 1.0},
            SingularError,
            "lqr: the inputs force do not move the real pole -?3 1/s, mostly in state 'angle",
        ),
        (
            {"Q": 1.0, "inputs": {"torque": 1.0}},
            SingularError,
            "inputs torque do not move the real pole 0 1/s, mostly in state 'place",
        ),
        (
            {"Q": 1.0, "R": 1.0, "sample_time": 0.5},
            OptionError,
            "sample_time=0.5 s is too slow for the unstable real pole 3 1/s.*Take at most 0.3333 s",
        ),
        ({"Q": [1, 1, 1, -2], "R": 1.0}, OptionError, "lqr: Q has the eigenvalue -2; none may be negative"),
        ({"Q": 1.0, "R": [[1, 2], [2, 1]]}, OptionError, "lqr: R has the eigenvalue -1; all must be positive"),
        ({"Q": 1.0, "R": 0.0}, OptionError, "lqr: R has the eigenvalue 0; all must be positive"),
        ({"Q": 1.0, "R": [[1, 2], [0, 1]]}, OptionError, r"lqr: R is not symmetric: R\[0, 1\] = 2 but R\[1, 0\] = 0"),
        ({"Q": np.eye(3), "R": 1.0}, OptionError, r"Q has the shape \(3, 3\); it must be 4 by 4"),
        ({"Q": math.nan, "R": 1.0}, OptionError, "Q holds nan; it must be finite"),
        ({"Q": "heavy", "R": 1.0}, OptionError, "Q='heavy': give a number, a diagonal or a matrix"),
        ({"Q": 1j, "R": 1.0}, OptionError, "Q=1j: give a number, a diagonal or a matrix"),
        ({"Q": [[1, 2], [3]], "R": 1.0}, OptionError, "give a number, a diagonal or a matrix"),
        ({"R": 1.0}, OptionError, "lqr: give Q, or the weights of outputs: outputs={'angle': 1.0}"),
        ({"Q": 1.0, "outputs": {"angle": 1.0}, "R": 1.0}, OptionError, "give Q, or the weights of outputs"),
        ({"Q": 1.0}, OptionError, "give the weight of the inputs: inputs={'torque': 1.0}, or R"),
        ({"Q": 1.0, "R": 1.0, "inputs": ALL}, OptionError, "give R or the weights of inputs, not both"),
        ({"outputs": {"angel": 1.0}, "R": 1.0}, OptionError, "outputs: there is no 'angel'. Did you mean angle"),
        ({"outputs": ["angle"], "R": 1.0}, OptionError, r"outputs=\['angle'\]: give {output: weight}"),
        (
            {"outputs": {"angle": -1.0}, "R": 1.0},
            OptionError,
            "weight of output 'angle'=-1.0: it must be zero or positive",
        ),
        ({"Q": 1.0, "inputs": {"torqe": 1.0}}, OptionError, "inputs: there is no 'torqe'. Did you mean torque"),
        ({"Q": 1.0, "inputs": {"torque": 0.0}}, OptionError, "weight of input 'torque'=0.0: it must be positive"),
        ({"Q": 1.0, "R": 1.0, "inputs": ["force", "force"]}, OptionError, "inputs holds 'force' twice"),
        ({"Q": 1.0, "R": 1.0, "inputs": "force"}, OptionError, "inputs='force': give a list of names"),
        ({"Q": 1.0, "R": 1.0, "integral": ["angle"]}, OptionError, "integral: 'angle' has no weight in outputs"),
        ({"Q": 1.0, "R": 1.0, "integral": {"angles": 1.0}}, OptionError, "integral: there is no 'angles'"),
        ({"Q": 1.0, "R": 1.0, "integral": {"angle": 0.0}}, OptionError, "integral of 'angle'=0.0: it must be positive"),
        (
            {"Q": 1.0, "R": 1.0, "integral": {"speed": 1.0}},
            SingularError,
            "integral of speed: no constant input brings these outputs",
        ),
        (
            {"Q": 1.0, "R": 1.0, "integral": dict.fromkeys(["angle", "place", "turning"], 1.0)},
            SingularError,
            "as many inputs as integrals",
        ),
        ({"Q": 1.0, "R": 1.0, "sample_time": -1.0}, OptionError, "sample_time=-1.0: it must be positive"),
        ({"Q": 1.0, "R": 1.0, "sample_time": True}, OptionError, "sample_time=True: give a number"),
        (
            {"outputs": {"turning": 1.0}, "R": 1.0},
            SingularError,
            "the weights do not see the undamped real pole 0 1/s, mostly in state 'place",
        ),
    ],
)
def test_regulator(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pl.lqr(TWO, **options)


def test_sampling_that_hides_a_vibration_is_refused() -> None:
    """Samples every half period of an undamped mode: a held input leaves it as it was at every second sample."""
    with pytest.raises(SingularError, match=r"with samples every 0.314159 s the inputs no longer move the .*pole"):
        pl.lqr(oscillator(), Q=1.0, R=1.0, sample_time=0.1 * math.pi)


def test_an_unstable_vibration_needs_two_samples_a_period() -> None:
    model = LinearModel([[0, 1], [-100, 0.1]], [[0], [1]], [[1, 0]], [[0]])
    with pytest.raises(OptionError, match=r"too slow for the unstable mode at 1\.592 Hz .*Take at most 0\.3142 s"):
        pl.lqr(model, Q=1.0, R=1.0, sample_time=0.4)


@pytest.mark.parametrize("design", [pl.lqr, pl.kalman, pl.luenberger])
def test_what_is_no_linear_model_is_refused(design: Any) -> None:
    noise = {"process_noise": 1.0, "measurement_noise": 1.0} if design is pl.kalman else {}
    with pytest.raises(OptionError, match=r"is no linear model\. Linearise a system first"):
        design(pl.Model("arm"), **noise)


def test_a_sampled_model_keeps_its_sample_time() -> None:
    with pytest.raises(OptionError, match=r"the model is sampled every 0\.1 s, not every 0\.2 s"):
        pl.lqr(oscillator(sample_time=0.1), Q=1.0, R=1.0, sample_time=0.2)


def test_weights_beyond_all_measure_say_so() -> None:
    with pytest.raises(ConvergenceError, match=r"the Riccati equation could not be solved.*look at the weights"):
        pl.lqr(TWO, Q=1e300, R=1e-200)


# observers


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"process_noise": ALL, "measurement_noise": {"angle": 0.01}},
            SingularError,
            "kalman: the outputs angle do not show the real pole 0 1/s, mostly in state 'place",
        ),
        (
            {"process_noise": ALL, "measurement_noise": {"angle": 0.01, "speed": 0.01}},
            SingularError,
            "do not show the real pole 0 1/s",
        ),
        (
            {"process_noise": {"torque": 1.0}, "measurement_noise": SEEN},
            SingularError,
            "no process noise reaches the undamped real pole 0 1/s",
        ),
        (
            {"process_noise": {"torques": 1.0}, "measurement_noise": SEEN},
            OptionError,
            "process_noise: there is no 'torques'. Did you mean torque",
        ),
        (
            {"process_noise": ALL, "measurement_noise": {"angel": 1.0}},
            OptionError,
            "measurement_noise: there is no 'angel'. Did you mean angle",
        ),
        (
            {"process_noise": ALL, "measurement_noise": {"angle": 0.0}},
            OptionError,
            "noise of output 'angle'=0.0: it must be positive",
        ),
        (
            {"process_noise": {"torque": -1.0}, "measurement_noise": SEEN},
            OptionError,
            "noise of input 'torque'=-1.0: it must be zero or positive",
        ),
        (
            {"process_noise": -np.eye(4), "measurement_noise": SEEN},
            OptionError,
            "process_noise has the eigenvalue -1; none may be negative",
        ),
        (
            {"process_noise": ALL, "measurement_noise": np.zeros((4, 4))},
            OptionError,
            "measurement_noise has the eigenvalue 0; all must be positive",
        ),
        (
            {"process_noise": ALL, "measurement_noise": SEEN, "outputs": ["angle"]},
            OptionError,
            "names the outputs already",
        ),
        (
            {"process_noise": ALL, "measurement_noise": SEEN, "sample_time": 0.5},
            OptionError,
            "kalman: sample_time=0.5 s is too slow",
        ),
    ],
)
def test_kalman(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pl.kalman(TWO, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, OptionError, "give poles, or speed: one of them"),
        ({"poles": [-1] * 4, "speed": 1.0}, OptionError, "give poles, or speed: one of them"),
        ({"speed": 0.0}, OptionError, "speed=0.0: it must be positive"),
        (
            {"speed": 5.0, "outputs": ["angle"]},
            SingularError,
            "luenberger: the outputs angle do not show the real pole 0 1/s",
        ),
        ({"poles": [-1, -2, -3, -4], "outputs": ["angle"]}, SingularError, "do not show .* which is to be placed"),
        ({"poles": [-1, -2]}, OptionError, "2 poles were given for 4 states; or give speed"),
        ({"poles": [-1, -2, -3, 0.5]}, OptionError, r"poles: 0.5\+0j 1/s does not decay"),
        ({"poles": [-1, -2, -3 + 1j, -4]}, OptionError, r"-3\+1j comes without its conjugate"),
        ({"poles": [-5, -5, -5, -5]}, OptionError, "poles cannot be placed.*Try speed="),
        ({"poles": [-1, -2, -3, math.nan]}, OptionError, "does not decay"),
        ({"poles": ["fast"] * 4}, OptionError, "poles=.*: give numbers, in 1/s"),
        ({"speed": 5.0, "outputs": ["angels"]}, OptionError, "outputs: there is no 'angels'"),
    ],
)
def test_luenberger(options: dict[str, Any], error: type[Exception], message: str) -> None:
    options = options if "outputs" in options else {**options, "outputs": ["angle", "place"]}
    with pytest.raises(error, match=message):
        pl.luenberger(TWO, **options)


# putting them together


def test_gain_and_observer_must_fit() -> None:
    slower = pl.kalman(TWO, process_noise=ALL, measurement_noise=SEEN, sample_time=2 * T)
    with pytest.raises(OptionError, match=r"gain is for samples every 0\.01 s, the observer for 0\.02 s"):
        pl.lqg(GAIN, slower)
    with pytest.raises(OptionError, match="the observer is continuous; a controller samples"):
        pl.lqg(GAIN, pl.kalman(TWO, process_noise=ALL, measurement_noise=SEEN))
    with pytest.raises(OptionError, match="the gain is continuous"):
        pl.state_feedback(pl.lqr(TWO, Q=1.0, R=1.0), outputs=["angle"])
    with pytest.raises(OptionError, match="in this order"):
        pl.lqg(OBSERVER, GAIN)
    other = pl.luenberger(oscillator(), speed=1.0, sample_time=T)
    with pytest.raises(OptionError, match="gain and observer are of different models"):
        pl.lqg(GAIN, other)


def test_an_integral_must_be_measured() -> None:
    model = LinearModel([[0, 1], [-100, -1]], [[0], [1]], [[1, 0], [2, 0]], [[0], [0]], output_names=("place", "scale"))
    gain = pl.lqr(model, outputs={"place": 1.0}, inputs={"u1": 1.0}, sample_time=T, integral=["place"])
    seen = pl.luenberger(model, speed=1.0, outputs=["scale"], sample_time=T)
    with pytest.raises(
        OptionError, match="'place' has integral action but the observer does not read it; it reads scale"
    ):
        pl.lqg(gain, seen)


def test_what_no_constant_input_holds_cannot_be_tracked() -> None:
    with pytest.raises(SingularError, match="track: no constant input holds speed"):
        pl.lqg(GAIN, OBSERVER, track=["speed"])
    with pytest.raises(OptionError, match=r"track: there is no 'angel'. Did you mean angle"):
        pl.lqg(GAIN, OBSERVER, track=["angel"])


def test_states_that_are_not_determined_need_an_observer() -> None:
    with pytest.raises(SingularError, match=r"outputs angle, place do not determine the 4 states.*pl.kalman"):
        pl.state_feedback(GAIN, outputs=["angle", "place"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda c: c.limited(low=1.0),
            "limits of 'torque': its value at the operating point, 0, is not between low = 1",
        ),
        (lambda c: c.limited(low=1.0, high=-1.0), "low = 1 must be below high = -1"),
        (lambda c: c.limited(rate=0.0), "rate of 'torque' = 0: it must be positive"),
        (lambda c: c.limited(high={"torqe": 1.0}), "high: there is no 'torqe'. Did you mean torque"),
        (lambda c: c.limited(high=math.nan), "high=nan: it must be finite"),
        (lambda c: c.delayed(1.5), "samples=1.5: give a whole number"),
        (lambda c: c.delayed(-1), "samples=-1: give a whole number, zero or above"),
        (lambda c: c.with_noise(-0.1), "noise of 'angle'=-0.1: it must be zero or positive"),
        (lambda c: c.with_noise(0.1, seed=-1), "seed=-1: give a whole number"),
        (lambda c: c.with_noise({"angel": 0.1}), "std: there is no 'angel'. Did you mean angle"),
        (lambda c: c.quantised("fine"), "step='fine': give a number"),
        (lambda c: c.quantised(-1), "quantum of 'angle'=-1.0: it must be zero or positive"),
        (lambda c: c.following({"angle": 1.0}), "no output is tracked. Design with integral=.*track="),
        (lambda c: c.simulate(oscillator(), end_time=1.0), "inputs: there is no 'torque'"),
        (lambda c: c.simulate(TWO, end_time=0.0), "end_time=0.0: it must be positive"),
        (lambda c: c.simulate(TWO, end_time=1.0, start=[1.0]), "give 4 finite numbers, or some by name"),
        (
            lambda c: c.simulate(TWO, end_time=1.0, start={"angel": 1.0}),
            "start: there is no 'angel'. Did you mean angle",
        ),
        (lambda c: c.simulate(TWO.discretise(0.5), end_time=1.0), "the model is sampled every 0.5 s, not every 0.01 s"),
    ],
)
def test_controller(change: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        change(HOLD)


def test_references() -> None:
    tracking = pl.lqg(GAIN, OBSERVER, track=["angle"])
    with pytest.raises(OptionError, match="there is no 'place'"):
        tracking.following({"place": 1.0})
    with pytest.raises(ModelError, match="angle = 'fast' is not allowed"):
        tracking.following({"angle": "fast"})
    with pytest.raises(OptionError, match=re.escape("give {output: signal}")):
        tracking.following(1.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"inputs": ()}, "at least one input"),
        ({"inputs": "u"}, "inputs='u': give a list of names"),
        ({"sample_time": 0.0}, "sample_time=0.0: it must be positive"),
        ({"A": np.eye(2), "By": np.eye(2)}, r"By has the shape \(2, 2\); it must be \(2, 1\)"),
        ({"Dy": [[math.inf]]}, "Dy holds a number that is not finite"),
        ({"tracked": ("y",), "r0": [math.nan]}, "r0 holds a number that is not finite"),
        ({"state_names": ("a",)}, "1 state_names were given, 0 are needed"),
        ({"A": [["a"]]}, "A is no array of numbers"),
    ],
)
def test_arrays_of_a_controller(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.Controller(**{"inputs": ("u",), "outputs": ("y",), "sample_time": T, **fields})


@pytest.mark.parametrize("gains", [{}, {"u": 5.0}, 5.0, {"u": {"y": "much"}}])
def test_proportional(gains: Any) -> None:
    with pytest.raises(OptionError, match=r"Controller.proportional: gains"):
        pl.Controller.proportional(gains, sample_time=T)
