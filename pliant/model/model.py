"""The model: parts by name, and all checks that need no numerical solution.

Planar models can be converted to space.

Parts keep their names and markers; planar quantities become spatial: a curvature, a moment and a spring act about z,
gravity along y. A pin, a slide and a clamp keep the plane. A group of bodies connected only by springs, slots and
drives would leave it: a Planar joint ties one of them to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import fields
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pliant._spelling import known_as
from pliant.errors import ModelError, nearest
from pliant.model import checks
from pliant.model.bodies.rigid import Beam, Carrier, Ground, PointMass, RigidBody
from pliant.model.connections import check_connections, check_drives
from pliant.model.copies import copy_part, marker_on
from pliant.model.formulas import collect_parameters
from pliant.model.kinds import Kind
from pliant.model.markers import Marker
from pliant.model.parameters import Parameter, with_values
from pliant.model.parts import Joint, Load, Part
from pliant.model.sections.sections import Section
from pliant.model.signals.base import Constant

if TYPE_CHECKING:
    from pliant.model.scales import Scales
    from pliant.results import Result
    from pliant.system.capabilities import Compiled

KEEPING = {"z", "rx", "ry"}  # locked directions that keep the plane


def promoted(model: Model, sections: Mapping[str, Section]) -> Model:
    """Convert a model to space; a spatial model is returned unchanged."""
    pass

    if model.spatial:
        return model
    names = [beam.name for beam in model.beams]
    for name in sections:
        if name not in names:
            raise ModelError(f"promoted: sections: there is no beam {name!r} in the model. {nearest(name, names)}")
    twin = Model(model.name, plane=None)
    twin.scales = model.scales
    known: dict[Any, Any] = {}
    for part in model:
        chosen = {"section": sections[part.name]} if part.name in sections else {}
        known[part] = twin.add(copy_part(part, known, **part.said_in_space() | chosen))
    for marker in model.watched:
        twin.add(marker_on(marker, known))
    _keep_plane(twin)
    return twin


def _keep_plane(model: Model) -> None:
    """Tie every group of bodies to the plane that no joint keeps in it."""
    from pliant.joints import Planar

    group: dict[Any, Any] = {part: part for part in model if isinstance(part, Carrier)}

    def root(body: Any) -> Any:
        while group[body] is not body:
            body = group[body]
        return body

    for joint in model.joints:
        if set(joint.locks) >= KEEPING:
            group[root(joint.a.body)] = root(joint.b.body)
    ground = model.ground or model.add(Ground(_free_name(model)))
    group.setdefault(ground, ground)
    for body in list(group):
        if root(body) is not root(ground):
            group[root(body)] = root(ground)
            model.add(Planar(ground.at(0, 0), body.at(0)))


def _free_name(model: Model) -> str:
    names = {part.name for part in model}
    return next(name for name in ("ground", *(f"ground {k}" for k in range(2, len(names) + 3))) if name not in names)


T = TypeVar("T", bound=Part | Marker)

PLANES = ("xy",)  # or None: space


class Model:
    """A mechanism, described by its parts: `add` them one by one. Nothing is computed here.

    plane  "xy": planar, three freedoms per node; None: spatial, six freedoms per node

    >>> from pliant.joints import Revolute
    >>> from pliant.model import Ground, Link
    >>> m = Model("pendulum", plane="xy")
    >>> ground = m.add(Ground())
    >>> arm = m.add(Link("arm", length=1.0, mass=2.0))
    >>> pin = m.add(Revolute(ground.at(0, 0), arm.at(s=0)))
    >>> m
    <Model "pendulum": 1 rigid body, 0 beams, 1 joint, 0 forces>
    >>> m.part("arm").length
    1.0
    >>> Model("robot", plane=None).spatial
    True
    """

    def __init__(self, name: str, *, plane: str | None = "xy") -> None:
        self.name = checks.name("Model", name)
        self.plane = plane
        if plane is not None:
            checks.choice(f'Model "{name}"', "plane", plane, PLANES)
        self._parts: dict[str, Part] = {}
        self._watched: list[Marker] = []
        self._given: dict[str, Parameter] = {}  # parameters of all of these
        self._of_kind: dict[type, list[Any]] = {}  # parts by requested class; cleared when another is added
        self.scales: Scales | None = None  # units of a scaled model; None: SI

    @property
    def spatial(self) -> bool:
        """Return whether the model is spatial."""
        return self.plane is None

    @overload
    def add(self, part: T, /) -> T: ...
    @overload
    def add(self) -> tuple[()]: ...
    @overload
    def add(self, first: Part | Marker, second: Part | Marker, /, *more: Part | Marker) -> tuple[Any, ...]: ...
    def add(self, *parts: Part | Marker) -> Any:
        """Add parts, or markers to be reported in results. Return the part, or a tuple of parts.

        If one of several is refused, none is added.
        """
        count, watched, given = len(self._parts), len(self._watched), self._given
        try:
            for part in parts:
                self._add_one(part)
        except ModelError:
            while len(self._parts) > count:
                self._parts.popitem()  # the last one added
            del self._watched[watched:]
            self._given, self._of_kind = given, {}
            raise
        return parts[0] if len(parts) == 1 else parts

    def _add_one(self, part: Part | Marker) -> None:
        if isinstance(part, Marker):
            self._check_known(part.body, f"Marker {part.label}")
            given = self._with(part)
            if part.label in {marker.label for marker in self._watched}:
                raise ModelError(f"Marker {part.label} is recorded already. Give it another name to record it twice.")
            if not self.spatial:
                part.check_planar(f"Marker {part.label}")
            self._watched.append(part)
            self._given = given
            return
        if not isinstance(part, Part):
            raise ModelError(
                f'Model "{self.name}": a {type(part).__name__} was added: {part!r:.80}. '
                f"Add bodies, beams, joints, forces, or markers to be recorded."
            )
        if self._parts.get(part.name) is part:
            raise ModelError(f"{part.owner} is in the model already.")
        if isinstance(part, Ground) and self.ground is not None:
            raise ModelError(f"{part.owner}: the model has a ground already, {self.ground.owner}. Use its at(x, y).")
        for body in carriers(part):
            self._check_known(body, part.owner)
        given = self._with(part)
        part.enter(self.spatial)
        self._parts[self._distinct_name(part)] = part
        self._given, self._of_kind = given, {}

    def _share(self, part: Part) -> None:
        """Add a part of another model, which was checked there and depends on nothing that differs here."""
        self._parts[part.name] = part
        self._given, self._of_kind = self._with(part), {}

    def _with_parts(self, instead: Mapping[Part, Part]) -> Model:
        """Return the model with some parts replaced by parts with other numbers; others still refer to the old ones."""
        twin = copy(self)
        twin._parts = {name: instead.get(part, part) for name, part in self._parts.items()}
        twin._of_kind = {kind: [instead.get(part, part) for part in own] for kind, own in self._of_kind.items()}
        return twin

    def _with(self, part: Part | Marker) -> dict[str, Parameter]:
        """Return the parameters of the model with one more part; two of one name that differ are refused."""
        return self._given if part.made is None else collect_parameters([*self._given.values(), part])

    def _check_known(self, body: Carrier, owner: str) -> None:
        if self._parts.get(body.name) is body:
            return
        hint = "Another part has that name: use the one that was added" if body.name in self._parts else "Add it first"
        raise ModelError(f"{owner} refers to {body.owner}, which is not in this model. {hint}.")

    def _distinct_name(self, part: Part) -> str:
        """Check that a given name is new; number a default name if it is taken: "force arm/tip (2)"."""
        if part.name in self._parts:
            if not part.has_default_name:
                taken = self._parts[part.name]
                raise ModelError(f"{part.owner}: the name is taken by {taken.owner}. Names must differ within a model.")
            name, number = part.default_name(), 2
            while f"{name} ({number})" in self._parts:
                number += 1
            part._set(name=f"{name} ({number})")
        return part.name

    def __iter__(self) -> Iterator[Part]:
        """Yield all parts in the order of adding."""
        return iter(self._parts.values())

    def __len__(self) -> int:
        return len(self._parts)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("body", "beam", "joint", "force", "marker", "parts", "get"):
            raise AttributeError(f'A model has no {name!r}: model.part("name") gives a part of it, iter(model) all.')
        known = [word for word in dir(type(self)) if not word.startswith("_")]
        raise AttributeError(f"A model has no {name!r}. {nearest(name, known)}")

    def part(self, name: str) -> Any:
        """Return the part with that name."""
        name = name if name in self._parts else known_as(str(name), self._parts)
        if name not in self._parts:
            raise ModelError(f'Model "{self.name}" has no part {name!r}. {nearest(str(name), self._parts)}')
        return self._parts[name]

    def _all(self, kind: type[T]) -> list[T]:
        if kind not in self._of_kind:
            self._of_kind[kind] = [part for part in self if isinstance(part, kind)]
        return list(self._of_kind[kind])

    @property
    def ground(self) -> Ground | None:
        """Return the ground, or None."""
        return next(iter(self._all(Ground)), None)

    @property
    def bodies(self) -> list[RigidBody]:
        """Return rigid links and bodies, without ground and beams."""
        return self._all(RigidBody)

    @property
    def beams(self) -> list[Beam]:
        """Return flexible beams."""
        return self._all(Beam)

    @property
    def point_masses(self) -> list[PointMass]:
        """Return masses fixed to markers."""
        return self._all(PointMass)

    @property
    def joints(self) -> list[Joint]:
        """Return joints and prescribed motions."""
        return self._all(Joint)

    @property
    def forces(self) -> list[Load]:
        """Return gravity, forces, springs, motors."""
        return self._all(Load)

    @property
    def markers(self) -> list[Marker]:
        """Return every marker that a joint, force or mass holds, and the watched ones."""
        return [marker for part in self for marker in part.markers] + self.watched

    @property
    def watched(self) -> list[Marker]:
        """Return the markers that were added to be reported in results."""
        return list(self._watched)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters that the parts depend on, by name."""
        return dict(self._given)

    def with_parameters(self, **values: float | str) -> Model:
        """Return the model with other values of its parameters, which may have units of their own: "1.3 mm".

        Parts that depend on these parameters are created again, the others are shared.

        >>> from pliant.model import Link, Parameter
        >>> m = Model("bar")
        >>> bar = m.add(Link("bar", length=Parameter("length", 0.5, low=0.1), mass=1.0, free=True))
        >>> longer = m.with_parameters(length=0.6).part("bar")
        >>> longer.length, round(longer.inertia, 4), longer.at(s=1).x
        (0.6, 0.03, 0.6)
        """
        from pliant.model.copies import with_parameters

        return with_parameters(self, with_values(self.parameters, values, f'Model "{self.name}"'))

    def check(self) -> None:
        """Check everything that needs no numerical solution; raise ModelError naming the part.

        Something must move; parts must be connected to the ground by joints or springs unless one of them is marked
        ``free=True`` or the model has no joint at all; no coordinate may be driven twice, or driven and locked.
        """
        if not self.bodies and not self.beams:
            raise ModelError(f'Model "{self.name}" has nothing that moves. Add a Link, a Body or a Beam.')
        check_connections(self)
        check_drives(self.joints, self.spatial)

    def promoted(self, *, sections: Mapping[str, Section] | None = None) -> Model:
        """Return the model in space: its plane is z = 0, pins turn about z, and a Planar joint is added for every part
        that no other joint keeps in the plane. A spatial model is returned unchanged.

        sections  mapping from names of beams to sections, which replace sections that have planar properties only

        >>> from pliant.model import Body, Ground
        >>> planar = Model("puck", plane="xy")
        >>> puck = planar.add(Body("puck", mass=1.0, inertia=0.1))
        >>> planar.promoted()
        <Model "puck": 1 rigid body, 0 beams, 1 joint, 0 forces>
        """
        pass

        return promoted(self, sections or {})

    def scaled(self, scales: Scales) -> Model:
        """Return the mechanism in units of `Scales`: every quantity and function of time is divided by its scale.

        Its results have no units; ``result.in_units(scales)`` converts them back. A scaled model (it has ``scales``) is
        not scaled again. Its parameters become numbers.
        """
        from pliant.model.scales import scaled

        return scaled(self, scales)

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model to a readable, versioned TOML file. Nothing is written if it cannot be written whole."""
        from pliant.model.files.io import save

        save(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Model:
        """Read a model file. No code is run."""
        from pliant.model.files.io import load

        return load(path)

    def as_python(self) -> str:
        """Return Python code that creates this model, as text.

        >>> print(Model("nothing yet").as_python())
        import pliant as pl
        <BLANKLINE>
        m = pl.Model("nothing yet")
        <BLANKLINE>
        """
        from pliant.model.files.python import as_python

        return as_python(self)

    def sketch(self, system: Compiled | None = None) -> Result:
        """Return the model as assembled, before anything is solved, for pictures (`plot_shape`, `view`); or a system
        compiled from it. Joints that cannot be closed are left open.
        """
        from pliant.model.sketch import sketch

        return sketch(self, system)

    def _repr_svg_(self) -> str:
        from pliant.model.sketch import svg

        return svg(self)

    def __repr__(self) -> str:
        groups = (("rigid body", self.bodies), ("beam", self.beams), ("joint", self.joints), ("force", self.forces))
        return f'<Model "{self.name}": {", ".join(_count(len(parts), word) for word, parts in groups)}>'

    def __str__(self) -> str:
        rows = [(type(part).__name__, part.name, _details(part, self.spatial)) for part in self]
        rows += [("Marker", marker.label, "recorded") for marker in self._watched]
        kind, name = (max((len(row[i]) for row in rows), default=0) for i in (0, 1))
        lines = [f"{row[0]:{kind}}  {row[1]:{name}}  {row[2]}".rstrip() for row in rows]
        return "\n".join([f'Model "{self.name}", {"in space" if self.spatial else f"plane {self.plane}"}', *lines])


def carriers(part: Part) -> list[Carrier]:
    """Return the bodies that a part refers to, directly or through markers."""
    return [marker.body for marker in part.markers] + [each for each in part._values if isinstance(each, Carrier)]


def _count(number: int, word: str) -> str:
    plural = word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{number} {word if number == 1 else plural}"


def _details(thing: Kind, spatial: bool = False) -> str:
    """Return the arguments in a few words: ``length=0.1, mass=0.2`` or ``a=crank/tip, b=coupler/base``."""
    plain = [key for key in thing.in_space if thing.has_default(key) and not (spatial and key == "z")]
    given = ((f.name, getattr(thing, f.name)) for f in fields(thing) if f.init and f.name not in plain)  # type: ignore[arg-type]
    return ", ".join(f"{key}={_short(v)}" for key, v in given if key != "name" and v is not None and v is not False)


def _short(value: object) -> str:
    match value:
        case Marker():
            return value.label
        case Part():
            return value.name
        case Constant():
            return _short(value.value)
        case Section():
            size = {"height": value.height, "width": value.width, "bore": value.bore}
            known = {"EA": value.axial_stiffness, "EI": value.bending_stiffness, "rho A": value.mass_per_length} | size
            return f"Section({', '.join(f'{key}={each:.4g}' for key, each in known.items() if each)})"
        case Kind():
            return f"{type(value).__name__}({_details(value)})"
        case tuple():
            return f"({', '.join(map(_short, value))})"
        case float():
            return f"{value:.6g}"
    return str(value)
