"""Timoshenko's linear cantilever: the exact solution, its first-order system, and what Runge-Kutta must leave of it."""

from __future__ import annotations

import numpy as np

from pliant_gallery.shear_beam import FORCE, LENGTH, LOAD, SECTION


def deflection(x: np.ndarray | float, load: float = LOAD, force: float = FORCE) -> np.ndarray:
    """Return w(x) (m): shooting paper, eq. 14."""
    EI, GA, L, x = SECTION.bending_stiffness, SECTION.shear_stiffness, LENGTH, np.asarray(x)
    shear = ((force + load * L) * x - 0.5 * load * x**2) / GA
    cubic = (0.5 * load * L**2 + force * L) / 2.0 * x**2 - (force + load * L) / 6.0 * x**3
    return (cubic + load / 24.0 * x**4) / EI + shear


def slope(u: float, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return dq/du, u = x/L, of q = (w, dw/dx, psi, dpsi/dx): eq. 13 as a first-order system (paper, after eq. 14)."""
    EI, GA = SECTION.bending_stiffness, SECTION.shear_stiffness
    w_x, psi, psi_x = q[1], q[2], q[3]
    return LENGTH * np.array([w_x, psi_x - LOAD / GA, psi_x, GA / EI * (psi - w_x)])


def terminal(clamp: np.ndarray, tip: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return g = 0: clamped at one end, no moment and the force at the other (eq. 13b)."""
    return np.array([clamp[0], clamp[2], tip[3], tip[1] - tip[2] - FORCE / SECTION.shear_stiffness])


def third_order_error(x: np.ndarray | float, steps: int, load: float = LOAD) -> np.ndarray:
    """Return w(x) (m) that is missing after equal steps of a scheme of order three in three stages, at their ends.

    The solution is a polynomial, of degree four in w and less in the other variables. Such a scheme sums Taylor's
    series of a linear system up to h^3: every step leaves out ``h^4/24`` times the fourth derivative of w, load/EI, and
    nothing else. A scheme of order four leaves out nothing.
    """
    return load / SECTION.bending_stiffness * (LENGTH / steps) ** 3 / 24.0 * np.asarray(x)


def reduced_element_error(x: np.ndarray | float, elements: int, load: float = LOAD, force: float = FORCE) -> np.ndarray:
    """Return w(x) (m) that two-node reduced elements leave out at their nodes: ``h^2/(12 EI) (F x + f x (L - x))``.

    Moments are exact at nodes and straight between, so rotations are off by ``h^2/12 M'`` between their ends; the
    deflection sums rotations by the trapezoidal rule, which is off by ``h^2/12 psi'``; the two have opposite signs.
    """
    x = np.asarray(x)
    return (LENGTH / elements) ** 2 / (12.0 * SECTION.bending_stiffness) * (force * x + load * x * (LENGTH - x))


def equal_elements(steps: int, load: float = LOAD, force: float = FORCE) -> float:
    """Return the number of reduced elements whose largest error equals the error of so many third-order steps."""
    x = np.linspace(0.0, LENGTH, 1001)
    worst = np.max(reduced_element_error(x, 1, load, force))
    return float(np.sqrt(worst / third_order_error(LENGTH, steps, load)))
