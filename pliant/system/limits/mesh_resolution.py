"""Resolution of vibrations by a mesh of beams: errors of the waves that they consist of.

In elements of length h and order p, the relative error of the frequency of a wave exp(i k s) is

    e = (p! / (2p)!)^2 / (2p + 1) x^(2p) / 2,     x = k h

(stretch and twist: M. Ainsworth, SIAM J. Numer. Anal. 42, 2004, theorem 3.2; three times as large in bending of
elements with shear, whose deflection and rotation have separate errors: measured with cantilevers). The wave numbers
are

    stretch, twist   k^2 = m w^2 / EA,  J w^2 / GJ
    bending          k^2 = (sqrt(N^2 + 4 EI m w^2) - N) / (2 EI) + (m / kGA + rho I / EI) w^2 / 2

with the axial force N, and shear and rotary inertia (S. Timoshenko) to first order. The error of a vibration is the
mean error of its waves, weighted with their kinetic energy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from pliant.elements import _sections
from pliant.elements._options import BeamElement
from pliant.model import rotations
from pliant.system.observation.points import quaternions
from pliant.system.samples import Samples
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.system.system import System

WITH_SHEAR = 3.0  # ratio of the errors of bending waves to other waves, in elements with shear
LARGEST = 1.0  # error of an unresolved wave
ORDERS = np.arange(1, 18)  # of elements
SCALES = np.array([0.5 * (factorial(p) / factorial(2 * p)) ** 2 / (2 * p + 1) for p in ORDERS.tolist()])  # e over x^2p


class Vibrations(NamedTuple):
    """Eigenvalues l; vectors x and momenta in columns (sums of momenta over nodes are exact); masses x^* M x."""

    values: np.ndarray
    vectors: np.ndarray
    momenta: np.ndarray
    masses: np.ndarray

    @classmethod
    def of(cls, mass: Any, values: np.ndarray, vectors: np.ndarray) -> Self:
        """Build vibrations whose mass is the mass of the freedoms."""
        momenta = mass @ vectors
        return cls(values, vectors, momenta, np.real(np.sum(vectors.conj() * momenta, axis=0)))

    def first(self, count: int) -> Vibrations:
        """Return the lowest vibrations."""
        return Vibrations(*(each[..., :count] for each in self))


class Kind(NamedTuple):
    """Waves of one kind at nodes of beams: the nodal velocities that they move, and the data of their speed.

    mass       per length: m, or J of twist (kg/m, kg m)
    stiffness  EA, GJ, EI (N, N m^2)
    lag        (m / kGA + rho I / EI) / 2 of bending (s^2/m^2), else 0
    """

    moves: tuple[int, ...]
    mass: np.ndarray
    stiffness: np.ndarray
    lag: np.ndarray
    bends: bool

    def squares(self, omega: np.ndarray, pull: np.ndarray | float, length: np.ndarray) -> np.ndarray:
        """Return (nodes, modes) ``(k h)^2`` at angular frequencies, under an axial force that acts on bending waves."""
        mass, stiffness = self.mass[:, None] * omega**2, self.stiffness[:, None]
        if not self.bends:
            return length[:, None] ** 2 * mass / stiffness
        root = np.sqrt(np.square(pull) + 4.0 * stiffness * mass)
        taut = 2.0 * mass / np.maximum(root + pull, 1e-300)
        bent = np.where(np.asarray(pull) > 0.0, taut, (root - pull) / (2.0 * stiffness))
        return np.asarray(length[:, None] ** 2 * (bent + self.lag[:, None] * omega**2))


class Waves(NamedTuple):
    """Nodes, element data and waves of all beams of a system."""

    nodes: np.ndarray
    beams: np.ndarray  # number of the beam of each node, in the order of the layout
    length: np.ndarray  # of the longer element at the node (m)
    order: np.ndarray
    bending: np.ndarray  # ratio of the errors of bending waves to other waves
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, system: System) -> Self | None:
        """Return the waves of a system; None if none of its beams has elements."""
        known = vars(system)
        if "_waves" not in known:
            beams = [k for k, mesh in enumerate(system.layout.beams) if isinstance(mesh.options, BeamElement)]
            known["_waves"] = cls._of(system, beams) if beams else None
        found: Self | None = known["_waves"]
        return found

    @classmethod
    def _of(cls, system: System, beams: list[int]) -> Self:
        """Build the waves of these beams, which have elements."""
        meshes = [system.layout.beams[k] for k in beams]
        counts = [mesh.nodes.size for mesh in meshes]
        nodes = np.concatenate([mesh.nodes for mesh in meshes]).astype(int)
        return cls(
            nodes,
            np.repeat(beams, counts),
            _lengths(meshes, int(nodes.max()))[nodes],
            np.repeat([order_of(mesh.options) for mesh in meshes], counts),
            np.repeat([shear_of(mesh.options) for mesh in meshes], counts),
            tuple(_kinds(_tables(meshes, system.space.quaternions).T, system.space.quaternions)),
        )

    def errors(
        self, system: System, q: np.ndarray, modes: Vibrations, omega: np.ndarray, pull: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the relative errors of vibrations about q with frequencies omega (rad/s); ``pull``: axial force in
        every beam (N), tension positive.
        """
        own = 0.0 if pull is None else pull[self.beams][:, None]
        moving, momenta = self._in_sections(system, q, modes.vectors, modes.momenta)
        energy = np.maximum(np.real(moving.conj() * momenta), 0.0)
        total, scale = np.zeros(omega.size), SCALES[self.order - ORDERS[0]][:, None]
        for kind in self.kinds:
            off = scale * kind.squares(omega, own, self.length) ** self.order[:, None]
            off = np.minimum((self.bending[:, None] if kind.bends else 1.0) * off, LARGEST)
            for k in kind.moves:
                total += np.einsum("nm,nm->m", energy[:, k], off)
        return np.asarray(total / np.where(modes.masses > 0.0, modes.masses, 1.0))

    def _in_sections(self, system: System, q: np.ndarray, *columns: np.ndarray) -> list[np.ndarray]:
        """Return each as (nodes, velocities of a node, modes) along the axes of the sections."""
        width = system.space.width
        found = np.hstack(columns)[width * self.nodes[:, None] + np.arange(width)]
        if system.space.quaternions:
            turn = rotations.matrix(quaternions(q[None])[0, self.nodes])
            found[:, :3] = np.einsum("nji,njm->nim", turn, found[:, :3])
        else:
            angle = q[3 * self.nodes + 2, None]
            cos, sin = np.cos(angle), np.sin(angle)
            x, y = found[:, 0].copy(), found[:, 1].copy()
            found[:, 0], found[:, 1] = cos * x + sin * y, cos * y - sin * x
        return np.split(found, len(columns), axis=2)


