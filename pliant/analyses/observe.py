"""From raw coordinates to labelled arrays: positions, shapes, section resultants, tensions, reactions, energies."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from pliant.analyses.points import PlanePoints, Points, SpacePoints, quaternions
from pliant.errors import OptionError, PliantWarning, nearest
from pliant.forces import StateForce
from pliant.formulations.dae.history import energies, momenta, momenta_in_space
from pliant.formulations.dae.motion import Motion
from pliant.formulations.dae.system import State, System
from pliant.joints import rows as joints
from pliant.model import Body, Ground, Marker, rotations
from pliant.solvers import eigen
from pliant.system import fused

STRAIN_LIMIT = 0.1
ROTATION_LIMIT = 0.2  # rad, of linear elements
STATE = ("q", "v", "a", "lam", "abar", "time", "contraction", "contraction_age", "interior")


@dataclass
class Samples:
    """Raw states at several instants, each of the length of ``System.size``."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray | None = None
    signals: np.ndarray | None = None  # where they are not those of the model at these times, as along a path
    interior: np.ndarray | None = None  # of rods (formulation "shooting")

    @staticmethod
    def of(state: State) -> Samples:
        """A single state."""
        return Samples(np.array([state.time]), *(x[None] for x in (state.q, state.v, state.a, state.lam)))

    @staticmethod
    def along(motion: Motion, size: int) -> Samples:
        """The instants of a motion; formulations of the plane leave the ground out."""
        q, v, a = (np.pad(x, ((0, 0), (0, size - x.shape[1]))) for x in (motion.q, motion.v, motion.a))
        return Samples(motion.time, q, v, a, motion.lam, motion.work, interior=motion.interior)

    def only(self, k: int) -> Samples:
        """One of the instants."""
        arrays = (self.time, self.q, self.v, self.a, self.lam, self.work, self.signals, self.interior)
        return Samples(*(None if x is None else x[k : k + 1] for x in arrays))  # type: ignore[arg-type]


MOMENTA = {3: ["x", "y", "angular"], 6: ["x", "y", "z", "angular x", "angular y", "angular z"]}


def _warn(message: str) -> None:
    warnings.warn(message, PliantWarning, stacklevel=5)


def _strain_per_force(beam: Any, s: np.ndarray, spatial: bool) -> np.ndarray:
    """Strains that unit resultants make at the places s; of moments, at the surface, if the height is known."""
    sections = [beam.section_at(x) for x in (s if beam.taper else s[:1])]
    if spatial:
        return np.array([np.repeat((1.0, 0.5 * (x.height or 0.0)), 3) / np.diag(x.stiffness) for x in sections])
    return np.array(
        [
            (1.0 / x.axial_stiffness, 1.0 / x.shear_stiffness, 0.5 * (x.height or 0.0) / x.bending_stiffness)
            for x in sections
        ]
    )


