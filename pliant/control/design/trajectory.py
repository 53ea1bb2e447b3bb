"""Planned motions: inputs of the flexible mechanism that make outputs follow references, and feedback along the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pliant.control import checks
from pliant.control.models.plant import Plant, SampleStep, sample_step
from pliant.errors import ConvergenceError, OptionError
from pliant.model.signals.base import SignalLike, as_signal

ITERATIONS = 60
SHORTEST = 2.0**-12  # smallest share of a step that is tried
SETTLED = 1e-9  # of the cost: an iteration with a smaller gain is the last one


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A plan: inputs, held from sample to sample, that make outputs of a plant follow references, and feedback gains.

    plant             the planned plant
    sample_time       s
    states, outputs   at every sample, the start included; `inputs` from each to the next
    gains             (samples, inputs, states) of time-varying LQR: ``u = inputs - gains (x - states)``
    wanted            reference values at every sample, by output; `miss`: largest deviation of each

    `follow` makes it:

    >>> plan = Trajectory(None, 0.1, np.zeros((3, 2)), np.ones((2, 1)), np.zeros((3, 1)), np.zeros((2, 1, 2)), {})
    >>> plan.at(7)[1]  # after the end the last inputs are kept
    array([1.])
    """

    plant: Plant
    sample_time: float
    states: np.ndarray
    inputs: np.ndarray
    outputs: np.ndarray
    gains: np.ndarray
    wanted: dict[str, np.ndarray]

    @property
    def miss(self) -> dict[str, float]:
        """Return the largest planned deviation of every output from its reference."""
        names = self.plant.output_names
        return {k: float(np.max(np.abs(self.outputs[:, names.index(k)] - v))) for k, v in self.wanted.items()}

    def at(self, sample: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return state, inputs and gain at a sample; after the last sample, the last ones."""
        k = min(sample, len(self.inputs) - 1)
        return self.states[min(sample, len(self.states) - 1)], self.inputs[k], self.gains[k]


class _Course(NamedTuple):
    """A motion under inputs, with its cost."""

    x: np.ndarray
    u: np.ndarray
    y: np.ndarray
    pieces: list[SampleStep]
    cost: float


def follow(
    plant: Plant,
    references: Mapping[str, SignalLike],
    *,
    weights: Mapping[str, float],
    inputs: Mapping[str, float],
    sample_time: float,
    end_time: float,
    start: np.ndarray | None = None,
    steps: int = 1,
) -> Trajectory:
    """Plan inputs that make outputs follow signals, by inverse dynamics of the flexible plant, with feedback gains
    along the motion.

        least  sum of weight (y - r)^2 + input weight (u - u0)^2      over all samples

    references   {output: signal}; outputs that depend on the inputs at the same instant (accelerations, reactions) are
                 refused
    weights      {output: weight}: 1 / (deviation that matters)^2, for outputs that follow a reference and for others
    inputs       {input: weight}: positive; the smaller, the nearer to the exact inverse
    start        initial deviation of the states; default: at rest at the operating point
    steps        of the prediction between two samples

    The tip of a flexible link first moves the wrong way, so no causal inverse is stable. The minimum over the whole
    motion is stable; its inputs begin before the tip moves (as in the stable inverse of Devasia, Chen and Paden 1996).
    It is found by Gauss-Newton iterations with linear-quadratic steps (Li and Todorov 2004); the last one also gives
    the gains of time-varying LQR.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> plant = pl.nonlinear(pl.compile(driven_pendulum()), inputs=["motor/torque"], outputs=["angle:arm"])
    >>> up = pl.Ramp(-90 * pl.DEG, -1.0, t0=0.1, t1=0.5)
    >>> plan = follow(
    ...     plant, {"angle:arm": up}, weights={"angle:arm": 1e6}, inputs={"motor/torque": 1e-4}, sample_time=0.02,
    ...     end_time=0.6,
    ... )
    >>> plan.miss["angle:arm"] < 2e-3
    True
    """
    problem = _problem(plant, references, weights, inputs, sample_time, end_time, steps)
    x = np.zeros(len(plant.state_names)) if start is None else np.array(start, float)
    if x.shape != (len(plant.state_names),):
        raise OptionError(f"follow: start has the shape {x.shape}; there are {len(plant.state_names)} states.")
    course = problem.course(x, np.tile(plant.input_values, (problem.samples, 1)), None, None)
    for _ in range(ITERATIONS):
        change, gains = problem.improved(course)
        part, better = 1.0, None
        while part > SHORTEST:
            try:
                better = problem.course(x, course.u + part * change, course.x, gains)
            except ConvergenceError:
                better = None
            if better is not None and better.cost <= course.cost:
                break
            part, better = 0.5 * part, None
        if better is None or course.cost - better.cost <= SETTLED * course.cost:
            course = course if better is None else better
            break
        course = better
    else:
        raise ConvergenceError("follow: no motion was found. Give a later end_time=, or the inputs more weight.")
    wanted = {name: problem.r[:, k] for name, k in problem.followed.items()}
    return Trajectory(plant, sample_time, course.x, course.u, course.y, gains, wanted)


@dataclass(frozen=True, eq=False)
class _Problem:
    plant: Plant
    T: float
    samples: int
    steps: int
    r: np.ndarray  # (samples + 1, outputs) reference; weight zero without one
    W: np.ndarray
    R: np.ndarray
    followed: dict[str, int]

    def course(self, x: np.ndarray, u: np.ndarray, before: np.ndarray | None, gains: np.ndarray | None) -> _Course:
        """Compute the motion under inputs u, corrected by gains for its deviation from a previous one."""
        xs, us, pieces = [x], [], []
        ys = [self.plant.output(x, u[0])]
        for k in range(self.samples):
            now = u[k] if before is None or gains is None else u[k] - gains[k] @ (xs[-1] - before[k])
            pieces.append(sample_step(self.plant, xs[-1], now, self.T, self.steps))
            xs.append(pieces[-1].x)
            us.append(now)
            ys.append(self.plant.output(xs[-1], now))
        y, u = np.array(ys), np.array(us)
        off = y - self.r
        pushed = u - self.plant.input_values
        return _Course(np.array(xs), u, y, pieces, float(np.sum(off**2 * self.W) + np.sum(pushed**2 * self.R)))

    def improved(self, course: _Course) -> tuple[np.ndarray, np.ndarray]:
        """Return the best change of the inputs for the linearised motion, and the feedback gains."""
        n = course.x.shape[1]
        s, S = np.zeros(n), np.zeros((n, n))
        change, gains = np.zeros_like(course.u), np.zeros((self.samples, course.u.shape[1], n))
        for k in range(self.samples - 1, -1, -1):
            C = self.plant.output_slopes(course.x[k + 1], course.u[k])[0]
            s, S = s + C.T @ (self.W * (course.y[k + 1] - self.r[k + 1])), S + C.T @ (self.W[:, None] * C)
            A, B = course.pieces[k].by_state, course.pieces[k].by_input
            H = np.diag(self.R) + B.T @ S @ B
            gains[k] = np.linalg.solve(H, B.T @ S @ A)
            change[k] = -np.linalg.solve(H, self.R * (course.u[k] - self.plant.input_values) + B.T @ s)
            s = A.T @ (s + S @ (B @ change[k]))
            S = A.T @ S @ (A - B @ gains[k])
            S = 0.5 * (S + S.T)
        return change, gains


def _problem(
    plant: Plant,
    references: Mapping[str, SignalLike],
    weights: Mapping[str, float],
    inputs: Mapping[str, float],
    sample_time: float,
    end_time: float,
    steps: int,
) -> _Problem:
    T = checks.positive("follow", "sample_time", sample_time)
    samples = round(checks.positive("follow", "end_time", end_time) / T)
    if samples < 1 or abs(samples * T - end_time) > 1e-6 * T:
        raise OptionError(f"follow: end_time={end_time:g} is not a whole number of samples of {T:g} s.")
    if checks.whole("follow", "steps", steps) < 1:
        raise OptionError(f"follow: steps={steps!r}: take one a sample at least.")
    names, times = plant.output_names, T * np.arange(samples + 1)
    at = checks.positions("follow", "references", references, names)
    missing = [name for name in references if name not in weights]
    if missing:
        raise OptionError(f"follow: weights: {missing[0]!r} follows and has no weight.")
    still = plant.output(np.zeros(len(plant.state_names)), plant.input_values)
    r, W, R = np.tile(still, (samples + 1, 1)), np.zeros(len(names)), np.zeros(len(plant.input_names))
    for name, k in zip(references, at, strict=True):
        r[:, k] = as_signal(references[name], "follow", name)(times, name)
    for k, (name, value) in zip(checks.positions("follow", "weights", weights, names), weights.items(), strict=True):
        W[k] = checks.not_negative("follow", f"weight of {name!r}", value)
    where = checks.positions("follow", "inputs", inputs, plant.input_names)
    if len(where) < len(R):
        raise OptionError(f"follow: inputs: give a weight for each of {', '.join(plant.input_names)}.")
    R[where] = [checks.positive("follow", f"weight of {name!r}", value) for name, value in inputs.items()]
    if np.any(W[:, None] * plant.output_slopes(np.zeros(len(plant.state_names)), plant.input_values)[1]):
        raise OptionError(
            "follow: a weighted output depends on an input at the same instant. Weight positions, angles or rates."
        )
    return _Problem(plant, T, samples, steps, r, W, R, dict(zip(references, at, strict=True)))
