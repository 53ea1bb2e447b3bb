"""Properties that all parts of a model share: a kind, a name, the markers they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from inspect import cleandoc
from typing import Any, ClassVar

from pliant.errors import ModelError
from pliant.model import checks, rotations
from pliant.model.bodies.outlines import Outline, Stroke, Track
from pliant.model.conditions import GUESSED, LOCKS, PLANE, POINTS, Condition, check, of_words
from pliant.model.kinds import Kind, own_fields
from pliant.model.markers import Marker
from pliant.model.signals.base import as_signal

USE_AT = "Make one with body.at(...)."
NUMBER = re.compile(r"(?: \(\d+\))?")  # number after a default name that was taken


class Part(Kind, abstract=True):
    """Base class of everything that can be added to a model: a frozen dataclass with a name. Parts are compared by
    identity.

    A part states its own properties, so that no other code needs to know its class:

    group         table of the model file that it belongs to
    connects      True if it connects bodies
    stated_by     names of the attributes that define its equations, if its class does
    one_of        alternative fields for the same thing: one that is set replaces the others
    computed_as   the kind whose equations compute it: its own; its base's, if it adds no fields and no equations; or an
                  explicit one, ``class Coil(Spring, computed_as=Spring)`` for a spring that computes its stiffness from
                  other fields

    >>> from pliant.forces import Spring
    >>> Spring.usage(), Spring.units["damping"]
    ('Spring(name, a, b, stiffness, rest_length, damping=0.0)', 'N s/m')
    """

    name: str
    group: ClassVar[str]
    connects: ClassVar[bool] = False
    stated_by: ClassVar[tuple[str, ...]] = ()
    one_of: ClassVar[tuple[str, ...]] = ()
    computed_as: ClassVar[type[Part] | None] = None

    def __init_subclass__(
        cls, *, abstract: bool = False, computed_as: type[Part] | None = None, **options: Any
    ) -> None:
        super().__init_subclass__(abstract=abstract, **options)
        known = {name for base in cls.__mro__[1:] for name, _ in own_fields(base)}
        adds = any(name not in known for name, _ in own_fields(cls))
        differs = adds or any(key in vars(cls) for key in cls.stated_by)
        inherited = None if differs else cls.computed_as
        cls.computed_as = None if abstract else (computed_as and computed_as.computed_as) or inherited or cls

    @classmethod
    def summary(cls) -> str:
        """Return the first paragraph of its docstring."""
        return " ".join(cleandoc(cls.__doc__ or "").split("\n\n")[0].split())

    def __post_init__(self) -> None:
        if self.name:
            checks.name(type(self).__name__, self.name)
            return
        name = self.default_name()
        if not name:
            raise ModelError(f"{type(self).__name__}: a name is missing. Give one as the first argument.")
        self._set(name=name)

    @property
    def owner(self) -> str:
        """Return the name of this part in messages: ``Link "crank"``."""
        return f'{type(self).__name__} "{self.name}"'

    def default_name(self) -> str:
        """Return the name used if none is given; empty if the part must have one."""
        return ""

    @property
    def has_default_name(self) -> bool:
        """Return whether nobody gave a name: the model may then number it to keep names distinct."""
        default = self.default_name()
        numbered = self.name.startswith(default) and NUMBER.fullmatch(self.name[len(default) :])
        return not checks.NAME.fullmatch(self.name) or bool(default and numbered)

    @cached_property
    def markers(self) -> tuple[Marker, ...]:
        """Return all markers this part holds."""
        return tuple([value for value in self._values if isinstance(value, Marker)])

    @property
    def _values(self) -> list[Any]:
        """Return the values of all fields."""
        return [getattr(self, name) for name in _field_names(type(self))]  # type: ignore[arg-type]

    @property
    def line(self) -> tuple[Marker, ...]:
        """Return the markers along its line, for a spring or a rod; empty without a line."""
        return ()

    def drawn(self, nodes: Callable[[Part], Sequence[float]], spatial: bool) -> tuple[Marker, ...]:
        """Return markers through which pictures draw it: its line, or the given nodes of the beam that it follows."""
        return self.line

    def figures(self, spatial: bool) -> Sequence[tuple[Marker, Outline]]:
        """Return the shapes in its picture, each in the axes of a marker."""
        return ()

    def tracks(self, spatial: bool) -> Sequence[Track]:
        """Return rails and walls in its picture, over the range in which something moves along them."""
        return ()

    def strokes(self, spatial: bool, size: float) -> Sequence[Stroke]:
        """Return short lines in its picture; `size`: size of a symbol (m)."""
        return ()

    @property
    def may_vanish(self) -> bool:
        """Return whether its line may have zero length, so that no direction is needed."""
        return False

    def acts_on_directions(self, spatial: bool) -> bool:
        """Return whether it acts on the directions of its markers too, not only on their points."""
        return True

    def enter(self, spatial: bool) -> None:
        """Refuse arguments that do not exist in the space of the model; called when the part is added to a model."""
        kind = type(self).__name__
        if spatial and self.planar_only:
            raise ModelError(
                f"{self.owner}: a {kind} is for the plane, but the model is spatial. Make it planar: Model(name, "
                'plane="xy").'
            )
        if spatial:
            return
        if self.spatial_only:
            raise ModelError(
                f"{self.owner}: a {kind} needs space, but the model is planar. Use a joint of the plane, such as "
                "Revolute, or make the model spatial: Model(name, plane=None)."
            )
        for key in self.in_space:
            if not self.has_default(key):
                raise ModelError(
                    f"{self.owner}: {key} = {getattr(self, key)} belongs to space, but the model is planar. "
                    f"{self.in_plane_instead}, or make the model spatial: Model(name, plane=None)."
                )
        for marker in self.markers:
            marker.check_planar(self.owner)

    @property
    def in_plane_instead(self) -> str:
        """Advise on planar alternatives to a spatial argument."""
        return "Take it away"

    def said_in_space(self) -> dict[str, object]:
        """Return arguments of a planar part that differ in a spatial model: position, curvature, moment."""
        return {}

    def _set_signals(self, *arguments: str) -> None:
        """Turn arguments given as number, Signal or callable into Signals."""
        for key in arguments:
            signal = as_signal(getattr(self, key), self.owner, key)
            signal.check_units(self.owner, key, self.own_units[key])
            self._set(**{key: signal})


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


class Between(Part, abstract=True):
    """A part between two markers that can move relative to each other.

    >>> from pliant.forces import Motor
    >>> issubclass(Motor, Between)
    True
    """

    a: Marker
    b: Marker

    def __post_init__(self) -> None:
        for key in ("a", "b"):
            checks.instance(type(self).__name__, key, getattr(self, key), Marker, USE_AT)
        super().__post_init__()
        a, b = self.a, self.b
        if a.body is b.body and (a.body.rigid or a.s == b.s):
            raise ModelError(
                f"{self.owner}: markers {a.label} and {b.label} are both on {a.body.owner} and cannot move against "
                f"each other. Use markers of two bodies{'' if a.body.rigid else ', or two places of the beam'}."
            )


@dataclass(frozen=True, eq=False)
class Joint(Between, abstract=True):
    """Base class of joints, which remove freedom between two markers.

    `locks` names the fixed directions: "x", "y", "z" where b's point is fixed along an axis of the joint's frame on a,
    "rx", "ry", "rz" where b does not rotate about it; in the plane x, y and rz. `frame_a` and `frame_b` give that frame
    on the markers. A joint that `locks` cannot express (distance, prescribed motion, gear pair) defines its
    `conditions` itself. Assembly, all formulations, checks and results read nothing else.

    `drawing` is its symbol in pictures, at marker b: "pin", "clamp", "slide" or "none". `stoppable` is what a Stop can
    limit: the "angle" about z, or the "travel", of the joint's frame. `rubs` is the surface that a Friction acts on: a
    "pin", "ball", "slot", "guide", "shaft" or "thread".

    >>> from pliant.joints import Revolute, Weld
    >>> Revolute.drawing, Weld.drawing, Revolute.stoppable
    ('pin', 'clamp', 'angle')
    """

    group: ClassVar[str] = "joint"
    connects: ClassVar[bool] = True
    locks: ClassVar[tuple[str, ...]] = ()
    stated_by: ClassVar[tuple[str, ...]] = ("locks", "conditions")
    drawing: ClassVar[str] = "pin"
    stoppable: ClassVar[str] = ""
    rubs: ClassVar[str] = ""

    a: Marker
    b: Marker
    name: str = field(default="", kw_only=True)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        unknown = [word for word in cls.locks if word not in LOCKS]
        if unknown:
            raise TypeError(
                f"{cls.__module__}.{cls.__qualname__}: locks has {unknown[0]!r}; its words are {', '.join(LOCKS)}."
            )

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        check(self.owner, self.conditions(spatial), spatial)

    def locked(self, spatial: bool) -> tuple[str, ...]:
        """Return the words of `locks` that exist in the model's space."""
        return self.locks if spatial else tuple(word for word in self.locks if word in PLANE)

    def conditions(self, spatial: bool) -> list[Condition]:
        """Return its conditions, one for each row."""
        angle = self.kept_angle if not spatial else None if self.kept_turn is None else 0.0
        return of_words(self.locked(spatial), spatial, GUESSED if angle is None else angle)

    @property
    def kept_angle(self) -> float | None:
        """Return the kept angle of marker b from marker a in the plane; None: from the guesses of the bodies."""
        return None

    @property
    def kept_turn(self) -> rotations.Array | None:
        """Return the kept rotation of marker b from marker a in space, a quaternion; None: from the guesses."""
        return None

    @property
    def coordinate(self) -> str:
        """Return the coordinate that it drives: "x", "y", "z" or "angle"; empty if none."""
        return next((condition.quantity for condition in self.conditions(True) if condition.quantity), "")

    @property
    def frame_a(self) -> rotations.Array:
        """Return the quaternion that takes the axes of the joint's frame to marker a's axes."""
        return rotations.IDENTITY

    @property
    def frame_b(self) -> rotations.Array:
        """Return the quaternion that takes the axes of the joint's frame to marker b's axes."""
        return rotations.IDENTITY

    def acts_on_directions(self, spatial: bool) -> bool:
        return any(term.measure not in POINTS for each in self.conditions(spatial) for term in each.terms)

    def default_name(self) -> str:
        return f"{type(self).__name__.lower()} {self.a.label} - {self.b.label}"


