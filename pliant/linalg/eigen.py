"""Eigenvalues of constrained systems ``M x'' + C x' + K x + G^T l = 0``, ``G x = 0``.

Small systems are projected on the null space of G and solved densely. Large systems use sparse shift-invert, after
substitution of the rows of G (linalg/sparse_rank.py), or on the saddle matrix if substitution fails.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.errors import ConvergenceError, ModelError
from pliant.linalg.rounding import EPS, NOISE, rounding
from pliant.linalg.sparse_rank import DEPENDENT, Entries, independent, motions

DENSE_LIMIT = 700  # freedoms up to which all eigenvalues are found
ROOM = 4  # Lanczos vectors per mode; with half as many it may not separate modes of many equal rods
SUBSTITUTED = 150  # freedoms from which on substitution costs less than a dense null space
REAL = 1e-7  # an imaginary part below this, relative, is rounding
GROWS = 1e-6  # relative to an eigenvalue: a larger real part grows; a smaller one may be rounding of a fast vibration
ROUNDING = 1e-14  # relative to the terms of a sum that cancel
OFF = 0.7  # a shift that is itself an eigenvalue, as of a tumbling body, makes the matrix singular
SYMMETRIC = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}
PIVOTED = {**SYMMETRIC, "diag_pivot_thresh": 0.01}
BACKWARD = 1e-12  # error of a solution, relative to its terms; 3e-15 without interchanges for 288,000 unknowns
PASSES, FARTHEST = 4, 1e6  # raising the shift: how often, and how far at once


def null_space(jacobian: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of {x : G x = 0}."""
    rows, columns = jacobian.shape
    if rows == 0:
        return np.eye(columns)
    basis, triangle, _ = dense.qr(jacobian.T, pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.sum(diagonal > DEPENDENT * max(diagonal.max(initial=0.0), 1e-300)))
    return np.asarray(basis[:, rank:])


def freedoms(jacobian: Any, weight: np.ndarray) -> int:
    """Return the number of independent motions with G x = 0; ``weight`` removes the units of the coordinates x."""
    rows = jacobian if isinstance(jacobian, sparse.csr_array) else sparse.csr_array(jacobian)
    plain = Entries(rows.data / weight[rows.indices], rows.indices, rows.indptr, rows.shape)
    return int(weight.size - independent(plain).size)


def _array(jacobian: Any) -> np.ndarray:
    return np.asarray(jacobian.toarray() if sparse.issparse(jacobian) else jacobian)


def independent_rows(jacobian: Any) -> sparse.csr_array:
    """Return a largest set of independent rows of G."""
    rows = sparse.csr_array(jacobian)
    return rows[independent(rows)]


def _basis(jacobian: Any) -> Any:
    """Return a basis, in columns, of the motions with G x = 0: orthonormal for small models, else by substitution; None
    if a large model has many dependent rows or the basis is not sparse.
    """
    columns = jacobian.shape[1]
    found = motions(sparse.csr_array(jacobian)) if columns > SUBSTITUTED else None
    return null_space(_array(jacobian)) if found is None and columns <= DENSE_LIMIT else found


def _among(basis: Any, matrix: Any) -> np.ndarray:
    """Project a matrix on the columns of a basis, as a dense matrix."""
    return _array(basis.T @ (matrix @ basis))


