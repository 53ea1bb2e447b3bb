"""Concentric-tube robots as data: pre-curved tubes in each other, turned and pushed at their bases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from typing import Any

from pliant.elements.sleeve import Sleeve
from pliant.errors import ModelError
from pliant.forces import Force, Gravity
from pliant.joints import Cylindrical, Motion, Revolute
from pliant.model import Beam, Ground, Material, Model, Parameter, Section, checks

NITINOL = Material("nitinol", youngs_modulus=58e9, poisson_ratio=0.3, density=6450.0)
SAME = 1e-9  # of the longest tube: tolerance of equal lengths
WITHIN = 1.0 - 1e-13  # against rounding beyond a tip


@dataclass(frozen=True)
class CurvedTube:
    """A tube that is straight from its base on, then an arc of a circle.

    length                      of all of it (m)
    straight                    from its base (m)
    curvature                   of the rest (1/m), about the z axis of its sections
    outer_radius, inner_radius  m
    material                    default: nitinol

    >>> CurvedTube(length=0.2, straight=0.1, curvature=12.0, outer_radius=0.6e-3, inner_radius=0.4e-3).owner
    'CurvedTube of radii 0.0004 to 0.0006 m'
    """

    _: KW_ONLY
    length: float
    straight: float
    curvature: float
    outer_radius: float
    inner_radius: float
    material: Material = NITINOL

    def __post_init__(self) -> None:
        checks.positive("CurvedTube", "length", self.length, hint="Give it in metres.")
        checks.not_negative("CurvedTube", "straight", self.straight, hint="Give it in metres.")
        checks.number("CurvedTube", "curvature", self.curvature, hint="Give it in 1/m.")
        if not self.straight < self.length:
            raise checks.refuse("CurvedTube", "straight", self.straight, f"below its length, {self.length:g}")
        _ = self.section  # raises if Section does

    @property
    def owner(self) -> str:
        """Return its name in messages."""
        return f"CurvedTube of radii {self.inner_radius:.6g} to {self.outer_radius:.6g} m"

    @property
    def section(self) -> Section:
        """Return the section of the tube."""
        return Section.tube(self.outer_radius, self.inner_radius, self.material)


@dataclass(frozen=True)
class ConcentricTubes:
    """Tubes in each other that leave a hole at the origin along x; each is turned, and pushed, at its base behind it.

    tubes    the innermost first; each fits into the next
    bases    places of their bases along x (m), at or behind the hole: the innermost's furthest behind. Tubes behind the
             hole are straight and only twisted
    angles   of their bases against the ground (rad); None: zero
    gravity  m/s^2 along the axes; None: none

    Parts: "tube 1", a `Beam`; "tube 2", ..., `Sleeve`s around it; "motor 1", which turns the innermost; "load", a force
    on its tip. Their signals turn the innermost tube against the ground, and the others against the innermost:
    `turned`. Places of bases are parameters, "base_1", ...: tubes are fed, at rest, by `system.with_parameters` of
    `fed`. A base that cannot be moved, of a tube curved from its base on, has no parameter.

    >>> robot = ConcentricTubes(
    ...     tubes=(
    ...         CurvedTube(length=0.25, straight=0.2, curvature=15.0, outer_radius=0.5e-3, inner_radius=0.4e-3),
    ...         CurvedTube(length=0.15, straight=0.1, curvature=10.0, outer_radius=0.8e-3, inner_radius=0.6e-3),
    ...     ),
    ...     bases=(-0.15, -0.1),
    ... )
    >>> robot.model()
    <Model "concentric tubes": 0 rigid bodies, 1 beam, 3 joints, 2 forces>
    >>> robot.turned((0.5, 2.0))
    {'motor 1/angle': 0.5, 'tube 2/angle': 1.5}
    >>> robot.fed((-0.15, -0.08))
    {'base_1': -0.15, 'base_2': -0.08}
    """

    _: KW_ONLY
    tubes: Sequence[CurvedTube]
    bases: Sequence[float]
    angles: Sequence[float] | None = None
    gravity: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        owner = "ConcentricTubes"
        if len(self.tubes) < 1 or len(self.tubes) != len(self.bases):
            raise ModelError(
                f"{owner}: {len(self.tubes)} tubes and {len(self.bases)} bases. Give one base for every tube, and at "
                "least one tube."
            )
        for k, (tube, base) in enumerate(zip(self.tubes, self.bases, strict=True), 1):
            checks.number(owner, f"bases[{k - 1}]", base, hint="Give it in metres.")
            self._check_hole(k, tube, base)
        for k, (inside, outside) in enumerate(pairwise(self.tubes), 1):
            if inside.outer_radius > outside.inner_radius:
                raise ModelError(
                    f"{owner}: tube {k} has an outer radius of {inside.outer_radius:.6g} m and does not fit into the "
                    f"bore of tube {k + 1}, {outside.inner_radius:.6g} m. The innermost tube comes first."
                )
        _ = self.turned((0.0,) * len(self.tubes) if self.angles is None else self.angles)  # refuses another number
        self._check_order("base", list(self.bases), "behind")
        self._check_order("tip", [-tip for tip in self.tips], "beyond")

    def _check_hole(self, k: int, tube: CurvedTube, base: float) -> None:
        """Check that its base is behind the hole, its tip before it, and that it is straight between them."""
        if base > 0.0 or base + tube.length <= 0.0:
            raise ModelError(
                f"ConcentricTubes: tube {k} reaches from {base:.6g} to {base + tube.length:.6g} m; the hole at 0 must "
                "be between. Place its base at or behind the hole, by less than its length."
            )
        if tube.curvature and base + tube.straight < -SAME * tube.length:
            raise ModelError(
                f"ConcentricTubes: tube {k} is straight for {tube.straight:.6g} m only and its base is {-base:.6g} m "
                "behind the hole, so that it would have to be bent there. Push it out further, or make it straight for "
                "longer."
            )

    def _check_order(self, what: str, places: list[float], word: str) -> None:
        longest = max(tube.length for tube in self.tubes)
        for k, (one, other) in enumerate(pairwise(places), 1):
            if one > other + SAME * longest:
                raise ModelError(
                    f"ConcentricTubes: the {what} of tube {k} at {abs(one):.6g} m must be {word} the {what} of "
                    f"tube {k + 1}, around it, at {abs(other):.6g} m: nothing else could hold it."
                )

    @property
    def tips(self) -> tuple[float, ...]:
        """Return the tips of the tubes along their common centre line, from the hole (m)."""
        return tuple(base + tube.length for tube, base in zip(self.tubes, self.bases, strict=True))

    def turned(self, angles: Sequence[float]) -> dict[str, float]:
        """Return signals that turn the bases of the tubes to these angles against the ground (rad)."""
        if len(angles) != len(self.tubes):
            raise ModelError(f"ConcentricTubes: {len(angles)} angles for {len(self.tubes)} tubes. Give one for each.")
        found = {"motor 1/angle": float(angles[0])}
        return found | {f"tube {k}/angle": float(angle - angles[0]) for k, angle in enumerate(angles[1:], 2)}

    def fed(self, bases: Sequence[float]) -> dict[str, float]:
        """Return parameters that place the bases of the tubes (m), without those that cannot be moved."""
        other = replace(self, bases=tuple(bases))
        free = [isinstance(place, Parameter) for place in self._places()]
        return {f"base_{k}": float(base) for k, base in enumerate(other.bases, 1) if free[k - 1]}

    def _places(self) -> list[Any]:
        """Return places of the bases, parameters if they can be moved; curved parts stay before the hole."""
        found: list[Any] = []
        for k, (tube, base) in enumerate(zip(self.tubes, self.bases, strict=True), 1):
            low = -tube.straight if tube.curvature else -tube.length
            moves = low < 0.0 and (k > 1 or base < 0.0)
            low = min(low, float(base))  # may be behind by rounding
            found.append(Parameter(f"base_{k}", float(base), low=low, high=0.0) if moves else float(base))
        return found

    def model(self) -> Model:
        """Make the mechanism."""
        m = Model("concentric tubes", plane=None)
        places = self._places()
        ground, inner, behind = m.add(Ground()), self.tubes[0], -places[0]
        angles = self.turned((0.0,) * len(self.tubes) if self.angles is None else self.angles)
        wire = m.add(
            Beam(
                "tube 1",
                length=inner.length,
                section=inner.section,
                straight=inner.straight,
                curvature=(0.0, 0.0, inner.curvature),
                position=(-behind, 0.0, 0.0),
                orientation=(0.0, 0.0, 0.0),
            )
        )
        base = ground.at(-behind, 0.0, 0.0)
        m.add(
            Revolute(base, wire.at(s=0), axis="x", name="bearing"),
            Motion(base, wire.at(s=0), angle=angles["motor 1/angle"], axis="x", name="motor 1"),
        )
        if self.bases[0]:
            m.add(Cylindrical(ground.at(0.0, 0.0, 0.0), wire.at(s=behind / inner.length), axis="x", name="hole"))
        for k, (tube, place) in enumerate(zip(self.tubes[1:], places[1:], strict=True), 2):
            start = (place + behind) / inner.length
            m.add(
                Sleeve(
                    f"tube {k}",
                    wire,
                    outer_radius=tube.outer_radius,
                    inner_radius=tube.inner_radius,
                    material=tube.material,
                    curvature=tube.curvature,
                    start=start,
                    curved_from=WITHIN * (start + tube.straight / inner.length),
                    end=WITHIN * (start + tube.length / inner.length),
                    angle=angles[f"tube {k}/angle"],
                    turned_at=0.0,
                )
            )
        if self.gravity is not None:
            x, y, z = self.gravity
            m.add(Gravity(x=x, y=y, z=z))
        m.add(Force(wire.at(s=1), name="load"))
        return m
