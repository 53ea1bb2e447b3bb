"""H-infinity control: the smallest outputs under the worst disturbances (Doyle, Glover, Khargonekar, Francis 1989).

With disturbances w = (of inputs, of readings), each in its unit, and z = (outputs, inputs) by their weights,

    x' = A x + B1 w + B2 u,   z = (Q^1/2 x, R^1/2 u),   y = C2 x + V^1/2 w,

a controller with |z| < level |w| (energies of any w) exists where both Riccati equations

    A'X + XA + X (B1 B1'/level^2 - B2 R^-1 B2') X + Q = 0,   AY + YA' + Y (Q/level^2 - C2' V^-1 C2) Y + B1 B1' = 0

have stabilising X, Y >= 0 and the largest eigenvalue of XY is below level^2. It is an observer that expects the worst:

    x' = (A + B1 B1' X / level^2) x + B2 u + Z Y C2' V^-1 (y - C2 x),   Z = (1 - Y X / level^2)^-1,   u = -R^-1 B2' X x.

As the level goes to infinity it becomes the LQG controller of the same weights and noises.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pliant.control import checks
from pliant.control.controllers.controller import Controller
from pliant.control.design.observer import kalman
from pliant.control.design.regulator import lqr
from pliant.control.design.riccati import Problem, solve
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.margins import margins
from pliant.errors import ConvergenceError, OptionError

MOST = 1e12  # largest level tried
CLOSE = 1e-4  # relative accuracy of the least level
ROUNDING = 1e-9  # of the largest eigenvalue: less negative ones are zero


@dataclass(frozen=True, eq=False, kw_only=True)
class Worst:
    """An H-infinity design.

    controller   sampled, in deviations from the operating point
    level        the largest of |z| / |w| that the continuous controller guarantees
    least        the lowest level that any controller can guarantee
    compensator  the continuous one, from readings to inputs
    """

    controller: Controller
    level: float
    least: float
    compensator: LinearModel


def hinf(
    model: LinearModel,
    *,
    outputs: Mapping[str, float],
    inputs: Mapping[str, float],
    process_noise: Mapping[str, float],
    measurement_noise: Mapping[str, float],
    sample_time: float,
    slack: float = 1.1,
) -> Worst:
    """Design an H-infinity controller, which minimises the worst case; weights and noises as for `lqr` and `kalman`.

    outputs, inputs     {name: weight} of z, as for `lqr`: 1 / (deviation that matters)^2
    process_noise       {input: size} of w, as for `kalman`: size of an unknown disturbance of this input
    measurement_noise   {output: size}: size of the error of this reading; only these outputs are read
    sample_time         s; the controller is designed in continuous time, then sampled with readings held between
                        samples. A warning is given if the margins of the sampled loop are small
    slack               level relative to the smallest possible one, at which gains become infinite

    As in `lqr` and `kalman`, modes that no input moves, no output shows or no weight covers are refused. So are outputs
    that depend on the inputs at the same instant (accelerations, reactions). For other forms of the problem use
    python-control: ``Controller.of(control.hinfsyn(...)[0], ...)``, which needs slycot.

    >>> lag = LinearModel([[0.0]], [[1.0]], [[1.0]], [[0.0]])
    >>> found = hinf(
    ...     lag, outputs={"y1": 1.0}, inputs={"u1": 1.0}, process_noise={"u1": 1.0}, measurement_noise={"y1": 1.0},
    ...     sample_time=1e-3,
    ... )  # fmt: skip
    >>> round(found.least, 3)
    1.414
    """
    checks.linear("hinf", model)
    T = checks.positive("hinf", "sample_time", sample_time)
    if model.sample_time is not None:
        raise OptionError(f"hinf: the model is sampled every {model.sample_time:g} s. Give the continuous one.")
    if not checks.number("hinf", "slack", slack) > 1.0:
        raise OptionError(f"hinf: slack={slack!r}: it must be above 1; no controller reaches the least level itself.")
    problem = _Standard.of(model, outputs, inputs, process_noise, measurement_noise)
    least = problem.least()
    level = slack * least
    found = problem.central(level)
    controller = _sampled(model, found, T, tuple(inputs), tuple(measurement_noise))
    margins(controller, model)  # warns if they are thin
    whole = LinearModel(
        found.A + found.B @ found.C, found.L, found.C, np.zeros((len(found.C), found.L.shape[1])),
        state_names=model.state_names, input_names=tuple(measurement_noise), output_names=tuple(inputs),
    )  # fmt: skip
    return Worst(controller=controller, level=level, least=least, compensator=whole)


@dataclass(frozen=True, eq=False)
class _Central:
    """The controller ``x' = A x + B u + L y``, ``u = C x``."""

    A: np.ndarray
    B: np.ndarray
    L: np.ndarray
    C: np.ndarray


