"""Labels of the variables of a system: computed once and used by all its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._libraries import xarray as xr
from pliant._spelling import known_as
from pliant.errors import OptionError, nearest
from pliant.forces.friction import Friction
from pliant.model import Body, Ground, Load, Marker
from pliant.model.loads import Line, Unilateral
from pliant.system.limits import strain_limits
from pliant.system.numbering.planar_layout import Layout
from pliant.system.observation import along_beams, joint_coordinates
from pliant.system.observation.figures import Figures, Stations
from pliant.system.observation.lazy_arrays import Deferred
from pliant.system.observation.points import PlanePoints, Points, SpacePoints
from pliant.system.packing import catalogue

if TYPE_CHECKING:
    from pliant.system.system import System

ENERGIES = ["kinetic", "potential", "supplied", "dissipated", "balance"]
STATION = ("part", "part_kind", "s")  # labels of stations
ASIDE = 1e-6  # of the length of a link: a marker farther off its line is drawn
MOMENTA = {3: ["x", "y", "angular"], 6: ["x", "y", "z", "angular x", "angular y", "angular z"]}


def labels_of(system: System) -> Labels:
    """Return the labels of a system, which its twins with other signals share."""
    if "labels" not in system.notes:
        system.notes["labels"] = Labels(system.layout, tuple(rows.joint for rows in system.joints))
    found: Labels = system.notes["labels"]
    return found


def results_of(kind: type[Load], lead: str, values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the variables of a kind of force, each (lead, forces), with dimensions and units of the kind."""
    along = kind.listed_along
    return {
        name: ((lead, along), value, {"units": kind.results[name], "listed_along": along})
        for name, value in values.items()
    }


