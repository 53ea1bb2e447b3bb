"""Observers: estimates of a linear model's states from its measured outputs, by placed poles or for given noise."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.control import checks
from pliant.control.design.riccati import Problem, solve, solve_or_name
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.poles import eigenvalues, unobserved_mode
from pliant.control.models.sampling import integrate_weight, sample_matrices, sample_time_of
from pliant.errors import ConvergenceError, OptionError, SingularError


@dataclass(frozen=True, eq=False, kw_only=True)
class Observer:
    """Estimate of the states from the innovation ``e = y - y0 - C x - D u``.

        continuous   x' = A x + B u + L e
        sampled      x <- x + L e when the outputs are read, then x <- A x + B u until the next sample

    model         model of the design; `outputs`: the outputs it reads
    L             states by outputs
    poles         of the error of the estimate, in 1/s (log(z) / T if sampled)
    covariance    of that error (before a reading), for the noise of the design; None without noise
    residual      of the Riccati equation, over its largest term; zero without one
    sample_time   s; None: continuous
    disturbances  inputs whose unknown part is estimated too: states after the model's, in L and covariance
    """

    model: LinearModel
    outputs: tuple[str, ...]
    L: np.ndarray
    poles: np.ndarray
    covariance: np.ndarray | None
    residual: float
    sample_time: float | None
    disturbances: tuple[str, ...] = ()

    @property
    def extended(self) -> LinearModel:
        """Return the model whose states are estimated: the design's, with the disturbances as constant states."""
        return with_disturbances(self.model, self.disturbances)


def with_disturbances(model: LinearModel, inputs: Sequence[str]) -> LinearModel:
    """Return the model with an unknown constant d added to some inputs: ``x' = A x + B (u + d)``, ``d' = 0``."""
    if not inputs:
        return model
    at = checks.positions("kalman", "disturbances", inputs, model.input_names)
    n, k, own = len(model.A), len(at), 0.0 if model.sample_time is None else 1.0
    return LinearModel(
        np.block([[model.A, model.B[:, at]], [np.zeros((k, n)), own * np.eye(k)]]),
        np.vstack([model.B, np.zeros((k, model.B.shape[1]))]),
        np.hstack([model.C, model.D[:, at]]),
        model.D,
        state_names=(*model.state_names, *(f"disturbance of {name}" for name in inputs)),
        input_names=model.input_names,
        output_names=model.output_names,
        input_values=model.input_values,
        output_values=model.output_values,
        sample_time=model.sample_time,
    )


def kalman(
    model: LinearModel,
    *,
    process_noise: ArrayLike | Mapping[str, float],
    measurement_noise: ArrayLike | Mapping[str, float],
    outputs: Sequence[str] | None = None,
    disturbances: Mapping[str, float] | None = None,
    sample_time: float | None = None,
) -> Observer:
    """Design the observer with the least variance of the estimate, for white noise on inputs and outputs.

    process_noise       {input: density} of disturbances, in units of the input per root hertz; inputs that only
                        disturbances drive are allowed. Or a matrix (or its diagonal): intensity on the states
    measurement_noise   {output: standard deviation of a reading}; only these outputs are read. Or a covariance matrix
                        for ``outputs``. A continuous observer takes densities, per root hertz
    outputs             outputs read, if measurement_noise is a matrix; default: all
    disturbances        {input: drift}: an unknown, slowly varying part of this input is estimated too; its rate is
                        white noise of this density, in units of the input per second and root hertz. `lqg` then
                        compensates it in the tracked outputs, as an integral would
    sample_time         s; process noise between the samples is integrated exactly. For a model that is already sampled,
                        give the standard deviation of the process noise in every sample

    The gain depends only on the ratio of the two noises: the more measurement noise, the more the model is trusted.
    Modes that do not decay and are not observable are refused, and undamped modes that no process noise excites.

    >>> from pliant.control.models.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    >>> kalman(cart, process_noise={"u1": 1.0}, measurement_noise={"y1": 1.0}).L.round(4).tolist()
    [[1.4142], [1.0]]
    """
    T = _begin("kalman", model, sample_time)
    at, V = _measurement(model, measurement_noise, outputs)
    drifts = {} if disturbances is None else dict(disturbances)
    whole, W = with_disturbances(model, tuple(drifts)), _with_drifts(_process(model, process_noise), drifts)
    A, C, names = whole.A, whole.C[at], tuple(whole.state_names)
    if T is not None and model.sample_time is None:
        A, W = sample_matrices(whole, T, "kalman")[0], integrate_weight(whole.A.T, W, T)
    measured = tuple(model.output_names[i] for i in at)
    _check_seen("kalman", A, C, names, measured, T)
    problem = Problem(A.T, C.T, W, V, np.zeros((len(A), len(at))), T)
    hint = "the error of its estimate would not decay. Give process noise to an input that moves it."
    found = solve_or_name("kalman", problem, names, "no process noise reaches", hint)
    P = found.P
    L = np.linalg.solve(V if T is None else C @ P @ C.T + V, C @ P).T
    return replace(_observer(model, measured, A, C, L, T, P, found.residual), disturbances=tuple(drifts))


