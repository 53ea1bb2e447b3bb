"""Blocks of controllers: PID, notch, lead, low-pass; any linear system as a sampled block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.control import checks
from pliant.control.controllers.controller import Controller
from pliant.control.models.linear_model import LinearModel
from pliant.errors import OptionError


def pid(
    output: str,
    input: str,
    *,
    proportional: float,
    integral: float = 0.0,
    derivative: float = 0.0,
    filter_time: float | None = None,
    sample_time: float,
    input_value: float = 0.0,
    output_value: float = 0.0,
) -> Controller:
    """Make ``u = u0 + kp e + ki integral of e dt - kd s / (1 + s filter_time) y``, with e = r - y, sampled.

    proportional, integral, derivative   kp, ki, kd, in units of the input per unit of the output (and s)
    filter_time    s, of the derivative, which acts on the output only, so steps of r cause no peak; default: kd / (10
                   kp)
    input_value    u0; `output_value`: y at the operating point, the value of r unless set by ``following``

    The integral is taken by the trapezoidal rule, the derivative backwards (K. J. Astrom, R. M. Murray 2008, sec.
    10.5). While the input is limited, the integral is tracked back with the time constant sqrt(kd / ki), or kp / ki
    without a derivative.

    >>> pid("angle:arm", "motor/torque", proportional=5.0, integral=2.0, derivative=0.5, sample_time=1e-3)
    Controller(angle:arm -> motor/torque every 0.001 s, 2 states; tracks angle:arm)
    """
    kp, ki, kd = (
        checks.number("pid", word, value)
        for word, value in (("proportional", proportional), ("integral", integral), ("derivative", derivative))
    )
    T = checks.positive("pid", "sample_time", sample_time)
    if filter_time is None and kd and not kp:
        raise OptionError("pid: derivative without proportional: give filter_time=, too.")
    if filter_time is None:
        filter_time = abs(0.1 * kd / kp) if kd else 0.0
    lag = checks.not_negative("pid", "filter_time", filter_time)
    a, g = lag / (lag + T), kd / (lag + T)
    track = math.sqrt(abs(kd / ki)) if ki and kd else abs(kp / ki) if ki else 0.0
    return Controller(
        inputs=(input,),
        outputs=(output,),
        sample_time=T,
        tracked=(output,),
        state_names=("integral", "derivative"),
        A=np.diag([1.0, a]),
        By=np.array([[-ki * T], [(a - 1.0) * g]]),
        Br=np.array([[ki * T], [0.0]]),
        Bw=np.array([[min(1.0, T / track) if track else 1.0 if ki else 0.0], [0.0]]),
        C=np.array([[1.0, -1.0]]),
        Dy=np.array([[-kp - 0.5 * ki * T - g]]),
        Dr=np.array([[kp + 0.5 * ki * T]]),
        u0=np.array([input_value]),
        y0=np.array([output_value]),
        r0=np.array([output_value]),
    )


def notch(omega: float, *, depth: float = 0.05, damping: float = 0.5, sample_time: float) -> LinearModel:
    """Make ``(s^2 + 2 depth damping w s + w^2) / (s^2 + 2 damping w s + w^2)``: gain `depth` at w = omega (rad/s).

    damping   of the poles: half the relative width of the notch

    Sampled by Tustin's rule with w kept exactly.

    >>> abs(notch(200.0, depth=0.1, sample_time=1e-3).frequency_response([200.0]).values).round(6).tolist()
    [[[0.1]]]
    """
    w = _frequency("notch", omega, sample_time)
    z, d = checks.positive("notch", "damping", damping), checks.not_negative("notch", "depth", depth)
    return _tustin([1.0, 2.0 * d * z * w, w * w], [1.0, 2.0 * z * w, w * w], sample_time, w)


def lead(omega: float, *, phase: float, sample_time: float) -> LinearModel:
    """Make ``(s / z + 1) / (s / p + 1) sqrt(z / p)``: gain 1 and the largest phase (rad, negative: a lag) at omega.

    With sin phase = (p - z) / (p + z) and z p = omega^2, omega in rad/s. Sampled by Tustin's rule with omega exact.

    >>> np.angle(lead(50.0, phase=0.5, sample_time=1e-3).frequency_response([50.0]).values).round(6).tolist()
    [[[0.5]]]
    """
    w = _frequency("lead", omega, sample_time)
    angle = checks.number("lead", "phase", phase)
    if not abs(angle) < 0.5 * math.pi:
        raise OptionError(f"lead: phase={phase!r}: it must be below a quarter turn, pi / 2.")
    ratio = (1.0 + math.sin(angle)) / (1.0 - math.sin(angle))  # p / z
    z, p = w / math.sqrt(ratio), w * math.sqrt(ratio)
    gain = math.sqrt(z / p)
    return _tustin([gain / z, gain], [1.0 / p, 1.0], sample_time, w)


def low_pass(omega: float, *, damping: float = math.sqrt(0.5), sample_time: float) -> LinearModel:
    """Make ``w^2 / (s^2 + 2 damping w s + w^2)``, sampled by Tustin's rule with w = omega (rad/s) kept exactly.

    >>> abs(low_pass(50.0, sample_time=1e-3).frequency_response([50.0]).values).round(6).tolist()
    [[[0.707107]]]
    """
    w = _frequency("low_pass", omega, sample_time)
    return _tustin([w * w], [1.0, 2.0 * checks.positive("low_pass", "damping", damping) * w, w * w], sample_time, w)


def sampled_block(owner: str, system: Any, sample_time: float | None) -> LinearModel:
    """Return a linear system of pliant or python-control, sampled: by Tustin's rule if it is continuous."""
    block = system if isinstance(system, LinearModel) else _of_python_control(owner, system)
    if sample_time is not None:
        sample_time = checks.positive(owner, "sample_time", sample_time)
    if block.sample_time is None:
        if sample_time is None:
            raise OptionError(f"{owner}: the system is continuous. Give sample_time=, by which it is to be sampled.")
        return _bilinear(block, sample_time, 2.0 / sample_time)
    if sample_time is not None and not math.isclose(block.sample_time, sample_time, rel_tol=1e-9):
        raise OptionError(f"{owner}: the system is sampled every {block.sample_time:g} s, not every {sample_time:g} s.")
    return block


