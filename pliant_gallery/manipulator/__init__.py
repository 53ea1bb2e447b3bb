"""Flexible planar arms with rotary joints (1R, kinked 1R, 2R, nR), given by characteristic velocities.

         link 1       ,-'  link 2            motor at every joint, no gravity
    o--------------o-'

M. Chandra Shaker, A. Ghosal, Nonlinear modeling of flexible manipulators using non-dimensional variables, J. Comput.
Nonlinear Dynam. 1, 2006. A link of length L is described by rho A and two velocities,

    U_a = sqrt(E / rho) = sqrt(EA / rho A),        U_g = sqrt(EI / rho A) / L

L being the length of the *whole* link, as in the paper's footnote 5 and figures (EI = 250 N m^2 for U_g = 25 m/s, 2 m,
0.1 kg/m). Its eq. 15 and appendix A divide by the length of a segment (ERRATA Manipulators 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin
from typing import TYPE_CHECKING

import numpy as np

import pliant as pl
from pliant.errors import OptionError

if TYPE_CHECKING:
    from pliant.results import Result

SHEAR = 10.0
"""Shear stiffness of the geometrically exact arm over EA. The paper's links do not shear; with this, shear adds no
more than 1e-4 to a deflection, EI / (GA L^2)."""


@dataclass(frozen=True)
class Arm:
    """Data of one figure: links of equal data except for the ratios, a sine of torque at the first joint, everything at
    rest and straight.
    """

    bending_velocity: float  # U_g, m/s
    axial_velocity: float = 4800.0  # U_a, m/s
    lengths: tuple[float, ...] = (2.0,)  # m, one a link
    mass_per_length: float = 0.1  # rho A, kg/m
    kink: float = 0.0  # in the middle of the first link, rad
    torque: float = 5.0  # amplitude, N m
    frequency: float = 10.0  # of the torque, rad/s
    bending_ratio: float = 1.0  # U_g of the other links over the first link's
    mass_ratio: float = 1.0  # rho A of the other links over the first link's

    def section(self, link: int = 0) -> pl.Section:
        """Return the section of a link: EI = rho A (U_g L)^2, EA = rho A U_a^2; nearly no shear, no rotary inertia."""
        given = pl.Section.of_velocities(
            self.mass_per_length * (self.mass_ratio if link else 1.0),
            axial=self.axial_velocity,
            flexural=self.bending_velocity * (self.bending_ratio if link else 1.0),
            length=self.lengths[link],
        )
        return replace(given, shear_stiffness=SHEAR * given.axial_stiffness, rotary_inertia=0.0)

    @property
    def drive(self) -> pl.Expression:
        """Return the torque at the first joint (N m)."""
        return pl.Expression(f"{self.torque!r}*sin({self.frequency!r}*t)")


TWO_LINKS = (1.0, 1.0)  # m
FIGURES = {
    3: Arm(50.0, torque=10.0, frequency=1.0),
    4: Arm(50.0, torque=10.0, frequency=10.0),
    5: Arm(100.0, torque=10.0, frequency=1.0),
    8: Arm(25.0, torque=5.0, frequency=1.0),
    12: Arm(25.0, torque=5.0, frequency=10.0),
    13: Arm(100.0, lengths=TWO_LINKS, torque=2.0, frequency=3.0),
    15: Arm(40.0, lengths=TWO_LINKS, torque=2.0, frequency=3.0),
}
"""Data of the paper's figures; 9 and 10 vary those of 8, 11 those of 12, and 14 and 16 have those of 13 and 15."""


def model(arm: Arm = FIGURES[12]) -> pl.Model:
    """Make the arm along x, at rest.

    Parts: "link1", "link2", ...; joints "joint1", ...; motors "motor1", ... (all but the first idle). A kinked link is
    two beams of half its length, "link1" and "outer1", welded at the angle.

    >>> model()
    <Model "1R arm": 0 rigid bodies, 1 beam, 1 joint, 1 force>
    >>> model(FIGURES[13])
    <Model "2R arm": 0 rigid bodies, 2 beams, 2 joints, 2 forces>
    """
    if arm.kink and len(arm.lengths) > 1:
        raise OptionError(f"kink={arm.kink!r} with {len(arm.lengths)} links: only an arm of one link has a kink.")
    m = pl.Model(f"{len(arm.lengths)}R arm", plane="xy")
    end = m.add(pl.Ground()).at(0.0, 0.0)
    reach = 0.0
    for k, length in enumerate(arm.lengths):
        share = 0.5 * length if arm.kink else length
        beam = m.add(
            pl.Beam(f"link{k + 1}", length=share, section=arm.section(k), angle=0.0, position=(reach, 0.0)),
        )
        m.add(
            pl.Revolute(end, beam.at(s=0), name=f"joint{k + 1}"),
            pl.Motor(f"motor{k + 1}", end, beam.at(s=0), 0.0 if k else arm.drive),
        )
        end, reach = beam.at(s=1), reach + share
    if arm.kink:
        outer = m.add(pl.Beam("outer1", length=share, section=arm.section(), angle=arm.kink, position=(reach, 0.0)))
        m.add(pl.Weld(end, outer.at(s=0), angle=arm.kink, name="kink"))
    return m


def deflection(run: Result, arm: Arm, link: int = 0) -> np.ndarray:
    """Return the displacement (time, xy) of a link's tip from straight, in its base tangent's frame (m)."""
    base, tip = f"link{link + 1}/base", f"{'outer' if arm.kink else 'link'}{link + 1}/tip"
    apart = run.position.sel(marker=tip).values - run.position.sel(marker=base).values
    angle = run.angle.sel(body=f"link{link + 1}").values
    c, s = np.cos(angle), np.sin(angle)
    along = np.stack([c * apart[:, 0] + s * apart[:, 1], c * apart[:, 1] - s * apart[:, 0]], axis=1)
    half = 0.5 * arm.lengths[link]
    return np.asarray(along - (half + half * cos(arm.kink), half * sin(arm.kink)))
