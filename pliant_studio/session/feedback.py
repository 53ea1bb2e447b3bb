"""Loop closed about the equilibrium of a session: linear model, LQR, and the nonlinear motion under it."""

from __future__ import annotations

import warnings
from contextlib import suppress
from math import floor, log10, pi
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant.errors import ConvergenceError, OptionError, PliantWarning
from pliant.forces import Gravity
from pliant.joints.motion import Motion
from pliant.model.copies import with_fields
from pliant.results import Result
from pliant.results.drawing.scene import extent
from pliant_studio.session.mechanism import Reading, compiled
from pliant_studio.session.session import Session

OTHER = "another input before"
IN_PLACE = "motor in place of "
MODES = 3  # that the controller models, in addition to rigid and unstable ones
PER_PERIOD = 20  # samples in a period of the fastest of these
UNFELT = 1e9  # of the largest acting force: a larger input would act by rounding only
SAME = 1e-3  # of the extent: a more distant equilibrium is another one
SENSED = ("angle", "position", "line_length", "joint_angle", "joint_travel", "tension")


class Weights(NamedTuple):
    """Powers of ten: of the weights of the squared output in the unit shown, and of the squared input in units of the
    input that moves the output by such a unit at the speed of the slowest pole.
    """

    output: float
    input: float


class Closed(NamedTuple):
    """Results of a closed loop.

    plant     linear model about the equilibrium; `open_poles` are its poles known to the controller
    gain      the state feedback, with `poles` of the closed loop
    motions   of the nonlinear model after a push: "closed loop" and "without control"
    """

    plant: Any
    open_poles: np.ndarray
    gain: Any
    sample_time: float
    motions: dict[str, Result]


def inputs(session: Session) -> list[str]:
    """Return the possible inputs of a controller: loads, motors, tendons, and motors that replace drives of angles."""
    model, system = session.mechanism.model(session.values), session.system
    drives = [part for part in model.joints if isinstance(part, Motion) and part.coordinate == "angle"]
    weights = {part.name for part in model.forces if isinstance(part, Gravity)}
    driven = {part.name for part in model.joints if isinstance(part, Motion)}
    signals = [
        each.name
        for each in system.layout.signals
        if "/" in each.name and each.constant and each.name.rpartition("/")[0] not in weights | driven
    ]
    return [*(f"{IN_PLACE}{part.name}" for part in drives), *signals]


def disturbances(session: Session) -> list[str]:
    """Return the possible pushes: a rate of turn of a rigid body in the plane, or a different initial input."""
    model = session.mechanism.model(session.values)
    return [*([] if model.spatial else [body.name for body in model.bodies]), OTHER]


