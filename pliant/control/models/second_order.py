"""Small motion in redundant coordinates, sparse: assembled by `linearise`, and the basis of all other forms.

    M q'' + C q' + K q + G^T l = F u,     G q = N w,     y = P q + V q' + L l + D u

q, l, u, y are deviations from the operating point. A driven coordinate w (the angle of a Motion) enters through the
constraints; the input of its column is its acceleration w''.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant._libraries import linalg as dense
from pliant._libraries import sparse
from pliant.errors import SingularError
from pliant.linalg import eigen
from pliant.linalg import rounding as digits
from pliant.linalg.eigen import DEPENDENT

SLOWEST = 8  # frequencies whose digits are checked
ITERATIONS = 8  # for a pole; each about squares its error


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """Matrices of the equations above (sparse where they are large), with n freedoms, m rows, inputs and outputs.

    mass, damping, stiffness  M, C, K (n, n), K with the stiffness of the constraint forces
    jacobian                  G (m, n)
    load, drive               F (n, inputs) and N (m, inputs); every input has a column in one of them
    position, velocity        P, V (outputs, n)
    reaction, direct          L (outputs, m) and D (outputs, inputs)
    size                      (n) unit of every freedom: the model's length for positions, 1 for angles
    parts                     (n) name of the part that every freedom belongs to
    turning                   about a point of a motion: G' and G'' (m, n), the time derivatives of G; else None
    """

    mass: Any
    damping: Any
    stiffness: Any
    jacobian: np.ndarray
    load: np.ndarray
    drive: np.ndarray
    position: Any
    velocity: Any
    reaction: np.ndarray
    direct: np.ndarray
    size: np.ndarray
    parts: tuple[str, ...]
    turning: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def freedoms(self) -> int:
        """Return the number of coordinates q."""
        return int(self.jacobian.shape[1])

    @cached_property
    def driven(self) -> np.ndarray:
        """Return the places of inputs that are accelerations of driven coordinates."""
        return np.flatnonzero(np.any(self.drive, axis=0))

    @cached_property
    def independent(self) -> np.ndarray:
        """Return the rows of G that are independent of each other."""
        return pivots((self.jacobian * self.size).T)

    @cached_property
    def sharing(self) -> np.ndarray:
        """Return (m, rows) from the multipliers of independent rows to all multipliers, with least norm."""
        chosen = self.jacobian[self.independent]
        if len(chosen) == len(self.jacobian):
            return np.eye(len(chosen))
        return np.linalg.lstsq(self.jacobian.T, chosen.T, rcond=DEPENDENT)[0]

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """Return (outputs, inputs, frequencies): one sparse factorisation each, of the equations as they are."""
        rows, driven = self.independent, self.driven
        ties = sparse.csc_matrix(self.jacobian[rows])
        out = np.empty((*self.direct.shape, omega.size), complex)
        for k, w in enumerate(omega):
            if w == 0.0 and driven.size:
                raise SingularError(
                    "frequency_response: at omega = 0 the response to the acceleration of a drive is infinite. Take "
                    "omega above zero."
                )
            place = self.drive[rows].astype(complex)
            if driven.size:
                place /= -(w**2)
            dynamic = sparse.csc_matrix(self.stiffness + 1j * w * self.damping - w**2 * self.mass)
            q, pushes = saddle(dynamic, ties, self.load.astype(complex), place, f"omega = {w:g} rad/s")
            found = self.position @ q + 1j * w * (self.velocity @ q) + self.reaction @ (self.sharing @ pushes)
            out[:, :, k] = found + self.direct
        return out

    def pole(self, near: complex, vector: np.ndarray) -> complex:
        """Refine an eigenvalue of ``l^2 M + l C + K`` with the constraints: inverse iteration from a near one."""
        ties = sparse.csc_matrix(self.jacobian[self.independent])
        nothing = np.zeros((len(self.independent), 1))
        value, x = complex(near), vector[:, None] / np.linalg.norm(vector)
        for _ in range(ITERATIONS):
            matrix = sparse.csc_matrix(self.stiffness + value * self.damping + value**2 * self.mass, dtype=complex)
            slope = self.damping @ x + 2.0 * value * (self.mass @ x)
            try:
                y = saddle(matrix, ties, slope.astype(complex), nothing.astype(complex), "a pole")[0]
            except SingularError:  # already exact
                return value
            along = complex((x.conj().T @ y)[0, 0])
            value, x = value - 1.0 / along, y / np.linalg.norm(y)
            if abs(along * value) > 1e12:
                break
        return value

    def lost_digits(self) -> float:
        """Return the relative error of the slowest undamped frequencies by rounding in the stiffness."""
        unit, rows = sparse.diags(self.size), self.jacobian[self.independent] * self.size
        stiffness, mass = unit @ (0.5 * (self.stiffness + self.stiffness.T)) @ unit, unit @ self.mass @ unit
        squares, shapes = eigen.undamped(stiffness, mass, rows, SLOWEST, True)
        off, poles = digits.rounding(stiffness, shapes), np.sqrt(-squares.astype(complex))
        return float(np.max(digits.shares(off, None, mass, poles, shapes), initial=0.0))

    def parts_in(self, vectors: np.ndarray) -> list[str]:
        """Return the parts that move most in each column: those with the larger shares of sum |q_i (M q)_i|."""
        moved = np.abs(vectors * (self.mass @ vectors.conj()))
        names = sorted(set(self.parts))
        member = np.array([[part == name for part in self.parts] for name in names], float)
        shares = member @ moved
        found = []
        for column in shares.T:
            order = np.argsort(-column, kind="stable")
            found.append(", ".join(names[i] for i in order if column[i] > 0.3 * column.max(initial=0.0)))
        return found


def pivots(columns: np.ndarray) -> np.ndarray:
    """Return numbers of columns that span all of them, by QR with pivoting."""
    if 0 in columns.shape:
        return np.empty(0, int)
    triangle, order = dense.qr(columns, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    return np.sort(order[: int(np.sum(diagonal > DEPENDENT * max(diagonal.max(initial=0.0), 1e-300)))])


def saddle(matrix: Any, ties: Any, top: np.ndarray, bottom: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Solve ``[A, G^T; G, 0] (q, l) = (top, bottom)`` with sparse A and G, G of full rank."""
    size, rows = matrix.shape[0], ties.shape[0]
    unit = float(np.max(np.abs(matrix.diagonal()), initial=0.0)) or 1.0  # scales the constraint rows like the matrix
    blocks = [[matrix, unit * ties.T], [unit * ties, None]] if rows else [[matrix]]
    whole = sparse.bmat(blocks, format="csc")
    right = np.vstack([top, unit * bottom])
    try:
        factors = sparse.linalg.splu(whole)
        found = factors.solve(right)
        found += factors.solve(right - whole @ found)
    except RuntimeError:  # exactly singular
        found = np.full(right.shape, np.nan)
    if not np.all(np.isfinite(found)):
        raise SingularError(
            f"At {where} the response is infinite: the model has an undamped pole there, or a part that is held by "
            "nothing. Take other frequencies, or add damping or a spring."
        )
    return found[:size], unit * found[size:]
