"""The fundamental equation as it is printed, with square roots and pseudo-inverses: slow, dense, and easy to trust.

Source: Udwadia, Kalaba, Analytical Dynamics, 1996; Udwadia, Kalaba, J. Appl. Mech. 68, 2001 (C); Udwadia, Schutte, Acta
Mechanica 213, 2010 (M without an inverse).
"""

from __future__ import annotations

import numpy as np

RANK = 1e-11  # singular values below this part of the largest are none


def accelerations(
    mass: np.ndarray, force: np.ndarray, rows: np.ndarray, target: np.ndarray, friction: np.ndarray | None = None
) -> np.ndarray:
    """x'' = a + M^-1/2 B^+ (b - A a) + M^-1/2 (I - B^+ B) M^-1/2 C, with B = A M^-1/2 and a = M^-1 Q.

    mass M (n, n), positive; force Q (n); rows A (m, n); target b (m); friction C (n)

    >>> accelerations(np.diag([2.0, 2.0]), np.array([0.0, -20.0]), np.array([[1.0, 1.0]]), np.array([0.0])).round(6)
    array([ 5., -5.])
    """
    values, vectors = np.linalg.eigh(mass)
    root = (vectors / np.sqrt(values)) @ vectors.T
    free = root @ (root @ force)
    reduced = rows @ root
    inverse = np.linalg.pinv(reduced, rcond=RANK)
    found = free + root @ (inverse @ (target - rows @ free))
    if friction is not None:
        pushed = root @ friction
        found += root @ (pushed - inverse @ (reduced @ pushed))
    return found


def semidefinite(
    mass: np.ndarray,
    force: np.ndarray,
    rows: np.ndarray,
    target: np.ndarray,
    friction: np.ndarray | None = None,
    *,
    weight: np.ndarray | float = 1.0,
) -> np.ndarray:
    """The same for M that may be singular, as long as (M, A) together are not: M + A^T W A and Q + A^T W b take the
    place of M and Q.

    >>> M, Q = np.diag([1.0, 0.0]), np.array([3.0, 0.0])  # x_2 has no mass and follows x_1
    >>> semidefinite(M, Q, np.array([[1.0, -1.0]]), np.array([0.0])).round(6)
    array([3., 3.])
    """
    weighted = rows.T * weight
    return accelerations(mass + weighted @ rows, force + weighted @ target, rows, target, friction)
