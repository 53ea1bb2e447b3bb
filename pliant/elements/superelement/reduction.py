"""Reduced bodies: finite-element matrices condensed to an interface, and the parts of a model that represent them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from pliant.elements.superelement import Superelement
from pliant.errors import ModelError, OptionError, nearest
from pliant.model import rotations
from pliant.model.bodies.rigid import Body
from pliant.model.markers import Marker
from pliant.model.parts import Part
from pliant.model.rotations import Orientation

UNKNOWN_INERTIA = 1e-3  # of mass times size squared; arbitrary, as it is subtracted again


@runtime_checkable
class Sparse(Protocol):
    """A sparse matrix, such as scipy's."""

    def toarray(self) -> np.ndarray: ...


Matrix = ArrayLike | Sparse


def craig_bampton(
    mass: Matrix, stiffness: Matrix, interface: Sequence[int], modes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Reduce mass and stiffness of a structure to the coordinates of its interface and modes with a fixed interface.

    mass, stiffness  of all coordinates, dense or sparse
    interface        numbers of the retained coordinates, which come first in the reduced matrices, in this order
    modes            number of fixed-interface modes, which come after them; 0 is Guyan's reduction

    ``u_inside = -K_ii^-1 K_ib u_b + Phi eta`` (R.R. Craig, M.C.C. Bampton, AIAA J. 6, 1968). Static displacements of
    the interface under loads on it are exact; frequencies converge from above as modes are added.

    >>> K = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> craig_bampton(np.eye(3), K, [0, 2], 0)[1]
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    from scipy.linalg import eigh

    M, K = _dense(mass), _dense(stiffness)
    if M.shape != K.shape or M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise OptionError(f"craig_bampton: mass is {M.shape}, stiffness {K.shape}; give two square ones of one size.")
    kept = [int(each) for each in interface]
    if len({*kept}) < len(kept) or not all(0 <= each < len(M) for each in kept) or not kept:
        raise OptionError(f"craig_bampton: interface = {kept!r:.80}: give different numbers from 0 to {len(M) - 1}.")
    inside = [each for each in range(len(M)) if each not in {*kept}]
    if not 0 <= modes <= len(inside):
        raise OptionError(f"craig_bampton: modes = {modes}: there are {len(inside)} coordinates inside.")
    T = np.zeros((len(M), len(kept) + modes))
    T[kept, range(len(kept))] = 1.0
    if inside:
        T[inside, : len(kept)] = -np.linalg.solve(K[np.ix_(inside, inside)], K[np.ix_(inside, kept)])
    if modes:
        shapes = eigh(K[np.ix_(inside, inside)], M[np.ix_(inside, inside)], subset_by_index=(0, modes - 1))[1]
        T[inside, len(kept) :] = shapes
    return T.T @ M @ T, T.T @ K @ T


@dataclass(frozen=True)
class ReducedBody:
    """A superelement and the bodies at its interface: ``model.add(*body)``, then ``body.at("tip")`` for joints and
    forces. `reduced_body` and `load_reduced` create it.

    >>> [name for name in ReducedBody.__dataclass_fields__]
    ['superelement', 'bodies']
    """

    superelement: Superelement
    bodies: Mapping[str, Body]

    def __iter__(self) -> Iterator[Part]:
        return iter((*self.bodies.values(), self.superelement))

    def at(
        self,
        node: str,
        *place: float,
        angle: float = 0.0,
        orientation: Orientation | None = None,
        name: str | None = None,
    ) -> Marker:
        """Return a marker at a node of the interface, or at a rigid offset (x, y, z) from it, as `Body.at`."""
        if node not in self.bodies:
            raise ModelError(f"{self.superelement.owner} has no node {node!r}. {nearest(str(node), self.bodies)}")
        return self.bodies[node].at(*place, angle=angle, orientation=orientation, name=name)


def reduced_body(
    name: str,
    nodes: Mapping[str, Sequence[float]],
    *,
    mass: Matrix,
    stiffness: Matrix,
    damping: float = 0.0,
    position: Sequence[float] | None = None,
    orientation: float | Orientation | None = None,
) -> ReducedBody:
    """Create a reduced finite-element body: a `Superelement` with a body at every node of its interface.

    nodes            places of the interface by name, (x, y) or (x, y, z) in the axes of the structure (m)
    mass, stiffness  matrices of the interface, node by node, then of modes: see `Superelement`, `craig_bampton`
    damping          of stiffness, beta (s)
    position         guess of the origin of the structure (m); None: found from the joints
    orientation      guess of its orientation, in the plane an angle (rad), in space as in `Body`

    >>> K = 100.0 * np.outer([1, 0, 0, -1, 0, 0], [1, 0, 0, -1, 0, 0])
    >>> bar = reduced_body("bar", {"left": (0, 0), "right": (1, 0)}, mass=np.diag([.5, .5, .01] * 2), stiffness=K)
    >>> bar.at("right"), bar.bodies["right"].mass
    (<Marker bar right(0, 0)>, 0.5)
    """
    places = [tuple(float(each) for each in place) for place in nodes.values()]
    axes = max((len(place) for place in places), default=0)
    M, width = _dense(mass), 6 if axes == 3 else 3
    if len(places) < 2 or M.ndim != 2 or len(M) < width * len(places):
        raise ModelError(
            f'Superelement "{name}": {len(places)} nodes and a mass matrix {M.shape} do not fit. Give two nodes or '
            f"more, and {width} rows of each, then the rows of the modes."
        )
    along = np.arange(len(M)) % width == 0
    along[width * len(places) :] = False
    share = float(along @ M @ along) / len(places)
    spins = np.diag(M)[: width * len(places)].reshape(-1, width)[:, axes:]
    size = float(np.max(np.ptp(np.array(places), axis=0)))
    turn: dict[str, Any] = {} if orientation is None else {"orientation" if axes == 3 else "angle": orientation}
    found = Body("guess", mass=0.0, inertia=0.0, **turn).turn
    R = np.eye(3) if found is None else rotations.matrix(found)
    bodies = {}
    for node, place, spin in zip(nodes, places, spins, strict=True):
        there = None if position is None else tuple((R[:axes, :axes] @ place + np.asarray(position, float)).tolist())
        inertia = float(np.mean(spin)) or UNKNOWN_INERTIA * share * size**2
        bodies[node] = Body(f"{name} {node}", mass=share, inertia=inertia, position=there, **turn)
    part = Superelement(
        name, tuple(body.at() for body in bodies.values()), tuple(places), mass=M, stiffness=stiffness, damping=damping
    )
    return ReducedBody(part, bodies)


def _dense(matrix: Matrix) -> np.ndarray:
    return np.asarray(matrix.toarray() if isinstance(matrix, Sparse) else matrix, float)
