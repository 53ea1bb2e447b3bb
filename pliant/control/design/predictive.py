"""Linear model predictive control: an LQR within limits.

Inputs u = -K x + c over a horizon of N samples cost ``sum of c'Sc`` more than the LQR alone: its cost as a completed
square, S = R + B'PB, with the LQR without limits beyond the horizon. So at every sample

    least  sum of c'Sc    with  low <= u <= high,  |u - u before| <= rate T,  low <= y <= high of outputs kept

over the horizon, and the first c is added to the input of the LQR. Without active limits c is zero.

The module has the plan of the controller (inputs and outputs over the horizon, corrections for limits) and

the solver of its problem at every sample: the shortest vector that keeps linear limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.control import checks
from pliant.control.controllers.sampled import ControllerCheck, Sample, SampledController, none
from pliant.control.design.lqg import Design, combine
from pliant.control.models.margins import margins
from pliant.errors import ConvergenceError, OptionError

if TYPE_CHECKING:
    from pliant.control.controllers.controller import Controller
    from pliant.control.design.observer import Observer
    from pliant.control.design.regulator import Gain

ROUNDING = 1e-11  # relative size of zero
ROUNDS = 20  # exchanges of limits, at most, per limit


class Shortest(NamedTuple):
    """``x``, the multipliers of all limits, and the residual of the Karush-Kuhn-Tucker conditions."""

    x: np.ndarray
    multipliers: np.ndarray
    residual: float

    @property
    def active(self) -> int:
        """Return the number of active limits."""
        return int(np.count_nonzero(self.multipliers))


def shortest(rows: np.ndarray, least: np.ndarray) -> Shortest | None:
    """Find least |x| with ``rows x >= least``; None if no x keeps them all.

    The dual method of Goldfarb and Idnani (1983): begin with x = 0, the best without limits. Take the most violated
    limit, move towards it along the active limits, and release those whose multiplier would turn negative. Every
    exchange makes |x| larger, so no active set repeats. A limit that cannot be reached, even by releasing others,
    contradicts the others.

    >>> shortest(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([2.0, -5.0])).x
    array([1., 1.])
    >>> shortest(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])) is None
    True
    """
    size = np.linalg.norm(rows, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    A, b = rows / size[:, None], least / size
    tolerance = ROUNDING * max(1.0, float(np.max(np.abs(b), initial=0.0)))
    held: list[int] = []
    x, pushes = np.zeros(rows.shape[1]), np.zeros(0)
    for _ in range(ROUNDS * (len(A) + 1)):
        off = A @ x - b
        worst = int(np.argmin(off)) if len(off) else 0
        if not len(off) or off[worst] >= -tolerance:
            return _checked(A, b, held, size)
        reached = _towards(A, b, x, held, pushes, worst)
        if reached is None:
            return None
        x, held, pushes = reached
    raise ConvergenceError("mpc: the active-set method did not converge. Give weights that differ less.")


def _towards(
    A: np.ndarray, b: np.ndarray, x: np.ndarray, held: list[int], pushes: np.ndarray, new: int
) -> tuple[np.ndarray, list[int], np.ndarray] | None:
    """Move x to the limit `new`; return x, the active limits and their multipliers; None if impossible."""
    own = 0.0
    while True:
        kept = A[held].T
        yields = np.linalg.lstsq(kept, A[new], rcond=None)[0] if held else np.zeros(0)
        way = A[new] - kept @ yields
        slope, short = float(way @ way), float(b[new] - A[new] @ x)
        whole = short / slope if slope > ROUNDING else np.inf
        room = np.where(yields > ROUNDING, pushes / np.where(yields > ROUNDING, yields, 1.0), np.inf)
        first = int(np.argmin(room)) if held else 0
        step = min(whole, float(room[first]) if held else np.inf)
        if not np.isfinite(step):
            return None
        x = x if np.isinf(whole) else x + step * way
        pushes, own = pushes - step * yields, own + step
        if step == whole:
            return x, [*held, new], np.append(np.maximum(pushes, 0.0), own)
        held, pushes = [*held[:first], *held[first + 1 :]], np.delete(pushes, first)


def _checked(A: np.ndarray, b: np.ndarray, held: list[int], size: np.ndarray) -> Shortest:
    """Solve again for the active limits alone, so that rounding does not add up; and compute the residual."""
    pushes = np.zeros(len(A))
    pushes[held] = np.linalg.lstsq(A[held] @ A[held].T, b[held], rcond=None)[0] if held else 0.0
    x = A.T @ pushes
    off = A @ x - b
    scale = max(float(np.max(np.abs(b[held]), initial=0.0)), 1e-300)
    wrong = (np.maximum(-off, 0.0), np.maximum(-pushes, 0.0), np.abs(off) * (pushes != 0.0))
    residual = max(float(np.max(each, initial=0.0)) for each in wrong) / scale if held else 0.0
    return Shortest(x, pushes / size, residual)


SPARE = 1e-9  # of the width of a limit: relaxed this much beyond the least, against rounding


class Plan(NamedTuple):
    """``more``: correction of the present inputs; active limits; residual of the conditions; relaxation."""

    more: np.ndarray
    active: int = 0
    residual: float = 0.0
    relaxed: float = 0.0


class Limits(NamedTuple):
    """Lowest and highest inputs and their largest change a sample, in deviations; outputs kept, lowest and highest."""

    low: np.ndarray
    high: np.ndarray
    change: np.ndarray
    kept: tuple[str, ...]
    lowest: np.ndarray
    highest: np.ndarray


class Horizon:
    """Inputs and outputs over the next samples, affine in the corrections c; all in deviations.

        u = -K x + Dr s + c      x <- A x + B u - E s      y before the next change = C x + D u

    with x the estimate and the integrals, s the present references. In w = root(S) c the cost is |w|^2.

    """

    def __init__(self, design: Design, samples: int, limits: Limits) -> None:
        self.design, self.samples, (low, high, change, names, lowest, highest) = design, samples, limits
        n, k, m, r = len(design.A), len(design.z), len(design.u), len(design.r)
        seen, T, N = design.observer.extended, float(design.gain.sample_time or 0.0), samples
        C, D = seen.C[design.y][design.z], design.D[design.z]
        self.A = np.block([[design.A, np.zeros((n, k))], [T * C, np.eye(k)]])
        self.B, self.E = np.vstack([design.B, T * D]), np.vstack([np.zeros((n, r)), T * np.eye(k, r)])
        self.K = np.hstack([design.Kx, design.Kz])
        rows = [seen.output_names.index(name) for name in names]
        self.C, self.D = np.hstack([seen.C[rows], np.zeros((len(rows), k))]), seen.D[np.ix_(rows, design.u)]
        lowest, highest = lowest - seen.output_values[rows], highest - seen.output_values[rows]
        self.move = np.linalg.inv(np.linalg.cholesky(design.gain.curvature).T)  # c = move w
        self.steps = np.eye(N * m) - np.eye(N * m, k=-m)
        of_x, of_s = self._course(np.eye(n + k), np.zeros((r, n + k))), self._course(np.zeros((n + k, r)), np.eye(r))
        of_w = self._course(np.zeros((n + k, N * m)), np.zeros((r, N * m)), np.kron(np.eye(N), self.move))
        self.of_x, self.of_s = np.vstack(of_x), np.vstack(of_s)
        count = len(of_w[1]) // max(len(rows), 1)
        width = np.where(np.isfinite(highest - lowest), highest - lowest, np.minimum(np.abs(lowest), np.abs(highest)))
        self.least = np.concatenate([np.tile(low, N), np.tile(-change, N), np.tile(lowest, count)])
        self.most = np.concatenate([np.tile(high, N), np.tile(change, N), np.tile(highest, count)])
        self.width = np.concatenate([np.zeros(2 * N * m), np.tile(np.where(width > 0.0, width, 1.0), count)])
        self.planned = np.vstack([of_w[0], self.steps @ of_w[0], of_w[1]])
        self.below, self.above = np.isfinite(self.least), np.isfinite(self.most)
        self.rows = np.vstack([self.planned[self.below], -self.planned[self.above]])
        self.slack = np.concatenate([self.width[self.below], self.width[self.above]])

    def _course(self, x: np.ndarray, s: np.ndarray, c: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs and outputs kept, sample after sample, for every column of x, s and c."""
        m, inputs, outputs = len(self.design.u), [], []
        jumps = np.any(self.D != 0.0)  # an output that jumps with an input is kept just after the jump, too
        for j in range(self.samples):
            u = -self.K @ x + self.design.Dr @ s + (0.0 if c is None else c[j * m : j * m + m])
            inputs.append(u)
            outputs += [self.C @ x + self.D @ u] if jumps else []
            x = self.A @ x + self.B @ u - self.E @ s
            outputs.append(self.C @ x + self.D @ u)
        return np.vstack(inputs), np.vstack(outputs)

    def plan(self, states: np.ndarray, d: np.ndarray, s: np.ndarray, last: np.ndarray) -> Plan:
        """Find the best plan for states of the linear controller, readings, references and inputs issued last."""
        n, k, m = len(self.design.A), len(self.design.z), len(self.design.u)
        estimate = self.design.corrected @ np.concatenate([states[:n], states[n + k :]]) + self.design.L @ d
        free = self.of_x @ np.concatenate([estimate, states[n : n + k]]) + self.of_s @ s
        inputs, outputs = free[: self.samples * m], free[self.samples * m :]
        changes = self.steps @ inputs
        changes[:m] -= last
        free = np.concatenate([inputs, changes, outputs])
        wanted = np.concatenate([(self.least - free)[self.below], (free - self.most)[self.above]])
        if np.all(wanted <= 0.0):
            return Plan(np.zeros(m))
        found, relaxed = shortest(self.rows, wanted), 0.0
        if found is None:
            relaxed = self._contradiction(wanted)
            found = shortest(self.rows, wanted - (relaxed + SPARE) * self.slack)
        if found is None:
            raise ConvergenceError(
                "mpc: limits of inputs contradict each other: was something issued that is outside of them?"
            )
        return Plan(self.move @ found.x[:m], found.active, found.residual, relaxed)

    def _contradiction(self, wanted: np.ndarray) -> float:
        """Return the least share of their width by which limits of outputs must be relaxed: a linear programme."""
        from scipy.optimize import linprog

        size = self.rows.shape[1]
        rows = -np.hstack([self.rows, self.slack[:, None]])
        bounds = [(None, None)] * size + [(0.0, None)]
        found = linprog(np.eye(size + 1)[-1], A_ub=rows, b_ub=-wanted, bounds=bounds, method="highs")
        return float(found.x[-1]) if found.status == 0 else 0.0


