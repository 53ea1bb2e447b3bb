"""A, B, C, D in independent coordinates: the second-order form projected on the motions that the joints allow.

    q = Z x + R w,   G Z = 0,   G R = N

About a point of a motion Z and R change in time, q' = Z x' + Z' x + ..., by ``G Z' = -G' Z`` and ``G Z'' = -2 G' Z' -
G'' Z``; their components along allowed motions, measured by mass, stay constant: ``Z^T M Z' = 0``. Frozen coefficients
then do not depend on the coordinates chosen (this is parallel transport by the kinetic energy).

x are amplitudes of the undamped modes, scaled to unit mass, so that fast and slow motions do not mix in rounding; w are
driven coordinates. Directions without mass are eliminated: without damping they follow statically, otherwise they are
states of first order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant.control.models.second_order import SLOWEST, SecondOrder
from pliant.errors import OptionError, SingularError
from pliant.linalg import rounding as digits
from pliant.linalg.eigen import DEPENDENT, null_space

MASSLESS = 1e-13  # of the largest: smaller inertia (or damping) is zero
SOFT = 1e-12  # of the largest stiffness: less supports no direction without mass


class StateSpace(NamedTuple):
    """``z' = A z + B u``, ``y = C z + D u``, ``q = basis z``, ``q' = velocity_basis z`` (without the terms of u)."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    state_names: tuple[str, ...]
    basis: np.ndarray
    velocity_basis: np.ndarray


class Frame(NamedTuple):
    """Z and R side by side, their first and second time derivatives, and the pseudo-inverse of G."""

    now: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    inverse: np.ndarray


class Groups(NamedTuple):
    """Directions in x: with mass, without mass but damped, with neither."""

    heavy: np.ndarray
    damped: np.ndarray
    idle: np.ndarray


def state_space(
    form: SecondOrder, input_names: tuple[str, ...], motions: np.ndarray | None = None, led: np.ndarray | None = None
) -> StateSpace:
    """Compute the state space of a second-order form.

    motions  columns to use as Z, fewer than the joints allow (Galerkin); default: all
    led      columns to use as R, one for each driven coordinate; default: of least norm
    """
    frame = _frame(form, motions, led)
    count, driven = frame.now.shape[1] - form.driven.size, form.driven.size
    z = frame.now[:, :count]
    m = z.T @ (form.mass @ frame.now)
    c = z.T @ (form.damping @ frame.now + 2.0 * (form.mass @ frame.rate))
    k = z.T @ (form.stiffness @ frame.now + form.damping @ frame.rate + form.mass @ frame.second)
    f = z.T @ form.load
    groups = _groups(form, m[:, :count], c[:, :count], k[:, :count], z)
    shape, give = _condensed(groups, k, f, driven)
    heavy, damped = groups.heavy, groups.damped
    nh, nd, inputs = heavy.shape[1], damped.shape[1], f.shape[1]
    modes = _modes(form, heavy.T @ (k @ shape[:, :nh]), frame.now @ shape[:, :nh])
    heavy, shape[:, :nh] = heavy @ modes, shape[:, :nh] @ modes

    # Every quantity is a matrix that multiplies (z, u), z = (x heavy, x damped, w, x' heavy, w').
    states = 2 * (nh + driven) + nd
    p = np.eye(nh + nd + driven, states + inputs)
    u = np.eye(inputs, states + inputs, states)
    rate = np.zeros_like(p)
    rate[:nh, nh + nd + driven : 2 * nh + nd + driven] = np.eye(nh)
    rate[nh + nd :, 2 * nh + nd + driven : states] = np.eye(driven)
    place = shape @ p + give @ u
    if nd:
        pull = damped.T @ (f @ u - k @ place - c @ (shape @ rate))
        rate[nh : nh + nd] = dense.solve(damped.T @ (c @ shape[:, nh : nh + nd]), pull)
    speed = shape @ rate
    second = np.zeros_like(p)
    second[nh + nd :] = u[form.driven]
    second[:nh] = heavy.T @ (f @ u - k @ place - c @ speed - m[:, count:] @ second[nh + nd :])
    push = shape @ second

    q = frame.now @ place
    v = frame.now @ speed + frame.rate @ place
    a = frame.now @ push + 2.0 * (frame.rate @ speed) + frame.second @ place
    unbalanced = form.mass @ a + form.damping @ v + form.stiffness @ q - form.load @ u
    y = form.position @ q + form.velocity @ v - form.reaction @ (frame.inverse.T @ unbalanced) + form.direct @ u
    _check_rates(form, frame.now @ give, input_names)

    motion = np.vstack([rate, second[:nh], second[nh + nd :]])
    names = _state_names(nh, nd, [input_names[i] for i in form.driven])
    return StateSpace(
        motion[:, :states], motion[:, states:], y[:, :states], y[:, states:], names, q[:, :states], v[:, :states]
    )


