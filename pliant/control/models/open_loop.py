"""Open loops of a design, cut at the plant's inputs or at its outputs: the basis of margins and diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.control import checks
from pliant.control.controllers.controller import Controller
from pliant.control.models.linear_model import LinearModel
from pliant.control.models.sampling import sample_matrices
from pliant.errors import OptionError

if TYPE_CHECKING:
    from pliant.control.design.regulator import Gain


def open_loop(design: Controller | Gain, model: LinearModel | None = None, *, at: str = "inputs") -> LinearModel:
    """Return the transfer function L of a loop opened at the inputs of the plant, or at the outputs that a controller
    reads; the closed loop has ``1 + L``.

    design  a controller, or a gain of `lqr` (state feedback, ``L = K (s I - A)^-1 B``)
    model   the plant of a controller; a gain has its own
    at      "inputs": ``L = -F P``; "outputs": ``L = -P F``. F is the controller from readings to applied inputs, with
            its delay; P is the plant, sampled, with its inputs held

    Limits, noise and quantisation are left out. Inputs and outputs of the loop have the same names.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]])
    >>> loop = open_loop(pl.lqr(cart, Q=[1, 1], R=1))
    >>> abs(loop.frequency_response([1.0])).values.round(6).tolist()  # |1 + i sqrt 3|
    [[[2.0]]]
    """
    if at not in ("inputs", "outputs"):
        raise OptionError(f"open_loop: at={at!r}: choose 'inputs' or 'outputs'.")
    if isinstance(design, Controller):
        checks.linear("open_loop", model)
        return _of_controller(design, model, at)
    from pliant.control.design.regulator import Gain, augment

    if not isinstance(design, Gain):
        raise OptionError(f"open_loop: {design!r:.60} is no design. Give a Controller, or a gain of pl.lqr.")
    if at == "outputs" or model is not None:
        raise OptionError("open_loop: a gain feeds back the states of its own model; leave out model= and at=.")
    A, B = augment(design)
    names = tuple(design.inputs)
    none = np.zeros((len(names), len(names)))
    return LinearModel(A, B, design.K, none, design.state_names, names, names, sample_time=design.sample_time)


def compensator(controller: Controller) -> LinearModel:
    """Return a controller as a linear model: from outputs and references to inputs, all in deviations, delay included.

    Inputs are the outputs it reads, then ``"reference of <output>"``; outputs are the inputs it sets.

    >>> hold = Controller.proportional({"motor/torque": {"angle:arm": 5.0}}, sample_time=0.1).delayed(1)
    >>> compensator(hold).input_names, compensator(hold).poles().tolist()
    (('angle:arm', 'reference of angle:arm'), [0j])
    """
    c, n, m = controller, len(controller.A), len(controller.inputs)
    readings, references = len(c.outputs), len(c.tracked)
    state, queue, d, s = np.split(
        np.eye(n + m * c.delay + readings + references), np.cumsum([n, m * c.delay, readings])
    )
    coming = np.vstack([queue, c.C @ state + c.Dy @ d + c.Dr @ s])
    applied = coming[:m]
    after = c.A @ state + c.Bu @ applied + c.By @ d + c.Br @ s
    rows, states = np.vstack([after, coming[m:]]), n + m * c.delay
    waiting = (f"{name}, {k + 1} samples ahead" for k in range(c.delay) for name in c.inputs)
    return LinearModel(
        rows[:, :states],
        rows[:, states:],
        applied[:, :states],
        applied[:, states:],
        state_names=(*(f"controller: {name}" for name in c.state_names), *waiting),
        input_names=(*c.outputs, *(f"reference of {name}" for name in c.tracked)),
        output_names=c.inputs,
        input_values=np.concatenate([c.y0, c.r0]),
        output_values=c.u0,
        sample_time=c.sample_time,
    )


def closed_loop(controller: Controller, model: Any) -> np.ndarray:
    """Return the matrix from one sample to the next of plant and controller together, without limits."""
    loop = open_loop(controller, model)
    return loop.A - loop.B @ loop.C


def _of_controller(controller: Controller, model: Any, at: str) -> LinearModel:
    """Connect plant and controller in series; the plant has no direct term, since readings precede the inputs."""
    F, A, B, C = compensator(controller), *_plant(controller, model)
    By, D = F.B[:, : len(controller.outputs)], F.D[:, : len(controller.outputs)]
    n, k = len(A), len(F.A)
    whole = np.block([[A, np.zeros((n, k))], [By @ C, F.A]])
    enters, leaves = np.vstack([B, np.zeros((k, B.shape[1]))]), -np.hstack([D @ C, F.C])
    names: tuple[str, ...] = controller.inputs
    if at == "outputs":  # the reading enters the controller, and returns from the plant
        whole = np.block([[A, B @ F.C], [np.zeros((k, n)), F.A]])
        enters, leaves = np.vstack([B @ D, By]), -np.hstack([C, np.zeros((len(C), k))])
        names = controller.outputs
    states = (*model.state_names, *(f"last {i}" for i in range(n - len(model.state_names))), *F.state_names)
    none = np.zeros((len(names), len(names)))
    return LinearModel(whole, enters, leaves, none, states, names, names, sample_time=controller.sample_time)


def _plant(controller: Controller, model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return A, B, C of the sampled plant. A reading ``C x + D u`` depends on the input applied last: a state too."""
    owner = "open_loop"
    A, B = sample_matrices(model, controller.sample_time, owner)
    u = checks.positions(owner, "inputs", controller.inputs, model.input_names)
    y = checks.positions(owner, "outputs", controller.outputs, model.output_names)
    D, m = model.D[np.ix_(y, u)], len(u)
    if not np.any(D):
        return A, B[:, u], model.C[y]
    n = len(A)
    return (
        np.block([[A, np.zeros((n, m))], [np.zeros((m, n + m))]]),
        np.vstack([B[:, u], np.eye(m)]),
        np.hstack([model.C[y], D]),
    )
