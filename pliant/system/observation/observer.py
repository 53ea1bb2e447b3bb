"""Observer: computes labelled arrays (positions, resultants, tensions, reactions, energies) from raw coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant._frozen import replace
from pliant._libraries import xarray as xr
from pliant.forces.friction import Friction
from pliant.joints import rows as joints
from pliant.linalg import eigen
from pliant.model import Marker, rotations
from pliant.model.loads import Line, Unilateral
from pliant.system.limits import strain_limits, stuck_places
from pliant.system.observation import along_beams, instruments, joint_coordinates
from pliant.system.observation.history import energies, momenta, momenta_in_space
from pliant.system.observation.labels import Labels, find_marker, friction_results, labels_of, results_of
from pliant.system.observation.lazy_arrays import CachedCall, Deferred, together
from pliant.system.observation.points import Points, quaternions
from pliant.system.packing import fused, joint_friction
from pliant.system.samples import Samples, energy_columns
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.system.system import System

SAME = 1e-9  # largest distance of equal positions on a beam
BODY_VARIABLES = ("angle", "rotation", "angular_velocity")
MARKER_VARIABLES = ("position", "velocity", *instruments.OF_MARKERS)
LINE_VARIABLES = tuple(Line.results)
BEAM_VARIABLES = ("resultant", "strain")
ORIENTATIONS = {False: ("angle", "marker_angle"), True: ("orientation", "rotation", "marker_orientation")}
MOMENTUM_UNITS = {3: "N s, N s, N m s", 6: "N s, N s, N s, N m s, N m s, N m s"}  # by freedoms of a node
Variables = MutableMapping[str, Any]


@dataclass
class Observer:
    """Variables of a system, with their labels."""

    system: System
    labels: Labels = field(init=False)

    def __post_init__(self) -> None:
        self.labels = labels_of(self.system)

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the axes."""
        return self.system.space.axes

    @property
    def markers(self) -> dict[str, Marker]:
        """Markers of moving bodies, by label."""
        return self.labels.markers

    def points(self, markers: list[Marker]) -> Points:
        """Return the points of these markers."""
        return self.labels.places if markers == list(self.markers.values()) else self.labels.points(markers)

    def stations(self) -> tuple[Points, dict[str, Any]]:
        """Return the polylines of all parts."""
        return self.labels.stations

    @property
    def beside(self) -> int:
        """Number of the last stations, which only complete pictures."""
        return self.labels.figures.count

    def moves(self, states: Samples, coordinates: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Return the (states, stations, axes) displacements of stations for displacements, a row per state, at
        omega^2."""
        return self.stations()[0].velocity(states.q, coordinates)

    def find(self, given: Any, argument: str) -> Marker:
        """Return a marker, given by itself, by its label, or by the name of a rigid body."""
        return find_marker(self.system, given, argument)

    def labelled(self, variables: Mapping[str, Any], coords: Mapping[str, Any]) -> xr.Dataset:
        """Return a dataset of variables with these coordinates."""
        return self.labels.dataset(variables, coords)

    def dataset(self, samples: Samples, state: State) -> xr.Dataset:
        """Return all variables of a motion, labelled."""
        return self.labelled(*self.moving(samples, state))

    def moving(self, samples: Samples, state: State) -> tuple[Variables, Variables]:
        """Return variables and coordinates of a motion, with a leading time dimension, and the raw final state."""
        if samples.signals is None:
            samples = replace(samples, signals=self._signals(samples))
        seen, coords = self.configurations(samples, "time")
        variables, at, vector = Deferred(seen), self.labels.places, ("time", "marker", "axis")
        variables |= {
            "velocity": lambda: (vector, at.velocity(samples.q, samples.v)),
            "acceleration": lambda: (vector, at.acceleration(samples.q, samples.v, samples.a)),
            "angular_velocity": lambda: self._spins(samples),
        }
        coords["time"] = samples.time
        if not any(force.opaque for force in self.system.model.forces):
            units = {"units": MOMENTUM_UNITS[self.system.space.width]}
            variables["momentum"] = lambda: (
                ("time", "momentum_kind"),
                self._momentum(samples, self._signals(samples)),
                units,
            )
            coords["momentum_kind"] = self.labels.coords["momentum_kind"]
        variables |= state.variables()
        variables |= together(lambda: self.nodes("state"), ("state_part", "state_s"))
        return variables, coords

    def nodes(self, prefix: str) -> dict[str, Any]:
        """Return the part and the position along it of every node of a raw state, for systems with other nodes."""
        owners = np.array(self.system.frame_owners(), str)
        return {f"{prefix}_part": ("node", owners), f"{prefix}_s": ("node", self.system.frame_places())}

    def configurations(self, samples: Samples, lead: str) -> tuple[Variables, Variables]:
        """Return variables and coordinates of both motions and equilibria, with the leading dimension ``lead``."""
        seen, u = self.labels, self._signals(samples)
        variables = Deferred(
            {
                "position": lambda: ((lead, "marker", "axis"), seen.places.position(samples.q)),
                **together(lambda: self._orientations(samples, lead), ORIENTATIONS[self.system.space.quaternions]),
                "shape": lambda: ((lead, "station", "axis"), seen.stations[0].position(samples.q)),
                "energy": lambda: ((lead, "energy_kind"), self._energy(samples, u)),
            }
        )
        coords = Deferred(seen.coords)
        del coords["momentum_kind"]
        if self.system.layout.beams:
            variables["strain_per_resultant"] = lambda: self._strains_per_resultant(
                *(self.stations()[1][name][1] for name in ("part", "s"))
            )
            variables["resultant"] = lambda: (
                (lead, "section", "component"),
                self._resultants(samples),
                self._wrench_units(),
            )
            beams, where = self._sections_of(samples)
            if beams is not self.labels.sections[1]:  # a formulation with its own sections
                coords |= {"beam": ("section", beams), "section_s": ("section", where)}
        if seen.lines:
            variables |= together(lambda: results_of(Line, lead, self._line_variables(samples, u)), Line.results)
        if seen.touches:
            variables |= together(lambda: results_of(Unilateral, lead, self._contacts(samples)), Unilateral.results)
        if seen.rough:
            rubbed = partial(joint_friction.friction_variables, self.system, samples)
            variables |= together(lambda: friction_results(seen.rough, lead, rubbed()), Friction.results)
        variables |= along_beams.variables(self.system, samples, u, lead)
        if seen.motors:
            variables |= joint_coordinates.motor_variables(self, samples, u, lead, moving=lead == "time")
        if self.system.joints:
            reactions = CachedCall(lambda: self._reactions(samples, u))
            variables |= joint_coordinates.variables(self, samples, lead, reactions, moving=lead == "time")
        if seen.held:
            variables["ground_position"] = lambda: (
                ("ground", "axis"),
                np.array([self.system.layout.arm(marker) for marker in seen.held.values()]),
            )
        return variables, coords

    def _line_variables(self, samples: Samples, u: np.ndarray) -> dict[str, np.ndarray]:
        """Return the variables of springs and tendons."""
        readings = self._readings(samples, u)
        return {name: readings[:, :, k] for k, name in enumerate(Line.results)}

    def _contacts(self, samples: Samples) -> dict[str, np.ndarray]:
        """Return the variables of contacts and stops."""
        pressed = self._contact_rows(samples)
        recorded = pressed[:, :, 0], pressed[:, :, 1], np.linalg.norm(pressed[:, :, 2:], axis=2)
        return dict(zip(Unilateral.results, recorded, strict=True))

    def _strains_per_resultant(self, owners: list[str], places: list[float]) -> tuple[Any, ...]:
        """Return the strain at the surface due to a unit resultant at every station; zero off beams."""
        parts, s = np.array(owners), np.array(places)
        found = np.zeros((s.size, len(self.system.space.resultants)))
        for mesh in self.system.layout.beams:
            mine = parts == mesh.beam.name
            found[mine] = strain_limits.strain_per_force(mesh.beam, s[mine], self.system.space.quaternions)
        units = ", ".join(f"1/{unit}" for unit in self._wrench_units()["units"].split(", "))
        laws = [mesh.beam.name for mesh in self.system.layout.beams if mesh.beam.section.hyperelastic]
        found[np.isin(parts, laws)] = np.nan
        told = {"nan_means": "large strains, which are no multiples of resultants"} if laws else {}
        return ("station", "component"), found, {"units": units, **told}

    def _signals(self, samples: Samples) -> np.ndarray:
        return self.system.signals(samples.time) if samples.signals is None else samples.signals

    def warn_of_ranges(
        self, values: Callable[[str], np.ndarray], samples: Samples, *, brief: bool
    ) -> tuple[float, float]:
        """Warn of beams outside the range of their element, given the values of variables. Return the largest strain
        (bending if heights are known), and the largest ratio to its limit.
        """
        return strain_limits.warn_of(self, values, samples, brief=brief)

    def _wrench_units(self) -> dict[str, str]:
        """Return the units of forces and moments along a dimension."""
        space = self.system.space
        return {"units": ", ".join(["N"] * len(space.axes) + ["N m"] * (space.width - len(space.axes)))}

    def _orientations(self, samples: Samples, lead: str) -> dict[str, Any]:
        """Return the angles of planar bodies and markers; in space, quaternions, and rotation vectors of bodies."""
        turning, _ = self._body_nodes()
        layout: Any = self.system.layout
        markers = list(self.markers.values())
        nodes = np.array([layout.node(marker) for marker in markers], int)
        if not self.system.space.quaternions:
            own = np.array([layout.offset(marker)[2] for marker in markers])
            return {
                "angle": ((lead, "body"), samples.q[:, 3 * turning + 2]),
                "marker_angle": ((lead, "marker"), samples.q[:, 3 * nodes + 2] + own),
            }
        turns = quaternions(samples.q)
        own = np.array([layout.turn(marker) for marker in markers]).reshape(-1, 4)
        return {
            "orientation": ((lead, "body", "quaternion"), turns[:, turning]),
            "rotation": ((lead, "body", "axis"), rotations.logarithm(turns[:, turning])),
            "marker_orientation": ((lead, "marker", "quaternion"), rotations.product(turns[:, nodes], own)),
        }

    def _spins(self, samples: Samples) -> tuple[tuple[str, ...], np.ndarray]:
        """Return the angular velocities of bodies; in space a vector in global axes."""
        turning, _ = self._body_nodes()
        if not self.system.space.quaternions:
            return ("time", "body"), samples.v[:, 3 * turning + 2]
        spin = samples.v[:, 6 * turning[:, None] + np.arange(3, 6)]
        return ("time", "body", "axis"), rotations.rotate(quaternions(samples.q)[:, turning], spin)

    def _body_nodes(self) -> tuple[np.ndarray, list[str]]:
        return self.labels.bodies

    def turns(self, q: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
        """Return bodies' rotations due to displacements of the coordinates at q: angles, in space rotation vectors."""
        nodes = self._body_nodes()[0]
        if not self.system.space.quaternions:
            return np.asarray(coordinates[:, 3 * nodes + 2])
        local = coordinates[:, 6 * nodes[:, None] + np.arange(3, 6)]
        return np.asarray(np.einsum("bij,mbj->mbi", rotations.matrix(quaternions(q[None])[0, nodes]), local))

    def _energy(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        return energy_columns(self._stored(samples, u), samples.work)

    def _stored(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """Return the (times, 2) kinetic and potential energy."""
        out = np.zeros((samples.time.size, 2))
        energies(self.system.equations.parts, samples.q, samples.v, u, out)
        return out

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        out = np.zeros((samples.time.size, self.system.space.width))
        equations = self.system.equations
        if self.system.space.quaternions:
            where = equations.frames, equations.turning
            momenta_in_space(equations.parts, samples.q, samples.v, u, *where, self.system.scratch(), out)
        else:
            nodes = self.system.layout.moving
            momenta(equations.parts, samples.q, samples.v, u, nodes, self.system.scratch(), out)
        return out

    def _reactions(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        system = self.system
        owner = np.concatenate([np.full(rows.count, k) for k, rows in enumerate(system.joints)]).astype(np.uint32)
        out = np.zeros((samples.time.size, len(system.joints), system.space.width))
        lam = self._least_norm(samples, u) if system.redundant else samples.lam
        joints.reactions(system.equations.rows, owner, samples.q, lam, u, out)
        return out

    def _least_norm(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """Return the least-norm multipliers of redundant joints: without the null space G^T lambda = 0."""
        system, lam = self.system, samples.lam.copy()
        jacobian = np.zeros((system.constraints, system.size))
        for t in range(samples.time.size):
            joints.jacobian_dense(system.equations.rows, samples.q[t], u[t], jacobian)
            moving = jacobian[:, : system.freedoms]
            idle = eigen.null_space(moving[:, np.any(moving, axis=0)].T)
            lam[t] -= idle @ (idle.T @ lam[t])
        return lam

    def _readings(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """Return length, rate and tension of springs and tendons, family by family."""
        starts = self.labels.line_starts
        out = np.zeros((samples.time.size, starts[-1], 3))
        self._record("readings", samples, starts, out, u)
        return out

    def _contact_rows(self, samples: Samples) -> np.ndarray:
        """Return gap, normal force and friction (3) of contacts and stops, family by family."""
        starts = self.labels.touch_starts
        out = np.zeros((samples.time.size, starts[-1], 5))
        out[:, :, 0] = np.inf
        self._record("touching", samples, starts, out)
        for k in range(samples.time.size if stuck_places.places(self.system) else 0):
            np.add.at(out[k, :, 2:], *stuck_places.friction(self.system, samples.q[k]))
        return out

    def _resultants(self, samples: Samples) -> np.ndarray:
        """Return section resultants in the order of the beams."""
        starts, beams, _ = self.labels.sections
        out = np.zeros((samples.time.size, len(beams), len(self.system.space.resultants)))
        self._record("resultants", samples, starts, out, self._signals(samples))
        return out

    def largest_resultants(self, samples: Samples) -> np.ndarray:
        """Return the (sections, components) largest section resultants, without storing all instants."""
        starts, beams, _ = self.labels.sections
        now = np.zeros((len(beams), len(self.system.space.resultants)))
        largest = np.zeros(now.size)
        parts = self.system.equations.parts
        fused.prepare(parts, ("resultants",))
        states = fused.History(samples.q, samples.v, self._signals(samples))
        fused.largest_resultants(parts, states, starts, now, now.reshape(-1), largest)
        return largest.reshape(now.shape)

    def strains(self, samples: Samples) -> list[tuple[Any, np.ndarray, np.ndarray, np.ndarray]]:
        """Return mesh, sections, their positions, and strains due to unit resultants there, of every beam."""
        beams, where = self._sections_of(samples)
        if beams is self.labels.sections[1]:
            return self.labels.strains
        return strain_limits.strains_of(self.system.layout.beams, beams, where, self.system.space.quaternions)

    def _sections_of(self, samples: Samples) -> tuple[list[str], np.ndarray]:
        """Return beams and positions of the sections whose resultants the states include."""
        return self.labels.sections[1:]

    def _record(
        self, function: str, samples: Samples, starts: np.ndarray, out: np.ndarray, u: np.ndarray | None = None
    ) -> None:
        """Record the output of a function of the families at all instants; without signals unless given."""
        parts, u = self.system.equations.parts, np.empty((samples.time.size, 0)) if u is None else u
        fused.prepare(parts, (function,))
        getattr(fused, function)(parts, fused.History(samples.q, samples.v, u), starts, out)

    def names(self, variable: str) -> tuple[str, list[str]]:
        """Return the kind of objects that a variable belongs to, and the names of all of them."""
        if variable in BODY_VARIABLES:
            return "body", self.labels.bodies[1]
        if variable in MARKER_VARIABLES:
            return "marker", list(self.markers)
        if variable in instruments.OF_PINS:
            return "pin", [joint.name for joint in instruments.pins(self.system)]
        if variable == "reaction":
            return "joint", list(self.system.joint_names)
        if variable in BEAM_VARIABLES:
            return "beam", [mesh.beam.name for mesh in self.system.layout.beams]
        return "spring or tendon", [line.name for line in self.labels.lines]

    def values(self, variable: str, samples: Any, u: np.ndarray) -> np.ndarray:
        """Return the (times, names, components) of a variable; ``samples``: any object with q, v, lam and time."""
        if variable in ("angle", "rotation"):
            found = self._orientations(samples, "state")[variable][1]
            return np.asarray(found[:, :, None] if variable == "angle" else found)
        if variable == "angular_velocity":
            spins = self._spins(samples)[1]
            return spins if self.system.space.quaternions else spins[:, :, None]
        if variable in MARKER_VARIABLES:
            points = self.points(list(self.markers.values()))
            if variable in instruments.OF_MARKERS:
                return instruments.marker_values(self.system, variable, samples, u, list(self.markers.values()), points)
            return points.position(samples.q) if variable == "position" else points.velocity(samples.q, samples.v)
        if variable in instruments.OF_PINS:
            return instruments.pin_values(self.system, variable, samples)
        if variable == "reaction":
            return self._reactions(samples, u)
        if variable == "resultant":
            return self._resultants(samples)
        return self._readings(samples, u)[:, :, LINE_VARIABLES.index(variable), None]

    def freedoms(self, variable: str, number: int) -> np.ndarray:
        """Return the coordinates that a variable of one object may depend on."""
        layout, system = self.system.layout, self.system
        if variable in BODY_VARIABLES:
            return layout.dofs([self.labels.bodies[0][number]])[0][len(self.axes) :]
        if variable in MARKER_VARIABLES:
            return layout.dofs([layout.node(list(self.markers.values())[number])])[0]
        if variable in instruments.OF_PINS:
            pin = instruments.pins(system)[number]
            return layout.dofs([layout.node(marker) for marker in (pin.a, pin.b)]).ravel()
        if variable == "reaction":
            rows, joint = system.equations.rows.dofs, system.joints[number]
            return (rows if system.redundant else rows[joint.first : joint.first + joint.count]).ravel()
        return layout.dofs([layout.node(marker) for marker in self.labels.lines[number].markers]).ravel()

    def sections(self) -> tuple[list[str], np.ndarray]:
        """Return beams and positions of all sections, in the order of the values of "resultant"."""
        return self.labels.sections[1:]

    def section(self, beam: str, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return numbers and weights of the sections of a beam that interpolate the resultants at s, and the
        coordinates on which they may depend.
        """
        labels, where = self._sections[beam]
        weights = interpolation(where, s)
        used = where[weights != 0.0]
        low, high = used.min() - SAME, used.max() + SAME
        mesh = next(mesh for mesh in self.system.layout.beams if mesh.beam.name == beam)
        ends = mesh.s[mesh.connectivity[:, [0, -1]] - mesh.nodes[0]]
        nodes = mesh.connectivity[(ends[:, 0] <= high) & (ends[:, 1] >= low)].ravel()
        freedoms = self.system.layout.dofs(np.unique(nodes)).ravel()
        return labels[weights != 0.0], weights[weights != 0.0], freedoms

    @cached_property
    def _sections(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Numbers of the sections of every beam among all, and their positions."""
        beams, where = self._sections_of(Samples.of(self.system.start()))
        owners = np.array(beams)
        return {name: (np.flatnonzero(owners == name), where[owners == name]) for name in set(beams)}


def interpolation(where: np.ndarray, s: float) -> np.ndarray:
    """Return weights of the sections at ``where`` for the value at s: the mean of sections at s, or a line through the
    two neighbours; before the first and after the last, through the two nearest.
    """
    here = np.abs(where - s) < SAME
    ordered = np.sort(where)
    places = ordered[np.append(True, np.diff(ordered) > SAME)]
    if here.any() or places.size < 2:
        near = here if here.any() else np.ones(where.size, bool)
        return near / np.sum(near)
    first = int(np.clip(np.searchsorted(places, s) - 1, 0, places.size - 2))
    low, high = (np.abs(where - place) < SAME for place in places[first : first + 2])
    share = (s - np.mean(where[low])) / (np.mean(where[high]) - np.mean(where[low]))
    return (1.0 - share) * low / np.sum(low) + share * high / np.sum(high)