class Load(Part, abstract=True):
    """Base class of forces, which act on bodies without adding or removing freedom: gravity, forces, springs, motors.

    idles       True if it exchanges energy in some states only (a contact): its work is always summed
    opaque      True if it is a Python function of the user: it is evaluated at states of the motion only, and its
                derivatives are not known
    unilateral  True if it acts where a gap closes, so that it may also be treated as a condition: a contact, a stop
    between_nodes  True if it depends on the shape of a beam between its nodes, which planar beams interpolate by angles
                   and spatial ones by quaternions: the two agree as the mesh becomes finer
    feeds       True if a beam changes its length in it, so that the derivative of the beam's energy by its length acts
                on a body; that force contains the square of the axial strain times the axial stiffness
    elsewhere   advice of messages: what to use instead where beams are chains of rigid links
    one_sided   why small motions about an equilibrium with it are not linear, and what to do; "" if they are
    results     its variables in results, and their units; `listed_along` is the dimension along which results list it
    also_computed_in  further folders whose families compute it

    >>> from pliant.forces import Contact, Gravity
    >>> Contact.idles, Contact.unilateral, Gravity.unilateral
    (True, True, False)
    """

    group: ClassVar[str] = "force"
    idles: ClassVar[bool] = False
    opaque: ClassVar[bool] = False
    unilateral: ClassVar[bool] = False
    between_nodes: ClassVar[bool] = False
    feeds: ClassVar[bool] = False
    elsewhere: ClassVar[str] = ""
    one_sided: ClassVar[str] = ""
    results: ClassVar[Mapping[str, str]] = {}
    listed_along: ClassVar[str] = ""
    also_computed_in: ClassVar[tuple[str, ...]] = ()

    def own_nodes(self, layout: object) -> Sequence[int]:
        """Return nodes at which it has its own coordinate: only for a `Sleeve` (an angle) and a `Superelement`."""
        return ()

    def ties(self) -> Sequence[tuple[Marker, Marker]]:
        """Return pairs of markers that coincide during assembly only: only for a `Superelement`."""
        return ()

    def carried(self, layout: object) -> Iterator[tuple[int, float]]:
        """Yield nodes of beams that carry its mass, and the mass (kg): only for a `Sleeve`."""
        return iter(())
