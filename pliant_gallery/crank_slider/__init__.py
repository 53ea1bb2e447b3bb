"""Crank-slider with a spring-dashpot across, its crank rigid or flexible: two stable poses, one up and one down.

                 apex  <- push
                 /  \\
          crank / -~-\\ slider link          -~- spring and dashpot, from middle to middle
               /      \\
    ----------o--------o--------->  x       o pivot at the origin, slider on the x axis

E. J. H. Yap, D. Rezgui, M. H. Lowenberg, S. A. Neild, K. Rahman, Modelling flexible multi-body systems within the
Udwadia-Kalaba framework, a lumped parameter approach, J. Comput. Nonlinear Dynam. 2022, tables 1 and 2. Its table 2
rounds the height of the flexible crank: 2.60925 mm, a crank of 1 kg, gives its other tables (ERRATA Udwadia-Kalaba 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import asin, cos, pi, sin, sqrt

import pliant as pl
from pliant.errors import OptionError
from pliant.model.signals.base import SignalLike

SPRINGS = ("line", "x")
START = pi / 4.0
"""Angle of the crank to the x axis at the start, rad: there the spring is at rest."""
PUSH, WEIGHT = "push/y", "gravity/y"
"""Names of the signals: force at the apex (N), gravity (m/s^2)."""
ELEMENTS = 20
"""Rigid elements of the flexible crank in the paper."""


@dataclass(frozen=True)
class CrankSliderParameters:
    """Tables 1 and 2, and the torsional damping of section 5."""

    crank_length: float = 2.0 * sqrt(2.0)  # m
    slider_length: float = 2.0 * sqrt(2.0)  # m
    crank_mass: float = 1.0  # kg, of the rigid crank
    slider_mass: float = 1.0  # kg
    spring_stiffness: float = 50.0  # N/m
    spring_rest_length: float = 2.0  # m
    dashpot: float = 5.0  # N s/m
    crank_offset: float = 0.0  # m, cc: of the spring's end from the crank's middle, towards the apex
    slider_offset: float = 0.0  # m, dd: of the spring's end from the slider link's middle
    gravity: float = 9.81  # m/s^2, along -y
    crank_width: float = 0.050  # m
    crank_height: float = 0.00260925  # m; printed 0.0026
    youngs_modulus: float = 70e9  # Pa
    poisson_ratio: float = 0.3
    density: float = 2710.0  # kg/m^3
    stiffening: float = 1.0  # factor of the crank's bending stiffness, table 6
    torsional_damping: float = 0.0  # N m s/rad at every joint of the 20 elements; 0.05 in figures 10 and 11

    @property
    def crank_end(self) -> float:
        """Return the place of the spring along the crank, as a part of its length."""
        return 0.5 + self.crank_offset / self.crank_length

    @property
    def slider_end(self) -> float:
        """Return the place of the spring along the slider link, from the slider."""
        return 0.5 + self.slider_offset / self.slider_length

    @property
    def section(self) -> pl.Section:
        """Return stiffness and mass of the flexible crank."""
        alloy = pl.Material(
            "alloy of the crank",
            youngs_modulus=self.youngs_modulus,
            poisson_ratio=self.poisson_ratio,
            density=self.density,
        )
        plain = pl.Section.rectangle(self.crank_width, self.crank_height, alloy)
        return plain if self.stiffening == 1.0 else replace(plain, bending_stiffness=self.bending_stiffness)

    @property
    def bending_stiffness(self) -> float:
        """Return EI of the flexible crank (N m^2)."""
        return self.stiffening * (self.youngs_modulus * (self.crank_width * self.crank_height**3 / 12.0))

    @property
    def torsion_stiffness(self) -> float:
        """Return K_T = EI / l of the joints of the 20 elements (N m/rad), l = L / 19, eq. 18."""
        return self.bending_stiffness * (ELEMENTS - 1) / self.crank_length

    @property
    def damping(self) -> pl.Rayleigh | None:
        """Return the joints' dampers as damping proportional to bending stiffness, for any number of elements."""
        return (
            pl.Rayleigh(stiffness=self.torsional_damping / self.torsion_stiffness) if self.torsional_damping else None
        )