KEPT = 1e-8  # of the width of a limit: tolerance of a kept limit
SOLVED = 1e-8  # largest residual of the Karush-Kuhn-Tucker conditions


@dataclass
class Plans:
    """Memory of the controller: states of the linear one, and figures of its last decision."""

    x: np.ndarray
    last: np.ndarray  # issued at the last sample
    linear: np.ndarray  # input of the LQR alone
    active: int = 0  # active limits
    residual: float = 0.0  # of the Karush-Kuhn-Tucker conditions
    relaxed: float = 0.0  # relaxation of a limit of outputs, over its width
    worst: tuple[float, float] = (0.0, 0.0)  # largest of both so far


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PredictiveController(SampledController):
    """A sampled controller that plans its inputs over a horizon within limits; `mpc` makes it.

    design    gain and observer
    horizon   samples planned ahead
    kept      outputs with limits: names, lowest and highest values

    The result holds the estimate and, for every sample, the number of active limits, the residual of the
    Karush-Kuhn-Tucker conditions, and by which fraction of their width limits of outputs were relaxed.
    """

    design: Design
    linear: Controller
    horizon: int
    kept: tuple[str, ...] = ()
    lowest: np.ndarray = field(default_factory=none)
    highest: np.ndarray = field(default_factory=none)

    @cached_property
    def plans(self) -> Horizon:
        """Return the optimisation problem that is solved at every sample."""
        bounds = (self.low - self.u0, self.high - self.u0, self.rate * self.sample_time)
        return Horizon(self.design, self.horizon, Limits(*bounds, self.kept, self.lowest, self.highest))

    def begin(self) -> Plans:
        """Return the estimate at the start, and no plan."""
        return Plans(np.zeros(len(self.linear.A)), self.u0.copy(), self.u0.copy())

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: Plans) -> np.ndarray:
        """Return the input of the LQR, corrected for the limits."""
        memory.linear = self.linear.decide(time, y, r, memory.x)
        found = self.plans.plan(memory.x, y - self.linear.y0, r - self.r0, memory.last - self.u0)
        memory.active, memory.residual, memory.relaxed = found.active, found.residual, found.relaxed
        memory.worst = max(memory.worst[0], memory.residual), max(memory.worst[1], memory.relaxed)
        return memory.linear if found.active == 0 else np.clip(memory.linear + found.more, self.low, self.high)

    def proceed(self, sample: Sample, memory: Plans) -> None:
        """Update the linear controller; the input of the LQR is the wanted one, so integrals do not wind up."""
        self.linear.proceed(sample._replace(wanted=memory.linear), memory.x)
        memory.last = sample.issued

    def states(self, memory: Plans) -> np.ndarray:
        """Return states of the linear controller, number of active limits, residual, relaxation."""
        return np.concatenate([memory.x, [memory.active, memory.residual, memory.relaxed]])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Return the names of what `states` returns."""
        return (*self.linear.state_names, "limits active", "KKT residual", "limits relaxed")

    def promises(self, memory: Plans) -> Sequence[ControllerCheck]:
        """Return checks that the plans are optimal and keep all limits."""
        least = "Ask for less: wider limits, a longer horizon, or a slower reference."
        return (
            ControllerCheck("MPC: conditions left", memory.worst[0], SOLVED, "of the limits", "Scale the weights."),
            ControllerCheck("MPC: limits of outputs relaxed", memory.worst[1], KEPT, "of their width", least),
        )


def mpc(
    gain: Gain,
    observer: Observer,
    *,
    horizon: int,
    low: checks.PerName = None,
    high: checks.PerName = None,
    rate: checks.PerName = None,
    keep: Mapping[str, tuple[float | None, float | None]] | None = None,
    track: Sequence[str] = (),
) -> PredictiveController:
    """Design a linear model predictive controller: `lqg` with limits that are part of the optimisation.

    horizon   samples planned ahead, in which limits are kept; take at least the time in which the loop leaves its
              limits
    low, high, rate   limits of inputs, as in ``limited``: for all or by name, `rate` per second
    keep      {output: (lowest, highest)}, None: no limit; kept at all planned samples, according to the model. If no
              inputs can keep them, all are relaxed by the smallest common fraction of their width, and the outcome of
              the motion is not ok
    track     outputs that follow a reference, as in `lqg`; over the horizon, references are assumed to stay at their
              present values

    Without active limits this is exactly the LQR; beyond the horizon the plan is the LQR without limits. Stability is
    not guaranteed: with limits it depends on the initial state, and an unstable plant cannot be stabilised from every
    state. Solved by the dual method of Goldfarb and Idnani (1983), exactly.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]], output_names=("x", "v"))
    >>> gain = pl.lqr(cart, Q=[1, 1], R=0.1, sample_time=0.1)
    >>> seen = pl.luenberger(cart, poles=[-20.0, -21.0], sample_time=0.1)
    >>> controller = mpc(gain, seen, horizon=30, low=-1.0, high=1.0, keep={"v": (-0.5, 0.5)})
    >>> run = controller.simulate(cart, end_time=5.0, start=[-2.0, 0.0])
    >>> float(run.y.sel(output="v").max().round(6)), float(abs(run.u).max().round(6))
    (0.5, 1.0)
    """
    design = combine(gain, observer, track, "mpc")
    linear = design.controller()
    margins(linear, gain.model)  # warns if they are thin
    if checks.whole("mpc", "horizon", horizon) < 1:
        raise OptionError(f"mpc: horizon={horizon!r}: plan one sample ahead at least.")
    limits = {} if keep is None else dict(keep)
    checks.positions("mpc", "keep", limits, gain.model.output_names)
    bounds = np.array([_pair(name, pair) for name, pair in limits.items()]).reshape(-1, 2)
    common: dict[str, Any] = {key: getattr(linear, key) for key in ("inputs", "outputs", "sample_time", "tracked")}
    common |= {"u0": linear.u0, "r0": linear.r0, "design": design, "linear": linear, "horizon": horizon}
    made = PredictiveController(**common, kept=tuple(limits), lowest=bounds[:, 0], highest=bounds[:, 1])
    return made.limited(low=low, high=high, rate=rate)


def _pair(name: str, pair: Any) -> tuple[float, float]:
    """Return lowest and highest value of an output; infinite for None."""
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise OptionError(f"mpc: keep: {name!r}: {pair!r}: give (lowest, highest), None for no limit.") from None
    found = (
        -np.inf if low is None else checks.number("mpc", f"keep: lowest {name!r}", low),
        np.inf if high is None else checks.number("mpc", f"keep: highest {name!r}", high),
    )
    if not found[0] < found[1]:
        raise OptionError(f"mpc: keep: {name!r}: lowest = {found[0]:g} must be below highest = {found[1]:g}.")
    return found
