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
from math import cos, pi, sqrt

import pliant as pl
from pliant.errors import OptionError
from pliant.model.signals import SignalLike

SPRINGS = ("line", "x")
START = pi / 4.0
"""Angle of the crank to the x axis at the start, rad: there the spring is at rest."""
PUSH, WEIGHT = "push/y", "gravity/y"
"""Names of the signals: force at the apex (N), gravity (m/s^2)."""
FORCING_HZ = 1.3 / (2.0 * pi)
"""Frequency of the paper's forced responses."""


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
    gravity: float = 9.81  # m/s^2, along -y
    crank_width: float = 0.050  # m
    crank_height: float = 0.00260925  # m; printed 0.0026
    youngs_modulus: float = 70e9  # Pa
    poisson_ratio: float = 0.3
    density: float = 2710.0  # kg/m^3
    stiffening: float = 1.0  # factor of the crank's bending stiffness, table 6
    torsional_damping: float = 0.0  # N m s/rad at every joint of a crank of 20 elements; 0.05 in figures 10 and 11

    @property
    def section(self) -> pl.Section:
        """Stiffness and mass of the flexible crank."""
        alloy = pl.Material(
            "alloy of the crank",
            youngs_modulus=self.youngs_modulus,
            poisson_ratio=self.poisson_ratio,
            density=self.density,
        )
        plain = pl.Section.rectangle(self.crank_width, self.crank_height, alloy)
        return replace(plain, bending_stiffness=self.stiffening * plain.bending_stiffness)

    def torsion_stiffness(self, elements: int = 20) -> float:
        """K_T = EI / l of the joints of a crank of so many elements (N m/rad), l = L / (elements - 1), eq. 18."""
        return self.section.bending_stiffness * (elements - 1) / self.crank_length

    @property
    def damping_time(self) -> float:
        """Ratio of torsional damping to torsional stiffness (s): what a Kelvin-Voigt crank has too."""
        return self.torsional_damping / self.torsion_stiffness()


PAPER = CrankSliderParameters()
DAMPED = CrankSliderParameters(torsional_damping=0.05)
"""With the joints' dampers of figures 10 and 11."""


def model(
    parameters: CrankSliderParameters = PAPER,
    *,
    flexible: bool = False,
    angle: float = START,
    push: SignalLike = 0.0,
    gravity: bool = True,
    spring: str = "line",
) -> pl.Model:
    """The mechanism, straight, with its crank at an angle to the x axis.

    flexible  True: the crank is a beam; False: a rigid link
    angle     of the crank, rad; above zero it starts near the upper pose
    push      force at the apex along y (N)
    gravity   False: without weight
    spring    "line": it pulls along the line that joins its ends; "x": along x, as eq. 12 of the paper has it. The same
              for a rigid crank. Along x it runs from the crank to a massless shoe, level with it and above the slider

    Parts: "crank", "slider", "spring", "push", "gravity". Signals: "push/y", "gravity/y".

    >>> model()
    <Model "rigid crank-slider": 2 rigid bodies, 0 beams, 3 joints, 3 forces>
    >>> model(flexible=True)
    <Model "flexible crank-slider": 1 rigid body, 1 beam, 3 joints, 3 forces>
    """
    if spring not in SPRINGS:
        raise OptionError(f"spring={spring!r}: choose {' or '.join(map(repr, SPRINGS))}.")
    if not -0.5 * pi < angle < 0.5 * pi:
        raise OptionError(f"angle={angle!r}: give a crank angle between -pi/2 and pi/2; beyond, the mechanism folds.")
    given = parameters
    m = pl.Model(f"{'flexible' if flexible else 'rigid'} crank-slider", plane="xy")
    reach = given.crank_length * cos(angle)
    base = (reach + sqrt(given.slider_length**2 - given.crank_length**2 * (1.0 - cos(angle) ** 2)), 0.0)
    ground = m.add(pl.Ground())
    crank = m.add(_crank(given, flexible, angle))
    lean = pi - pl_asin(given.crank_length, angle, given.slider_length)
    slider = m.add(
        pl.Link("slider", length=given.slider_length, mass=given.slider_mass, angle=lean, position=base)
    )
    m.add(
        pl.Revolute(ground.at(0.0, 0.0), crank.at(s=0), name="pivot"),
        pl.Revolute(crank.at(s=1), slider.at(s=1), name="apex"),
        pl.Slider(ground.at(0.0, 0.0), slider.at(s=0), name="slot"),
    )
    return m
