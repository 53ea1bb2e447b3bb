"""Spin-up of a flexible arm (C.-C. Lan, K.-M. Lee, J.-H. Liou, Mechanism and Machine Theory 44, 2009, example 2).

A slender arm on a hub is turned from rest to the speed ``w`` within ``T`` seconds:

    phi(t) = w/T (t^2/2 + (T / 2 pi)^2 (cos(2 pi t/T) - 1))   for t < T,      w (t - T/2)   after

While it speeds up the arm bends backwards; turning steadily it is stretched by ``rho w^2 L^3 / 3 E`` (linear theory).
"""

from __future__ import annotations

from dataclasses import dataclass

import pliant as pl
from pliant.errors import OptionError


@dataclass(frozen=True)
class Data:
    """One column of table 2. The paper has no shear; G here follows from nu = 0.3 and the shear factor 5/6."""

    length: float  # m
    density: float  # kg/m^3
    second_moment: float  # m^4
    area: float  # m^2
    youngs_modulus: float  # Pa
    speed: float  # rad/s
    rise_time: float = 15.0  # s

    @property
    def section(self) -> pl.Section:
        """Return stiffness and mass of the arm."""
        EA, EI = self.youngs_modulus * self.area, self.youngs_modulus * self.second_moment
        return pl.Section(
            axial_stiffness=EA,
            shear_stiffness=5 / 6 * EA / (2 * (1 + 0.3)),
            bending_stiffness=EI,
            mass_per_length=self.density * self.area,
            rotary_inertia=self.density * self.second_moment,
        )

    @property
    def hub_angle(self) -> pl.Expression:
        """Return phi(t), rad."""
        w, T = self.speed, self.rise_time
        rise = f"{w / T!r}*(t**2/2 + {T!r}**2/(4*pi**2)*(cos(2*pi*t/{T!r}) - 1))"
        return pl.Expression(f"where(t < {T!r}, {rise}, {w!r}*(t - {T / 2!r}))")

    @property
    def steady_extension(self) -> float:
        """Return the extension of the tip at full speed by linear theory, rho w^2 L^3 / 3 E (m)."""
        return self.density * self.speed**2 * self.length**3 / (3.0 * self.youngs_modulus)


CASES = {
    1: Data(8.0, 2766.67, 8.214e-9, 7.299e-5, 6.895e10, speed=2.0),
    2: Data(10.0, 3000.0, 1.997e-7, 4e-4, 7e10, speed=6.0),
}


def data(case: int) -> Data:
    """Return the data of case 1 or 2."""
    if case not in CASES:
        raise OptionError(f"case={case!r}: the paper has cases {' and '.join(map(str, CASES))}.")
    return CASES[case]


def model(*, case: int = 1, stiffness_damping: float = 0.0) -> pl.Model:
    """Make the arm along x, its hub driven; no gravity.

    case               column of table 2
    stiffness_damping  beta (s) of damping forces beta K v, which do not slow the rotation as damping by mass would

    >>> model()
    <Model "spinning beam": 0 rigid bodies, 1 beam, 2 joints, 0 forces>
    """
    given = data(case)
    damping = pl.Rayleigh(stiffness=stiffness_damping) if stiffness_damping else None
    m = pl.Model("spinning beam", plane="xy")
    ground, arm = m.add(
        pl.Ground(), pl.Beam("arm", length=given.length, section=given.section, angle=0.0, damping=damping)
    )
    hub = ground.at(0.0, 0.0)
    m.add(pl.Revolute(hub, arm.at(s=0)), pl.Motion(hub, arm.at(s=0), angle=given.hub_angle))
    return m
