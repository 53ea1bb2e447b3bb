"""Fewer states: modal truncation, Craig-Bampton, balanced truncation, each with its error in the frequency response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import linalg as dense
from pliant._libraries import optimize, sparse
from pliant.control.models.linear_model import LinearModel, shifted_inverse
from pliant.control.models.second_order import SecondOrder, pivots, saddle
from pliant.control.models.state_space import StateSpace, state_space
from pliant.errors import OptionError, SingularError
from pliant.linalg import eigen
from pliant.linalg import rounding as digits

if TYPE_CHECKING:
    import xarray as xr

METHODS = ("modal", "balanced", "craig-bampton")
GAP = 1e4  # ratio of speeds below which poles are rigid motion, and stay
ZERO = 1e-13  # of the fastest pole: slower ones are rounding of zero
STABLE = 1e-9  # of a pole's size: least distance left of the imaginary axis for a Gramian
POINTS = 200  # frequencies at which the error is measured by default
UNDAMPED = 1e-9  # least damping ratio of every pole when responses are compared
MUCH = 0.1  # of the response of the kept modes
BALANCING = 20  # rounds that balance rows and columns, each halving the exponents of differences
WEAK = 1e-3  # a pair that responds less than this share of its output's and input's other responses is compared with it
SPARE = 4  # a large model keeps this many times the modes before its modes are truncated


@dataclass(frozen=True, eq=False)
class Reduction:
    """Record of a reduction: the modes left out, and the error.

    method      "modal", "balanced" or "craig-bampton"
    plant       the model that was reduced
    projection  states of the reduced model from the plant's; None: they have their own coordinates
    neglected   poles of the plant that have no counterpart, the slowest first; for a large model only some
    response    (output, input, omega) of the plant, complex, where the error was measured
    error       (output, input, omega) |reduced - plant| over the largest |plant| of that pair; for a pair that hardly
                responds, as directions that symmetry separates, over a thousandth (`WEAK`) of its output's and its
                input's responses in other pairs
    hankel      Hankel singular values of the stable part, kept ones first (balanced only)
    condensed   whether the plant is large, and `plant` holds a few times as many of its slowest modes as were kept
    """

    method: str
    plant: LinearModel
    projection: np.ndarray | None
    neglected: np.ndarray
    response: xr.DataArray
    error: xr.DataArray
    hankel: np.ndarray | None = None
    condensed: bool = False

    @property
    def worst(self) -> float:
        """Return the largest relative error of any pair at any frequency."""
        return float(self.error.max())

    def dropped(self, outputs: Sequence[str], inputs: Sequence[str]) -> list[tuple[complex, str, float]]:
        """Return omitted modes that move some outputs much under some inputs: pole, output, amount; largest first.

        A mode of the pole l and the residue r responds with up to ``|r| / |Re l|``: much is a tenth (`MUCH`) of the
        largest response of a kept mode in the same output.
        """
        plant, rows = self.plant, [self.plant.output_names.index(name) for name in outputs]
        columns = [self.plant.input_names.index(name) for name in inputs]
        poles, right = np.linalg.eig(plant.A)
        reached = np.linalg.lstsq(right, plant.B[:, columns], rcond=None)[0]
        shown = plant.C[rows] @ right
        least = np.maximum(np.abs(poles.real), UNDAMPED * np.maximum(np.abs(poles), ZERO * np.max(np.abs(poles))))
        peaks = np.abs(shown[:, :, None] * reached[None]) / least[:, None]  # (output, pole, input)
        left = np.any(np.isclose(poles[:, None], self.neglected[None], rtol=1e-6, atol=0.0), axis=1)
        most = np.max(peaks[:, ~left], axis=1, initial=1e-300)
        shares = np.max(peaks / most[:, None], axis=2)
        found = [
            (complex(poles[k]), outputs[i], float(shares[i, k]))
            for i, k in zip(*np.nonzero((shares > MUCH) & left & (poles.imag >= 0.0)), strict=True)
        ]
        return sorted(found, key=lambda each: -each[2])

    def __str__(self) -> str:
        omega = self.error["omega"].values
        left = f", the slowest pole left out at {abs(self.neglected[0]):.4g} rad/s" if self.neglected.size else ""
        return (
            f"{self.method} reduction: response wrong by {self.worst:.2g} at most from {omega[0]:.3g} to "
            f"{omega[-1]:.3g} rad/s{left}"
        )


class _Small(NamedTuple):
    """Matrices of a reduced model, and the map from the plant's states to its states."""

    matrices: StateSpace
    projection: np.ndarray | None = None
    hankel: np.ndarray | None = None


