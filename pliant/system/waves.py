"""Which vibrations a mesh of beams resolves, by the waves that they are made of.

In elements of length h and order p a wave exp(i k s) has a frequency that is off by, relative,

    e = (p! / (2p)!)^2 / (2p + 1) x^(2p) / 2,     x = k h

(stretch and twist: M. Ainsworth, SIAM J. Numer. Anal. 42, 2004, theorem 3.2; three times that in bending of elements
with shear, whose deflection and rotation are off each by itself: found with cantilevers). The wave numbers are

    stretch, twist   k^2 = m w^2 / EA,  J w^2 / GJ
    bending          k^2 = (sqrt(N^2 + 4 EI m w^2) - N) / (2 EI) + (m / kGA + rho I / EI) w^2 / 2

with the axial force N, and shear and rotary inertia (S. Timoshenko) to first order. A vibration is off by the mean of
what its waves are off by, weighted with their kinetic energy.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial
from typing import Any, NamedTuple, Self

import numpy as np

from pliant.elements._options import BeamElement
from pliant.model import rotations
from pliant.system.points import quaternions
from pliant.system.system import System

WITH_SHEAR = 3.0  # times the error of other waves: that of bending, of elements that shear
LARGEST = 1.0  # error of a wave that is not resolved at all
ORDERS = np.arange(1, 18)  # of elements
SCALES = np.array([0.5 * (factorial(p) / factorial(2 * p)) ** 2 / (2 * p + 1) for p in ORDERS.tolist()])  # e over x^2p


class Kind(NamedTuple):
    """Waves of one kind at nodes of beams: which of a node's velocities they move, and what their speed depends on.

    mass       what moves, per length: m, or J of twist (kg/m, kg m)
    stiffness  what resists it: EA, GJ, EI (N, N m^2)
    lag        (m / kGA + rho I / EI) / 2 of bending (s^2/m^2), else 0
    """

    moves: tuple[int, ...]
    mass: np.ndarray
    stiffness: np.ndarray
    lag: np.ndarray
    bends: bool

    def squares(self, omega: np.ndarray, pull: np.ndarray | float, length: np.ndarray) -> np.ndarray:
        """(nodes, modes) ``(k h)^2`` at angular frequencies, under an axial force that waves of bending feel."""
        mass, stiffness = self.mass[:, None] * omega**2, self.stiffness[:, None]
        if not self.bends:
            return length[:, None] ** 2 * mass / stiffness
        root = np.sqrt(np.square(pull) + 4.0 * stiffness * mass)
        taut = 2.0 * mass / np.maximum(root + pull, 1e-300)
        bent = np.where(np.asarray(pull) > 0.0, taut, (root - pull) / (2.0 * stiffness))
        return np.asarray(length[:, None] ** 2 * (bent + self.lag[:, None] * omega**2))


class Waves(NamedTuple):
    """Of all beams of a system: their nodes, what elements there are, and waves."""

    nodes: np.ndarray
    beams: np.ndarray  # number of the beam of each node, in the order of the layout
    length: np.ndarray  # of the longer element at the node (m)
    order: np.ndarray
    bending: np.ndarray  # how many times the error of other waves that of bending is
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, system: System) -> Self | None:
        """Those of a system; None if none of its beams has elements."""
        known = vars(system)
        if "_waves" not in known:
            rows = [_row(system, k, mesh) for k, mesh in enumerate(system.layout.beams) if _meshed(mesh)]
            known["_waves"] = cls._joined(rows, system.space.quaternions) if rows else None
        found: Self | None = known["_waves"]
        return found

    @classmethod
    def _joined(cls, rows: list[tuple[np.ndarray, ...]], spatial: bool) -> Self:
        nodes, beams, length, order, bending, table = (np.concatenate(each) for each in zip(*rows, strict=True))
        return cls(nodes, beams, length, order, bending, tuple(_kinds(table.T, spatial)))

    def errors(
        self, system: System, q: np.ndarray, modes: tuple[np.ndarray, np.ndarray], omega: np.ndarray, pull: Any = None
    ) -> np.ndarray:
        """How far vibrations about q are off, relative.

        modes  velocities of the freedoms in columns, and their momenta
        pull   axial force in every beam (N), tension positive; none where it is left out
        """
        own = 0.0 if pull is None else np.asarray(pull)[self.beams][:, None]
        moving, momenta = (self._in_sections(system, q, each) for each in modes)
        energy = np.maximum(np.real(moving.conj() * momenta), 0.0)
        whole = np.real(np.sum(modes[0].conj() * modes[1], axis=0))
        total, scale = np.zeros(omega.size), SCALES[self.order - ORDERS[0]][:, None]
        for kind in self.kinds:
            off = scale * kind.squares(omega, own, self.length) ** self.order[:, None]
            off = np.minimum((self.bending[:, None] if kind.bends else 1.0) * off, LARGEST)
            total += np.sum(np.sum(energy[:, list(kind.moves)], axis=1) * off, axis=0)
        return np.asarray(total / np.where(whole > 0.0, whole, 1.0))

    def _in_sections(self, system: System, q: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """(nodes, velocities of a node, modes) along the axes of the sections."""
        width = system.space.width
        found = columns[width * self.nodes[:, None] + np.arange(width)]
        if system.space.quaternions:
            turn = rotations.matrix(quaternions(q[None])[0, self.nodes])
            return np.concatenate([np.einsum("nji,njm->nim", turn, found[:, :3]), found[:, 3:]], axis=1)
        angle = q[3 * self.nodes + 2]
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        x, y, spin = found[:, 0], found[:, 1], found[:, 2]
        return np.stack([cos * x + sin * y, cos * y - sin * x, spin], axis=1)


def _meshed(mesh: Any) -> bool:
    """Whether a beam has elements, and not what another formulation puts in their place."""
    return isinstance(mesh.options, BeamElement) and mesh.connectivity.size > 0


def _row(system: System, k: int, mesh: Any) -> tuple[np.ndarray, ...]:
    """Columns of `Waves` of the k-th beam, and what its waves depend on, node by node."""
    count, first = mesh.nodes.size, mesh.nodes[0]
    ends = mesh.s[mesh.connectivity[:, [0, -1]] - first] * mesh.beam.length
    length = np.zeros(count)
    np.maximum.at(length, mesh.connectivity - first, np.abs(np.diff(ends)))
    order = np.clip(round((mesh.options.convergence or 2.0 * mesh.options.order) / 2.0), ORDERS[0], ORDERS[-1])
    places = mesh.s[:1] if mesh.beam.section.uniform else mesh.s
    of_section = _in_space if system.space.quaternions else _in_the_plane
    table = np.array([of_section(mesh.beam.section_at(float(s))) for s in places])
    bending = 1.0 if "shear" in mesh.options.neglects else WITH_SHEAR
    alike = np.full(count, k), length, np.full(count, order), np.full(count, bending)
    return np.asarray(mesh.nodes, int), *alike, np.broadcast_to(table, (count, table.shape[1]))


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
    """Kinds of waves from what they depend on, in the order of the two functions above."""
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
