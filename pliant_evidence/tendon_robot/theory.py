"""A clamped rod with tendons in channels as a boundary value problem, in SciPy alone.

A cut through rod and tendons transmits the force n and the moment m (about the axis) of what acts beyond it:

    n' = -w,   m' = -r' x n,   r' = R (e1 + gamma),   R' = R [kappa]x,    n(l) = F,   m(l) = 0

w the weight. Rod and tendons share them: ``R^T n = C_n gamma + sum T t``, ``R^T m = C_m kappa + sum T o x t`` with
``t = v / |v|``, ``v = e1 + gamma + kappa x o + o'``: six equations for the strains at every place (D.C. Rucker, R.J.
Webster, IEEE Trans. Robotics 27, 2011, differentiate them instead). n and m at the clamp are found so that the end is
free. With friction the tension is ``T exp(-mu theta)``, theta' the length of ``(R t)'``, one more state a channel; the
derivatives of the strains, which that holds, are left out.
Nothing here is interpolated between nodes, and nothing of pliant is used.
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
    friction: Sequence[float] = ()  # of the channels, negative where they are let in; none: smooth

    def turning(self, s: float, x: np.ndarray) -> np.ndarray:
        """Return the angle per length by which every channel turns, the strains x taken as constant along the rod."""
        h, found = 1e-4 * self.length, []
        for offset, _ in self.channels:
            before, here, after = (np.array([0.0, *offset(s + k * h)]) for k in (-1, 0, 1))
            slope, bend = (after - before) / (2.0 * h), (after - 2.0 * here + before) / h**2
            way, change = E1 + x[:3] + np.cross(x[3:], here) + slope, np.cross(x[3:], slope) + bend
            size = np.sqrt(way @ way)
            t = way / size
            found.append(np.linalg.norm(np.cross(x[3:], t) + (change - t * (t @ change)) / size))
        return np.array(found)

    def strains(
        self, s: float, n: np.ndarray, m: np.ndarray, guess: np.ndarray, fades: Sequence[float] = ()
    ) -> np.ndarray:
        """Solve for gamma and kappa that transmit n and m, both in the axes of the section, by Newton's method. The
        tensions at s have fallen to the shares ``fades``.
        """
        h = self.slope_step * self.length
        channels = []
        for (offset, pull), fade in zip(self.channels, fades or (1.0,) * len(self.channels), strict=True):
            tension = pull * fade
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
        """Return (3,) place and (3, 3) section at the tip, the rod clamped at the origin along x."""
        last = np.zeros(6)
        rough = np.array(self.friction or (0.0,) * len(self.channels))

        def slope(s: float, y: np.ndarray) -> np.ndarray:
            nonlocal last
            R, n, m = y[3:12].reshape(3, 3), y[12:15], y[15:18]
            last = self.strains(s, R.T @ n, R.T @ m, last, np.exp(-rough * y[18:]).tolist())
            along = R @ (E1 + last[:3])
            turn = R @ np.cross(last[3:], np.eye(3)).T
            bends = self.turning(s, last) if np.any(rough) else 0.0 * rough
            return np.concatenate((along, turn.ravel(), -np.array(self.weight), -np.cross(along, n), bends))

        def end(clamp: np.ndarray) -> np.ndarray:
            nonlocal last
            last = np.zeros(6)
            start = np.concatenate((np.zeros(3), np.eye(3).ravel(), clamp[:3], clamp[3:] * self.length, 0.0 * rough))
            return np.asarray(
                solve_ivp(slope, (0.0, self.length), start, rtol=1e-9, atol=1e-11, method="DOP853").y[:, -1]
            )

        def left(clamp: np.ndarray) -> np.ndarray:
            y = end(clamp)
            return np.concatenate((y[12:15] - np.array(self.force), y[15:18] / self.length))

        guess = np.concatenate((np.array(self.force) + self.length * np.array(self.weight), np.zeros(3)))
        y = end(fsolve(left, guess, xtol=1e-11))
        return y[:3], y[3:12].reshape(3, 3)


def capstan(
    entry: Callable[[float], float], length: float, *, mu: float, offset: float, speed: float, times: Sequence[float],
    places: int = 60, steps: int = 1200,
) -> list[float]:  # fmt: skip
    """Return tip angles of a rod with a straight, rough channel at some times, without inertia; both limits 0 at first.

    entry  curvature T y / EI that the tension at the entry makes, by the time

    The bending moment comes from the tension, ``T y``, so that the curvature k falls as the tension does: ``k' = -mu
    k^2 tanh(p/v)``, and the tendon passes a place towards the entry at ``p = y d/dt int_s^l k ds``. With w = 1/k the
    first is ``w' = mu tanh(p/v)``: w follows from p, and backward Euler in time leaves one equation a place.
    """
    h, dt, found = length / places, max(times) / steps, []
    before = np.tril(np.ones((places, places))) - 0.5 * np.eye(places)
    beyond, p, k = before.T, np.zeros(places), np.full(places, entry(0.0))
    for step in range(1, steps + 1):
        first = 1.0 / entry(step * dt)
        for _ in range(100):
            grip = np.tanh(p / speed)
            w = first + mu * h * (before @ grip)
            left = offset * h / dt * (beyond @ (1.0 / w - k)) - p
            if np.max(np.abs(left)) < 1e-12:
                break
            slope = (beyond / w**2) @ (before * (mu * h / speed * (1.0 - grip * grip)))
            change = np.linalg.solve(offset * h / dt * slope + np.eye(places), left)
            p = p + change * min(1.0, 2.0 * speed / float(np.max(np.abs(change))))
        k = 1.0 / w
        found += [h * float(np.sum(k))] if min(abs(step * dt - t) for t in times) < 0.5 * dt else []
    return found