@dataclass(frozen=True, eq=False)
class _Standard:
    """The problem in matrices; B1 and C1 include the sizes and the roots of the weights."""

    A: np.ndarray
    B1: np.ndarray
    B2: np.ndarray
    C1: np.ndarray
    C2: np.ndarray
    R: np.ndarray
    V: np.ndarray

    @classmethod
    def of(
        cls,
        model: LinearModel,
        outputs: Mapping[str, float],
        inputs: Mapping[str, float],
        process_noise: Mapping[str, float],
        measurement_noise: Mapping[str, float],
    ) -> _Standard:
        """Make the problem from named weights; the designs of LQG refuse what H-infinity cannot solve either."""
        for argument, value in (("process_noise", process_noise), ("measurement_noise", measurement_noise)):
            if not isinstance(value, Mapping):
                raise OptionError(f"hinf: {argument}={value!r:.60}: give {{name: size}}.")
        lqr(model, outputs=outputs, inputs=inputs)
        kalman(model, process_noise=process_noise, measurement_noise=measurement_noise)
        u, d = (checks.positions("hinf", "inputs", names, model.input_names) for names in (inputs, process_noise))
        z, y = (
            checks.positions("hinf", "outputs", names, model.output_names) for names in (outputs, measurement_noise)
        )
        for row in (*z, *y):
            if np.any(model.D[row, sorted({*u, *d})]):
                raise OptionError(
                    f"hinf: {model.output_names[row]!r} depends on an input at the same instant. Weight and read "
                    "positions, rates, lengths or strains; or take pl.lqg."
                )
        B1 = model.B[:, d] * np.array(list(process_noise.values()))
        C1 = np.sqrt(np.array(list(outputs.values())))[:, None] * model.C[z]
        R, V = np.diag(list(inputs.values())), np.diag(np.square(list(measurement_noise.values())))
        return cls(model.A, B1, model.B[:, u], C1, model.C[y], R, V)

    def pair(self, level: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Return X and Y if the level is achievable, else None."""
        try:
            X = _riccati(self.A, self.C1, self.B1, self.B2, self.R, level)
            Y = _riccati(self.A.T, self.B1.T, self.C1.T, self.C2.T, self.V, level)
        except ConvergenceError:
            return None
        return (X, Y) if np.max(np.linalg.eigvals(X @ Y).real) < level**2 else None

    def least(self) -> float:
        """Find the lowest level, from above, by bisection of its logarithm."""
        high = 1.0
        while self.pair(high) is None:
            high *= 2.0
            if high > MOST:
                raise ConvergenceError("hinf: no level can be kept. Reduce the model (pl.reduce), look at the weights.")
        low = 0.5 * high
        while self.pair(low) is not None:
            low, high = 0.5 * low, low
        while high > (1.0 + CLOSE) * low:
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if self.pair(middle) is None else (low, middle)
        return high

    def central(self, level: float) -> _Central:
        """Return the controller at a level."""
        found = self.pair(level)
        if found is None:
            raise ConvergenceError(f"hinf: no controller was found at the level {level:g}. Give more slack.")
        X, Y = found
        L = np.linalg.solve(np.eye(len(X)) - Y @ X / level**2, Y @ self.C2.T @ np.linalg.inv(self.V))
        A = self.A + self.B1 @ self.B1.T @ X / level**2 - L @ self.C2
        return _Central(A, self.B2, L, -np.linalg.solve(self.R, self.B2.T @ X))


def _riccati(A: np.ndarray, C1: np.ndarray, B1: np.ndarray, B2: np.ndarray, R: np.ndarray, level: float) -> np.ndarray:
    """Find the stabilising X >= 0 of ``A'X + XA + X (B1 B1' / level^2 - B2 R^-1 B2') X + C1' C1 = 0``, or raise."""
    from scipy.linalg import block_diag

    both, price = np.hstack([B1 / level, B2]), block_diag(-np.eye(B1.shape[1]), R)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # at levels that are not achievable; the residual is checked
        X = solve("hinf", Problem(A, both, C1.T @ C1, price, np.zeros(both.shape), None)).P
    sizes = np.linalg.eigvalsh(X)
    if sizes[0] < -ROUNDING * abs(sizes[-1]):
        raise ConvergenceError("hinf: a solution that is not positive.")
    return X


def _sampled(
    model: LinearModel, found: _Central, T: float, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> Controller:
    """Sample a controller with inputs and readings held between samples; the observer uses the applied inputs."""
    m, moved = len(inputs), np.hstack([found.B, found.L])
    held = LinearModel(found.A, moved, found.C, np.zeros((m, moved.shape[1]))).discretise(T)
    u = checks.positions("hinf", "inputs", inputs, model.input_names)
    y = checks.positions("hinf", "outputs", outputs, model.output_names)
    return Controller(
        inputs=inputs,
        outputs=outputs,
        sample_time=T,
        state_names=tuple(f"estimate of {name}" for name in model.state_names),
        A=held.A,
        Bu=held.B[:, :m],
        By=held.B[:, m:],
        C=found.C,
        u0=model.input_values[u],
        y0=model.output_values[y],
    )