def wave_errors(system: System, state: State, modes: Vibrations, omega: np.ndarray, beyond: float) -> np.ndarray:
    """Estimate the relative errors of vibrations about a state; zero without beams that have elements. Axial forces,
    which make waves longer, count where an error is ``beyond`` a limit without them.
    """
    waves = Waves.of(system)
    if waves is None:
        return np.zeros(omega.size)
    errors = waves.errors(system, state.q, modes, omega)
    return waves.errors(system, state.q, modes, omega, _pulls(system, state)) if np.any(errors > beyond) else errors


def _pulls(system: System, state: State) -> np.ndarray:
    """Return the mean axial force in every beam (N)."""
    observer = system.observer()
    forces = observer.values("resultant", Samples.of(state), system.signals(np.array([state.time])))[0, :, 0]
    number = {mesh.beam.name: k for k, mesh in enumerate(system.layout.beams)}
    owners = np.array([number[name] for name in observer.sections()[0]])
    return np.bincount(owners, forces, len(number)) / np.maximum(np.bincount(owners, minlength=len(number)), 1)


def order_of(options: Any) -> int:
    """Return p of elements: half the convergence order of their frequencies."""
    return int(np.clip(round((options.convergence or 2.0 * options.order) / 2.0), ORDERS[0], ORDERS[-1]))


def shear_of(options: Any) -> float:
    """Return the ratio of the errors of bending waves to other waves."""
    return 1.0 if "shear" in options.neglects else WITH_SHEAR


def _lengths(meshes: Sequence[Any], last: int) -> np.ndarray:
    """Return the length of the longest element at each node, by its number (m)."""
    found = np.zeros(last + 1)
    for order in {mesh.options.order for mesh in meshes}:
        alike = [mesh for mesh in meshes if mesh.options.order == order]
        of_elements = _sections.lengths(alike, order)[:, None]
        np.maximum.at(found, np.concatenate([mesh.connectivity for mesh in alike]).astype(int), of_elements)
    return found


def _tables(meshes: Sequence[Any], spatial: bool) -> np.ndarray:
    """Return the (nodes, numbers) data of waves; many beams have the same section."""
    of_section, known = _in_space if spatial else _in_the_plane, dict[int, np.ndarray]()
    rows = []
    for mesh in meshes:
        section = mesh.beam.section
        if not section.uniform:
            rows.append(np.array([of_section(section.at(s)) for s in mesh.s.tolist()]))
            continue
        if id(section) not in known:
            known[id(section)] = np.array([of_section(section.at(0.0))])
        rows += [known[id(section)]] * mesh.nodes.size
    return np.concatenate(rows)


def _in_the_plane(section: Any) -> tuple[float, ...]:
    mass, axial, shear, flexural = (
        section.mass_per_length, section.axial_stiffness, section.shear_stiffness, section.bending_stiffness,
    )  # fmt: skip
    return mass, axial, flexural, 0.5 * (mass / shear + section.rotary_inertia / flexural)


def _in_space(section: Any) -> tuple[float, ...]:
    mass, rotary = section.mass_per_length, np.diag(section.rotary)
    axial, shear_y, shear_z, torsional, about_y, about_z = np.diag(section.stiffness)
    lag_y = 0.5 * (mass / shear_y + rotary[2] / about_z)
    lag_z = 0.5 * (mass / shear_z + rotary[1] / about_y)
    return mass, axial, rotary[0], torsional, about_z, lag_y, about_y, lag_z


def _kinds(columns: np.ndarray, spatial: bool) -> Iterator[Kind]:
    """Yield the kinds of waves from their data, in the order of the two functions above."""
    mass, axial, *others = columns
    none = np.zeros_like(mass)
    yield Kind((0,), mass, axial, none, bends=False)
    if not spatial:
        flexural, lag = others
        yield Kind((1, 2), mass, flexural, lag, bends=True)
        return
    rotary, torsional, about_z, lag_y, about_y, lag_z = others
    yield Kind((3,), rotary, torsional, none, bends=False)
    yield Kind((1, 5), mass, about_z, lag_y, bends=True)
    yield Kind((2, 4), mass, about_y, lag_z, bends=True)