def luenberger(
    model: LinearModel,
    *,
    poles: Sequence[complex] | None = None,
    speed: float | None = None,
    outputs: Sequence[str] | None = None,
    sample_time: float | None = None,
) -> Observer:
    """Design the observer with given poles, or with errors that all decay at least as fast as ``exp(-speed t)``.

    poles         one for each state, in 1/s (a sampled observer gets exp(pole * T)), with negative real parts, complex
                  ones in pairs; at most as many equal poles as there are outputs
    speed         1/s, instead of poles: they are moved to the left of -speed with the smallest possible gain
    outputs       outputs read; default: all
    sample_time   s; None: continuous

    For a flexible model, use `speed` or `kalman` instead of placing poles one by one.

    >>> from pliant.control.models.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    >>> luenberger(cart, poles=[-2.0, -3.0]).L.round(6).tolist()
    [[5.0], [6.0]]
    """
    T = _begin("luenberger", model, sample_time)
    known = model.output_names
    at = list(range(len(known))) if outputs is None else checks.positions("luenberger", "outputs", outputs, known)
    if (poles is None) == (speed is None):
        raise OptionError("luenberger: give poles, or speed: one of them.")
    measured, C = tuple(known[i] for i in at), model.C[at]
    A = model.A if T is None else sample_matrices(model, T, "luenberger")[0]
    if poles is not None:
        _check_seen("luenberger", A, C, model.state_names, measured, T, decay=np.inf)
        L = _placed(A, C, _wanted(poles, len(A)), T)
    else:
        decay = checks.positive("luenberger", "speed", speed)
        _check_seen("luenberger", A, C, model.state_names, measured, T, decay=decay)
        L = _mirrored(A, C, decay, T)
    return _observer(model, measured, A, C, L, T, None, 0.0)


def direct(model: LinearModel, *, outputs: Sequence[str], sample_time: float) -> Observer:
    """Make an observer of ideal state feedback: outputs of the same instant must determine the states."""
    at = checks.positions("direct", "outputs", outputs, model.output_names)
    C = model.C[at]
    A = sample_matrices(model, sample_time, "direct")[0]
    scale = np.max(np.abs(C), axis=1, keepdims=True)
    L = np.linalg.pinv(C / np.where(scale > 0.0, scale, 1.0)) / np.where(scale > 0.0, scale, 1.0).T
    if np.linalg.norm(L @ C - np.eye(len(A))) > 1e-6:
        raise SingularError(
            f"direct: the outputs {', '.join(outputs)} do not determine the {len(A)} states. Read more of them, or "
            "estimate the states: pl.kalman, pl.luenberger."
        )
    return _observer(model, tuple(outputs), A, C, L, sample_time, None, 0.0)


def _begin(owner: str, model: Any, sample_time: float | None) -> float | None:
    checks.linear(owner, model)
    return sample_time_of(owner, model, sample_time)


def _measurement(model: Any, noise: Any, outputs: Any) -> tuple[list[int], np.ndarray]:
    """Return the places of the outputs read, and the covariance of their noise."""
    known = model.output_names
    if isinstance(noise, Mapping):
        if outputs is not None:
            raise OptionError("kalman: measurement_noise names the outputs already; leave outputs out.")
        at = checks.positions("kalman", "measurement_noise", noise, known)
        return at, np.diag([checks.positive("kalman", f"noise of output {k!r}", v) ** 2 for k, v in noise.items()])
    at = list(range(len(known))) if outputs is None else checks.positions("kalman", "outputs", outputs, known)
    return at, checks.weight("kalman", "measurement_noise", noise, len(at), definite=True)


def _process(model: Any, noise: Any) -> np.ndarray:
    """Return the intensity of the noise on the states."""
    if not isinstance(noise, Mapping):
        return checks.weight("kalman", "process_noise", noise, len(model.A), definite=False)
    at = checks.positions("kalman", "process_noise", noise, model.input_names)
    densities = np.array([checks.not_negative("kalman", f"noise of input {k!r}", v) for k, v in noise.items()])
    B = model.B[:, at] * densities
    return B @ B.T


