"""Linear-quadratic regulators: the feedback with the least cost, continuous or sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.control import checks
from pliant.control.design.riccati import Problem, Solution, solve_or_name
from pliant.control.models.poles import UNDAMPED, describe, unreached_mode
from pliant.control.models.sampling import integrate_weight, sample_matrices, sample_time_of
from pliant.errors import DroppedMode, OptionError, PliantWarning, SingularError, warn

if TYPE_CHECKING:
    from pliant.control.models.linear_model import LinearModel


@dataclass(frozen=True, eq=False, kw_only=True)
class Gain:
    """State feedback ``u = u0 - K [x; integrals]`` of a linear model.

    model           model of the design
    inputs          the inputs it sets; `integral`: outputs whose integral is fed back
    K               inputs by states, the integrals last; `state_names` names them
    poles           of the closed loop, in 1/s (log(z) / T if sampled); `sampled_poles` are the z
    riccati         solution P of the Riccati equation: x'Px is the cost to come; `residual`: of that equation, over its
                    largest term
    curvature       S: inputs u = -K x + c cost c'Sc more; R, of a sampled gain R + B'PB
    sample_time     s; None: continuous
    """

    model: LinearModel
    inputs: tuple[str, ...]
    integral: tuple[str, ...]
    K: np.ndarray
    poles: np.ndarray
    riccati: np.ndarray
    residual: float
    curvature: np.ndarray
    sample_time: float | None

    def __repr__(self) -> str:
        every = "" if self.sample_time is None else f", every {self.sample_time:g} s"
        slowest = min(-self.poles.real, default=0.0)
        return f"Gain({', '.join(self.inputs)} from {self.K.shape[1]} states{every}; poles decay at {slowest:.3g} 1/s)"

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of the columns of K."""
        return (*self.model.state_names, *(f"integral of {name}" for name in self.integral))

    @property
    def sampled_poles(self) -> np.ndarray:
        """Return the poles of the sampled closed loop in the z plane."""
        if self.sample_time is None:
            raise OptionError("sampled_poles: the gain is continuous. Design it with sample_time=.")
        return np.exp(self.poles * self.sample_time)


def lqr(
    model: LinearModel,
    *,
    Q: ArrayLike | None = None,
    R: ArrayLike | None = None,
    outputs: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | Sequence[str] | None = None,
    sample_time: float | None = None,
    integral: Mapping[str, float] | Sequence[str] = (),
) -> Gain:
    """Design state feedback with least ``integral of (x'Qx + u'Ru) dt``; x, u are deviations from the operating point.

    Q            weight of the states: a matrix, its diagonal, or one number. Or instead
    outputs      {output: weight}: the cost holds weight * output^2; 1 / (largest deviation wanted)^2 is a good start
    R            weight of the inputs, as Q. Or instead
    inputs       {input: weight}. With R, a list of the inputs to be used; the others stay constant
    sample_time  s, for a controller that samples and holds. The cost between samples is integrated exactly, so the gain
                 tends to the continuous one as the sample time goes to zero. (For a model that is already sampled, the
                 cost is summed over the samples.)
    integral     {output: weight of its integral}: brings the output to its reference under any constant load. A name
                 alone takes the weight of the output itself (times 1/s^2)

    The Riccati equation is solved in balanced coordinates. Indefinite weights, modes that no input can stabilise,
    undamped modes without weight, and samples too slow for an unstable pole are refused. A warning
    (`pliant.errors.DroppedMode`) is given if a reduced model lacks a mode that the weighted outputs show.

    >>> from pliant.control.models.linear_model import LinearModel
    >>> cart = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]])
    >>> lqr(cart, Q=[1, 1], R=1).K.round(6)
    array([[1.      , 1.732051]])
    """
    checks.linear("lqr", model)
    T = sample_time_of("lqr", model, sample_time)
    at, R = _inputs(model, R, inputs)
    Q, N, R = _states(model, Q, outputs, at, R)
    followed, extra = _integrals(model, outputs, integral)
    used, names = tuple(model.input_names[i] for i in at), tuple(model.state_names)
    problem = Problem(model.A, model.B[:, at], Q, R, N, model.sample_time)
    _check_reached(problem, names, f"the inputs {', '.join(used)} do not move")
    if T is not None and model.sample_time is None:
        A, B = sample_matrices(model, T, "lqr")
        problem, extra = _between_samples(problem, A, B[:, at], T), T * extra
        _check_reached(problem, names, f"with samples every {T:g} s the inputs no longer move")
    if followed:
        rows = [model.output_names.index(name) for name in followed]
        problem = _with_integrals(problem, model.C[rows], model.D[np.ix_(rows, at)], extra)
        names = (*names, *(f"integral of {name}" for name in followed))
        if unreached_mode(problem.A, problem.B, names, sample_time=T):
            raise SingularError(
                f"lqr: integral of {', '.join(followed)}: no constant input brings these outputs to any values wanted. "
                "There must be as many inputs as integrals at least, and none of the outputs may be a rate."
            )
    found = _solved(problem, names)
    _warn_of_dropped(model, {**(outputs or {}), **dict.fromkeys(followed, 1.0)}, used)
    return Gain(
        model=model,
        inputs=used,
        integral=followed,
        K=found.K,
        poles=found.poles,
        riccati=found.P,
        residual=found.residual,
        curvature=problem.curvature(found.P),
        sample_time=T,
    )


