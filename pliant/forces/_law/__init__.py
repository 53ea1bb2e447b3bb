"""Forces stated as a law: measures they depend on, and the force; plane, space, tangents and energies follow."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.model.axes import Axial
from pliant.model.kinds import own_fields
from pliant.model.loads import Line
from pliant.model.markers import Marker
from pliant.model.parts import Load

MEASURES = ("x", "y", "z", "distance", "angle", "rx", "ry", "rz")
IN_PLANE = ("x", "y", "distance", "angle", "rz")
ARGUMENTS = {"resist": ("p", "x", "rate", "u", "f", "f_x", "f_rate"), "energy": ("p", "x", "u")}


class PointLaw(Load, abstract=True):
    """Base class of a force between two markers a and b (or on one, `marker`) that is a function of relative
    coordinates (measures).

    measures        the relative coordinates it depends on: "distance" between the markers; "x", "y", "z", position of
                    b's point in a's axes (for one `marker`: in global axes); "angle" of b from a about z; "rx", "ry",
                    "rz" of the rotation vector from a's axes to b's. The plane has no z, rx and ry. For a law with an
                    `axis` (pliant.model.axes.Axial), axes belong to its frame on the markers
    numbers         fields that are passed to the law as ``p``, one after the other; tables row by row
    inputs          fields that are functions of time, passed as ``u``
    only_in_motion  True if the force vanishes at rest, like a resistance
    rubs_below      field with the speed below which its dry friction is smoothed; if it is infinite, there is no dry
                    friction. At rest dry friction is not smooth: linear analyses ask how to treat it
    angle_around    field with a reference angle: in space, where an angle is known up to whole turns, the value nearest
                    to the reference is taken. Without it the angle is between -pi and pi, and the work of the law is
                    integrated from its power, not taken from a potential

    and two static functions, plain Python that pliant compiles (numbers, arrays and loops; `math`):

    resist(p, x, rate, u, f, f_x, f_rate)
        writes the force ``f[k]`` that resists the growth of every measure ``x[k]`` with rate ``rate[k]``, and the
        derivatives ``f_x[k, l]`` of f[k] by x[l], ``f_rate[k, l]`` by rate[l], zero unless written
    energy(p, x, u) -> float
        its potential, ``f = dV/dx`` at rest; optional

    `pliant_testing.check_part` checks a law; `pliant.forces.quadratic_drag` is a complete example.

    >>> from pliant.forces import Spring
    >>> Spring.measures, Spring.numbers
    (('distance',), ('stiffness', 'rest_length', 'damping'))
    """

    measures: ClassVar[tuple[str, ...]] = ()
    numbers: ClassVar[tuple[str, ...]] = ()
    inputs: ClassVar[tuple[str, ...]] = ()
    only_in_motion: ClassVar[bool] = False
    rubs_below: ClassVar[str] = ""
    angle_around: ClassVar[str] = ""
    energy: ClassVar[Callable[..., float] | None] = None
    idles: ClassVar[bool] = True
    stated_by: ClassVar[tuple[str, ...]] = ("measures", "numbers", "inputs", "resist", "energy")

    resist: ClassVar[Callable[..., None]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.measures == ("distance",):
            cls.results, cls.listed_along = Line.results, Line.listed_along
        if not options.get("abstract"):
            _check(cls)

    @classmethod
    def unused_fields(cls) -> list[str]:
        """Return the fields that the law does not receive: a part with such fields is not computed by the law."""
        used = ("name", *cls.numbers, *cls.inputs, *(("axis",) if issubclass(cls, Axial) else ()))
        own = {name: words for base in cls.__mro__ for name, words in own_fields(base)}
        return [name for name, words in own.items() if name not in used and "Marker" not in words]

    @classmethod
    def conserves(cls, space: str) -> bool:
        """Return whether the work at rest is a potential: not if it grows with turns that are not counted."""
        lost = space == "spatial" and "angle" in cls.measures and not cls.angle_around
        return cls.energy is not None and not lost

    @classmethod
    def measured(cls, spatial: bool) -> list[str]:
        """Return the measures that exist in the plane, or in space."""
        return [word for word in cls.measures if spatial or word in IN_PLANE]

    @property
    def ends(self) -> tuple[Marker | None, Marker]:
        """Markers a and b; a law on one marker has None for a, the ground."""
        markers: Any = self
        return (markers.a, markers.b) if hasattr(self, "a") else (None, markers.marker)

    @property
    def line(self) -> tuple[Marker, ...]:
        """Markers of the line of a law of the distance; none for other laws."""
        return self.markers if self.measures == ("distance",) else ()

    def acts_on_directions(self, spatial: bool) -> bool:
        """Return whether the law acts on rotations of its markers."""
        turning = any(word in self.measures for word in ("angle", "rx", "ry", "rz"))
        return turning or (self.measures != ("distance",) and hasattr(self, "a"))


def numbers_of(part: PointLaw) -> np.ndarray:
    """Return the numbers p of a part's law."""
    return np.concatenate([np.zeros(0), *(np.ravel(getattr(part, key)) for key in part.numbers)]).astype(float)


def _check(law: type[PointLaw]) -> None:
    """Raise an error, with the law's name, if the law cannot be compiled."""
    owner = f"{law.__module__}.{law.__qualname__}"
    unknown = [word for word in law.measures if word not in MEASURES]
    if unknown or not law.measures:
        raise ModelError(f"{owner}: measures = {law.measures}; a law depends on one or more of {', '.join(MEASURES)}.")
    for name, wanted in ARGUMENTS.items():
        function = getattr(law, name, None)
        if function is None and name == "energy":
            continue
        given = tuple(inspect.signature(function).parameters) if callable(function) else ()
        if len(given) != len(wanted):
            raise ModelError(
                f"{owner}: {name}({', '.join(given)}) has {len(given)} arguments; write a static function "
                f"{name}({', '.join(wanted)})."
            )
    for key in (*law.numbers, *law.inputs, *filter(None, (law.angle_around, law.rubs_below))):
        if not any(key in vars(base).get("__annotations__", {}) for base in law.__mro__):
            raise ModelError(f"{owner}: the law needs {key!r}, which is not a field of the class.")
