"""Round tube around a beam: concentric-tube robots, catheters with guide wires, telescopes that bend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import Any, ClassVar, cast

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks
from pliant.model.bodies.beams import Beam
from pliant.model.markers import Marker
from pliant.model.parts import Load
from pliant.model.sections.materials import Material
from pliant.model.sections.sections import Section
from pliant.model.signals.base import SignalLike

SAME = 1e-9  # of s: places within this are equal


@dataclass(frozen=True, eq=False)
class Sleeve(Load):
    """Round tube around a beam: it bends with the beam, and turns about it and slides along it without friction.
    Several sleeves around one beam are concentric tubes.

    beam                        the beam inside: a round wire or tube, which may be curved at rest
    outer_radius, inner_radius  of the tube (m)
    material                    of the tube
    curvature                   of the unstressed tube (1/m), about the z axis of its sections
    start, end                  ends of the tube along the beam, as fractions of the beam's length
    curved_from                 the tube is straight from its start to here; None: curved everywhere
    angle                       rotation of its base relative to the beam's section there (rad), may change in time
    turned_at                   place of that section along the beam, at or before start; a holder without twist leads
                                from there to the base of the tube. None: at start

    Its sections are rotated relative to the beam's by psi(s), with separate coordinates: psi(start) is the angle, and
    no torque acts at its end. With the beam's curvature kappa and ``k(psi) = curvature (0, -sin psi, cos psi)``

        W = int EI |kappa - k(psi)|^2 / 2 + GJ (kappa_x + psi')^2 / 2 + GA |Gamma|^2 / 2 ds

    (D.C. Rucker, R.J. Webster, G.S. Chirikjian, N.J. Cowan, Int. J. Robotics Res. 29, 2010; P.E. Dupont et al., IEEE
    Trans. Robotics 26, 2010), Gamma being the shear of the beam. It carries no axial force.

    >>> from pliant.model import STEEL
    >>> wire = Beam("wire", length=0.2, section=Section.circle(0.4e-3, STEEL), curvature=8.0)
    >>> tube = Sleeve("tube", wire, outer_radius=0.8e-3, inner_radius=0.5e-3, material=STEEL, curvature=5.0, end=0.75)
    >>> round(tube.length, 3), round(tube.section.bending_stiffness, 4)
    (0.15, 0.0572)
    """

    between_nodes: ClassVar[bool] = True
    spatial_only: ClassVar[bool] = True
    units: ClassVar = {
        "outer_radius": "m",
        "inner_radius": "m",
        "curvature": "1/m",
        "start": "1",
        "end": "1",
        "curved_from": "1",
        "angle": "rad",
        "turned_at": "1",
    }

    name: str
    beam: Beam
    _: KW_ONLY
    outer_radius: float
    inner_radius: float
    material: Material
    curvature: float = 0.0
    start: float = 0.0
    end: float = 1.0
    curved_from: float | None = None
    angle: SignalLike = 0.0
    turned_at: float | None = None

    def __post_init__(self) -> None:
        checks.instance("Sleeve", "beam", self.beam, Beam, "Only beams have sleeves.")
        super().__post_init__()
        self._set(curvature=checks.number(self.owner, "curvature", self.curvature, hint="Give it in 1/m."))
        for key in ("start", "end"):
            self._set(**{key: checks.fraction(self.owner, key, getattr(self, key), hint="0 is the base, 1 the tip.")})
        if not self.start < self.end:
            raise checks.refuse(self.owner, "end", self.end, f"above start = {self.start:g}")
        if self.curved_from is not None:
            bent = checks.fraction(self.owner, "curved_from", self.curved_from)
            self._set(curved_from=bent)
            if not self.start <= bent <= self.end:
                raise checks.refuse(self.owner, "curved_from", bent, f"from {self.start:g} to {self.end:g}")
        if self.turned_at is not None:
            self._set(turned_at=checks.fraction(self.owner, "turned_at", self.turned_at))
        if not self.held <= self.start:
            raise checks.refuse(self.owner, "turned_at", self.turned_at, f"from 0 to start, {self.start:g}")
        self._set_signals("angle")
        self.section.check_linear(self.owner, "a sleeve")
        self._check_inside()

    def _check_inside(self) -> None:
        """Check that the beam inside is not wider than the bore."""
        places = np.linspace(self.start, self.end, 9).tolist()
        widths = [max(each.height or 0.0, each.width or 0.0) for each in map(self.beam.section_at, places)]
        if max(widths) > 2.0 * self.inner_radius * (1.0 + SAME):
            raise ModelError(
                f"{self.owner}: {self.beam.owner} is {max(widths):.6g} m wide and does not fit into its inner radius, "
                f"{self.inner_radius:.6g} m. Give a bore of at least {0.5 * max(widths):.6g} m, or change their order."
            )

    def check_beside(self, other: Sleeve) -> None:
        """Refuse two sleeves around the same beam that overlap and cannot nest."""
        inside, outside = sorted((self, other), key=lambda each: each.inner_radius)
        apart = self.end <= other.start + SAME or other.end <= self.start + SAME
        if not apart and inside.outer_radius > outside.inner_radius * (1.0 + SAME):
            raise ModelError(
                f"{inside.owner} and {outside.owner} overlap along {self.beam.owner} and cannot nest: the outer radius "
                f"of the first is {inside.outer_radius:.6g} m, the inner one of the second {outside.inner_radius:.6g} "
                "m. Change their radii or their order."
            )

    @property
    def section(self) -> Section:
        """Section of the tube."""
        return Section.tube(self.outer_radius, self.inner_radius, self.material)

    @property
    def held(self) -> float:
        """Place along the beam of the section from which its angle is measured."""
        return self.start if self.turned_at is None else self.turned_at

    @property
    def length(self) -> float:
        """Length of the tube (m)."""
        return (self.end - self.start) * self.beam.length

    @property
    def mass(self) -> float:
        """Mass of the tube (kg)."""
        return self.length * self.section.mass_per_length

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Markers at its holder, begin, bend and end, on the beam's axis, at ends of elements."""
        bends = self.start if self.curved_from is None else self.curved_from
        places = sorted({self.held, self.start, bends, self.end})
        return tuple(self.beam.at(s=s) for s in places)

    def acts_on_directions(self, spatial: bool) -> bool:
        return True

    def own_nodes(self, layout: object) -> Sequence[int]:
        """Return the nodes of the beam with an additional angle: along the tube and its holder, except the held end."""
        mesh = cast(Any, layout).mesh(self.beam)
        found: list[int] = mesh.nodes[(mesh.s > self.held + SAME) & (mesh.s < self.end + SAME)].tolist()
        return found

    def carried(self, layout: object) -> Iterator[tuple[int, float]]:
        """Yield its mass on the nodes of the beam (kg)."""
        from pliant.elements.sleeve.rows import elements, shares

        nodes, length, middle = elements(layout, self)
        nodes, length = nodes[middle > self.start], length[middle > self.start]
        for row, masses in zip(nodes.tolist(), self.section.mass_per_length * shares(nodes, length), strict=True):
            yield from zip(row, masses.tolist(), strict=True)


def check_nesting(sleeves: list[Sleeve]) -> None:
    """Refuse sleeves of one beam that cannot be around each other."""
    for one, other in combinations(sleeves, 2):
        if one.beam is other.beam:
            one.check_beside(other)