def _condensed(groups: Groups, k: np.ndarray, f: np.ndarray, driven: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``x = shape p + give u``: directions with neither mass nor damping follow the others p statically."""
    shape = dense.block_diag(np.hstack([groups.heavy, groups.damped]), np.eye(driven))
    idle = groups.idle
    if not idle.size:
        return shape, np.zeros((len(shape), f.shape[1]))
    compliance = np.linalg.inv(idle.T @ k[:, : len(idle)] @ idle)
    follow = _padded(idle, driven)
    return shape - follow @ (compliance @ (idle.T @ (k @ shape))), follow @ (compliance @ (idle.T @ f))


def _state_names(heavy: int, damped: int, drives: list[str]) -> tuple[str, ...]:
    """Return names: modes, creeping directions without mass, drives; then rates of modes and drives."""
    modes = [f"mode {i + 1}" for i in range(heavy)]
    places = [*modes, *(f"creep {i + 1}" for i in range(damped)), *drives]
    return (*places, *(f"{name} rate" for name in (*modes, *drives)))


def keeps_digits(form: SecondOrder, found: StateSpace) -> bool:
    """Return whether the slowest states are far above rounding in the stiffness, and are modes. (Quick; if False,
    `SecondOrder.lost_digits` is exact.)
    """
    modes = [k for k, name in enumerate(found.state_names) if name.startswith("mode ") and not name.endswith(" rate")]
    rates = [found.state_names.index(f"{found.state_names[k]} rate") for k in modes]
    stiffness = found.A[np.ix_(rates, modes)]
    slow = np.argsort(np.abs(np.diag(stiffness)))[:SLOWEST]
    squares = np.abs(np.diag(stiffness))[slow]
    coupled = np.max(np.abs(stiffness[slow] - np.diag(np.diag(stiffness))[slow]), axis=1, initial=0.0)
    off = digits.rounding(form.stiffness, found.basis[:, np.array(modes, int)[slow]])
    return bool(np.all(np.maximum(off, coupled) < digits.LIMIT * squares))


def _frame(form: SecondOrder, motions: np.ndarray | None, led: np.ndarray | None) -> Frame:
    size = form.size[:, None]
    scaled = form.jacobian * form.size
    inverse = size * np.linalg.pinv(scaled, rcond=DEPENDENT) if scaled.size else np.zeros(scaled.T.shape)
    z = size * null_space(scaled) if motions is None else motions
    r = inverse @ form.drive[:, form.driven] if led is None else led
    now = np.hstack([z, r])
    if form.turning is None:
        return Frame(now, np.zeros_like(now), np.zeros_like(now), inverse)
    first, second = form.turning
    mass = z.T @ (form.mass @ z)
    rate = -inverse @ (first @ now)
    rate -= z @ dense.solve(mass, z.T @ (form.mass @ rate))
    twice = -inverse @ (2.0 * first @ rate + second @ now)
    turned = rate[:, : z.shape[1]].T @ (form.mass @ rate)
    twice -= z @ dense.solve(mass, z.T @ (form.mass @ twice) + turned)
    return Frame(now, rate, twice, inverse)


def _groups(form: SecondOrder, m: np.ndarray, c: np.ndarray, k: np.ndarray, z: np.ndarray) -> Groups:
    """Split the directions by their mass, and directions without mass by their damping."""
    inertia, vectors = dense.eigh(0.5 * (m + m.T))
    light = inertia <= MASSLESS * np.max(inertia, initial=0.0)
    heavy, rest = vectors[:, ~light] / np.sqrt(inertia[~light]), vectors[:, light]
    if not rest.size:
        return Groups(heavy, rest, rest)
    if form.turning is not None:
        raise SingularError(
            f"linearise: {_owner(form, z @ rest[:, 0])} can move without moving any mass, which about a point of a "
            "motion has no linear model. Give it mass or rotary inertia, or linearise about an equilibrium."
        )
    loss, turned = dense.eigh(rest.T @ (0.5 * (c + c.T)) @ rest)
    still = loss <= MASSLESS * np.max(np.abs(c), initial=0.0)
    damped, idle = rest @ turned[:, ~still], rest @ turned[:, still]
    if idle.size:
        held = np.linalg.svd(idle.T @ k @ idle)
        if held[1][-1] <= SOFT * np.max(np.abs(k), initial=0.0):
            raise SingularError(
                f"linearise: {_owner(form, z @ idle @ held[2][-1])} can move without moving any mass and is held by "
                "no stiffness and no damper, so its motion is not determined. Give it mass or a spring."
            )
        if np.max(np.abs(c @ idle)) > 1e-9 * np.max(np.abs(c)) or np.max(np.abs(c.T @ idle)) > 1e-9 * np.max(np.abs(c)):
            raise SingularError(
                f"linearise: the velocity of {_owner(form, z @ idle[:, 0])}, which has no mass, acts on others and not "
                "on itself. Give it mass or rotary inertia."
            )
    return Groups(heavy, damped, idle)


def _modes(form: SecondOrder, k: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return undamped modes of the symmetric part, lowest first, with unit mass and positive largest displacement.

    ``moved`` are the displacements of k's coordinates, which have unit masses but for rounding; traces of heavy modes
    make a light mode stiffer the lighter it is, and are removed.
    """
    if not k.size:
        return np.zeros(k.shape)
    vectors = dense.eigh(0.5 * (k + k.T))[1]
    shapes = moved @ vectors
    trace = dense.cholesky(shapes.T @ (form.mass @ shapes), lower=True)
    vectors = dense.solve_triangular(trace, vectors.T, lower=True).T
    largest = np.argmax(np.abs(shapes) / form.size[:, None], axis=0)
    return np.asarray(vectors * np.sign(shapes[largest, np.arange(len(vectors))]))


def _padded(columns: np.ndarray, below: int) -> np.ndarray:
    return np.vstack([columns, np.zeros((below, columns.shape[1]))])


def _check_rates(form: SecondOrder, give: np.ndarray, input_names: tuple[str, ...]) -> None:
    """Refuse an input that moves something without mass at once, and so gives it no finite velocity."""
    jump = np.abs(form.velocity @ give)
    if np.max(jump, initial=0.0) > 1e-12 * max(1.0, float(np.max(np.abs(give), initial=0.0))):
        column = int(np.argmax(np.max(jump, axis=0)))
        raise OptionError(
            f"linearise: input {input_names[column]!r} moves {_owner(form, give[:, column])}, which has no mass there, "
            "at once: an output that is a velocity would be infinite. Give it rotary inertia, or take positions."
        )


def _owner(form: SecondOrder, direction: np.ndarray) -> str:
    """Return the name of the part that moves most in a direction."""
    return repr(form.parts[int(np.argmax(np.abs(direction) / form.size))])