def friction_results(parts: Sequence[Friction], lead: str, values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the variables of the friction of joints, with their units."""
    found = results_of(Friction, lead, values)
    for name, (_, _, attributes) in found.items():
        attributes["units"] = ", ".join(part.result_units[name] for part in parts)
    return found


def find_marker(system: System, given: Any, argument: str) -> Marker:
    """Return a marker, given by itself, by its label, or by the name of a rigid body."""
    known: dict[str, Marker] = {body.name: body.at() for body in system.layout.rigid_bodies}
    label = given.label if isinstance(given, Marker) else str(given)
    if label not in known:
        known |= labels_of(system).markers
        label = known_as(label, known)
    if label not in known:
        raise OptionError(f"{argument}: there is no marker or body {label!r}. {nearest(label, known)}")
    return known[label]


def _own(labels: xr.Variable) -> xr.Variable:
    """Return a copy, so that results share no mutable data; the labels of an index are immutable."""
    return labels.copy(deep=not isinstance(labels, xr.IndexVariable))


@dataclass
class Labels:
    """Markers, bodies, stations, sections and lines of a layout, and the joints."""

    layout: Layout
    joints: tuple[Any, ...]

    def beside(self, system: System) -> Labels:
        """Return the labels of a system with other numbers of its model, for values only. If several markers are at one
        place here, they are represented by the first one there, too.
        """
        found = Labels(system.layout, tuple(rows.joint for rows in system.joints))
        places: dict[str, int] = {}
        for place, mine in enumerate(self._named):
            places.setdefault(mine.label, place)
        markers, held = ({label: found._named[places[label]] for label in each} for each in (self.markers, self.held))
        vars(found).update(coords=self.coords, sections=self.sections, markers=markers, held=held)
        return found

    @cached_property
    def _named(self) -> list[Marker]:
        """Markers, ends and centres, some at the same place."""
        model = self.layout.model
        centres = [body.at() for body in model.bodies if isinstance(body, Body)]
        ends = [body.at(s=s) for body in (*model.bodies, *model.beams) if hasattr(body, "length") for s in (0.0, 1.0)]
        return [*model.markers, *ends, *centres]

    @cached_property
    def markers(self) -> dict[str, Marker]:
        """Markers of moving bodies, including ends and centres, by label."""
        found: dict[str, Marker] = {}
        for marker in self._named:
            if not isinstance(marker.body, Ground):
                found.setdefault(marker.label, marker)
        return found

    @cached_property
    def held(self) -> dict[str, Marker]:
        """Markers of the ground, by label."""
        return {marker.label: marker for marker in self.layout.model.markers if isinstance(marker.body, Ground)}

    @cached_property
    def lines(self) -> list[Any]:
        """Springs and tendons."""
        return [
            line for name in catalogue.having("readings", self.layout) for line in catalogue.of(name).lines(self.layout)
        ]

    @cached_property
    def touches(self) -> list[Any]:
        """Contacts and stops."""
        return [
            part
            for name in catalogue.having("touching", self.layout)
            for part in catalogue.of(name).touches(self.layout)
        ]

    @cached_property
    def line_starts(self) -> np.ndarray:
        """Index of the first spring or tendon of every family."""
        return catalogue.starts_of("lines", self.layout)

    @cached_property
    def touch_starts(self) -> np.ndarray:
        """Index of the first contact or stop of every family."""
        return catalogue.starts_of("touches", self.layout)

    @cached_property
    def rough(self) -> list[Any]:
        """Friction of joints, in their order."""
        found = [force for force in self.layout.model.forces if force.computed_as is Friction]
        return sorted(found, key=lambda part: self.joints.index(part.joint))

    @cached_property
    def motors(self) -> list[Any]:
        """Motors, whose torque and power are in results."""
        return joint_coordinates.motors(self.layout.model.forces)

    @cached_property
    def joint_coordinates(self) -> tuple[bool, bool, bool]:
        """Return whether some joints turn, some slide, some are driven."""
        return joint_coordinates.coordinate_kinds(self.joints)

    @cached_property
    def places(self) -> Points:
        """Points of the markers."""
        return self.points(list(self.markers.values()))

    @cached_property
    def bodies(self) -> tuple[np.ndarray, list[str]]:
        """Nodes with the orientation of rigid bodies and beams, and names."""
        layout = self.layout
        nodes = [layout.body_node(body) for body in layout.rigid_bodies] + [int(mesh.nodes[0]) for mesh in layout.beams]
        names = [body.name for body in layout.rigid_bodies] + [mesh.beam.name for mesh in layout.beams]
        return np.array(nodes, int), names

    @cached_property
    def sections(self) -> tuple[np.ndarray, list[str], np.ndarray]:
        """Index of the first section of every family, the beams of all sections, and their positions along these."""
        beams: list[str] = []
        where = [np.empty(0)]
        counts: dict[str, int] = {}
        for name in catalogue.having("resultants", self.layout):
            family, before = catalogue.of(name), len(beams)
            for mesh in family.meshes(self.layout):
                where.append(family.stations(mesh))
                beams += [mesh.beam.name] * where[-1].size
            counts[name] = len(beams) - before
        return catalogue.starts(counts), beams, np.concatenate(where)

    @cached_property
    def strains(self) -> list[tuple[Any, np.ndarray, np.ndarray, np.ndarray]]:
        """Mesh, sections, their positions, and strains due to unit resultants there, of every beam."""
        return strain_limits.strains_of(self.layout.beams, *self.sections[1:], self.layout.space.quaternions)

    @cached_property
    def stations(self) -> tuple[Points, dict[str, Any]]:
        """Polylines of all parts: links by their ends, bodies by their markers, beams by their nodes, lines."""
        found = [*self._of_bodies(), *self._of_beams(), *self._of_lines(), *self.figures.stations]
        labels = (
            [each.part for each in found for _ in each.nodes],
            [each.kind for each in found for _ in each.nodes],
            [s for each in found for s in each.s],
        )
        coords = {name: ("station", values) for name, values in zip(STATION, labels, strict=True)}
        nodes, arms = [node for each in found for node in each.nodes], [arm for each in found for arm in each.arms]
        return self._points(nodes, arms), coords

    def _of_bodies(self) -> Iterator[Stations]:
        """Yield stations of bodies through their joints, not their centres; a link from end to end, then through its
        joints between them and markers off it.
        """
        used, marks = set(self.layout.model.markers), dict[int, list[Marker]]()
        joined_at = {marker for joint in self.joints for marker in joint.markers}
        for marker in self.markers.values():
            marks.setdefault(id(marker.body), []).append(marker)
        for body in self.layout.rigid_bodies:
            marked = marks.get(id(body)) or [body.at()]
            joined = [marker for marker in marked if marker in used]
            if len(joined) > 1:
                marked = joined
            if hasattr(body, "length"):
                ends = [body.at(s=0.0), body.at(s=1.0)]
                found = [(marker, *self._beside(marker, ends)) for marker in marked]
                more = [(m, s) for m, s, aside in found if aside > ASIDE or (m in joined_at and 0.0 < s < 1.0)]
                yield self._through(
                    body.name, "rigid", [*ends, *(m for m, _ in more)], [0.0, 1.0, *(s for _, s in more)]
                )
            else:
                yield self._through(body.name, "rigid", marked)

    def _of_beams(self) -> Iterator[Stations]:
        none = (0.0,) * len(self.layout.space.axes)
        for mesh in self.layout.beams:
            nodes = mesh.nodes.tolist()
            yield Stations(mesh.beam.name, "beam", nodes, [none] * len(nodes), mesh.s.tolist())

    def _of_lines(self) -> Iterator[Stations]:
        """Yield stations of springs and tendons, then of forces that are drawn as lines."""
        layout = self.layout
        for line in (*self.lines, *(force for force in layout.model.forces if force not in self.lines)):
            markers = line.drawn(lambda beam: layout.mesh(beam).s.tolist(), layout.space.quaternions)
            yield self._through(line.name, "line", markers)

    def _through(self, part: str, kind: str, markers: Sequence[Marker], s: list[float] | None = None) -> Stations:
        """Return stations of a part at markers, equally spaced in s unless given."""
        layout = self.layout
        if s is None:
            s = np.linspace(0.0, 1.0, len(markers)).tolist()
        return Stations(part, kind, [layout.node(m) for m in markers], [layout.arm(m) for m in markers], s)

    @cached_property
    def figures(self) -> Figures:
        """Drawn features other than lines."""
        return Figures(self.layout)

    def _beside(self, marker: Marker, ends: Sequence[Marker]) -> tuple[float, float]:
        """Return a marker's position between two others of its body (0 to 1) and its relative distance from their
        line."""
        place, base, tip = (np.append(self.layout.arm(each), 0.0)[:3] for each in (marker, *ends))
        way, square = tip - base, float((tip - base) @ (tip - base))
        off = float(np.linalg.norm(np.cross(way, place - base))) / square
        return min(max(float(way @ (place - base)) / square, 0.0), 1.0), off

    @cached_property
    def coords(self) -> Deferred:
        """All labels, by coordinate."""
        space = self.layout.space
        found = Deferred({"marker": list(self.markers), "axis": list(space.axes), "body": self.bodies[1]})
        found |= {name: partial(self._station, name) for name in STATION}
        found |= {"energy_kind": ENERGIES, "momentum_kind": MOMENTA[space.width]}
        if space.quaternions:
            found["quaternion"] = ["w", "x", "y", "z"]
        if self.layout.beams:
            found["component"] = list(space.resultants)
            found |= {"beam": ("section", self.sections[1]), "section_s": ("section", self.sections[2])}
        if self.lines:
            found[Line.listed_along] = [line.name for line in self.lines]
        found |= along_beams.places(self.layout)
        if self.touches:
            found[Unilateral.listed_along] = [part.name for part in self.touches]
        if self.rough:
            found[Friction.listed_along] = [part.name for part in self.rough]
        if self.motors:
            found["motor"] = [part.name for part in self.motors]
        if self.joints:
            found |= {"joint": [joint.name for joint in self.joints], "wrench": list(space.wrench)}
            found["joint_kind"] = ("joint", [type(joint).__name__.lower() for joint in self.joints])
            found["joint_drawing"] = ("joint", [joint.drawing for joint in self.joints])
            found["joint_marker"] = ("joint", [joint.b.label for joint in self.joints])
            found["joint_body_a"] = ("joint", [joint.a.body.name for joint in self.joints])
            found["joint_body_b"] = ("joint", [joint.b.body.name for joint in self.joints])
        if self.held:
            found["ground"] = list(self.held)
            found["ground_drawing"] = ("ground", self._supports())
        found |= self.figures.coords()
        return found

    def _supports(self) -> list[str]:
        """Return the drawing of the markers of the ground: of the joint there, "pin", "clamp", "slide"; or "none"."""
        found = {marker.label: "pin" for force in self.layout.model.forces for marker in force.line}
        for joint in reversed(self.joints):
            if joint.drawing != "none":
                found |= {joint.a.label: joint.drawing, joint.b.label: joint.drawing}
        return [found.get(label, "none") for label in self.held]

    def _station(self, name: str) -> Any:
        return self.stations[1][name]

    @cached_property
    def _labelled(self) -> dict[str, xr.Coordinates]:
        """Labels as xarray coordinates, created when requested because that is slow."""
        return {}

    def _label(self, name: str) -> xr.Coordinates:
        """Return a label as an xarray coordinate."""
        if name not in self._labelled:
            self._labelled[name] = xr.Coordinates({name: self.coords[name]})
        return self._labelled[name]

    def points(self, markers: list[Marker]) -> Points:
        """Return the points of these markers."""
        return self._points([self.layout.node(m) for m in markers], [self.layout.arm(m) for m in markers])

    def _points(self, nodes: Any, arms: Any) -> Points:
        space = self.layout.space
        kind = SpacePoints if space.quaternions else PlanePoints
        return kind(np.array(nodes, int), np.array(arms, float).reshape(-1, len(space.axes)))

    def dataset(self, variables: Mapping[str, Any], coords: Mapping[str, Any]) -> xr.Dataset:
        """Return ``xr.Dataset(variables, coords)``, with cached labels. Variables given by dimensions and values need
        no alignment: the dataset is built without xarray's merge, which takes four times as long.
        """
        ours = {name: self._label(name) for name, value in coords.items() if value is self.coords.get(name)}
        labels: dict[Any, Any] = {name: _own(each.variables[name]) for name, each in ours.items()}
        indexes = {name: each.xindexes[name] for name, each in ours.items() if name in each.xindexes}
        others = {name: value for name, value in coords.items() if name not in ours}
        if not all(map(_plain, variables.values())):
            more = xr.Coordinates(others)
            return xr.Dataset(variables, xr.Coordinates(labels | {**more.variables}, indexes | {**more.xindexes}))
        for name, value in others.items():
            if isinstance(value, np.ndarray):
                indexes[name] = xr.indexes.PandasIndex(value, name)
                labels |= indexes[name].create_variables()
            else:
                more = xr.Coordinates({name: value})
                labels, indexes = labels | {**more.variables}, indexes | {**more.xindexes}
        made = {name: xr.Variable(*value) for name, value in variables.items()}
        return xr.Dataset._construct_direct(made | labels, set(labels), indexes=indexes)


def _plain(variable: Any) -> bool:
    """Return whether a variable is given by dimensions and values, so that it needs no alignment."""
    return isinstance(variable, tuple)
