"""Elastic coupling of two markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.forces._law import PointLaw
from pliant.model import checks, rotations
from pliant.model.markers import Marker
from pliant.model.parts import Between

Table = tuple[tuple[float, ...], ...]
Coefficients = float | Sequence[float] | Sequence[Sequence[float]] | np.ndarray


@dataclass(frozen=True, eq=False)
class Bushing(Between, PointLaw):
    """Rubber mount or flexure: marker b feels ``-K d - C d'`` and the moment ``-K_t r - C_t r'``, a the opposite.

    d                  vector from a to b in a's axes (m); r: rotation vector from a's axes to b's (rad)
    stiffness          K (N/m), damping C (N s/m): a number for all directions, one each along a's x, y, z, or a matrix
    turning_stiffness  K_t (N m/rad), turning_damping C_t (N m s/rad), likewise

    Force and moment have the potential ``(d K d + r K_t r) / 2``. In the plane only x, y and the rotation about z
    count. The force acts at b's point. In space rotations must stay below half a turn: a result beyond that is not ok.

    >>> from pliant.model import Ground, Link
    >>> arm = Link("arm", length=0.1, mass=0.2)
    >>> Bushing("mount", Ground().at(0, 0), arm.at(s=0), stiffness=1e5, turning_stiffness=(0.0, 0.0, 4.0)).stiffness[0]
    (100000.0, 0.0, 0.0)
    """

    units: ClassVar = {
        "stiffness": "N/m",
        "turning_stiffness": "N m/rad",
        "damping": "N s/m",
        "turning_damping": "N m s/rad",
    }
    connects: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rx", "ry", "rz")
    numbers: ClassVar[tuple[str, ...]] = ("stiffness", "turning_stiffness", "damping", "turning_damping")
    idles: ClassVar[bool] = False

    name: str
    a: Marker
    b: Marker
    stiffness: Any = field(default=0.0, kw_only=True)  # Coefficients; kept as a matrix
    turning_stiffness: Any = field(default=0.0, kw_only=True)
    damping: Any = field(default=0.0, kw_only=True)
    turning_damping: Any = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(**{key: _matrix(self.owner, key, getattr(self, key)) for key in self.numbers})

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):  # type: ignore[no-untyped-def]
        """Write f = K x + C x', for d and r separately."""
        for k in range(x.size):
            for l in range(x.size):
                i, j = (k, l) if x.size == 6 else (k + 3 * (k // 2), l + 3 * (l // 2))  # the plane: x, y, rz
                if i // 3 == j // 3:
                    place = 9 * (i // 3) + 3 * (i % 3) + j % 3
                    f_x[k, l], f_rate[k, l] = p[place], p[18 + place]
                    f[k] += f_x[k, l] * x[l] + f_rate[k, l] * rate[l]

    @staticmethod
    def energy(p, x, u):  # type: ignore[no-untyped-def]
        """Return V = (d K d + r K_t r) / 2."""
        total = 0.0
        for k in range(x.size):
            for l in range(x.size):
                i, j = (k, l) if x.size == 6 else (k + 3 * (k // 2), l + 3 * (l // 2))
                if i // 3 == j // 3:
                    total += 0.5 * p[9 * (i // 3) + 3 * (i % 3) + j % 3] * x[k] * x[l]
        return total


def _matrix(owner: str, argument: str, value: Any) -> Table:
    """Convert a number, three numbers or a matrix to a matrix; check that it is symmetric and not negative."""
    given = np.asarray(value.tolist() if isinstance(value, np.ndarray) else value, dtype=object)
    if given.ndim == 0:
        found = checks.not_negative(owner, argument, value) * np.eye(3)
    elif given.shape == (3,):
        found = np.diag([checks.not_negative(owner, f"{argument}[{k}]", each) for k, each in enumerate(given)])
    else:
        found = np.array(rotations.square(owner, argument, value, 3))
    if not np.allclose(found, found.T, rtol=1e-9, atol=0.0) or np.linalg.eigvalsh(found)[0] < -1e-9 * np.max(found):
        raise ModelError(
            f"{owner}: {argument} = {found.tolist()} is not allowed; the matrix must be symmetric and positive or zero "
            "in every direction."
        )
    return tuple(tuple(float(each) for each in row) for row in 0.5 * (found + found.T))
