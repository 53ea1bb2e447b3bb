"""Numbers of a linear model as functions of system and equilibrium, of which `sensitivity` knows the derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import linalg as dense
from pliant._libraries import xarray as xr
from pliant.analyses.modes.linearise import linearise
from pliant.control.design.regulator import Gain
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.loop_response import peak
from pliant.errors import OptionError, SingularError, nearest
from pliant.results import Result
from pliant.results.matching import is_repeated, nearest_first
from pliant.system.capabilities import Linearisable

OF = ("poles", "zeros", "closed_poles", "lqr_cost", "h2", "hinf")
INFINITE = 1e8  # of the fastest pole: zeros beyond are those at infinity
GRID = 40  # frequencies a decade, between which the largest gain is looked for


@dataclass(frozen=True, kw_only=True)
class LinearQuantity:
    """One or several numbers computed from the linear model about an equilibrium.

    of       "poles" (1/s), or "zeros" of as many inputs as outputs: the slowest; "closed_poles" and "lqr_cost" of a
             ``design``, the latter after an impulse of one at every input, all together; "h2" and "hinf", the norms
             from all inputs to all outputs, of the model or, where there is a ``design``, in the closed loop
    inputs, outputs  of the model, as of `linearise`
    count    of poles or zeros
    design   function that designs the regulator of a linear model, such as ``lambda model: pl.lqr(model, outputs={...},
             R=1.0)``; it is called for every value of a parameter. Or a matrix: a constant gain K of the outputs, u =
             -K y
    friction  "stuck" or "free", of joints with friction, as of `linearise`

    Poles and zeros are tracked: each has its own derivative; repeated ones are named in the notes.

    >>> import pliant as pl
    >>> m = pl.Model("slide")
    >>> ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=2.0, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    >>> k = pl.Parameter("k", 50.0)
    >>> parts = m.add(
    ...     pl.Prismatic(ground.at(0, 0), slide.at()),
    ...     pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.0, damping=4.0),
    ...     pl.Force(slide.at(), x=0.0, name="push"),
    ... )
    >>> system, of = pl.compile(m), {"inputs": ["push/x"], "outputs": ["position:slide(0, 0):x"]}
    >>> static = pl.sensitivity(system, pl.statics(system), of={"h2": pl.LinearQuantity(of="h2", **of)})
    >>> round(float(static.value.h2), 6), round(float(static.relative.h2.item()), 4)  # 1 / sqrt(2 c k)
    (0.05, -0.5)
    """

    of: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    count: int | None = None
    design: Callable[[LinearModel], Gain] | ArrayLike | None = None
    friction: str | None = None

    def __post_init__(self) -> None:
        if self.of not in OF:
            raise OptionError(f"LinearQuantity: of={self.of!r} is not known. {nearest(str(self.of), OF)}")
        if self.of in ("closed_poles", "lqr_cost") and self.design is None:
            raise OptionError(f"LinearQuantity: {self.of} needs a design=, such as lambda model: pl.lqr(model, ...).")
        if self.of in ("poles", "zeros") and self.design is not None:
            raise OptionError(f"LinearQuantity: {self.of} belong to the model: leave out design=, or closed_poles.")

    def __call__(self, system: Linearisable, rest: Result) -> xr.DataArray:
        """Return the value at an equilibrium."""
        inputs, outputs = list(self.inputs), list(self.outputs)
        model = linearise(system, at=rest, inputs=inputs, outputs=outputs, friction=self.friction)
        found = getattr(self, f"_{self.of}")(model)
        if np.ndim(found):
            return xr.DataArray(found[: self.count], dims=["root"], attrs={"units": "1/s"})
        return xr.DataArray(found)

    def matched(self, before: np.ndarray, now: np.ndarray) -> np.ndarray:
        """Return poles or zeros in the order of neighbouring ones; other numbers unchanged."""
        return nearest_first(before, now) if np.ndim(before) else now

    def notes(self, values: np.ndarray) -> list[str]:
        """Return notes on repeated ones, which have no single derivative, because a parameter splits them."""
        same = is_repeated(values) if np.ndim(values) else np.zeros(0, bool)
        numbers = ", ".join(str(k + 1) for k in np.flatnonzero(same))
        return [f"{self.of} {numbers} are repeated: these have no derivatives of their own"] if numbers else []

    def _poles(self, model: LinearModel) -> np.ndarray:
        return model.poles(self.count)

    def _zeros(self, model: LinearModel) -> np.ndarray:
        """Return the values s with a singular ``[A - s, B; C, D]``."""
        A, B, C, D = model.A, model.B, model.C, model.D
        if B.shape[1] != C.shape[0]:
            raise OptionError(f"zeros: {B.shape[1]} inputs and {C.shape[0]} outputs; give as many of each.")
        whole, n = np.block([[A, B], [C, D]]), len(A)
        values = dense.eigvals(whole, np.diag(np.append(np.ones(n), np.zeros(len(whole) - n))))
        values = values[np.isfinite(values)]
        values = values[np.abs(values) < INFINITE * max(np.max(np.abs(model.poles()), initial=0.0), 1e-300)]
        return values[np.lexsort((-values.imag, np.abs(values)))]

    def _regulator(self, model: LinearModel) -> Gain:
        found = self.design(model) if callable(self.design) else None
        if not isinstance(found, Gain):
            raise OptionError(
                f"{self.of}: design= gives {found!r:.60}; give a function that returns the result of pl.lqr."
            )
        return found

    def _closed(self, model: LinearModel) -> np.ndarray:
        """Return A of the model, or of its closed loop."""
        if self.design is None:
            return model.A
        if callable(self.design):
            gain = self._regulator(model)
            at = [model.input_names.index(name) for name in gain.inputs]
            return np.asarray(model.A - model.B[:, at] @ gain.K[:, : len(model.A)])
        K = np.atleast_2d(np.asarray(self.design, float))
        return np.asarray(model.A - model.B @ np.linalg.solve(np.eye(len(K)) + K @ model.D, K @ model.C))

    def _closed_poles(self, model: LinearModel) -> np.ndarray:
        values = np.asarray(
            self._regulator(model).poles if callable(self.design) else np.linalg.eigvals(self._closed(model))
        )
        return values[np.lexsort((-values.imag, np.abs(values)))]

    def _lqr_cost(self, model: LinearModel) -> float:
        """Return the sum of B' P B: x'Px is the cost to come of a state x."""
        gain = self._regulator(model)
        kick = np.zeros((len(gain.riccati), model.B.shape[1]))
        kick[: len(model.A)] = model.B
        return float(np.trace(kick.T @ gain.riccati @ kick))

    def _stable(self, model: LinearModel) -> np.ndarray:
        A = self._closed(model)
        if not np.max(np.linalg.eigvals(A).real, initial=-np.inf) < 0.0:
            raise SingularError(f"{self.of}: the model has poles that do not decay, so that its norm is infinite.")
        return A

    def _h2(self, model: LinearModel) -> float:
        """Return ``sqrt(trace C P C')``, ``A P + P A' + B B' = 0``."""
        A = self._stable(model)
        if np.any(model.D):
            raise OptionError("h2: some input acts on an output at once (D is not zero): that norm is infinite.")
        P = dense.solve_continuous_lyapunov(A, -model.B @ model.B.T)
        return float(np.sqrt(np.trace(model.C @ P @ model.C.T)))

    def _hinf(self, model: LinearModel) -> float:
        """Return the largest singular value of all frequencies."""
        A, one = self._stable(model), np.eye(len(model.A))

        def gain(omega: float) -> float:
            response = model.C @ np.linalg.solve(1j * omega * one - A, model.B) + model.D
            return float(np.linalg.norm(response, 2))

        poles = np.linalg.eigvals(A)
        sizes = np.abs(poles)
        low, high = 1e-2 * np.min(sizes), 1e2 * np.max(sizes)
        grid = np.geomspace(low, high, int(GRID * np.log10(high / low)))
        grid = np.unique(np.concatenate([[0.0], grid, *(p.imag + abs(p.real) * np.linspace(-2, 2, 9) for p in poles)]))
        grid = grid[grid >= 0.0]
        return peak(gain, grid, np.array([gain(omega) for omega in grid]))[0]