PAPER = CrankSliderParameters()
DAMPED = CrankSliderParameters(torsional_damping=0.05)
"""With the joints' dampers of figures 10 and 11."""


def forcing(amplitude: float, omega: float = 1.3) -> pl.Sine:
    """Return the paper's push: amplitude (N) and angular frequency (rad/s)."""
    return pl.Sine(amplitude, frequency_hz=omega / (2.0 * pi))


def model(
    parameters: CrankSliderParameters = PAPER,
    *,
    flexible: bool = False,
    angle: float = START,
    push: SignalLike = 0.0,
    gravity: bool = True,
    spring: str = "line",
) -> pl.Model:
    """Make the mechanism, straight, with its crank at an angle to the x axis.

    flexible  True: the crank is a beam; False: a rigid link
    angle     of the crank (rad)
    push      force on the apex along y (N)
    gravity   False: without weight
    spring    "line": it pulls along the line that joins its ends; "x": along x, as in eq. 12 of the paper, which
              differs only if the crank bends: it runs from the crank to a massless shoe, level with the crank's middle
              and above the slider's

    Parts: "crank", "slider", "spring", "push", "gravity". Signals: "push/y", "gravity/y".

    >>> model()
    <Model "rigid crank-slider": 2 rigid bodies, 0 beams, 3 joints, 3 forces>
    >>> model(flexible=True)
    <Model "flexible crank-slider": 1 rigid body, 1 beam, 3 joints, 3 forces>
    """
    if spring not in SPRINGS:
        raise OptionError(f"spring={spring!r}: choose {' or '.join(map(repr, SPRINGS))}.")
    if not abs(angle) < 0.5 * pi:
        raise OptionError(f"angle={angle!r}: give an angle of the crank between -pi/2 and pi/2 rad.")
    given = parameters
    lean = pi - asin(given.crank_length * sin(angle) / given.slider_length)
    foot = given.crank_length * cos(angle) - given.slider_length * cos(lean)
    m = pl.Model(f"{'flexible' if flexible else 'rigid'} crank-slider", plane="xy")
    ground, crank, slider = m.add(
        pl.Ground(),
        pl.Beam("crank", length=given.crank_length, section=given.section, angle=angle, damping=given.damping)
        if flexible
        else pl.Link("crank", length=given.crank_length, mass=given.crank_mass, angle=angle),
        pl.Link("slider", length=given.slider_length, mass=given.slider_mass, angle=lean, position=(foot, 0.0)),
    )
    m.add(
        pl.Revolute(ground.at(0.0, 0.0), crank.at(s=0), name="pivot"),
        pl.Revolute(crank.at(s=1), slider.at(s=1), name="apex"),
        pl.Slider(ground.at(0.0, 0.0), slider.at(s=0), name="slot"),
    )
    begin, end = crank.at(s=given.crank_end), slider.at(s=given.slider_end)
    if spring == "x":
        level, reach = given.crank_end * given.crank_length, given.slider_end * given.slider_length
        place = (foot + reach * cos(lean), level * sin(angle))
        shoe = m.add(pl.Body("shoe", mass=0.0, inertia=0.0, position=place))
        m.add(
            pl.Motion(ground.at(0.0, 0.0), shoe.at(), angle=0.0, name="upright"),
            pl.Slider(shoe.at(), begin, name="level with the crank"),
            pl.Slider(shoe.at(angle=0.5 * pi), end, name="above the slider"),
        )
        end = shoe.at()
    m.add(
        pl.Spring(
            "spring",
            begin,
            end,
            stiffness=given.spring_stiffness,
            rest_length=given.spring_rest_length,
            damping=given.dashpot,
        ),
        pl.Force(crank.at(s=1), y=push, name="push"),
    )
    if gravity:
        m.add(pl.Gravity(y=-given.gravity))
    return m
