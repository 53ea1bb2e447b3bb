"""Forces stated as a law: what they depend on, and the force; plane and space, tangents and energies follow."""

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
                    `axis` (pliant.model.axes.Axial), axes are those of its frame on the markers
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
        its potential, ``f = dV/dx`` at rest; omitted if there is none

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
        """Fields that the law is not given: a part that has such is not computed by it."""
        used = ("name", *cls.numbers, *cls.inputs, *(("axis",) if issubclass(cls, Axial) else ()))
        own = {name: words for base in cls.__mro__ for name, words in own_fields(base)}
        return [name for name, words in own.items() if name not in used and "Marker" not in words]

    @classmethod
    def conserves(cls, space: str) -> bool:
        """Whether its work at rest is kept as a potential: not where that grows with every turn and turns are lost."""
        lost = space == "spatial" and "angle" in cls.measures and not cls.angle_around
        return cls.energy is not None and not lost

    @classmethod
    def measured(cls, spatial: bool) -> list[str]:
        """Its measures that the plane, or space, has."""
        return [word for word in cls.measures if spatial or word in IN_PLANE]

    @property
    def ends(self) -> tuple[Marker | None, Marker]:
        """Markers a and b; a is None for a law on one marker, which sees it from the ground."""
        markers: Any = self
        return (markers.a, markers.b) if hasattr(self, "a") else (None, markers.marker)

    @property
    def line(self) -> tuple[Marker, ...]:
        """A law of the distance is a line through its markers."""
        return self.markers if self.measures == ("distance",) else ()

    def acts_on_directions(self, spatial: bool) -> bool:
        """A law of the distance acts on points only; so does one on a single marker, but by its angle."""
        turning = any(word in self.measures for word in ("angle", "rx", "ry", "rz"))
        return turning or (self.measures != ("distance",) and hasattr(self, "a"))


def numbers_of(part: PointLaw) -> np.ndarray:
    """The numbers p that the law of a part is given."""
    return np.concatenate([np.zeros(0), *(np.ravel(getattr(part, key)) for key in part.numbers)]).astype(float)


def _check(law: type[PointLaw]) -> None:
    """Refuse a law that could not be compiled, by name."""
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
            raise ModelError(f"{owner}: the law is to be given {key!r}, which is no field of it.")
