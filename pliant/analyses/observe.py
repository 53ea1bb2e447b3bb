"""From raw coordinates to labelled arrays: positions, shapes, section resultants, tensions, reactions, energies."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from pliant.analyses.points import Points, quaternions
from pliant.analyses.sights import Sights, sights
from pliant.errors import PliantWarning
from pliant.forces import StateForce
from pliant.formulations.dae.history import energies, momenta, momenta_in_space
from pliant.formulations.dae.system import State, System
from pliant.joints import rows as joints
from pliant.model import Marker, Section, rotations
from pliant.solvers import eigen
from pliant.solvers.motion import Motion
from pliant.system import fused

STRAIN_LIMIT = 0.1
ROTATION_LIMIT = 0.2  # rad, of linear elements
STATE = ("q", "v", "a", "lam", "abar", "time", "contraction", "contraction_age", "interior", "change", "lambar")


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


def _warn(message: str) -> None:
    warnings.warn(message, PliantWarning, stacklevel=5)


def _strain_per_force(beam: Any, s: np.ndarray, spatial: bool) -> np.ndarray:
    """Strains that unit resultants make at the places s; of moments, at the surface, if the size is known."""
    sections = [beam.section_at(x) for x in (s if beam.taper else s[:1])]
    if spatial:
        return np.array([_levers(x) / np.diag(x.stiffness) for x in sections])
    return np.array(
        [
            (1.0 / x.axial_stiffness, 1.0 / x.shear_stiffness, 0.5 * (x.height or 0.0) / x.bending_stiffness)
            for x in sections
        ]
    )


def _levers(section: Section) -> np.ndarray:
    """(6,) from the strains of a section to those at its surface: half the height in bending about z, half the width
    about y; twist makes the principal strain ``kappa t / 2`` in a strip of thickness t.
    """
    width, height = section.width or 0.0, section.height or 0.0
    return np.array([1.0, 1.0, 1.0, 0.5 * min(width, height), 0.5 * width, 0.5 * height])


@dataclass
class Observer:
    """What can be seen of a system, with its labels."""

    system: System
    sights: Sights = field(init=False)

    def __post_init__(self) -> None:
        self.sights = sights(self.system)

    @property
    def markers(self) -> dict[str, Marker]:
        """Markers of moving bodies, by label."""
        return self.sights.markers

    def points(self, markers: list[Marker]) -> Points:
        """Where these markers are."""
        return self.sights.points(markers)

    def stations(self) -> tuple[Points, dict[str, Any]]:
        """Polylines of all parts."""
        return self.sights.stations

    def lines(self) -> list[Any]:
        """Springs and tendons."""
        return self.sights.lines

    def dataset(self, samples: Samples, state: State) -> xr.Dataset:
        """All variables of a motion, with a leading time dimension, and the raw state to go on from."""
        variables, coords = self.configurations(samples, "time")
        at = self.sights.places
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
            coords["momentum_kind"] = self.sights.coords["momentum_kind"]
        for name in STATE:
            if (value := getattr(state, name)) is not None:
                variables[f"state_{name}"] = (f"state_{name}_index", np.atleast_1d(value))
        return self.sights.dataset(variables, coords)

    def configurations(self, samples: Samples, lead: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Variables and coordinates that moving and resting states share, with the leading dimension ``lead``."""
        seen, u = self.sights, self._signals(samples)
        variables: dict[str, Any] = {
            "position": ((lead, "marker", "axis"), seen.places.position(samples.q)),
            **self._orientations(samples, lead),
            "shape": ((lead, "station", "axis"), seen.stations[0].position(samples.q)),
            "energy": ((lead, "energy_kind"), self._energy(samples, u)),
        }
        coords = {name: value for name, value in seen.coords.items() if name != "momentum_kind"}
        if self.system.layout.beams:
            values, beams, where = self._resultants(samples)
            variables["strain_per_resultant"] = self._strains_per_resultant()
            variables["resultant"] = ((lead, "section", "component"), values, self._wrench_units())
            if samples.interior is not None:
                coords |= {"beam": ("section", beams), "section_s": ("section", where)}
        if seen.lines:
            readings = self._readings(samples, u)
            for k, name in enumerate(("line_length", "line_rate", "tension")):
                variables[name] = ((lead, "line"), readings[:, :, k])
        if seen.touches:
            pressed = self._pressed(samples)
            variables["gap"] = ((lead, "contact"), pressed[:, :, 0])
            variables["normal_force"] = ((lead, "contact"), pressed[:, :, 1])
            variables["friction_force"] = ((lead, "contact"), np.linalg.norm(pressed[:, :, 2:], axis=2))
        if self.system.joints:
            variables["reaction"] = ((lead, "joint", "wrench"), self._reactions(samples, u), self._wrench_units())
        if seen.held:
            held = [self.system.layout.arm(marker) for marker in seen.held.values()]
            variables["ground_position"] = (("ground", "axis"), held)
        return variables, coords

    def _strains_per_resultant(self) -> xr.DataArray:
        """Strain at the surface that a unit resultant makes at every station; zero off beams."""
        _, stations = self.stations()
        parts, s = np.array(stations["part"][1]), np.array(stations["s"][1])
        found = np.zeros((s.size, len(self.system.space.resultants)))
        for mesh in self.system.layout.beams:
            mine = parts == mesh.beam.name
            found[mine] = _strain_per_force(mesh.beam, s[mine], self.system.space.quaternions)
        units = ", ".join(f"1/{unit}" for unit in self._wrench_units()["units"].split(", "))
        return xr.DataArray(found, dims=("station", "component"), attrs={"units": units})

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
        """Angles of planar bodies and markers; in space, quaternions, of bodies rotation vectors as well."""
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
        """Angular velocities of bodies; in space a vector in global axes."""
        turning, _ = self._body_nodes()
        if not self.system.space.quaternions:
            return ("time", "body"), samples.v[:, 3 * turning + 2]
        spin = samples.v[:, 6 * turning[:, None] + np.arange(3, 6)]
        return ("time", "body", "axis"), rotations.rotate(quaternions(samples.q)[:, turning], spin)

    def _body_nodes(self) -> tuple[np.ndarray, list[str]]:
        return self.sights.bodies

    def _energy(self, samples: Samples, u: np.ndarray) -> np.ndarray:
        out = np.zeros((samples.time.size, 5))
        energies(self.system.equations.parts, samples.q, samples.v, u, out)
        if samples.interior is not None:
            out[:, :2] += self._inside(samples).energy
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
            out += self._inside(samples).momentum
        return out

    def _inside(self, samples: Samples) -> Any:
        """What rods hold between their nodes; only systems of the formulation "shooting" have any."""
        rods: Any = self.system
        return rods.inside(samples.q, samples.interior)

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
        fused.prepare(self.system.equations.parts, ("readings",))
        fused.readings(self.system.equations.parts, samples.q, samples.v, u, starts, out)
        return out

    def _pressed(self, samples: Samples) -> np.ndarray:
        """Gap, normal force and friction (3) of contacts and stops, family by family."""
        counts = [len(fused.touches(name, self.system.layout)) for name in fused.TOUCHING]
        out = np.zeros((samples.time.size, sum(counts), 5))
        out[:, :, 0] = np.inf
        starts = np.concatenate([[0], np.cumsum(counts)])
        fused.prepare(self.system.equations.parts, ("touching",))
        fused.touching(self.system.equations.parts, samples.q, samples.v, starts, out)
        return out

    def _resultants(self, samples: Samples) -> tuple[np.ndarray, list[str], np.ndarray]:
        """Section resultants family by family, put in the order of the beams."""
        if samples.interior is not None:
            inside = self._inside(samples)
            return inside.resultant, inside.beams, inside.s
        starts, beams, where = self.sights.sections
        out = np.zeros((samples.time.size, len(beams), len(self.system.space.resultants)))
        fused.prepare(self.system.equations.parts, ("resultants",))
        fused.resultants(self.system.equations.parts, samples.q, samples.v, starts, out)
        return out, beams, where