def sections(system: System) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Beam and place along it of every section whose resultants are told, and where each family of beams begins."""
    beams: list[str] = []
    where, starts = [np.zeros(0)], [0]
    for name in fused.SECTIONED:
        for mesh in fused.meshes(name, system.layout):
            where.append(fused.FAMILIES[name].stations(mesh))
            beams += [mesh.beam.name] * where[-1].size
        starts.append(len(beams))
    return beams, np.concatenate(where), np.array(starts)


def find_marker(system: System, given: Any, argument: str) -> Marker:
    """The marker that was meant: itself, by its label, or by the name of a rigid body."""
    known: dict[str, Marker] = {body.name: body.at() for body in system.layout.rigid_bodies}
    label = given.label if isinstance(given, Marker) else str(given)
    if label not in known:
        known |= Observer(system).markers
    if label not in known:
        raise OptionError(f"{argument}: there is no marker or body {label!r}. {nearest(label, known)}")
    return known[label]


@dataclass
class Observer:
    """What can be seen of a system, with its labels."""

    system: System
    markers: dict[str, Marker] = field(init=False)

    def __post_init__(self) -> None:
        model = self.system.model
        centres = [body.at() for body in model.bodies if isinstance(body, Body)]
        ends = [body.at(s=s) for body in (*model.bodies, *model.beams) if hasattr(body, "length") for s in (0.0, 1.0)]
        self.markers = {}
        for marker in (*model.markers, *ends, *centres):
            if not isinstance(marker.body, Ground):
                self.markers.setdefault(marker.label, marker)

    def points(self, markers: list[Marker]) -> Points:
        layout = self.system.layout
        nodes = np.array([layout.node(m) for m in markers], int)
        return self._points(nodes, [layout.arm(m) for m in markers])

    def _points(self, nodes: Any, arms: Any) -> Points:
        space = self.system.space
        kind = SpacePoints if space.quaternions else PlanePoints
        return kind(np.array(nodes, int), np.array(arms, float).reshape(-1, len(space.axes)))

    def stations(self) -> tuple[Points, dict[str, Any]]:
        """Polylines of all parts: links by their ends, bodies by their markers, beams by their nodes, lines."""
        layout = self.system.layout
        nodes: list[int] = []
        offsets: list[Any] = []
        none = (0.0,) * len(self.system.space.axes)
        part: list[str] = []
        kind: list[str] = []
        s: list[float] = []
        for body in layout.rigid_bodies:
            if hasattr(body, "length"):
                marked = [body.at(s=0.0), body.at(s=1.0)]
            else:
                marked = [m for m in self.markers.values() if m.body is body] or [body.at()]
            for k, marker in enumerate(marked):
                nodes.append(layout.body_node(body))
                offsets.append(layout.arm(marker))
                part.append(body.name)
                kind.append("rigid")
                s.append(k / max(1, len(marked) - 1))
        for mesh in layout.beams:
            nodes += mesh.nodes.tolist()
            offsets += [none] * mesh.nodes.size
            part += [mesh.beam.name] * mesh.nodes.size
            kind += ["beam"] * mesh.nodes.size
            s += mesh.s.tolist()
        for line in self.lines():
            nodes += [layout.node(marker) for marker in line.markers]
            offsets += [layout.arm(marker) for marker in line.markers]
            part += [line.name] * len(line.markers)
            kind += ["line"] * len(line.markers)
            s += np.linspace(0.0, 1.0, len(line.markers)).tolist()
        coords = {"part": ("station", part), "part_kind": ("station", kind), "s": ("station", s)}
        return self._points(nodes, offsets), coords

    def lines(self) -> list[Any]:
        """Springs and tendons."""
        return [line for name in fused.LINED for line in fused.lines(name, self.system.layout)]

    def dataset(self, samples: Samples, state: State) -> xr.Dataset:
        """All variables of a motion, with a leading time dimension, and the raw state to go on from."""
        variables, coords = self.configurations(samples, "time")
        at = self.points(list(self.markers.values()))
        variables |= {
            "velocity": (("time", "marker", "axis"), at.velocity(samples.q, samples.v)),
            "acceleration": (("time", "marker", "axis"), at.acceleration(samples.q, samples.v, samples.a)),
            "angular_velocity": self._spins(samples),
        }
        coords["time"] = samples.time
        if not self.system.layout.forces(StateForce):  # a user's function is not asked about a state that is none
            momentum = self._momentum(samples, self._signals(samples))
            units = "N s, N s, N s, N m s, N m s, N m s" if self.system.space.quaternions else "N s, N s, N m s"
            variables["momentum"] = (("time", "momentum_kind"), momentum, {"units": units})
            coords["momentum_kind"] = MOMENTA[self.system.space.width]
        for name in STATE:
            if (value := getattr(state, name)) is not None:
                variables[f"state_{name}"] = (f"state_{name}_index", np.atleast_1d(value))
        return xr.Dataset(variables, coords)

    def configurations(self, samples: Samples, lead: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Variables and coordinates that moving and resting states share, with the leading dimension ``lead``."""
        at = self.points(list(self.markers.values()))
        _, bodies = self._body_nodes()
        space = self.system.space
        seen, station_coords = self.stations()
        u = self._signals(samples)
        variables: dict[str, Any] = {
            "position": ((lead, "marker", "axis"), at.position(samples.q)),
            **self._orientations(samples, lead),
            "shape": ((lead, "station", "axis"), seen.position(samples.q)),
            "energy": ((lead, "energy_kind"), self._energy(samples, u)),
        }
        if space.quaternions:
            station_coords["quaternion"] = ["w", "x", "y", "z"]
        coords: dict[str, Any] = {
            "marker": list(self.markers),
            "axis": list(space.axes),
            "body": bodies,
            **station_coords,
        }
        coords["energy_kind"] = ["kinetic", "potential", "supplied", "dissipated", "balance"]
        if self.system.layout.beams:
            values, beams, where = self._resultants(samples)
            variables["resultant"] = ((lead, "section", "component"), values, self._wrench_units())
            coords |= {"component": list(space.resultants), "beam": ("section", beams), "section_s": ("section", where)}
        if lines := self.lines():
            readings = self._readings(samples, u)
            for k, name in enumerate(("line_length", "line_rate", "tension")):
                variables[name] = ((lead, "line"), readings[:, :, k])
            coords["line"] = [line.name for line in lines]
        if self.system.joints:
            variables["reaction"] = ((lead, "joint", "wrench"), self._reactions(samples, u), self._wrench_units())
            kinds = [type(rows.joint).__name__.lower() for rows in self.system.joints]
            coords |= {"joint": [rows.joint.name for rows in self.system.joints], "wrench": list(space.wrench)}
            coords["joint_kind"] = ("joint", kinds)
            coords["joint_marker"] = ("joint", [rows.joint.b.label for rows in self.system.joints])
        held = {m.label: m for m in self.system.model.markers if isinstance(m.body, Ground)}
        if held:
            variables["ground_position"] = (("ground", "axis"), [self.system.layout.arm(m) for m in held.values()])
            coords["ground"] = list(held)
        return variables, coords

    def _signals(self, samples: Samples) -> np.ndarray:
        return self.system.signals(samples.time) if samples.signals is None else samples.signals

    def warn_of_ranges(self, data: xr.Dataset, samples: Samples) -> float:
        """Warn of beams beyond what their element means. Returns the largest strain (bending if heights are known)."""
        top = 0.0
        if not self.system.layout.beams:
            return top
        largest = np.max(np.abs(data.variables["resultant"].values), axis=0, initial=0.0)
        owners = data.variables["beam"].values
        where = data.variables["section_s"].values
        for mesh in self.system.layout.beams:
            name, mine = mesh.beam.name, owners == mesh.beam.name
            per_force = _strain_per_force(mesh.beam, where[mine], self.system.space.quaternions)
            strain = float(np.max(largest[mine] * per_force, initial=0.0))
            top = max(top, strain)
            if strain > STRAIN_LIMIT:
                _warn(
                    f"Beam {name!r}: strain {strain:.2g} is beyond what beam theory means (about {STRAIN_LIMIT:g}). "
                    "Check loads, lengths and stiffness."
                )
            if mesh.options.finite_rotation:
                continue
            turned = float(np.max(np.abs(samples.q[:, 3 * mesh.nodes + 2] - mesh.pose[:, 2]), initial=0.0))
            if turned > ROTATION_LIMIT:
                _warn(
                    f"Beam {name!r} has linear elements, which mean small rotations, and turned by {turned:.2g} rad. "
                    "Take Exact(...) or Corotational(...)."
                )
        return top

    def _wrench_units(self) -> dict[str, str]:
        """Units of forces and moments along a dimension."""
        space = self.system.space
        return {"units": ", ".join(["N"] * len(space.axes) + ["N m"] * (space.width - len(space.axes)))}

    def _orientations(self, samples: Samples, lead: str) -> dict[str, Any]:
        """Angles of planar bodies; in space, quaternions and rotation vectors."""
        turning, _ = self._body_nodes()
        if not self.system.space.quaternions:
            return {"angle": ((lead, "body"), samples.q[:, 3 * turning + 2])}
        turns = quaternions(samples.q)[:, turning]
        return {
            "orientation": ((lead, "body", "quaternion"), turns),
            "rotation": ((lead, "body", "axis"), rotations.logarithm(turns)),
        }

    def _spins(self, samples: Samples) -> tuple[tuple[str, ...], np.ndarray]:
        """Angular velocities of bodies; in space a vector in global axes."""
        turning, _ = self._body_nodes()
        if not self.system.space.quaternions:
            return ("time", "body"), samples.v[:, 3 * turning + 2]
        spin = samples.v[:, 6 * turning[:, None] + np.arange(3, 6)]
        return ("time", "body", "axis"), rotations.rotate(quaternions(samples.q)[:, turning], spin)

    def _body_nodes(self) -> tuple[np.ndarray, list[str]]:
        layout = self.system.layout
        nodes = [layout.body_node(body) for body in layout.rigid_bodies] + [int(mesh.nodes[0]) for mesh in layout.beams]
        names = [body.name for body in layout.rigid_bodies] + [mesh.beam.name for mesh in layout.beams]
        return np.array(nodes, int), names

    def _energy(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        out = np.zeros((samples.time.size, 5))
        energies(self.system.equations.parts, samples.q, samples.v, u, out)
        if samples.interior is not None:
            out[:, :2] += self.system.inside(samples.q, samples.interior).energy
        if samples.work is not None:
            out[:, 2:4] = samples.work
        out[:, 4] = out[:, 0] + out[:, 1] - out[:, 2] + out[:, 3]
        out[:, 4] -= out[0, 4]
        return out

    def _momentum(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        out = np.zeros((samples.time.size, self.system.space.width))
        equations = self.system.equations
        if self.system.space.quaternions:
            where = equations.frames, equations.turning
            momenta_in_space(equations.parts, samples.q, samples.v, u, False, *where, self.system.scratch(), out)
        else:
            momenta(equations.parts, samples.q, samples.v, u, False, self.system.scratch(), out)
        if samples.interior is not None:
            out += self.system.inside(samples.q, samples.interior).momentum
        return out

    def _reactions(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        system = self.system
        owner = np.concatenate([np.full(rows.count, k) for k, rows in enumerate(system.joints)]).astype(np.uint32)
        out = np.zeros((samples.time.size, len(system.joints), system.space.width))
        lam = self._shared(samples, u) if system.redundant else samples.lam
        reactions = joints.reactions_in_space if system.space.quaternions else joints.reactions
        reactions(system.equations.rows, owner, samples.q, lam, u, out)
        return out

    def _shared(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """Multipliers of redundant joints with least norm: what does nothing, G^T lambda = 0, is taken out."""
        system, lam = self.system, samples.lam.copy()
        jacobian = np.zeros((system.constraints, system.size))
        for t in range(samples.time.size):
            joints.jacobian_dense(system.equations.rows, samples.q[t], u[t], jacobian)
            moving = jacobian[:, : system.freedoms]
            idle = eigen.null_space(moving[:, np.any(moving, axis=0)].T)
            lam[t] -= idle @ (idle.T @ lam[t])
        return lam

    def _readings(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        """Length, rate and tension of springs and tendons, family by family."""
        counts = [len(fused.lines(name, self.system.layout)) for name in fused.LINED]
        out = np.zeros((samples.time.size, sum(counts), 3))
        starts = np.concatenate([[0], np.cumsum(counts)])
        fused.readings(self.system.equations.parts, samples.q, samples.v, u, starts, out)
        return out

    def _resultants(self, samples: Samples) -> tuple[np.ndarray, list[str], np.ndarray]:
        """Section resultants family by family, put in the order of the beams."""
        if samples.interior is not None:
            inside = self.system.inside(samples.q, samples.interior)
            return inside.resultant, inside.beams, inside.s
        beams, where, starts = sections(self.system)
        out = np.zeros((samples.time.size, len(beams), len(self.system.space.resultants)))
        fused.resultants(self.system.equations.parts, samples.q, samples.v, starts, out)
        return out, beams, where