def reduce(
    model: LinearModel, *, modes: int, method: str = "modal", static: bool = False, omega: ArrayLike | None = None
) -> LinearModel:
    """Reduce a linear model to fewer states with nearly equal responses; its `reduction.error` is the difference.

    modes   number of modes to keep
    method  "modal": keeps poles exactly: rigid (or unstable) ones and the ``modes`` slowest others, a complex pair
            counting as one; "balanced": keeps the most controllable and observable states, two for each mode, and
            unstable poles; "craig-bampton": static shapes of the freedoms at inputs and outputs, and the ``modes``
            lowest undamped modes with these held
    static  True: the static response of the omitted modes is added to D (modal and balanced)
    omega   rad/s, frequencies at which the error is measured; default: from well below the slowest kept pole to the
            fastest

    >>> chain = LinearModel([[-1.0, 0.0], [0.0, -100.0]], [[1.0], [1.0]], [[1.0, 1.0]], [[0.0]])
    >>> small = reduce(chain, modes=1, static=True)
    >>> small.poles().real.round(12).tolist(), round(small.reduction.worst, 6)
    ([-1.0], 9.9e-05)
    """
    _check(model, modes, method, static)
    plant = _wide(model, modes) if "A" not in model.__dict__ else model
    if method == "craig-bampton":
        small = _Small(_craig_bampton(model, modes))
    else:
        small = (_modal if method == "modal" else _balanced)(plant, modes, static)
    found = replace(plant, **small.matrices._asdict(), second_order=None)
    mine = found.poles()
    neglected = _neglected(plant.poles(), mine)
    response = model.frequency_response(_grid(mine) if omega is None else omega)
    size, wrong = abs(response), abs(found.frequency_response(response["omega"].values) - response)
    largest = size.max("omega")
    least = WEAK * _usual(largest.values)
    compared = largest.where(largest > least, least)
    error = wrong / compared.where(compared > 0.0, 1.0)
    how = Reduction(
        method, plant, small.projection, neglected, response, error, small.hankel, condensed=plant is not model
    )
    return replace(found, reduction=how)


def _usual(sizes: np.ndarray) -> np.ndarray:
    """Return a_i b_j for any units: responses (output, input) divided by it are one at most, and one in every row and
    column.
    """
    rows, columns = np.ones(sizes.shape[0]), np.ones(sizes.shape[1])
    for _ in range(BALANCING):
        left = sizes / np.outer(rows, columns)
        rows *= np.sqrt(np.max(left, axis=1)) + (np.max(left, axis=1) == 0.0)
        columns *= np.sqrt(np.max(left, axis=0)) + (np.max(left, axis=0) == 0.0)
    return np.outer(rows, columns)


def _wide(model: LinearModel, modes: int) -> LinearModel:
    """Reduce a large model to a few times as many coordinates as are wanted."""
    known = ("input_names", "output_names", "input_values", "output_values", "operating_point")
    fields = {key: getattr(model, key) for key in known}
    return LinearModel(**_craig_bampton(model, SPARE * modes)._asdict(), **fields)