def close(
    session: Session, setting: str, reading: Reading, weights: Weights, *, push: tuple[str, float], seconds: float
) -> Closed:
    """Design an LQR from one input to one output, and compute the motion after a push, with and without it.

    The push is a rate of turn (rad/s) of a body; or, for `OTHER`, a number of units of the output: the motion begins in
    the equilibrium with the input that moves it about that far. Sensors are all readings; an observer (Kalman)
    estimates the states.

    >>> import pliant as pl
    >>> from pliant_studio.session.any_model import of_model
    >>> m = pl.Model("inverted pendulum")
    >>> ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0, angle=pl.DEG * 90))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    >>> drive = m.add(pl.Motion(ground.at(0, 0), rod.at(s=0), angle=pl.DEG * 90, name="hold"))
    >>> session = Session(of_model(m))
    >>> found = close(session, inputs(session)[0], session.reads[0], Weights(0, 0), push=("rod", 0.1), seconds=2.0)
    >>> bool(found.open_poles.real.max() > 3.0), bool(found.gain.poles.real.max() < 0.0)
    (True, True)
    """
    if session.trouble:
        raise ConvergenceError(f"A controller needs an equilibrium, and none was found: {session.trouble}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # instability is expected here
        system, rest, signal = _with_motor(session, setting)
        sensors = [each.output for each in session.reads if each.output.partition(":")[0] in SENSED]
        if reading.output not in sensors:
            raise OptionError(f"{reading.label}: a controller needs something that is measured: an angle, a place, ...")
        plant = pl.linearise(system, at=rest, inputs=[signal], outputs=sensors)
        small = _reduced(plant)
        sample = sample_time(small.poles(), seconds)
        sizes = {each.output: 1.0 / each.per_si for each in session.reads}
        force = _size(small, sensors.index(reading.output), sizes[reading.output], seconds)
        if not force < UNFELT * (rest.outcome.force_scale or np.inf):
            raise OptionError(f"{signal} does not move the {reading.label}. Choose another input, or another output.")
        gain = pl.lqr(
            small,
            outputs={reading.output: 10.0**weights.output / sizes[reading.output] ** 2},
            inputs={signal: 10.0**weights.input / force**2},
            sample_time=sample,
        )
        noise = {each: 1e-2 * sizes[each] for each in sensors}
        observer = pl.kalman(small, process_noise={signal: force}, measurement_noise=noise, sample_time=sample)
        controller = pl.lqg(gain, observer)
        options: Any = {"start": rest, "end_time": seconds, "partial": True}
        if push[0] == OTHER:
            before = system.with_signals({signal: float(np.ravel(plant.input_values)[0]) + push[1] * force})
            options["start"] = pl.statics(before, start=rest)
        else:
            options["push"] = dict([push])
        motions = {
            "closed loop": pl.transient(system, controller=controller, **options),
            "without control": pl.transient(system, **options),
        }
    return Closed(plant, small.poles(), gain, sample, motions)


def sample_time(poles: np.ndarray, seconds: float) -> float:
    """Return a round sample time (s): enough samples in a period of the fastest pole, some hundred in the whole motion.

    >>> sample_time(np.array([-1.0, 30.0]), 1.0)
    0.005
    """
    fastest = max(float(np.abs(poles).max(initial=0.0)), 1e-300)
    wanted = min(2.0 * pi / (PER_PERIOD * fastest), seconds / 200.0)
    power = 10.0 ** floor(log10(wanted))
    return float(f"{max(k for k in (1.0, 2.0, 5.0) if k * power <= wanted * (1 + 1e-9)) * power:.3g}")


def _with_motor(session: Session, setting: str) -> tuple[Any, Result, str]:
    """Return system, equilibrium and input: unchanged, or with a motor in place of a drive, with its torque."""
    if not setting.startswith(IN_PLACE):
        return session.system, session.rest, setting
    name = setting.removeprefix(IN_PLACE)
    model = session.mechanism.model(session.values)
    drive = model.part(name)
    torque = float(session.rest.drive_effort.sel(joint=name))
    free = with_fields(model, {}, without=[name])
    a, b = (free.part(end.body.name).at(**_address(end)) for end in (drive.a, drive.b))
    free.add(pl.Motor(name, a, b, torque=torque))
    system = compiled(free, session.values)
    rest = pl.statics(system, start=session.rest)
    moved = float(np.max(np.abs(rest.shape.values - session.rest.shape.values)))
    if moved > SAME * extent(session.rest.shape.values):
        raise ConvergenceError(f"A motor with the torque of {name!r} holds another equilibrium, {moved:.3g} m away.")
    return system, rest, f"{name}/torque"


def _size(plant: Any, output: int, unit: float, seconds: float) -> float:
    """Return the input that moves an output by a unit, at the speed of the slowest non-rigid pole."""
    speeds = np.abs(plant.poles())
    known = speeds[speeds > 1e-6 * speeds.max(initial=0.0)]
    omega = float(known.min(initial=np.inf)) if known.size else 2.0 * pi / seconds
    between = omega * np.exp(0.25j * pi) * np.eye(len(plant.A))  # pole of neither an oscillation nor a fall
    gain = float(np.abs(plant.C[output] @ np.linalg.solve(between - plant.A, plant.B[:, 0])))
    return unit / gain if gain > 0.0 else np.inf


def _reduced(plant: Any) -> Any:
    """Reduce to the slowest modes, besides rigid and unstable ones; all if there are no more. A mode as fast as the
    last one, as in a symmetric mechanism, is kept too.
    """
    for count in (MODES, MODES + 1, MODES + 2):
        with suppress(OptionError):
            return pl.reduce(plant, modes=count)
    return plant


def _address(marker: Any) -> dict[str, Any]:
    """Return arguments of ``at`` that make the marker on the body of another model."""
    return {key: value for key, value in marker.body.address(marker).items() if value is not None}