def behind(controller: Controller, block: Any, inputs: Sequence[str] | None) -> Controller:
    """Return a controller whose inputs each pass through a block."""
    owner, c, T = "Controller.through", controller, controller.sample_time
    at = checks.positions(owner, "inputs", c.inputs if inputs is None else inputs, c.inputs)
    b = sampled_block(owner, block, T)
    if b.D.shape != (1, 1):
        raise OptionError(f"{owner}: the block has {b.D.shape[1]} inputs and {b.D.shape[0]} outputs; it must have one.")
    pick = np.eye(len(c.inputs))[at]
    own, keep, n = np.kron(np.eye(len(at)), b.A), np.eye(len(c.inputs)), len(c.A)
    keep[at] *= float(b.D[0, 0])  # wanted = keep (C x + ...) + memory of the blocks
    enter, leave = np.kron(np.eye(len(at)), b.B) @ pick, pick.T @ np.kron(np.eye(len(at)), b.C)
    k = len(own)
    names = (f"block state {n + i + 1} of {c.inputs[j]}" for j in at for i in range(len(b.A)))
    return replace(
        c,
        state_names=(*c.state_names, *names),
        A=np.block([[c.A, np.zeros((n, k))], [enter @ c.C, own]]),
        Bu=np.vstack([c.Bu, np.zeros((k, len(c.inputs)))]),
        By=np.vstack([c.By, enter @ c.Dy]),
        Br=np.vstack([c.Br, enter @ c.Dr]),
        Bw=np.vstack([c.Bw, np.zeros((k, len(c.inputs)))]),
        C=np.hstack([keep @ c.C, leave]),
        Dy=keep @ c.Dy,
        Dr=keep @ c.Dr,
    )


def _frequency(owner: str, omega: float, sample_time: float) -> float:
    w, T = checks.positive(owner, "omega", omega), checks.positive(owner, "sample_time", sample_time)
    if w >= math.pi / T:
        raise OptionError(f"{owner}: omega={w:g} rad/s is not below half the sampling rate, {math.pi / T:g} rad/s.")
    return w


def _tustin(numerator: list[float], denominator: list[float], sample_time: float, omega: float) -> LinearModel:
    from scipy.signal import tf2ss

    A, B, C, D = tf2ss(numerator, denominator)
    return _bilinear(LinearModel(A, B, C, D), sample_time, omega / math.tan(0.5 * omega * sample_time))


def _bilinear(block: LinearModel, sample_time: float, rate: float) -> LinearModel:
    """Substitute ``s = rate (z - 1) / (z + 1)``; rate = 2 / T, or the rate that keeps a frequency exactly."""
    one, A = np.eye(len(block.A)), block.A / rate
    inverse = np.linalg.inv(one - A)
    return LinearModel(
        inverse @ (one + A),
        inverse @ block.B * (2.0 / rate),
        block.C @ inverse,
        block.D + block.C @ inverse @ block.B / rate,
        input_names=block.input_names,
        output_names=block.output_names,
        sample_time=sample_time,
    )


def _of_python_control(owner: str, system: Any) -> LinearModel:
    kind = type(system).__name__
    if kind == "TransferFunction":
        import control

        try:
            system = control.ss(system)
        except Exception as error:  # improper, or several inputs without slycot
            raise OptionError(f"{owner}: the transfer function has no state space: {error}") from None
    elif kind != "StateSpace":
        raise OptionError(
            f"{owner}: {system!r:.60} is no linear system. Give a control.StateSpace, a control.TransferFunction or a "
            "pl.LinearModel; a function goes into pl.FunctionController."
        )
    step = system.dt
    if step is True:
        raise OptionError(f"{owner}: the system is sampled, but does not say how often. Give it its dt.")
    return LinearModel(system.A, system.B, system.C, system.D, sample_time=None if not step else float(step))