def slowest_poles(model: LinearModel, count: int) -> np.ndarray:
    """Return poles of a large model: poles of a small one, each refined to be exact."""
    form, small = model.second_order, _craig_bampton(model, max(SPARE, SPARE * count // 2))
    if form is None:
        raise OptionError("poles: the model has no second-order form.")
    values, vectors = np.linalg.eig(small.A)
    order = np.argsort(np.abs(values), kind="stable")
    found: list[complex] = [0.0] * (2 * form.driven.size)
    worst = 0.0
    for k in order[2 * form.driven.size :]:
        if len(found) >= count:
            break
        if values[k].imag >= 0.0:
            shape = small.basis @ vectors[:, k]
            pole = form.pole(values[k], shape)
            column = shape[:, None]
            off = digits.rounding(form.stiffness, column)
            share = digits.shares(off, form.damping, form.mass, np.array([pole]), column)
            worst = max(worst, float(share[0]))
            found += [pole, pole.conjugate()] if values[k].imag > 0.0 else [complex(pole.real)]
    digits.warn("poles", worst, f"rounding may change the slowest by {worst:.1g} of their size.")
    return np.array(found[:count], complex)


def _projected(model: LinearModel, a: np.ndarray, left: np.ndarray, right: np.ndarray, direct: Any) -> StateSpace:
    """Project a model with ``z = right x``, ``x = left z``."""
    rows = 0 if model.basis is None else len(model.basis)
    basis, rates = (np.zeros((rows, len(a))) if x is None else x @ right for x in (model.basis, model.velocity_basis))
    names = tuple(f"z{i + 1}" for i in range(len(a)))
    return StateSpace(a, left @ model.B, model.C @ right, model.D + direct, names, basis, rates)


def _check(model: Any, modes: Any, method: str, static: bool) -> None:
    if not isinstance(model, LinearModel):
        raise OptionError(f"reduce: {type(model).__name__} is not a LinearModel. Linearise first: pl.linearise(...).")
    if isinstance(modes, bool) or not isinstance(modes, int | np.integer) or modes < 1:
        raise OptionError(f"reduce: modes={modes!r}: give a whole number of at least 1.")
    if method not in METHODS:
        raise OptionError(f"reduce: method={method!r}: choose one of {', '.join(METHODS)}.")
    if model.sample_time is not None:
        raise OptionError("reduce: the model is sampled. Reduce it first and discretise it then.")
    if method == "craig-bampton" and static:
        raise OptionError("reduce: static=True is for 'modal' and 'balanced'; Craig-Bampton has its static shapes.")


def _modal(model: LinearModel, modes: int, static: bool) -> _Small:
    """Keep an invariant subspace, in which the slow poles are exact."""
    poles = model.poles()
    groups = poles[poles.imag >= 0.0]  # one of each pair
    stays = (np.abs(groups) <= _rigid_below(poles)) | (groups.real > STABLE * np.abs(groups))
    others = np.abs(groups[~stays])
    if modes >= others.size:
        raise OptionError(
            f"reduce: modes={modes}: the model has only {others.size} modes and {int(np.sum(stays))} rigid or "
            "unstable ones, so nothing would be left out. Ask for fewer."
        )
    limit = np.sqrt(others[modes - 1] * others[modes])
    if others[modes] - others[modes - 1] < 1e-6 * others[modes]:
        raise OptionError(
            f"reduce: modes={modes}: the poles {modes} and {modes + 1} are equally fast ({others[modes]:.4g} rad/s); "
            "keep one more or one fewer."
        )
    split = _split(model.A, lambda pole: abs(pole) < limit or pole.real > STABLE * abs(pole))
    direct = split.static(model) if static else 0.0
    return _Small(_projected(model, split.kept, split.left, split.right, direct), split.left)


def _rigid_below(poles: np.ndarray) -> float:
    """Return the size below which poles are rigid motion: zero, but for rounding."""
    size = np.sort(np.maximum(np.abs(poles), ZERO * np.max(np.abs(poles), initial=0.0)))
    gaps = np.flatnonzero(size[1:] > GAP * size[:-1])
    return float(np.sqrt(size[gaps[0]] * size[gaps[0] + 1])) if gaps.size else 0.0


class _Split(NamedTuple):
    """A decoupled in two, kept and rest: ``A right = right kept``, ``left A = kept left``, ``left right = 1``.

    ``rest_inverse`` is the inverse of the rest of A.
    """

    kept: np.ndarray
    right: np.ndarray
    left: np.ndarray
    rest_inverse: np.ndarray
    rest_right: np.ndarray
    rest_left: np.ndarray

    def static(self, model: LinearModel) -> np.ndarray:
        """Return the response of the rest at zero frequency."""
        return -(model.C @ self.rest_right) @ self.rest_inverse @ (self.rest_left @ model.B)


def _split(matrix: np.ndarray, keep: Any) -> _Split:
    """Decouple the kept poles from the others: ordered Schur form of the inverse, then Sylvester's equation."""
    shift, inverse, scale = shifted_inverse(matrix)

    def wanted(real: float, imaginary: float = 0.0) -> bool:
        return bool(keep(shift + 1.0 / complex(real, imaginary)))

    form, u, count = dense.schur(inverse, output="real", sort=wanted)
    first, rest = form[:count, :count], form[count:, count:]
    tie = dense.solve_sylvester(first, -rest, -form[:count, count:])
    one, other = u[:, :count], u[:, count:]
    back = np.linalg.inv(first) if count else first
    return _Split(
        kept=shift * np.eye(count) + back,
        right=scale[:, None] * one,
        left=(one.T - tie @ other.T) / scale,
        rest_inverse=np.linalg.solve(np.eye(len(rest)) + shift * rest, rest),
        rest_right=scale[:, None] * (one @ tie + other),
        rest_left=other.T / scale,
    )


def _balanced(model: LinearModel, modes: int, static: bool) -> _Small:
    """Balance the stable part by square roots; Gramians come from the inverse of A, which suits stiff A."""
    zero = _rigid_below(model.poles())
    split = _split(model.A, lambda pole: pole.real > -STABLE * abs(pole) or abs(pole) <= zero)
    count = len(split.kept)
    inverse, b, c = split.rest_inverse, split.rest_left @ model.B, model.C @ split.rest_right
    states = 2 * modes
    if states >= len(inverse):
        raise OptionError(
            f"reduce: modes={modes}: balanced truncation would keep {states} states, and the stable part has "
            f"{len(inverse)} ({count} poles are undamped or unstable and stay). Ask for fewer"
            + (", or add damping." if count else ".")
        )
    c = c / _scale(np.einsum("ij,jk,ik->i", c, _gramian(inverse, b), c))[:, None]  # independent of units
    b = b / _scale(np.einsum("ji,jk,ki->i", b, _gramian(inverse.T, c.T), b))
    reach, show = _factor(_gramian(inverse, b)), _factor(_gramian(inverse.T, c.T))
    left, hankel, right = np.linalg.svd(show.T @ reach)
    if not hankel[states - 1] > 1e-14 * hankel[0]:
        enough = int(np.sum(hankel > 1e-14 * hankel[0])) // 2
        raise OptionError(
            f"reduce: modes={modes}: inputs reach and outputs show only about {2 * enough} states of the stable part. "
            f"Take modes={max(1, enough)}."
        )
    root = np.sqrt(hankel[:states])
    t, back = reach @ right[:states].T / root, (show @ left[:, :states] / root).T
    a = back @ np.linalg.solve(inverse, t)
    rows, columns = np.vstack([split.left, back @ split.rest_left]), np.hstack([split.right, split.rest_right @ t])
    direct: Any = 0.0
    if static:
        kept = model.C @ columns[:, count:] @ np.linalg.solve(a, rows[count:] @ model.B)
        direct = split.static(model) + kept
    return _Small(_projected(model, dense.block_diag(split.kept, a), rows, columns, direct), rows, hankel)


def _gramian(inverse: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return P of ``A P + P A^T + b b^T = 0``, from the inverse of A, which is not stiff where A is."""
    seen = inverse @ b
    return np.asarray(dense.solve_continuous_lyapunov(inverse, -seen @ seen.T))


def _scale(squares: np.ndarray) -> np.ndarray:
    """Return sizes by which signals are divided; 1 for a zero signal."""
    return np.sqrt(np.where(squares > 0.0, squares, 1.0))


def _factor(gramian: np.ndarray) -> np.ndarray:
    """Return L of a Gramian L L^T; negative rounding becomes zero."""
    values, vectors = dense.eigh(0.5 * (gramian + gramian.T))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _craig_bampton(model: LinearModel, modes: int) -> StateSpace:
    """Reduce to static shapes of the boundary and modes with a fixed boundary (Craig, Bampton, AIAA J. 6, 1968)."""
    form = model.second_order
    if form is None:
        raise OptionError(
            "reduce: method='craig-bampton' needs the second-order form of a model that comes from linearise, about an "
            "equilibrium. Take 'modal' or 'balanced'."
        )
    return state_space(form, model.input_names, *_shapes(form, modes))


def _shapes(form: SecondOrder, modes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Z: static shapes and fixed modes; R: static shapes of the drives."""
    touched = np.any(form.load, axis=1)
    for matrix in (form.position, form.velocity):
        touched |= np.asarray(abs(sparse.csr_matrix(matrix)).sum(axis=0)).ravel() > 0.0
    boundary = np.flatnonzero(touched)
    ties = form.jacobian[form.independent]
    # Freedoms of the boundary that the joints leave independent.
    basis = dense.qr((ties * form.size).T, mode="economic")[0]
    units = np.zeros((form.freedoms, boundary.size))
    units[boundary, np.arange(boundary.size)] = 1.0
    apart = units - basis @ (basis.T @ units)
    apart[:, np.linalg.norm(apart, axis=0) < 1e-8] = 0.0
    chosen = boundary[pivots(apart)]
    held = np.zeros((chosen.size, form.freedoms))
    held[np.arange(chosen.size), chosen] = 1.0
    rows = np.vstack([ties, held])
    moved = np.zeros((len(rows), chosen.size + form.driven.size))
    moved[len(ties) :, : chosen.size] = np.eye(chosen.size)
    moved[: len(ties), chosen.size :] = form.drive[form.independent][:, form.driven]
    matrix = sparse.csc_matrix(form.stiffness)
    try:
        static, _ = saddle(matrix, sparse.csc_matrix(rows), np.zeros((form.freedoms, moved.shape[1])), moved, "rest")
    except SingularError as error:
        raise SingularError(
            "reduce: with the freedoms at inputs and outputs held, some part can still move without any force. Add an "
            "output on it, or take method='modal'."
        ) from error
    room = form.freedoms - len(rows)
    if modes > room:
        raise OptionError(f"reduce: modes={modes}: there are only {room} modes with inputs and outputs held.")
    symmetric = 0.5 * (matrix + matrix.T)
    vectors = eigen.undamped(symmetric, form.mass, rows, modes, True)[1]
    return np.hstack([static[:, : chosen.size], vectors]), static[:, chosen.size :]


def _grid(poles: np.ndarray) -> np.ndarray:
    """Return frequencies from well below the slowest pole to the fastest oscillation, with all damped frequencies."""
    size = np.abs(poles[np.abs(poles) > _rigid_below(poles)])
    swings = poles.imag[poles.imag > 0.1 * np.abs(poles)]
    low, high = 0.1 * np.min(size, initial=10.0), np.max(swings if swings.size else size, initial=1.0)
    tops = poles.imag[(poles.imag > low) & (-poles.real > 1e-6 * np.abs(poles))]
    return np.unique(np.concatenate([np.geomspace(low, high, POINTS), tops]))


def _neglected(poles: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return poles without a counterpart among the kept, each of which takes the nearest, by distance over size."""
    size = np.abs(poles)[None, :] + np.abs(kept)[:, None]
    distance = np.abs(poles[None, :] - kept[:, None]) / np.maximum(size, 1e-300)
    return np.delete(poles, optimize.linear_sum_assignment(distance)[1])
