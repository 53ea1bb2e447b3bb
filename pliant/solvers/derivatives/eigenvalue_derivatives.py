"""Derivatives of eigenvalues with constraints.

    A(l) = [l^2 M + l C + K, G^T; G, 0],  A x = 0,  y^H A = 0   ->   l' = -y^H A' x / y^H A_l x

For an eigenvalue of multiplicity r, x and y have r columns, and its r derivatives by one parameter are the eigenvalues
of ``-(y^H A_l x)^-1 y^H A' x`` (P. Lancaster, Numer. Math. 6, 1964).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.linalg.sparse_rank import independent
from pliant.solvers.derivatives.implicit import LEAST, STEP, Line
from pliant.system.packing.along_derivative import NearbySystems
from pliant.system.state import Matrices, State

SAME = 1e-6  # relative distance up to which eigenvalues are repeated
NEARLY = 1e-5  # relative distance up to which vectors are computed together, as rounding mixes them
BESIDE = 1e-8  # relative distance from an eigenvalue at which the matrix is factorised
ROUNDS, CONVERGED = 40, 1e-12


def same(value: complex, other: complex, within: float = SAME) -> bool:
    """Return whether two eigenvalues are one repeated eigenvalue."""
    return bool(abs(other - value) <= within * abs(value))


def work(at: Matrices, value: complex | np.ndarray, x: np.ndarray, y: np.ndarray, *, damped: bool) -> Any:
    """Return y^H A(l) x; with an l for every column of x, if given as an array."""
    n, ties = at.mass.shape[0], at.ties
    moved = value**2 * (at.mass @ x[:n]) + at.stiffness @ x[:n] + ties.T @ x[n:]
    if damped:
        moved = moved + value * (at.damping @ x[:n])
    return y[:n].conj().T @ moved + y[n:].conj().T @ (ties @ x[:n])


class Group(NamedTuple):
    """Repeated or single eigenvalue, its places, its vectors x and y, and ``y^H A_l x``."""

    value: complex
    places: list[int]
    x: np.ndarray
    y: np.ndarray
    mass: np.ndarray


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues (zero ones have no derivative) with vectors, for all parameters."""

    values: np.ndarray
    groups: list[Group]
    damped: bool

    @staticmethod
    def of(values: np.ndarray, at: Matrices, spare: np.ndarray, *, damped: bool) -> Spectrum:
        """Return the spectrum of matrices, with spare rows."""
        groups, left = list[Group](), np.flatnonzero(values != 0.0).tolist()
        while left:
            places = [k for k in left if same(values[left[0]], values[k], NEARLY)]
            left = [k for k in left if k not in places]
            whole = _new_group(complex(np.mean(values[places])), places, at, spare, damped)
            apart = not all(same(values[places[0]], values[k]) for k in places)
            groups += _split(whole, values, at, damped) if apart else [whole]
        return Spectrum(values, groups, damped)

    @property
    def repeated(self) -> np.ndarray:
        """Return a mask of the repeated eigenvalues."""
        found = np.zeros(self.values.size, bool)
        for group in self.groups:
            found[group.places] = len(group.places) > 1
        return found

    def slopes(self, line: Line) -> tuple[np.ndarray, float]:
        """Return the derivatives along a line of equilibria, NaN for zero eigenvalues; and their error over the values,
        as a part of the largest, or of `LEAST` over the size of the parameter.
        """
        found, missed = np.full(self.values.size, np.nan, complex), 0.0
        if not self.groups:
            return found, missed
        if isinstance(line.neighbours, NearbySystems):
            changes, missed = line.far(partial(self._far, line), LEAST * STEP / line.step)
        else:
            changes = line.total(self._changes)
        ends = np.cumsum([len(each.places) ** 2 for each in self.groups])
        for (value, places, *_), change in zip(self.groups, np.split(changes, ends[:-1]), strict=True):
            own = value * np.linalg.eigvals(change.reshape(len(places), -1))
            found[places] = own[np.argsort(own.imag + own.real)]
        return found, missed

    def _far(self, line: Line, ways: np.ndarray) -> np.ndarray:
        """Apply `_changes` to perturbed systems, for several changes of the parameter."""
        drawn: Any = line.neighbours
        x, y, values = self._vectors
        real = not np.iscomplexobj(x) and hasattr(line.system, "forms")
        forms = line.system.forms(drawn, line.state, line.x, ways, x, y) if real else None
        if forms is None:
            return np.array([self._changes(system, line.moved(way)) for system, way in drawn.at(ways)])
        return self._relative(forms[:, 0] + values**2 * forms[:, 1])

    def _changes(self, system: Any, state: State) -> np.ndarray:
        """Return ``-(y^H A_l x)^-1 y^H A x / l`` of all groups in turn, with A of another system or state."""
        x, y, values = self._vectors
        return self._relative(work(system.matrices(state), values, x, y, damped=self.damped))

    def _relative(self, works: np.ndarray) -> np.ndarray:
        """Return ``-(y^H A_l x)^-1 w / l`` of all groups for the works w = y^H A x (..., vectors, vectors)."""
        weights, blocks = self._weights
        return (weights @ works)[..., *blocks]

    @cached_property
    def _vectors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x, y and l of all groups, side by side."""
        x, y = (np.ascontiguousarray(np.hstack([getattr(each, name) for each in self.groups])) for name in "xy")
        return x, y, np.repeat([each.value for each in self.groups], [len(each.places) for each in self.groups])

    @cached_property
    def _weights(self) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Return ``-(y^H A_l x)^-1 / l``, zero between groups, and the indices of entries within a group."""
        weights = dense.block_diag(*(-np.linalg.inv(each.value * each.mass) for each in self.groups))
        inside = dense.block_diag(*(np.ones_like(each.mass) for each in self.groups))
        return weights, np.nonzero(inside)