def undamped(
    stiffness: Any, mass: Any, jacobian: Any, count: int, symmetric: bool, falling: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the ``count`` lowest squares omega^2 (real if symmetric) and vectors of K x = omega^2 M x, G x = 0.

    falling  number of negative squares, if known: otherwise a large model yields the squares nearest to zero
    """
    size, basis = stiffness.shape[0], _basis(jacobian)
    if size <= DENSE_LIMIT:
        values, vectors = _solve_dense(_among(basis, stiffness), _among(basis, mass), symmetric)
        return values[:count], (basis @ vectors)[:, :count]
    if basis is None:
        return _lowest(stiffness, mass, independent_rows(jacobian), count, symmetric, falling)
    stiffness, mass = (basis.T @ matrix @ basis for matrix in (stiffness, mass))
    values, vectors = _lowest(stiffness, mass, sparse.csr_array((0, basis.shape[1])), count, symmetric, falling)
    return values, basis @ vectors


def _lowest(
    stiffness: Any, mass: Any, jacobian: sparse.csr_array, count: int, symmetric: bool, falling: int
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the lowest modes of sparse matrices; the rows of G are independent."""
    shift, size = _shift(stiffness, mass), stiffness.shape[0]
    solve = saddle_solver(stiffness - shift * mass, jacobian)
    massive, start = _operator(size, mass.dot), solve(mass @ np.random.default_rng(0).standard_normal(size))
    count = min(count, size - jacobian.shape[0] - 1)
    room = min(size, ROOM * max(count, falling, 10))
    try:
        if symmetric:
            inverse = _operator(size, partial(solve, corrected=False))
            near = {"M": massive, "sigma": shift, "OPinv": inverse, "v0": start, "ncv": room}
            values, vectors = sparse.linalg.eigsh(stiffness, count, **near)
            if falling:  # 1 / (omega^2 - shift) is negative for these alone
                _, shapes = sparse.linalg.eigsh(stiffness, falling, which="SA", **near)
                vectors = np.hstack([shapes, vectors[:, values > shift]])
            values, vectors = _ritz_step(vectors, mass, solve, shift)
        else:
            near = {"M": massive, "sigma": shift, "OPinv": _operator(size, solve), "v0": start}
            values, vectors = sparse.linalg.eigs(stiffness, count, **near)
    except sparse.linalg.ArpackNoConvergence as error:
        raise ConvergenceError(f"The {count} lowest modes were not found: {error}. Ask for fewer modes.") from error
    values = zero_rounding(stiffness, mass, values, vectors)
    order = np.argsort(values.real, kind="stable")[:count]
    return values[order], vectors[:, order]


def _ritz_step(
    vectors: np.ndarray, mass: Any, solve: Callable[[np.ndarray], np.ndarray], shift: float
) -> tuple[np.ndarray, np.ndarray]:
    """Improve approximate vectors x by a Ritz step on the space B x, with B = (K - shift M)^-1 M to all digits: solve
    ``X^T M B X c = mu X^T M X c`` with mu = 1 / (omega^2 - shift), and return values and vectors.
    """
    heavy = mass @ vectors
    image = solve(heavy)
    inverse = heavy.T @ image
    mu, mixed = dense.eigh(0.5 * (inverse + inverse.T), vectors.T @ heavy)
    shapes = image @ mixed
    return shift + 1.0 / mu, shapes / np.sqrt(_size(mass, shapes))


def _operator(size: int, apply: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Return a linear operator for Lanczos' method, without scipy's costly checks of every vector."""
    operator = sparse.linalg.LinearOperator((size, size), matvec=apply, dtype=float)
    operator.matvec = apply
    return operator


def damped(
    stiffness: Any, damping: Any, mass: Any, jacobian: Any, count: int, falling: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the ``count`` smallest complex eigenvalues of (l^2 M + l C + K) x = 0 with imaginary part >= 0, and their
    vectors; all growing ones are included, however large. ``falling`` as in `undamped`.
    """
    size = stiffness.shape[0]
    basis = _basis(jacobian)
    if size <= DENSE_LIMIT:
        values, vectors = _solve_dense_damped(*(_among(basis, matrix) for matrix in (stiffness, damping, mass)))
    else:
        rows = independent_rows(jacobian) if basis is None else sparse.csr_array((0, basis.shape[1]))
        if basis is not None:
            stiffness, damping, mass = (basis.T @ matrix @ basis for matrix in (stiffness, damping, mass))
        shift = 1j * np.sqrt(abs(_shift(stiffness, mass)))
        values, vectors = _damped_sparse(stiffness, damping, mass, rows, 2 * count + 2, shift)
        if falling:
            values, vectors = _with_growing(stiffness, damping, mass, rows, falling, (values, vectors))
    vectors = vectors if basis is None else basis @ vectors
    keep = np.isfinite(values) & (values.imag >= -REAL * np.abs(values))
    values, vectors = values[keep], vectors[:, keep]
    values = np.where(np.abs(values.imag) <= REAL * np.abs(values), values.real, values)
    order = smallest(values, count)
    return values[order], vectors[:, order]


def smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the ``count`` smallest complex eigenvalues, in their order, with growing ones preferred."""
    calm = values.real <= GROWS * np.abs(values)
    chosen = np.lexsort((np.abs(values), calm))[:count]
    return chosen[np.argsort(np.abs(values[chosen]), kind="stable")]


def _with_growing(
    stiffness: Any, damping: Any, mass: Any, jacobian: Any, falling: int, found: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Add the real growing eigenvalues: near their undamped values, or below them."""
    squares, _ = undamped(stiffness, mass, jacobian, falling, True, falling)
    values, vectors = found
    for square in squares[squares < 0.0]:
        shift = complex(np.sqrt(-square))
        more, shapes = _damped_sparse(stiffness, damping, mass, jacobian, 2 * falling, shift)
        for value, shape in zip(more, shapes.T, strict=True):
            new = np.min(np.abs(values - value), initial=np.inf) > REAL * abs(value)
            if new and value.real > GROWS * abs(value):
                values, vectors = np.append(values, value), np.column_stack([vectors, shape])
    return values, vectors


def _damped_sparse(
    stiffness: Any, damping: Any, mass: Any, jacobian: Any, count: int, shift: complex
) -> tuple[np.ndarray, np.ndarray]:
    """Run shift-invert Arnoldi on the first-order form; each solve is one with l^2 M + l C + K and the constraints."""
    size = stiffness.shape[0]
    solve = saddle_solver(stiffness + shift * damping + shift**2 * mass, jacobian)

    def apply(z: np.ndarray) -> np.ndarray:
        x, y = z[:size], z[size:]
        top = solve(-(damping @ x + shift * (mass @ x) + mass @ y))
        return np.concatenate([top, x + shift * top])

    operator = sparse.linalg.LinearOperator((2 * size, 2 * size), matvec=apply, dtype=complex)
    start = apply(np.random.default_rng(0).standard_normal(2 * size).astype(complex))
    try:
        inverse, vectors = sparse.linalg.eigs(operator, min(count, size), v0=start)
    except sparse.linalg.ArpackNoConvergence as error:
        raise ConvergenceError(
            f"The {count // 2} lowest damped modes were not found: {error}. Ask for fewer modes."
        ) from error
    return shift + 1.0 / inverse, vectors[:size]


def _solve_dense(k: np.ndarray, m: np.ndarray, symmetric: bool) -> tuple[np.ndarray, np.ndarray]:
    """Compute all omega^2, lowest first, and vectors, from m x = mu (k + shift m) x with mu = 1 / (omega^2 + shift).

    The lowest are the most accurate, however large the highest are (1e17 times larger for a slender beam). A freedom
    without mass has mu = 0, up to rounding, and no frequency. An unstable equilibrium needs a shift above its -omega^2.
    """
    if symmetric:
        k, m = 0.5 * (k + k.T), 0.5 * (m + m.T)

    def modes(shift: float) -> Modes:
        if symmetric:
            shift = _above(k, m, shift)
            mu, vectors = dense.eigh(m, k + shift * m)
        else:
            mu, vectors = dense.eig(dense.solve(k + shift * m, m))
        least = NOISE * EPS * np.max(np.abs(m), initial=0.0)  # a freedom with less mass has none
        heavy = _size(m, vectors) > least * np.sum(np.abs(vectors) ** 2, axis=0)
        keep = heavy & (np.abs(mu) > 1e-15 * np.max(np.abs(mu), initial=0.0))
        return Modes(1.0 / mu[keep] - shift, vectors[:, keep], shift)

    values, vectors = _solve_apart(modes, -1e-5 * _shift(k, m), len(k))
    values = zero_rounding(k, m, values, vectors)
    order = np.argsort(values.real, kind="stable")
    return values[order], vectors[:, order]


def _above(k: np.ndarray, m: np.ndarray, shift: float) -> float:
    """Return a shift that makes k + shift m positive: the given one, or at least twice the lowest -omega^2."""
    raised = shift
    while True:
        try:
            dense.cholesky(k + raised * m)
        except dense.LinAlgError as error:
            raised *= 10.0
            if not np.isfinite(raised):
                raise ConvergenceError("The modes were not found: the mass matrix is not positive.") from error
        else:
            return shift if raised == shift else 2.0 * raised  # a shift near -omega^2 has no digits left


def _solve_dense_damped(k: np.ndarray, c: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute all l of (l^2 m + l c + k) x = 0 and vectors, as l = shift + unit / mu: the smallest are the most
    accurate.

    With free motions the shift is as large as the lowest l of the others. Each free motion has one zero l, or two if it
    is undamped.
    """
    skew = np.max(np.abs(k - k.T), initial=0.0)
    squares, shapes = _solve_dense(k, m, bool(skew <= 1e-12 * np.max(np.abs(k), initial=0.0)))
    free = shapes[:, squares == 0.0].real
    shift = np.sqrt(-1e-5 * _shift(k, m))
    if free.size:
        others = np.abs(squares[squares != 0.0])
        shift = OFF * np.sqrt(np.min(others)) if others.size else 1.0
    a, b = np.split(dense.solve(k + shift * c + shift**2 * m, np.hstack([m, c + 2.0 * shift * m])), 2, axis=1)
    unit = 1.0 / np.sqrt(np.max(np.abs(a), initial=1e-300))
    one = np.eye(len(k))
    mu, vectors = dense.eig(np.block([[-unit * b, -(unit**2) * a], [one, np.zeros_like(one)]]))
    keep = np.abs(mu) > 1e-7 * np.max(np.abs(mu), initial=0.0)
    values, vectors = shift + unit / mu[keep], vectors[len(k) :, keep]
    order = np.argsort(np.abs(values), kind="stable")
    drag = np.linalg.svd(free.T @ c @ free, compute_uv=False)
    zeros = 2 * drag.size - int(np.sum(drag > np.max(_rounding(c, free), initial=0.0)))
    return np.where(np.arange(order.size) < zeros, 0.0, values[order]), vectors[:, order]


class Modes(NamedTuple):
    """Eigenvalues and vectors found with a shift."""

    values: np.ndarray
    vectors: np.ndarray
    shift: float


def _solve_apart(modes: Callable[[float], Modes], shift: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute all modes, sorted by size: those below the shift with the first shift, the others with one of their size.

    The mu of free motions is so large that its rounding hides the other modes; a shift as large as the lowest of the
    others recovers their digits.
    """
    found = _sort(modes(shift))
    still = int(np.sum(np.abs(found.values) <= found.shift))
    first = found
    for _ in range(PASSES if 0 < still < count else 0):
        above = np.abs(found.values[still:])
        wanted = min(float(np.min(above, initial=np.inf)), FARTHEST * found.shift)
        if wanted <= 2.0 * found.shift:
            break
        found = _sort(modes(wanted))
    values = np.concatenate([first.values[:still], found.values[still:]])
    values = np.where(np.abs(values) <= ROUNDING * first.shift, 0.0, values)
    return values, np.hstack([first.vectors[:, :still], found.vectors[:, still:]])


def _sort(found: Modes) -> Modes:
    order = np.argsort(np.abs(found.values), kind="stable")
    return Modes(found.values[order], found.vectors[:, order], found.shift)


def zero_rounding(k: Any, m: Any, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Set omega^2 to zero where rounding in k alone could cause it."""
    return np.where(np.abs(values) <= NOISE * rounding(k, vectors) / _size(m, vectors), 0.0, values)


def _size(matrix: Any, vectors: np.ndarray) -> np.ndarray:
    """Return x^* A x of every column x."""
    return np.maximum(np.abs(np.sum(vectors.conj() * (matrix @ vectors), axis=0)), 1e-300)


def _rounding(matrix: Any, vectors: np.ndarray) -> np.ndarray:
    """Return the rounding error of x^* A x of every column x."""
    return ROUNDING / EPS * rounding(matrix, vectors)


def _shift(stiffness: Any, mass: Any) -> float:
    """Return a shift slightly below zero, small against stiffness over mass: it keeps the saddle matrix regular."""
    stiff, heavy = (float(np.max(np.abs(matrix.diagonal()), initial=0.0)) for matrix in (stiffness, mass))
    return -1e-9 * (stiff or 1.0) / (heavy or 1.0)


def saddle_solver(matrix: Any, jacobian: sparse.csr_array) -> Callable[..., np.ndarray]:
    """Return a solver of A x + G^T l = b, G x = 0, by LU of the saddle matrix, for one or several columns b; its
    argument ``corrected=False`` omits the step of iterative refinement.
    """
    size, rows = matrix.shape[0], jacobian.shape[0]
    ties = sparse.csc_matrix(jacobian) * float(np.max(np.abs(matrix.diagonal())))  # rows as large as the matrix
    saddle = sparse.bmat([[matrix, ties.T], [ties, None]], format="csc") if rows else sparse.csc_matrix(matrix)
    factors = factored(saddle, symmetric=not rows)

    def solve(b: np.ndarray, *, corrected: bool = True) -> np.ndarray:
        right = np.concatenate([b, np.zeros((rows, *b.shape[1:]), b.dtype)]).astype(saddle.dtype)
        found = factors.solve(right)
        if corrected:
            found += factors.solve(right - saddle @ found)
        return np.asarray(found[:size])

    return solve


def factored(matrix: Any, *, symmetric: bool) -> Any:
    """Factorise a sparse matrix by LU.

    symmetric  its pattern is symmetric: keep the order for such a pattern, and interchange no rows if it is definite
    """
    try:
        definite = _of_definite(matrix) if symmetric else None
        return definite or sparse.linalg.splu(matrix, **(PIVOTED if symmetric else {}))
    except (MemoryError, SystemError) as error:  # of SuperLU, which counts entries in 32 bits
        raise ModelError(
            f"The factors of a matrix of {matrix.shape[0]:,} unknowns do not fit: SuperLU has no memory left, or more "
            "entries than it can count. Take fewer elements of higher order, such as elements=pl.Exact(1, order=3)."
        ) from error


def _of_definite(matrix: Any) -> Any:
    """Factorise a positive definite matrix, or a complex one with such a real part, without interchanges, which would
    fill the factors. Return None if it is not known to be one: it is not symmetric, a pivot of its real part is not
    positive (Sylvester), or a solution has other errors than rounding.
    """
    b, sizes = np.random.default_rng(0).standard_normal(matrix.shape[0]), abs(matrix)
    if np.any(np.abs(matrix @ b - matrix.T @ b) > BACKWARD * (sizes @ np.abs(b))):
        return None
    if np.iscomplexobj(matrix) and _of_definite(matrix.real.copy()) is None:
        return None
    try:
        factors = sparse.linalg.splu(matrix, diag_pivot_thresh=0.0, **SYMMETRIC)
    except RuntimeError:  # a pivot is zero
        return None
    x, positive = factors.solve(b.astype(matrix.dtype)), bool(np.min(factors.U.diagonal().real) > 0.0)
    exact = np.all(np.abs(b - matrix @ x) <= BACKWARD * (sizes @ np.abs(x) + np.abs(b)))
    return factors if positive and exact and np.array_equal(factors.perm_r, factors.perm_c) else None