def augment(gain: Gain) -> tuple[np.ndarray, np.ndarray]:
    """Return A and B of the system of a gain: its model, sampled if the gain is, and its integrals."""
    model, T = gain.model, gain.sample_time
    at = checks.positions("lqr", "inputs", gain.inputs, model.input_names)
    A, B = (model.A, model.B) if T is None else sample_matrices(model, T, "lqr")
    rows = checks.positions("lqr", "integral", gain.integral, model.output_names)
    n, m, k = len(A), len(at), len(rows)
    plain = Problem(A, B[:, at], np.zeros((n, n)), np.eye(m), np.zeros((n, m)), T)
    whole = _with_integrals(plain, model.C[rows], model.D[np.ix_(rows, at)], np.zeros(k))
    return whole.A, whole.B


def _warn_of_dropped(model: LinearModel, weights: Mapping[str, float], inputs: Sequence[str]) -> None:
    """Warn of weighted outputs that are moved by modes left out in a reduction."""
    if model.reduction is None:
        return
    lost = model.reduction.dropped([name for name, weight in weights.items() if weight], inputs)
    if lost:
        words = [f"{describe(pole)} of {name!r} ({100.0 * share:.2g} %)" for pole, name, share in lost[:3]]
        warn(
            DroppedMode,
            f"lqr: the reduction left out modes that move weighted outputs: {'; '.join(words)}"
            f"{'; ...' if len(lost) > 3 else ''} (response, relative to the largest of a mode kept). Keep more "
            "modes.",
        )


def _inputs(model: Any, R: Any, inputs: Any) -> tuple[list[int], np.ndarray]:
    """Return the places of the inputs, and their weight."""
    known = model.input_names
    if isinstance(inputs, Mapping):
        if R is not None:
            raise OptionError("lqr: give R or the weights of inputs, not both. With R, inputs is a list of names.")
        at = checks.positions("lqr", "inputs", inputs, known)
        return at, np.diag([checks.positive("lqr", f"weight of input {k!r}", v) for k, v in inputs.items()])
    if R is None:
        raise OptionError(f"lqr: give the weight of the inputs: inputs={{{known[0]!r}: 1.0}}, or R.")
    at = list(range(len(known))) if inputs is None else checks.positions("lqr", "inputs", inputs, known)
    return at, checks.weight("lqr", "R", R, len(at), definite=True)


