"""Comparison of a motion with the prediction of the linear design: start, overshoot, settling time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pliant.control import checks
from pliant.errors import OptionError
from pliant.model import rotations

if TYPE_CHECKING:
    import xarray as xr

    from pliant.control.controllers.controller import Controller
    from pliant.control.models.linear_model import LinearModel


class HasState(Protocol):
    """A Result of statics or transient: it holds the state at its end."""

    @property
    def state(self) -> dict[str, np.ndarray] | None: ...


def predict(controller: Controller, model: LinearModel, *, start: HasState, end_time: float) -> xr.Dataset:
    """Simulate the linear closed loop from the state in a Result: the motion of `pl.transient` with the same start if
    the mechanism were linear. See `Controller.simulate` for the variables.

    model  as `linearise` returned it; the controller may have been designed for a reduced one

    >>> import pliant as pl
    >>> from pliant_gallery.examples import driven_pendulum
    >>> system = pl.compile(driven_pendulum())
    >>> rest = pl.statics(system)
    >>> seen = ["angle:arm", "angular_velocity:arm"]
    >>> plant = pl.linearise(system, at=rest, inputs=["motor/torque"], outputs=seen)
    >>> gain = pl.lqr(plant, outputs={"angle:arm": 100.0}, inputs={"motor/torque": 1.0}, sample_time=0.01)
    >>> controller = pl.state_feedback(gain, outputs=seen)
    >>> pushed = pl.transient(system, start=rest, push={"arm": 0.1}, end_time=0.1, step=1e-2)
    >>> back = predict(controller, plant, start=pushed, end_time=3.0)
    >>> bool(abs(back.y.sel(output="angle:arm")[-1] + 90 * pl.DEG) < 1e-3)
    True
    """
    return controller.simulate(model, end_time=end_time, start=deviation(model, start))


def deviation(model: LinearModel, start: HasState) -> np.ndarray:
    """Return states of a linear model nearest, by mass, to the state in a Result of statics or transient (its end).

        z = least of |q - q0 - basis z|^2 + |v - velocity_basis z|^2

    This is exact for small deviations; terms of second order have no place in a linear model.
    """
    checks.linear("deviation", model)
    if model.reduction is not None:
        if model.reduction.projection is None:
            raise OptionError(f"deviation: {model.reduction.method} states differ from the plant's. Give the plant.")
        return np.asarray(model.reduction.projection @ deviation(model.reduction.plant, start))
    form, rest = model.second_order, getattr(model.operating_point, "state", None)
    state = getattr(start, "state", None)
    if form is None or rest is None or model.basis is None or model.velocity_basis is None:
        raise OptionError("deviation: the model has no operating point. Give what pl.linearise returned.")
    if state is None or np.shape(state["q"]) != np.shape(rest["q"]):
        raise OptionError("deviation: start is no state of the model's parts: give a Result of statics or transient.")
    n = form.freedoms
    away = _apart(np.asarray(rest["q"], float), np.asarray(state["q"], float), n)
    rate = np.asarray(state["v"], float)[:n] - np.asarray(rest["v"], float)[:n]
    heavy = [form.mass @ basis for basis in (model.basis, model.velocity_basis)]
    square = model.basis.T @ heavy[0] + model.velocity_basis.T @ heavy[1]
    return np.asarray(np.linalg.lstsq(square, heavy[0].T @ away + heavy[1].T @ rate, rcond=1e-12)[0])


def _apart(before: np.ndarray, after: np.ndarray, freedoms: int) -> np.ndarray:
    """Return the increment of freedoms between two configurations. A spatial node has six, and a quaternion."""
    away = after[:freedoms] - before[:freedoms]
    nodes = freedoms // 6
    if before.size == 10 * (nodes + 1) and freedoms == 6 * nodes:  # in the plane: freedoms and 3 of the ground
        first, last = (q[6 * (nodes + 1) :].reshape(-1, 4)[:nodes] for q in (before, after))
        away.reshape(nodes, 6)[:, 3:] = [
            rotations.logarithm(rotations.product(rotations.conjugate(p), q)) for p, q in zip(first, last, strict=True)
        ]
    return np.asarray(away)


def overshoot(deviation: Any) -> float:
    """Return how far a deviation goes to the other side of zero, relative to its start.

    >>> overshoot([0.2, 0.1, -0.05, 0.0])
    0.25
    """
    values = np.asarray(deviation, float) / float(np.asarray(deviation)[0])
    return float(max(0.0, -np.min(values)))


def settling_time(time: Any, deviation: Any, *, band: float = 0.05) -> float:
    """Return the first instant (s) from which a deviation stays within ``band`` of its start; infinite if never.

    >>> settling_time([0.0, 0.1, 0.2, 0.3], [1.0, -0.2, 0.04, 0.03])
    0.2
    """
    outside = np.abs(np.asarray(deviation, float)) > band * abs(float(np.asarray(deviation)[0]))
    instants = np.asarray(time, float)
    if not outside.any():
        return float(instants[0])
    last = int(np.flatnonzero(outside)[-1])
    return float(instants[last + 1] - instants[0]) if last + 1 < instants.size else float("inf")
