"""A clamped rod with tendons in channels as a boundary value problem, in SciPy alone.

A cut through rod and tendons transmits the force n and the moment m (about the axis) of what acts beyond it:

    n' = -w,   m' = -r' x n,   r' = R (e1 + gamma),   R' = R [kappa]x,    n(l) = F,   m(l) = 0

w the weight. Rod and tendons share them: ``R^T n = C_n gamma + sum T t``, ``R^T m = C_m kappa + sum T o x t`` with
``t = v / |v|``, ``v = e1 + gamma + kappa x o + o'``: six equations for the strains at every place (D.C. Rucker, R.J.
Webster, IEEE Trans. Robotics 27, 2011, differentiate them instead). n and m at the clamp are found so that the end is
free. Nothing here is interpolated between nodes, and nothing of pliant is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

Offset = Callable[[float], tuple[float, float]]
E1 = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Rod:
    """Diagonal stiffnesses (EA, GAy, GAz) and (GJ, EIy, EIz), weight per length and force on the tip in global axes."""

    length: float
    stretching: tuple[float, float, float]
    bending: tuple[float, float, float]
    channels: Sequence[tuple[Offset, float]]  # offset by the arc length, tension
    weight: tuple[float, float, float] = (0.0, 0.0, 0.0)
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    slope_step: float = field(default=1e-6)

    def strains(self, s: float, n: np.ndarray, m: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """gamma and kappa that transmit n and m, both in the axes of the section: by Newton's method."""
        h = self.slope_step * self.length
        channels = []
        for offset, tension in self.channels:
            (y, z), (ahead, above), (behind, below) = offset(s), offset(s + h), offset(s - h)
            slope = np.array([1.0, (ahead - behind) / (2.0 * h), (above - below) / (2.0 * h)])
            arm = np.array([[0.0, -z, y], [z, 0.0, 0.0], [-y, 0.0, 0.0]])  # o x
            channels.append((slope, arm, tension))
        x, stiffness = guess.copy(), np.diag([*self.stretching, *self.bending])
        for _ in range(50):
            left, tangent = stiffness @ x - np.concatenate((n, m)), stiffness.copy()
            for slope, arm, tension in channels:
                v = slope + x[:3] - arm @ x[3:]
                size = np.sqrt(v @ v)
                t = v / size
                by_strain = np.hstack(((tension / size) * (np.eye(3) - np.outer(t, t)),) * 2)
                by_strain[:, 3:] = -by_strain[:, :3] @ arm
                left += np.concatenate((tension * t, arm @ (tension * t)))
                tangent += np.vstack((by_strain, arm @ by_strain))
            step = np.linalg.solve(tangent, left)
            x -= step
            if np.max(np.abs(step) * [1.0, 1.0, 1.0, self.length, self.length, self.length]) < 1e-13:
                return x
        raise RuntimeError(f"no strains transmit n = {n}, m = {m} at s = {s:g}")

    def shape(self) -> tuple[np.ndarray, np.ndarray]:
        """(3,) place and (3, 3) section at the tip, the rod clamped at the origin along x."""
        last = np.zeros(6)

        def slope(s: float, y: np.ndarray) -> np.ndarray:
            nonlocal last
            R, n, m = y[3:12].reshape(3, 3), y[12:15], y[15:18]
            last = self.strains(s, R.T @ n, R.T @ m, last)
            along = R @ (E1 + last[:3])
            turn = R @ np.cross(last[3:], np.eye(3)).T
            return np.concatenate((along, turn.ravel(), -np.array(self.weight), -np.cross(along, n)))

        def end(clamp: np.ndarray) -> np.ndarray:
            nonlocal last
            last = np.zeros(6)
            start = np.concatenate((np.zeros(3), np.eye(3).ravel(), clamp[:3], clamp[3:] * self.length))
            return np.asarray(
                solve_ivp(slope, (0.0, self.length), start, rtol=1e-9, atol=1e-11, method="DOP853").y[:, -1]
            )

        def left(clamp: np.ndarray) -> np.ndarray:
            y = end(clamp)
            return np.concatenate((y[12:15] - np.array(self.force), y[15:18] / self.length))

        guess = np.concatenate((np.array(self.force) + self.length * np.array(self.weight), np.zeros(3)))
        y = end(fsolve(left, guess, xtol=1e-11))
        return y[:3], y[3:12].reshape(3, 3)
