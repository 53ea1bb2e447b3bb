"""Concentric tubes as boundary value problems, sharing nothing with the elements.

Two tubes: ``theta'' = c sin theta``, ``c = k1 k2 (1/GJ1 + 1/GJ2) / (1/EI1 + 1/EI2)`` (P.E. Dupont, J. Lock, B.
Itkowitz, E. Butler, IEEE Trans. Robotics 26, 2010). Any number, loaded at the tip: the equations of D.C. Rucker, B.A.
Jones, R.J. Webster, IEEE Trans. Robotics 26, 2010, with the extension of the innermost tube and the shear of all,
by shooting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize_scalar, root

import pliant as pl

EXACT = {"rtol": 1e-12, "atol": 1e-14, "method": "DOP853"}


def pull(sections: tuple[pl.Section, pl.Section], curvatures: tuple[float, float]) -> float:
    """Return c of two tubes (1/m^2)."""
    twist = sum(1.0 / section.stiffness[3, 3] for section in sections)
    bend = sum(1.0 / section.bending_stiffness for section in sections)
    return float(curvatures[0] * curvatures[1] * twist / bend)


def base_angle(tip: float, c: float, length: float, transmission: float = 0.0) -> float:
    """Return the base angle of two tubes with a tip angle, after a curved length and a straight one."""
    found = solve_ivp(lambda s, y: (y[1], c * np.sin(y[0])), (length, 0.0), (tip, 0.0), **EXACT)
    angle, slope = found.y[:, -1]
    return float(angle - transmission * slope)


def tip_angle(base: float, c: float, length: float, transmission: float = 0.0) -> float:
    """Return the tip angle for a base angle, of tubes without a snap below it."""
    return float(brentq(lambda tip: base_angle(tip, c, length, transmission) - base, 0.0, base, xtol=1e-14))


def snap(c: float, length: float, transmission: float = 0.0) -> float:
    """Return the base angle at which two tubes snap: the largest that tips below half a turn belong to."""
    far = minimize_scalar(
        lambda tip: -base_angle(tip, c, length, transmission),
        bounds=(0.1, np.pi - 1e-3),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return -float(far.fun)


@dataclass
class Tubes:
    """Tubes from the innermost (0) on: sections, curvatures, where they begin, bend and end along the centre line (m),
    and angles of their bases; the innermost is clamped at the origin along x, unturned.
    """

    sections: list[pl.Section]
    curvatures: list[float]
    begin: list[float]
    bend: list[float]
    end: list[float]
    angles: list[float]

    def tip(self, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return tip (3) under a dead force on it, and the angles of the sleeves' ends against the innermost tube."""
        count = len(self.sections) - 1
        sizes = np.array([*(self.sections[0].bending_stiffness * 3.0,) * 3, *(1e-2,) * count])

        def miss(x: np.ndarray) -> np.ndarray:
            return self._march(x * sizes, force)[2] / sizes

        found = root(miss, np.zeros(3 + count), tol=1e-13, options={"xtol": 1e-13})
        point, angles, left = self._march(found.x * sizes, force)
        if np.max(np.abs(left / sizes)) > 1e-9:
            raise ArithmeticError("shooting has not arrived")
        return point, angles

    def _march(self, x: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return tip, angles at ends, and residuals of moment and torques there, from the moment at the base (3) and
        the torques of the sleeves where they begin.
        """
        count, ends = len(self.sections) - 1, sorted({0.0, *self.begin, *self.bend, *self.end})
        state = np.concatenate([np.zeros(3), np.eye(3).ravel(), x[:3], np.zeros(2 * count)])
        angles, left = np.zeros(count), np.zeros(count)
        for a, b in zip(ends, ends[1:], strict=False):
            for k in range(count):
                if abs(self.begin[k + 1] - a) < 1e-12:
                    state[15 + k], state[15 + count + k] = self.angles[k + 1], x[3 + k]
            state = solve_ivp(lambda s, y, m=0.5 * (a + b): self._slope(m, y, force), (a, b), state, **EXACT).y[:, -1]
            for k in range(count):
                if abs(self.end[k + 1] - b) < 1e-12:
                    angles[k], left[k] = state[15 + k], state[15 + count + k]
        return state[:3], angles, np.concatenate([state[12:15], left])

    def _slope(self, middle: float, y: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Differentiate point, axes (columns of R), moment, angles and torques, in the piece around a place."""
        count, inner = len(self.sections) - 1, self.sections[0]
        R, angles, torques = y[3:12].reshape(3, 3), y[15 : 15 + count], y[15 + count :]
        here = [k for k in range(count + 1) if self.begin[k] < middle < self.end[k]]
        turned = np.array([0.0, *angles])
        rest = np.array([k if middle > b else 0.0 for k, b in zip(self.curvatures, self.bend, strict=True)])
        EI = np.array([section.bending_stiffness for section in self.sections])
        GJ = np.array([section.torsional_stiffness for section in self.sections])
        n, m = R.T @ force, R.T @ y[12:15]
        bent = np.array([m[1] - sum(EI[k] * rest[k] * np.sin(turned[k]) for k in here),
                         m[2] + sum(EI[k] * rest[k] * np.cos(turned[k]) for k in here)])  # fmt: skip
        ky, kz = bent / sum(EI[k] for k in here)
        kx = (m[0] - sum(torques[k - 1] for k in here if k)) / GJ[0]
        twists, pushed = np.zeros(count), np.zeros(count)
        for k in here[1:]:
            twists[k - 1] = torques[k - 1] / GJ[k] - kx
            pushed[k - 1] = EI[k] * rest[k] * (ky * np.cos(turned[k]) + kz * np.sin(turned[k]))
        GA = sum(self.sections[k].shear_stiffness for k in here)
        gamma = np.array([1.0 + n[0] / inner.axial_stiffness, n[1] / GA, n[2] / GA])
        along, spin = R @ gamma, np.array([[0.0, -kz, ky], [kz, 0.0, -kx], [-ky, kx, 0.0]])
        return np.concatenate([along, (R @ spin).ravel(), -np.cross(along, force), twists, pushed])