def _new_group(value: complex, places: list[int], at: Matrices, spare: np.ndarray, damped: bool) -> Group:
    """Run inverse iteration near an eigenvalue, in real numbers if its square is real and there is no damping."""
    damping, count, n, real = 1.0 if damped else 0.0, len(places), at.mass.shape[0], not damped and not (value**2).imag
    whole = bordered(at, value * (1.0 + BESIDE), damping, spare)
    weight = np.sqrt(np.maximum(np.abs(whole.diagonal()), np.max(np.abs(whole.data)) * 1e-12))
    columns = np.repeat(np.arange(weight.size), np.diff(whole.indptr))
    data = whole.data / (weight[whole.indices] * weight[columns])
    data = np.ascontiguousarray(data.real) if real else data
    factors = sparse.linalg.splu(sparse.csc_array((data, whole.indices, whole.indptr), whole.shape))
    rate = at.mass if real else 2.0 * value * at.mass + damping * at.damping  # A_l, over 2 l where all is real
    adjoint, inner = rate.conj().T, weight[:n, None]

    def heavy(rate: Any, x: np.ndarray) -> np.ndarray:
        found = np.zeros_like(x)
        found[:n] = (rate @ (x[:n] / inner)) / inner
        return found

    rng = np.random.default_rng(0)
    x, y = (np.linalg.qr(rng.standard_normal((weight.size, count)).astype(data.dtype))[0] for _ in range(2))
    for _ in range(ROUNDS):
        was = x
        x = np.linalg.qr(factors.solve(heavy(rate, x)))[0]
        y = np.linalg.qr(factors.solve(heavy(adjoint, y), trans="H"))[0]
        if np.linalg.norm(was - x @ (x.conj().T @ was)) < CONVERGED * count:
            break
    mass = y.conj().T @ heavy(rate, x) * (2.0 * value if real else 1.0)
    return Group(value, places, x / weight[:, None], y / weight[:, None], mass)


def _split(whole: Group, values: np.ndarray, at: Matrices, damped: bool) -> list[Group]:
    """Split nearly repeated eigenvalues, with vectors from A projected on the vectors of all."""
    offsets, mix = np.linalg.eig(-np.linalg.solve(whole.mass, work(at, whole.value, whole.x, whole.y, damped=damped)))
    own = values[whole.places] - whole.value
    order = np.empty(own.size, int)
    order[np.lexsort((own.real, own.imag))] = np.lexsort((offsets.real, offsets.imag))
    x = (whole.x @ mix)[:, order]
    y = (np.linalg.solve(mix, np.linalg.solve(whole.mass, whole.y.conj().T)).conj().T)[:, order]
    found, left = list[Group](), list(range(own.size))
    while left:
        ours = [k for k in left if same(values[whole.places[left[0]]], values[whole.places[k]])]
        left = [k for k in left if k not in ours]
        places = [whole.places[k] for k in ours]
        value, right, on_left = complex(np.mean(values[places])), x[:, ours], y[:, ours]
        mass = on_left.conj().T @ (by_value(at, value, 1.0 if damped else 0.0) @ right)
        found.append(Group(value, places, right, on_left, mass))
    return found


def spare(soft: np.ndarray, ties: sparse.csr_array, unit: np.ndarray) -> np.ndarray:
    """Return (rows) 1 for redundant rows, which the vectors do without, else 0; ``soft`` is nonzero for all rows in a
    dependence. Slight softness, as in Newton's matrix, would change the vectors.
    """
    found = np.zeros(soft.size)
    if np.any(soft):
        found[:] = 1.0
        found[independent(sparse.csr_array(ties * unit))] = 0.0
    return found


def bordered(of: Matrices, value: complex, damping: float, spare: np.ndarray) -> sparse.csc_array:
    """Return A(l) of matrices, or A' of their derivatives; multipliers of spare rows are zero."""
    n, m = of.mass.shape[0], spare.size
    ties, own = sparse.coo_array(of.ties), np.arange(n, n + m)
    tied = ties.data * (1.0 - spare)[ties.row]
    inner = value**2 * of.mass + of.stiffness
    inner = sparse.coo_array(inner + damping * value * of.damping if damping else inner)
    rows = np.concatenate([inner.row, n + ties.row, ties.col, own])
    columns = np.concatenate([inner.col, ties.col, n + ties.row, own])
    return sparse.csc_array((np.concatenate([inner.data, tied, tied, -spare]), (rows, columns)), shape=(n + m, n + m))


def by_value(of: Matrices, value: complex, damping: float) -> sparse.csc_array:
    """Return A_l."""
    inner, rows = 2.0 * value * of.mass + damping * of.damping, of.ties.shape[0]
    return sparse.csc_array(sparse.block_diag([inner, sparse.csc_array((rows, rows))]))
