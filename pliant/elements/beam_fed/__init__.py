"""Beam fed through a guide: continuum robots of rods that slide in their base, needles, extendable booms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from pliant.elements.beam_exact import Exact
from pliant.errors import ModelError, OptionError
from pliant.model import checks
from pliant.model.bodies.beams import Beam
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load


@dataclass(frozen=True, eq=False)
class Feed(Load):
    """Feeds a beam through a guide: its free length is ``l = length + x - x0`` with the position x of a carriage along
    the guide's x axis, x0 as assembled. Joints and drives of the carriage determine the motion.

    beam      its base (s = 0) is at the exit of the guide, held there by a joint: a Weld models a sleeve, a pin an eye.
              Its length and shape describe the free part, as assembled. It is uniform along its length
    guide     marker whose x axis the rod is fed along
    carriage  marker on the body that pushes the rod: driven by a `Motion`, pushed by forces, or free
    stock     length of rod behind the guide as assembled (m), straight and rigid there, with the beam's mass

    The elements are as in `Exact`; their lengths grow with l, so that the energy is ``W(q, l)`` and the carriage feels
    ``W_l``: in equilibrium the configurational force ``M^2 / 2 EI`` of a sleeve (D. Bigoni et al., Mech. Mater. 80,
    2015) with it. Points of the rod move relative to the nodes: with s from base to tip their velocity is
    ``x. + x_s (1 - s) l./l``, and the equations of motion are Lagrange's, of the free rod and its stock. The beam may
    have damping of strains, ``Rayleigh(stiffness=...)``, with elements from order 2 on (damping.py), and damping of all
    motion of the free part, ``Rayleigh(mass=..., relative_to="ground")``.

    >>> from pliant.model import STEEL, Body, Ground, Section
    >>> rod = Beam("rod", length=0.3, section=Section.circle(1e-3, STEEL))
    >>> carriage = Body("carriage", mass=0.1, inertia=0.0)
    >>> Feed("feed", rod, guide=Ground().at(0, 0), carriage=carriage.at(), stock=0.5).longest
    0.8
    """

    between_nodes: ClassVar[bool] = True
    feeds: ClassVar[bool] = True
    elsewhere: ClassVar[str] = "with 'relative' or 'shooting'"
    units: ClassVar = {"stock": "m"}

    name: str
    beam: Beam
    _: KW_ONLY
    guide: Marker
    carriage: Marker
    stock: float

    def __post_init__(self) -> None:
        checks.instance("Feed", "beam", self.beam, Beam, "Only beams are fed.")
        super().__post_init__()
        for key in ("guide", "carriage"):
            checks.instance(self.owner, key, getattr(self, key), Marker, USE_AT)
        self._set(stock=checks.not_negative(self.owner, "stock", self.stock, hint="Give it in metres."))
        bodies = {self.guide.body, self.carriage.body, self.beam}
        if len(bodies) < 3 or not (self.guide.body.rigid and self.carriage.body.rigid):
            raise ModelError(
                f"{self.owner}: guide {self.guide.label} and carriage {self.carriage.label} must be on two rigid "
                f"bodies (or the ground), and neither on {self.beam.owner}."
            )
        self._check_uniform()

    def _check_uniform(self) -> None:
        """Check that the rod is uniform, as its points pass the nodes."""
        self.beam.section.check_linear(self.beam.owner, f"a beam that is fed ({self.owner})")
        rows = isinstance(self.beam.curvature, tuple) and isinstance(self.beam.curvature[0], tuple)
        rows = rows or self.beam.straight > 0.0
        if rows or not self.beam.section.uniform:
            raise self._uneven("curvature" if rows else "section")

    def _uneven(self, what: str) -> ModelError:
        return ModelError(
            f"{self.owner}: the {what} of {self.beam.owner} changes along it; a beam that is fed must be uniform."
        )

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        if not spatial and isinstance(self.beam.curvature, tuple):
            raise self._uneven("curvature")
        damping = self.beam.damping
        mass = damping.coefficients(self.beam)[0] if damping else 0.0
        if damping and mass > 0.0 and damping.relative_to != "ground":
            raise ModelError(
                f"{self.owner}: the damping of {self.beam.owner} has a part of mass, alpha = {mass:.4g} 1/s, relative "
                "to its own rigid motion, which is not known of a beam that is fed. Give relative_to='ground', or "
                "Rayleigh(stiffness=...)."
            )

    def unknown(self) -> ModelError:
        """Return the error of a formulation that does not support feeds."""
        return ModelError(
            f"{self.owner}: this formulation does not support fed beams. Compile with formulation='dae', "
            "'relative' or 'shooting'."
        )

    @property
    def longest(self) -> float:
        """Free length if no stock is left behind the guide (m)."""
        return self.beam.length + self.stock

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The guide, the carriage and the beam's base."""
        return self.guide, self.carriage, self.beam.at(s=0.0)

    def acts_on_directions(self, spatial: bool) -> bool:
        return True


@dataclass(frozen=True)
class FedExact:
    """Mesh of a beam that is fed, as `Exact` for other beams."""

    can_be_fed: ClassVar[bool] = True
    continuous: ClassVar[bool] = True  # its elements integrate its weight
    finite_rotation: ClassVar[bool] = True

    elements: int
    order: int
    mass: str = "consistent"


def fed_options(model: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of all beams, with elements that support feeding for fed beams."""
    found = dict(options)
    for feed in (part for part in model.forces if isinstance(part, Feed)):
        given = options[feed.beam.name]
        if isinstance(found[feed.beam.name], FedExact):
            raise ModelError(f"{feed.owner}: {feed.beam.owner} is fed already. Remove one of them.")
        if not isinstance(given, Exact) or given.mass != "consistent":
            raise OptionError(
                f"elements of beam {feed.beam.name!r}, which {feed.owner} feeds: {given!r:.60}; only "
                "pl.Exact(n, order=p) can be fed."
            )
        if given.order == 1 and feed.beam.damping is not None and feed.beam.damping.coefficients(feed.beam)[1] > 0.0:
            raise OptionError(
                f"elements of beam {feed.beam.name!r}, which {feed.owner} feeds: {given!r:.60}; elements of order 1 do "
                f"not damp strains that pass through them. Try pl.Exact({given.elements}, order=2)."
            )
        found[feed.beam.name] = FedExact(given.elements, given.order)
    return found


def longest_of(beam: Beam, model: Any) -> float:
    """Return the largest unstretched arc length of a beam of a model: with its stock if it is fed (m)."""
    feeds = [part for part in model.forces if isinstance(part, Feed) and part.beam is beam]
    return feeds[0].longest if feeds else beam.length
