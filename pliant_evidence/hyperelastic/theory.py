"""Bars of an incompressible Mooney-Rivlin material: closed forms, section integrals and marching along a cantilever.

Constants C1, C2 of the energy per volume ``C1 (I1 - 3) + C2 (I2 - 3)``; radius R or sides of the section at rest. A
fibre that is stretched to g is pulled by ``P(g) = 2 C1 (g - g^-2) + 2 C2 (1 - g^-3)`` per area at rest. Nothing of
pliant is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from scipy.integrate import solve_ivp

POINTS = 12  # of Gauss along each axis of a section


@dataclass(frozen=True)
class Bar:
    """Fibres (area, y, z) of a section, its factors of shear and torsion as of small strains, and the constants."""

    C1: float
    C2: float
    fibres: np.ndarray
    shear: float  # kappa A, along y and z
    torsion: float  # J

    def pull(self, g: np.ndarray) -> np.ndarray:
        """Return the force of a fibre per area at rest."""
        return 2.0 * self.C1 * (g - g**-2.0) + 2.0 * self.C2 * (1.0 - g**-3.0)

    def apart(self, strain: np.ndarray) -> np.ndarray:
        """Return energies per length of shear and torsion: the deformation gradient's without the stretch's. Of
        many strains, a column each.
        """
        g, twist, size = strain[0], strain[3], np.sqrt(np.sum(strain[:3] ** 2, axis=0))
        shear = 2.0 * self.C1 * (1.0 / g - 1.0 / size)
        shear += self.C2 * (g + size**2 / g - 2.0 * size + 1.0 / g**2 - 1.0 / size**2)
        return np.asarray(self.shear * shear + (self.C1 + self.C2 / size) * self.torsion * twist**2 / size)

    def resultants(self, strain: np.ndarray) -> np.ndarray:
        """Return n, Vy, Vz, T, My, Mz of the axis's derivative in the section's axes and of twist and curvatures, per
        length at rest; derivatives of `apart` by complex steps.
        """
        size = np.sqrt(strain[:3] @ strain[:3])
        area, y, z = self.fibres.T
        aside = strain[4] * z - strain[5] * y
        P = area * self.pull(size + aside / np.sqrt(size))
        found = self.apart(strain[:, None] + 1e-30j * np.eye(6)).imag / 1e-30
        found[:3] += np.sum(P * (1.0 - 0.5 * aside * size**-1.5)) * strain[:3] / size
        found[4:] += np.sum(P * z) / np.sqrt(size), -np.sum(P * y) / np.sqrt(size)
        return found

    def strains(self, resultants: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Return the strains that belong to resultants."""
        size = np.sqrt(np.sum(self.fibres[:, 0]) / np.sum(self.fibres[:, 0] * self.fibres[:, 1] ** 2))
        scale, found, by = np.diag([1.0, 1.0, 1.0, size, size, size]), guess.copy(), np.eye(6)
        for k in range(60):
            left = self.resultants(found) - resultants
            if k % 12 == 0:  # chords between: the matrix hardly changes
                by = np.stack([self.resultants(found + 1e-6 * row) - resultants - left for row in scale], axis=1) / 1e-6
            step = np.linalg.solve(by, left)
            found -= scale @ step
            if np.max(np.abs(step)) < 1e-11:
                return found
        raise RuntimeError(f"no strains for {resultants}")

    def base(
        self, length: float, tip: np.ndarray, axes: np.ndarray, force: np.ndarray, moment: np.ndarray
    ) -> np.ndarray:
        """Return (3, 4) place and section at the base for place and section at the tip, a dead force and a moment."""
        last = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])

        def slope(s: float, y: np.ndarray) -> np.ndarray:
            nonlocal last
            R, m = y[3:12].reshape(3, 3), y[12:]
            last = self.strains(np.concatenate((R.T @ force, R.T @ m)), last)
            along = R @ last[:3]
            turn = R @ np.cross(last[3:], np.eye(3)).T
            return np.concatenate((along, turn.ravel(), -np.cross(along, force)))

        start = np.concatenate((tip, axes.ravel(), moment))
        y = solve_ivp(slope, (length, 0.0), start, method="DOP853", rtol=1e-8, atol=1e-10).y[:, -1]
        return np.column_stack((y[:3], y[3:12].reshape(3, 3)))


def rectangle(modulus: float, mooney: float, width: float, height: float, torsion: float) -> Bar:
    """Build a rectangle, height along y; the torsion constant is given."""
    x, weight = np.polynomial.legendre.leggauss(POINTS)
    y, z = np.meshgrid(0.5 * height * x, 0.5 * width * x, indexing="ij")
    area = 0.25 * width * height * np.outer(weight, weight)
    fibres = np.stack([each.ravel() for each in (area, y, z)], axis=1)
    shear = 5.0 / 6.0 * width * height
    return Bar(modulus / 6.0 * (1.0 - mooney), modulus / 6.0 * mooney, fibres, shear, torsion)


def circle(modulus: float, mooney: float, radius: float) -> Bar:
    """Build a solid circle: strips across, y = R sin t, and points along them."""
    x, weight = np.polynomial.legendre.leggauss(POINTS + 4)
    t = 0.5 * pi * x
    half = radius * np.cos(t)  # of a strip
    y, z = np.broadcast_arrays(radius * np.sin(t)[:, None], half[:, None] * x)
    area = (0.5 * pi * weight * radius * np.cos(t))[:, None] * half[:, None] * weight
    fibres = np.stack([each.ravel() for each in (area, y, z)], axis=1)
    shear = 5.0 / 6.0 * pi * radius**2
    return Bar(modulus / 6.0 * (1.0 - mooney), modulus / 6.0 * mooney, fibres, shear, 0.5 * pi * radius**4)