def _states(
    model: Any, Q: Any, outputs: Any, at: list[int], R: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights Q, N, R of ``x'Qx + 2x'Nu + u'Ru``; an output Cx + Du contributes to all three."""
    n = len(model.A)
    if (Q is None) == (outputs is None):
        raise OptionError(f"lqr: give Q, or the weights of outputs: outputs={{{model.output_names[0]!r}: 1.0}}.")
    if outputs is None:
        return checks.weight("lqr", "Q", Q, n, definite=False), np.zeros((n, len(at))), R
    if not isinstance(outputs, Mapping):
        raise OptionError(f"lqr: outputs={outputs!r}: give {{output: weight}}.")
    rows = checks.positions("lqr", "outputs", outputs, model.output_names)
    W = np.array([checks.not_negative("lqr", f"weight of output {k!r}", v) for k, v in outputs.items()])[:, None]
    C, D = model.C[rows], model.D[np.ix_(rows, at)]
    return C.T @ (W * C), C.T @ (W * D), R + D.T @ (W * D)


def _integrals(model: Any, outputs: Any, integral: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Return outputs with integral action and the weights of their integrals."""
    checks.positions("lqr", "integral", integral, model.output_names)
    weights = (
        dict(integral) if isinstance(integral, Mapping) else {name: (outputs or {}).get(name) for name in integral}
    )
    for name, value in weights.items():
        if value is None:
            raise OptionError(f"lqr: integral: {name!r} has no weight in outputs. Give integral={{{name!r}: weight}}.")
    return tuple(weights), np.array([checks.positive("lqr", f"integral of {k!r}", v) for k, v in weights.items()])


def _between_samples(p: Problem, A: np.ndarray, B: np.ndarray, T: float) -> Problem:
    """Sample a problem with held inputs: A, B, and the weights of the exact cost."""
    n, m = p.B.shape
    F = np.block([[p.A, p.B], [np.zeros((m, n + m))]])
    W = integrate_weight(F, np.block([[p.Q, p.N], [p.N.T, p.R]]), T)
    return Problem(A, B, W[:n, :n], W[n:, n:], W[:n, n:], T)


def _with_integrals(p: Problem, C: np.ndarray, D: np.ndarray, weights: np.ndarray) -> Problem:
    """Extend the states by integrals z of outputs: ``z' = Cx + Du``, or ``z <- z + T (Cx + Du)`` at every sample."""
    n, extra, T = len(p.A), len(C), p.sample_time
    step, own = (1.0, np.zeros((extra, extra))) if T is None else (T, np.eye(extra))
    A = np.block([[p.A, np.zeros((n, extra))], [step * C, own]])
    Q = np.block([[p.Q, np.zeros((n, extra))], [np.zeros((extra, n)), np.diag(weights)]])
    N = np.vstack([p.N, np.zeros((extra, p.B.shape[1]))])
    return Problem(A, np.vstack([p.B, step * D]), Q, p.R, N, p.sample_time)


def _check_reached(p: Problem, names: Sequence[str], what: str) -> None:
    lost = unreached_mode(p.A, p.B, names, sample_time=p.sample_time)
    if lost:
        raise SingularError(
            f"lqr: {what} the {lost}, which does not decay by itself: nothing can stabilise it. Take an input that "
            "moves it, give what vibrates some damping (damping= of a beam, a Dashpot), or leave it out (pl.reduce)."
        )


def _solved(p: Problem, names: Sequence[str]) -> Solution:
    """Solve the problem; refuse an undamped mode without weight by name, warn of one with hardly any."""
    hint = f"the regulator cannot bring it to rest. {_WEIGHT}"
    found = solve_or_name("lqr", p, names, "the weights do not see", hint)
    poles = found.poles
    idle = poles[(poles.real > -UNDAMPED * np.abs(poles)) & (poles.imag >= 0.0)]
    if idle.size:
        more = f" (and {idle.size - 1} others)" if idle.size > 1 else ""
        warn(
            PliantWarning,
            f"lqr: the weights hardly see the undamped {describe(idle[0])}{more}: it is left as it is. {_WEIGHT}",
        )
    return found


_WEIGHT = "Weight an output that it moves, give the model damping, or reduce it."
