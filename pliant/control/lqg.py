"""Gain and observer put together: the controller that acts on an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pliant.control import _checks as checks
from pliant.control.controller import Controller
from pliant.control.margins import margins
from pliant.control.observer import Observer, direct
from pliant.control.regulator import Gain
from pliant.control.sampling import sampled
from pliant.errors import OptionError, SingularError

if TYPE_CHECKING:
    from pliant.control.linear_model import LinearModel


def lqg(gain: Gain, observer: Observer, *, track: Sequence[str] = (), delay: int = 0) -> Controller:
    """The sampled controller that feeds back an estimate: ``u = u0 - Kx x - Kz z + Dr (r - y0)``.

    track   outputs that follow a reference by feedforward alone, besides those with an integral z. Give the references
            with ``controller.following({output: signal})``; until then they stay at the operating point

    delay   whole samples from issued to applied: the gain then feeds back the state of so many samples later, which the
            inputs under way decide, ``A^n x + sum of A^(n-1-i) B u_i``. Poles are those of the loop without delay, and
            zeros. Not with integrals

    Dr holds the steady state in which the tracked outputs are r, less the integral that a step of r must make anyway:
    it would be paid back by an overshoot.

    At a sample the reading corrects the estimate, then the input is set, then the estimate moves on with the input that
    is applied, so limits do not mislead it. Integrals run on the reference that the limited input could have
    followed (Hanus, Kinnaert and Henrotte 1987), so they do not wind up. The poles of the closed loop are those of
    the gain and those of the observer (separation).

    >>> import pliant as pl
    >>> from pliant.control.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    >>> gain = pl.lqr(cart, Q=[1, 1], R=1, sample_time=0.01)
    >>> seen = pl.luenberger(cart, poles=[-5.0, -6.0], sample_time=0.01)
    >>> lqg(gain, seen, track=["y1"])
    Controller(y1 -> u1 every 0.01 s, 2 states; tracks y1)
    """
    if not (isinstance(gain, Gain) and isinstance(observer, Observer)):
        raise OptionError("lqg: give a gain of pl.lqr and an observer of pl.kalman or pl.luenberger, in this order.")
    T, model = _sample_time(gain, observer), gain.model
    tracked = (*gain.integral, *(name for name in checks.names("lqg", "track", track) if name not in gain.integral))
    u = checks.positions("lqg", "inputs", gain.inputs, model.input_names)
    y = checks.positions("lqg", "outputs", observer.outputs, model.output_names)
    r = checks.positions("lqg", "track", tracked, model.output_names)
    z = _places_of_integrals(gain, observer)
    A, B = sampled(model, T, "lqg")
    B, C, D, L = B[:, u], model.C[y], model.D[np.ix_(y, u)], observer.L
    n, k, m = len(A), len(z), len(u)
    Kx, Kz = gain.K[:, :n], gain.K[:, n:]
    Nx, Nu = _steady(model, u, r, tracked)
    Dr = Nu + (Kx - Kz @ _forgiven(gain.riccati, n)) @ Nx

    # The reading d = C x + D last holds the input applied last: a state too, unless D is zero.
    held = m if np.any(D) else 0
    after = np.eye(n) - L @ C  # estimate after the reading: after x + L (d - D last)
    Dl, Dz, zero = D[:, :held], D[z], np.zeros
    controller = Controller(
        inputs=gain.inputs,
        outputs=observer.outputs,
        sample_time=T,
        tracked=tracked,
        state_names=(*gain.state_names, *(f"last {name}" for name in gain.inputs[:held])),
        A=np.block(
            [
                [A @ after, zero((n, k)), -A @ L @ Dl],
                [zero((k, n)), np.eye(k), -T * Dz[:, :held]],
                [zero((held, n + k + held))],
            ]
        ),
        Bu=np.vstack([B, T * Dz, np.eye(held, m)]),
        By=np.vstack([A @ L, T * np.eye(len(y))[z], zero((held, len(y)))]),
        Br=np.vstack([zero((n, len(r))), -T * np.eye(k, len(r)), zero((held, len(r)))]),
        Bw=np.vstack([zero((n, m)), -T * np.linalg.pinv(Dr[:, :k]), zero((held, m))]),
        C=np.hstack([-Kx @ after, -Kz, Kx @ L @ Dl]),
        Dy=-Kx @ L,
        Dr=Dr,
        u0=model.input_values[u],
        y0=model.output_values[y],
        r0=model.output_values[r],
    )
    if checks.whole("lqg", "delay", delay):
        if gain.integral:
            raise OptionError(f"lqg: delay={delay} with an integral of {gain.integral[0]!r}: leave one of them out.")
        controller = _ahead(controller, (A, B, Kx), np.hstack([after, -L @ Dl]), L, delay)
    margins(controller, model)  # thin ones are warned about
    return controller


def _ahead(
    c: Controller, design: tuple[np.ndarray, ...], corrected: np.ndarray, L: np.ndarray, delay: int
) -> Controller:
    """The controller with inputs that take effect later, and feedback of the state that they will find.

    corrected, L   estimate after a reading d: ``corrected x + L d``
    Inputs under way are states too, the oldest first; what was issued enters as wanted + (issued - wanted).
    """
    A, B, K = design
    m, k, far = len(c.inputs), len(c.A), np.linalg.matrix_power(A, delay)
    under_way = -K @ np.hstack([np.linalg.matrix_power(A, delay - 1 - i) @ B for i in range(delay)])
    C, Dy, wait = np.hstack([-K @ far @ corrected, under_way]), -K @ far @ L, m * delay
    shift = np.eye(wait, k=m)
    A_new = np.block([[c.A, np.zeros((k, wait))], [np.zeros((wait, k)), shift]])
    A_new[k + wait - m :] += C

    def last(rows: np.ndarray, above: np.ndarray) -> np.ndarray:
        return np.vstack([above, np.zeros((wait - m, above.shape[1])), rows])

    return replace(
        c,
        delay=delay,
        state_names=(*c.state_names, *(f"{name}, {i + 1} samples ahead" for i in range(delay) for name in c.inputs)),
        A=A_new,
        Bu=last(np.zeros((m, m)), c.Bu),
        By=last(Dy, c.By),
        Br=last(c.Dr, c.Br),
        Bw=last(np.eye(m), c.Bw),
        C=C,
        Dy=Dy,
    )


def state_feedback(gain: Gain, *, outputs: Sequence[str], track: Sequence[str] = ()) -> Controller:
    """The sampled controller that takes the states from outputs of the same instant, which must determine them.

    For ideal studies, and for mechanisms all of whose positions and rates are measured. Else see `lqg`.

    >>> import pliant as pl
    >>> from pliant.control.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> state_feedback(pl.lqr(cart, Q=[1, 1], R=1, sample_time=0.01), outputs=["y1", "y2"])
    Controller(y1, y2 -> u1 every 0.01 s, 2 states)
    """
    if not isinstance(gain, Gain):
        raise OptionError("state_feedback: give a gain of pl.lqr.")
    if gain.sample_time is None:
        raise _continuous("state_feedback", "gain")
    return lqg(gain, direct(gain.model, outputs=outputs, sample_time=gain.sample_time), track=track)


def _sample_time(gain: Gain, observer: Observer) -> float:
    """The sample time that gain and observer share; their model must be the same too."""
    for name, part in (("gain", gain), ("observer", observer)):
        if part.sample_time is None:
            raise _continuous("lqg", name)
    if gain.sample_time != observer.sample_time:
        raise OptionError(
            f"lqg: the gain is for samples every {gain.sample_time:g} s, the observer for {observer.sample_time:g} s."
        )
    mine, other = gain.model, observer.model
    if mine is not other and not (mine.A.shape == other.A.shape and np.array_equal(mine.A, other.A)):
        raise OptionError("lqg: gain and observer are of different models. Design both for the same one.")
    return float(gain.sample_time or 0.0)


def _continuous(owner: str, part: str) -> OptionError:
    return OptionError(f"{owner}: the {part} is continuous; a controller samples. Design it with sample_time=.")


def _places_of_integrals(gain: Gain, observer: Observer) -> list[int]:
    """Where the outputs with integral action stand among those read."""
    for name in gain.integral:
        if name not in observer.outputs:
            raise OptionError(
                f"lqg: {name!r} has integral action but the observer does not read it; it reads "
                f"{', '.join(observer.outputs)}."
            )
    return [observer.outputs.index(name) for name in gain.integral]


def _steady(model: LinearModel, u: list[int], r: list[int], tracked: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Nx and Nu: the constant state x = Nx r under the input u = Nu r, in which the tracked outputs are r."""
    n = len(model.A)
    still = model.A if model.sample_time is None else model.A - np.eye(n)
    whole = np.block([[still, model.B[:, u]], [model.C[r], model.D[np.ix_(r, u)]]])
    wanted = np.vstack([np.zeros((n, len(r))), np.eye(len(r))])
    rows = np.maximum(np.max(np.abs(whole), axis=1, keepdims=True), 1e-300)
    columns = np.maximum(np.linalg.norm(whole / rows, axis=0), 1e-300)
    found = np.linalg.lstsq(whole / rows / columns, wanted / rows, rcond=1e-14)[0] / columns[:, None]
    left = np.max(np.abs((whole @ found - wanted) / rows), initial=0.0)
    if left > 1e-8 * np.max(np.abs(wanted / rows), initial=0.0):
        raise SingularError(
            f"lqg: track: no constant input holds {', '.join(tracked)} at any values wanted. Track no rates, and not "
            "more outputs than there are inputs."
        )
    return found[:n], found[n:]


def _forgiven(P: np.ndarray, n: int) -> np.ndarray:
    """Integral that a deviation x is allowed at no extra cost, ``-Pzz^-1 Pzx x``: the least of the cost to come.

    Without it the error that a step of the reference must make is counted, and paid back by an overshoot.
    """
    return np.linalg.solve(P[n:, n:], P[n:, :n])
