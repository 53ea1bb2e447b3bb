"""Controllers that combine a gain with an observer: the gain acts on the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.control import checks
from pliant.control.controllers.controller import Controller
from pliant.control.design.observer import Observer, direct
from pliant.control.design.regulator import Gain
from pliant.control.models.margins import margins
from pliant.control.models.sampling import sample_matrices
from pliant.errors import OptionError, SingularError

if TYPE_CHECKING:
    from pliant.control.models.linear_model import LinearModel


def lqg(gain: Gain, observer: Observer, *, track: Sequence[str] = (), delay: int = 0) -> Controller:
    """Make the sampled controller that feeds back an estimate: ``u = u0 - Kx x - Kz z + Dr (r - y0)``.

    track   outputs that follow a reference by feedforward alone, in addition to those with an integral z. Give the
            references with ``controller.following({output: signal})``; until then they stay at the operating point

    delay   whole samples from issued to applied. The gain then feeds back the state predicted for n = delay samples
            later, ``A^n x + sum of A^(n-1-i) B u_i``, which the inputs already issued determine. The poles are the
            poles of the loop without delay, and poles at zero. Not possible with integrals

    Disturbances that the observer estimates (``pl.kalman(..., disturbances=...)``) are compensated: the inputs keep the
    tracked outputs at r in spite of them. This is integral action without an integral that could wind up. Without
    tracked outputs the state is kept at zero, which needs inputs that act where the disturbances do.

    Dr is the feedforward to the steady state with tracked outputs r, less the contribution of the integral after a step
    of r, which would cause an overshoot.

    At a sample the reading corrects the estimate, then the input is set, then the estimate is propagated with the
    applied input, so that it stays right when inputs are limited. Integrals run on the reference that the limited input
    could have followed (Hanus, Kinnaert and Henrotte 1987), so they do not wind up. The poles of the closed loop are
    the poles of the gain and of the observer (separation).

    >>> import pliant as pl
    >>> from pliant.control.models.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    >>> gain = pl.lqr(cart, Q=[1, 1], R=1, sample_time=0.01)
    >>> seen = pl.luenberger(cart, poles=[-5.0, -6.0], sample_time=0.01)
    >>> lqg(gain, seen, track=["y1"])
    Controller(y1 -> u1 every 0.01 s, 2 states; tracks y1)
    """
    design = combine(gain, observer, track, "lqg")
    controller = design.controller()
    if checks.whole("lqg", "delay", delay):
        if gain.integral:
            raise OptionError(f"lqg: delay={delay} with an integral of {gain.integral[0]!r}: leave one of them out.")
        controller = _ahead(controller, design, delay)
    margins(controller, gain.model)  # warns if they are thin
    return controller


def _ahead(c: Controller, design: Design, delay: int) -> Controller:
    """Return the controller with delayed inputs and feedback of the state predicted for their effect.

    Inputs under way are states too, the oldest first; issued inputs enter as wanted + (issued - wanted).
    """
    A, B, K, L, corrected = design.A, design.B, design.Kx, design.L, design.corrected
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
    """Make the sampled controller that computes the states from outputs of the same instant, which must determine them.

    For ideal studies, and for mechanisms with all positions and rates measured. Otherwise use `lqg`.

    >>> import pliant as pl
    >>> from pliant.control.models.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> state_feedback(pl.lqr(cart, Q=[1, 1], R=1, sample_time=0.01), outputs=["y1", "y2"])
    Controller(y1, y2 -> u1 every 0.01 s, 2 states)
    """
    if not isinstance(gain, Gain):
        raise OptionError("state_feedback: give a gain of pl.lqr.")
    if gain.sample_time is None:
        raise _continuous("state_feedback", "gain")
    return lqg(gain, direct(gain.model, outputs=outputs, sample_time=gain.sample_time), track=track)


class Design(NamedTuple):
    """A gain and an observer combined, in deviations: the basis of `lqg` and `mpc`.

    A reading d corrects the estimate, ``x+ = corrected (x, last) + L d``; then ``u = -Kx x+ - Kz z + Dr s``, with
    integrals z of outputs; then ``x = A x+ + B u``. ``last`` is the input applied last, if readings depend on it.
    """

    gain: Gain
    observer: Observer
    A: np.ndarray
    B: np.ndarray
    Kx: np.ndarray
    Kz: np.ndarray
    Dr: np.ndarray
    u: list[int]
    y: list[int]
    r: list[int]
    z: list[int]

    @property
    def L(self) -> np.ndarray:
        """Return the gain of the observer."""
        return self.observer.L

    @property
    def D(self) -> np.ndarray:
        """Return the direct term of the readings."""
        return self.gain.model.D[np.ix_(self.y, self.u)]

    @property
    def held(self) -> int:
        """Return the number of inputs applied last that are states: zero if D is zero in d = C x + D last."""
        return len(self.u) if np.any(self.D) else 0

    @property
    def corrected(self) -> np.ndarray:
        """Return the map from estimate and inputs applied last to the corrected estimate, less L d."""
        C = self.observer.extended.C[self.y]
        return np.hstack([np.eye(len(self.A)) - self.L @ C, -self.L @ self.D[:, : self.held]])

    def controller(self) -> Controller:
        """Return the sampled linear controller."""
        n, k, m, held = len(self.A), len(self.z), len(self.u), self.held
        y, r, T, zero = len(self.y), len(self.r), float(self.gain.sample_time or 0.0), np.zeros
        after, of_last = self.corrected[:, :n], self.corrected[:, n:]
        Dz, model, seen = self.D[self.z], self.gain.model, self.observer.extended
        integrals = self.gain.state_names[len(model.A) :]
        return Controller(
            inputs=self.gain.inputs,
            outputs=self.observer.outputs,
            sample_time=T,
            tracked=tuple(model.output_names[i] for i in self.r),
            state_names=(*seen.state_names, *integrals, *(f"last {name}" for name in self.gain.inputs[:held])),
            A=np.block(
                [
                    [self.A @ after, zero((n, k)), self.A @ of_last],
                    [zero((k, n)), np.eye(k), -T * Dz[:, :held]],
                    [zero((held, n + k + held))],
                ]
            ),
            Bu=np.vstack([self.B, T * Dz, np.eye(held, m)]),
            By=np.vstack([self.A @ self.L, T * np.eye(y)[self.z], zero((held, y))]),
            Br=np.vstack([zero((n, r)), -T * np.eye(k, r), zero((held, r))]),
            Bw=np.vstack([zero((n, m)), -T * np.linalg.pinv(self.Dr[:, :k]), zero((held, m))]),
            C=np.hstack([-self.Kx @ after, -self.Kz, -self.Kx @ of_last]),
            Dy=-self.Kx @ self.L,
            Dr=self.Dr,
            u0=model.input_values[self.u],
            y0=model.output_values[self.y],
            r0=model.output_values[self.r],
        )


def combine(gain: Gain, observer: Observer, track: Sequence[str], owner: str) -> Design:
    """Combine gain and observer of one model; estimated disturbances are compensated."""
    if not (isinstance(gain, Gain) and isinstance(observer, Observer)):
        raise OptionError(
            f"{owner}: give a gain of pl.lqr and an observer of pl.kalman or pl.luenberger, in this order."
        )
    T, model = _sample_time(gain, observer), gain.model
    tracked = (*gain.integral, *(name for name in checks.names(owner, "track", track) if name not in gain.integral))
    u = checks.positions(owner, "inputs", gain.inputs, model.input_names)
    y = checks.positions(owner, "outputs", observer.outputs, model.output_names)
    r = checks.positions(owner, "track", tracked, model.output_names)
    d = checks.positions(owner, "disturbances", observer.disturbances, model.input_names)
    n, z = len(model.A), _places_of_integrals(gain, observer)
    Nx, Nu, Dx, Du = _steady(model, u, r, d, owner)
    Kx, Kz = gain.K[:, :n], gain.K[:, n:]
    Dr = Nu + (Kx - Kz @ _free_integral(gain.riccati, n)) @ Nx
    A, B = sample_matrices(observer.extended, T, owner)
    return Design(gain, observer, A, B[:, u], np.hstack([Kx, -(Du + Kx @ Dx)]), Kz, Dr, u, y, r, z)


def _sample_time(gain: Gain, observer: Observer) -> float:
    """Return the sample time that gain and observer share; check that they share their model."""
    for name, part in (("gain", gain), ("observer", observer)):
        if part.sample_time is None:
            raise _continuous("lqg", name)
    if gain.sample_time != observer.sample_time:
        raise OptionError(
            f"lqg: the gain is for samples every {gain.sample_time:g} s, the observer for {observer.sample_time:g} s."
        )
    mine, other = gain.model, observer.model
    if observer.disturbances and gain.integral:
        raise OptionError(
            f"lqg: a disturbance of {observer.disturbances[0]!r} with an integral of {gain.integral[0]!r}: both hold "
            "the output against constant loads. Leave one of them out."
        )
    if mine is not other and not (mine.A.shape == other.A.shape and np.array_equal(mine.A, other.A)):
        raise OptionError("lqg: gain and observer are of different models. Design both for the same one.")
    return float(gain.sample_time or 0.0)


def _continuous(owner: str, part: str) -> OptionError:
    return OptionError(f"{owner}: the {part} is continuous; a controller samples. Design it with sample_time=.")


def _places_of_integrals(gain: Gain, observer: Observer) -> list[int]:
    """Return the places of the outputs with integral action among those read."""
    for name in gain.integral:
        if name not in observer.outputs:
            raise OptionError(
                f"lqg: {name!r} has integral action but the observer does not read it; it reads "
                f"{', '.join(observer.outputs)}."
            )
    return [observer.outputs.index(name) for name in gain.integral]


def _steady(
    model: LinearModel, u: list[int], r: list[int], d: list[int], owner: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return Nx, Nu, Dx, Du: the constant state x = Nx r + Dx d under the input u = Nu r + Du d, in which the tracked
    outputs are r while disturbances d are added to some inputs.
    """
    n = len(model.A)
    still = model.A if model.sample_time is None else model.A - np.eye(n)
    C, D = (model.C[r], model.D[r]) if r or not d else (np.eye(n), np.zeros((n, model.B.shape[1])))
    whole = np.block([[still, model.B[:, u]], [C, D[:, u]]])
    against = -np.vstack([model.B[:, d], D[:, d]])
    wanted = np.hstack([np.vstack([np.zeros((n, len(r))), np.eye(len(C), len(r))]), against])
    rows = np.maximum(np.max(np.abs(whole), axis=1, keepdims=True), 1e-300)
    columns = np.maximum(np.linalg.norm(whole / rows, axis=0), 1e-300)
    found = np.linalg.lstsq(whole / rows / columns, wanted / rows, rcond=1e-14)[0] / columns[:, None]
    left = np.max(np.abs((whole @ found - wanted) / rows), initial=0.0)
    if left > 1e-8 * np.max(np.abs(wanted / rows), initial=0.0):
        loads = f" against disturbances of {', '.join(model.input_names[i] for i in d)}" if d else ""
        what = ", ".join(model.output_names[i] for i in r) or "the whole state"
        hint = "Track no rates, and not more outputs than there are inputs." if r else "Say what to hold: track=[...]."
        raise SingularError(f"{owner}: track: no constant input holds {what} at any values wanted{loads}. {hint}")
    k = len(r)
    return found[:n, :k], found[n:, :k], found[:n, k:], found[n:, k:]


def _free_integral(P: np.ndarray, n: int) -> np.ndarray:
    """Return the integral that minimises the cost to come of a deviation x, ``-Pzz^-1 Pzx x``.

    Otherwise the unavoidable error after a step of the reference is integrated, and causes an overshoot.
    """
    return np.linalg.solve(P[n:, n:], P[n:, :n])
