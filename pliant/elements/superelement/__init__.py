"""Superelement: a structure given by its reduced mass and stiffness matrices, between nodes of its interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, cast

import numpy as np

from pliant.errors import ModelError
from pliant.model import checks, rotations
from pliant.model.bodies.rigid import Body
from pliant.model.markers import Marker
from pliant.model.parts import USE_AT, Load

RIGID = 1e-6  # of the stiffness: permitted force of a rigid motion, by rounding of the program that wrote the matrices
Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Superelement(Load):
    """Reduced finite-element model (Guyan, Craig-Bampton) between bodies at its interface nodes, plane and space.

    interface  markers, one on each body at a node of the interface; the first carries the floating frame
    places     of these nodes in the unstrained structure, in its axes (m)
    mass, stiffness  symmetric matrices (SI units). Coordinates: displacements and rotations of every interface node,
                     (x, y, rz) in the plane, (x, y, z, rx, ry, rz) in space, then any number of internal modes
    damping    beta (s) of stiffness-proportional damping, ``C = beta K``

    Displacements and strains are small in a frame that moves with the first node by any distance and angle,

        T = V M V / 2,   V = D K D / 2,   d_i = R^T (x_i - x_0) - X_i,   psi_i = 2 vec(R^T R_i)

    (A. Cardona, M. Geradin, Modelling of superelements in mechanism analysis, Int. J. Numer. Meth. Eng. 32, 1991): D
    holds d, psi and the modes, V the velocities of the nodes in the axes of the frame and the rates of the modes. T
    neglects the transport of the internal modes with the frame. `reduced_body` creates the bodies as well.

    >>> from pliant.model import Body
    >>> ends = [Body(name, mass=0.5, inertia=0.01, position=(x, 0)) for name, x in (("left", 0.0), ("right", 1.0))]
    >>> K = 100.0 * np.outer([1, 0, 0, -1, 0, 0], [1, 0, 0, -1, 0, 0])
    >>> M = np.diag([0.5, 0.5, 0.01] * 2)
    >>> bar = Superelement("bar", [end.at() for end in ends], [(0, 0), (1, 0)], mass=M, stiffness=K)
    >>> bar.modes
    0
    """

    connects: ClassVar[bool] = True
    units: ClassVar = {"places": "m", "damping": "s"}

    name: str
    interface: tuple[Marker, ...]
    places: tuple[tuple[float, ...], ...]
    _: KW_ONLY
    mass: Any  # matrices; kept as nested tuples
    stiffness: Any
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.interface, (tuple, list)) or len(self.interface) < 2:
            raise checks.refuse(self.owner, "interface", self.interface, "a sequence of two or more markers", USE_AT)
        for k, marker in enumerate(self.interface):
            checks.instance(self.owner, f"interface[{k}]", marker, Marker, USE_AT)
            if not isinstance(marker.body, Body) or any((marker.x, marker.y, marker.z, marker.angle)):
                raise ModelError(
                    f"{self.owner}: interface[{k}] = {marker.label} is not allowed; it must be the centre of a Body "
                    "of its own, body.at(). `pl.reduced_body` creates them."
                )
        if len({marker.body for marker in self.interface}) < len(self.interface):
            raise ModelError(f"{self.owner}: two nodes of its interface are the same body. Give every node its own.")
        places = [checks.point(self.owner, f"places[{k}]", each) for k, each in enumerate(self.places)]
        if len(places) != len(self.interface) or len({len(each) for each in places}) > 1:
            raise checks.refuse(self.owner, "places", self.places, f"{len(self.interface)} points, one of each node")
        self._set(
            interface=tuple(self.interface),
            places=tuple(places),
            damping=checks.not_negative(self.owner, "damping", self.damping, hint="A time in seconds."),
        )
        size = len(np.atleast_2d(np.asarray(self.stiffness, dtype=object)))
        self._set(**{key: _symmetric(self.owner, key, getattr(self, key), size) for key in ("mass", "stiffness")})
        if self.modes < 0:
            raise ModelError(
                f"{self.owner}: matrices of {size} rows are too small; {len(places)} nodes of the interface have "
                f"{self.width * len(places)} coordinates in {'space' if self.width == 6 else 'the plane'}."
            )
        self._check_rigid()

    def unscalable(self) -> str:
        return "its matrices have entries of several units"

    @property
    def width(self) -> int:
        """Coordinates of a node: 3 in the plane, 6 in space."""
        return 3 if len(self.places[0]) == 2 else 6

    @property
    def modes(self) -> int:
        """Number of internal coordinates."""
        return len(self.stiffness) - self.width * len(self.interface)

    @property
    def markers(self) -> tuple[Marker, ...]:
        return self.interface

    def drawn(self, nodes: object, spatial: bool) -> tuple[Marker, ...]:
        """Return the line through the interface."""
        return self.interface

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        if spatial != (self.width == 6):
            raise ModelError(
                f"{self.owner}: its places have {len(self.places[0])} coordinates, but the model is "
                f"{'spatial' if spatial else 'planar'}. Give points and matrices of "
                f"{'space' if spatial else 'the plane'}."
            )

    def own_nodes(self, layout: object) -> Sequence[int]:
        """Return the node of the floating frame, once for every internal mode."""
        return [cast(Any, layout).node(self.interface[0])] * self.modes

    def ties(self) -> list[tuple[Marker, Marker]]:
        first, origin = self.interface[0].body, np.array(self.places[0])
        places = [(np.array(place) - origin).tolist() for place in self.places[1:]]
        return [(first.at(*place), marker) for place, marker in zip(places, self.interface[1:], strict=True)]

    def rigid_motions(self) -> np.ndarray:
        """Return (size, 3 or 6) displacements, then rotations, of the structure as a whole."""
        points = np.array(self.places) - np.array(self.places[0])
        found = np.zeros((len(self.stiffness), self.width))
        for i, point in enumerate(points):
            x, y = point[:2]
            rows = slice(self.width * i, self.width * (i + 1))
            if self.width == 3:
                found[rows] = [[1.0, 0.0, -y], [0.0, 1.0, x], [0.0, 0.0, 1.0]]
            else:
                z = point[2]
                found[rows] = np.eye(6)
                found[rows][:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        return found

    def _check_rigid(self) -> None:
        """Check that rigid motion needs no force, and that the mass is equal in all directions."""
        K, M, moved = np.array(self.stiffness), np.array(self.mass), self.rigid_motions()
        sizes = np.sqrt(np.outer(np.diag(K), np.einsum("ij,jk,ik->i", np.abs(moved.T), np.abs(K), np.abs(moved.T))))
        worst = np.unravel_index(np.argmax(np.abs(K @ moved) - RIGID * sizes), sizes.shape)
        if abs((K @ moved)[worst]) > RIGID * sizes[worst]:
            words = ("x", "y", "rz") if self.width == 3 else ("x", "y", "z", "rx", "ry", "rz")
            raise ModelError(
                f"{self.owner}: its stiffness resists a rigid motion, along {words[worst[1]]}, in row {worst[0]}. The "
                "structure must be free, its interface nodes must come first, node by node, each with "
                f"({', '.join(words)}) in the axes of the structure, not of the node, and `places` must belong to "
                "these nodes, in the same units."
            )
        axes = self.width // 2 + self.width % 2
        masses = np.diag(moved.T @ M @ moved)[:axes]
        if not np.all(masses > 0.0) or np.ptp(masses) > RIGID * masses.max():
            raise ModelError(
                f"{self.owner}: its mass is {', '.join(f'{each:.6g}' for each in masses)} kg along x, y"
                f"{', z' if axes == 3 else ''}. It must be positive and the same in all directions."
            )

    @property
    def total_mass(self) -> float:
        """Mass of the whole structure (kg)."""
        along = self.rigid_motions()[:, 0]
        return float(along @ np.array(self.mass) @ along)


def _symmetric(owner: str, argument: str, value: Any, size: int) -> Table:
    given = value.toarray() if hasattr(value, "toarray") else value
    found = np.array(rotations.square(owner, argument, np.asarray(given), size))
    largest = float(np.max(np.abs(found), initial=0.0))
    if not np.allclose(found, found.T, rtol=0.0, atol=RIGID * largest):
        raise ModelError(
            f"{owner}: {argument} is not symmetric; entries differ by {np.max(np.abs(found - found.T)):.3g}."
        )
    found = 0.5 * (found + found.T)
    least = float(np.linalg.eigvalsh(found)[0])
    if least < -RIGID * largest:
        raise ModelError(
            f"{owner}: {argument} has a negative eigenvalue, {least:.3g}; it must not be negative anywhere."
        )
    return tuple(tuple(float(each) for each in row) for row in found)