def _with_drifts(W: np.ndarray, drifts: Mapping[str, float]) -> np.ndarray:
    """Add the intensity of drifting disturbances."""
    n, k = len(W), len(drifts)
    whole = np.zeros((n + k, n + k))
    whole[:n, :n] = W
    whole[range(n, n + k), range(n, n + k)] = [
        checks.positive("kalman", f"drift of {name!r}", value) ** 2 for name, value in drifts.items()
    ]
    return whole


def _check_seen(
    owner: str,
    A: np.ndarray,
    C: np.ndarray,
    names: Sequence[str],
    outputs: Sequence[str],
    T: float | None,
    decay: float = 0.0,
) -> None:
    lost = unobserved_mode(A, C, names, sample_time=T, decay=decay)
    if lost:
        wish = "decays too slowly by itself" if np.isfinite(decay) else "is to be placed"
        slower = ", or ask for a speed below its own" if decay and np.isfinite(decay) else ""
        raise SingularError(
            f"{owner}: the outputs {', '.join(outputs)} do not show the {lost}, which {wish}. Read another output"
            f"{slower}."
        )


def _wanted(poles: Any, count: int) -> np.ndarray:
    """Return the requested poles, checked: their number, decaying, in conjugate pairs."""
    try:
        values = np.asarray(poles, complex).reshape(-1)
    except (TypeError, ValueError):
        raise OptionError(f"luenberger: poles={poles!r:.60}: give numbers, in 1/s.") from None
    if values.size != count:
        raise OptionError(f"luenberger: {values.size} poles were given for {count} states; or give speed.")
    for pole in values:
        if not (np.isfinite(pole) and pole.real < 0.0):
            raise OptionError(f"luenberger: poles: {pole:.4g} 1/s does not decay; real parts must be negative.")
        if np.sum(np.isclose(values, pole)) != np.sum(np.isclose(values, np.conj(pole))):
            raise OptionError(f"luenberger: poles: {pole:.4g} comes without its conjugate.")
    return values


def _placed(A: np.ndarray, C: np.ndarray, poles: np.ndarray, T: float | None) -> np.ndarray:
    """Return L that gives A - L C (sampled: A - A L C) these poles."""
    from scipy.signal import place_poles

    rows, goal = (C, poles) if T is None else (C @ A, np.exp(poles * T))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # slow convergence towards the best vectors; the poles are checked here
            L = place_poles(A.T, rows.T, goal).gain_matrix.T
    except (ValueError, np.linalg.LinAlgError) as error:
        raise OptionError(f"luenberger: poles cannot be placed: {error} Try speed=, or pl.kalman.") from None
    found = np.linalg.eigvals(A - L @ rows)
    miss = max(float(np.min(np.abs(found - pole))) for pole in goal) / float(np.max(np.abs(goal)))
    if not miss < 1e-3:
        raise ConvergenceError(
            f"luenberger: the poles come out wrong by {miss:.1e} of the fastest: too many for rounding. Try speed=, or "
            "pl.kalman, or reduce the model first."
        )
    return L


def _mirrored(A: np.ndarray, C: np.ndarray, decay: float, T: float | None) -> np.ndarray:
    """Return L of a model that grows by exp(decay t) more, stabilised: slow poles are mirrored at -decay.

    Anderson and Moore (1969). A tenth of `decay` as noise, in balanced coordinates, moves poles off the mirror.
    """
    from scipy.linalg import matrix_balance

    _, (scale, _) = matrix_balance(A, permute=False, separate=True)
    size = np.sum((C * scale) ** 2, axis=1)
    V, W = np.diag(np.where(size > 0.0, size, 1.0)), np.diag((0.1 * decay * scale) ** 2)
    faster = A + decay * np.eye(len(A))
    if T is not None:
        V, W, faster = V / T, W * T, A * np.exp(decay * T)
    P = solve("luenberger", Problem(faster.T, C.T, W, V, np.zeros((len(A), len(C))), T)).P
    return np.linalg.solve(V if T is None else C @ P @ C.T + V, C @ P).T


def _observer(
    model: Any,
    outputs: tuple[str, ...],
    A: np.ndarray,
    C: np.ndarray,
    L: np.ndarray,
    T: float | None,
    P: np.ndarray | None,
    residual: float,
) -> Observer:
    return Observer(
        model=model,
        outputs=outputs,
        L=L,
        poles=eigenvalues(A - (L if T is None else A @ L) @ C, T),
        covariance=P,
        residual=residual,
        sample_time=T,
    )
