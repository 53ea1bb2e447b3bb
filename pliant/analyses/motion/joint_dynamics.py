"""Of a tree: accelerations from forces on its coordinates, and back; how its markers move with its coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pliant.analyses.common import require
from pliant.errors import OptionError
from pliant.model import Marker
from pliant.model.bodies.rigid import RigidBody
from pliant.system.capabilities import HasJointDynamics


def forward_dynamics(
    system: HasJointDynamics, coordinates: ArrayLike, rates: ArrayLike, forces: ArrayLike = 0.0, *, time: float = 0.0
) -> np.ndarray:
    """Compute accelerations Q'' of the coordinates of a tree, under the forces of the model's parts and additional
    forces on the coordinates.

    coordinates  Q, in the order of ``system.names``; after them four numbers for every joint that turns about three
                 axes (``system.coordinates(q)`` returns Q of a state). One row, or many
    rates        Q', as many rows
    forces       on the coordinates (N, or N m of an angle), as many rows; or one number for all
    time         at which the signals of the model are evaluated; drives of coordinates are ignored

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    >>> tree = pl.compile(m, formulation="relative")
    >>> pl.forward_dynamics(tree, [0.0], [0.0]).round(3).tolist()
    [-14.715]
    """
    require(system, HasJointDynamics, "forward_dynamics")
    q, v = _rows(system, "coordinates", coordinates, system.coordinate_size), _rows(system, "rates", rates)
    given = np.full(v.shape, forces) if np.ndim(forces) == 0 else forces
    f = _paired(_rows(system, "forces", given), v, "rates")
    return system.forward_dynamics(_paired(q, v, "rates"), v, f, time=time).reshape(np.shape(rates))


def inverse_dynamics(
    system: HasJointDynamics, coordinates: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, *, time: float = 0.0
) -> np.ndarray:
    """Compute forces on the coordinates of a tree that, together with the forces of the model's parts, produce given
    accelerations.

    coordinates, rates, time  as of `forward_dynamics`
    accelerations             Q'', as many rows

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    >>> tree = pl.compile(m, formulation="relative")
    >>> pl.inverse_dynamics(tree, [0.0], [0.0], [0.0]).round(4).tolist()
    [4.905]
    """
    require(system, HasJointDynamics, "inverse_dynamics")
    q, v = _rows(system, "coordinates", coordinates, system.coordinate_size), _rows(system, "rates", rates)
    a = _paired(_rows(system, "accelerations", accelerations), v, "rates")
    return system.inverse_dynamics(_paired(q, v, "rates"), v, a, time=time).reshape(np.shape(rates))


def jacobian(system: HasJointDynamics, coordinates: ArrayLike, marker: Marker | str) -> np.ndarray:
    """Compute the Jacobian of a marker by the coordinates Q: its velocity and angular velocity are J Q', and a force
    and a moment w on it act like the forces ``J^T w`` on the coordinates.

    coordinates  as of `forward_dynamics`; one row, or many
    marker       any marker on a rigid body, or one of the model's; its label, or the name of a rigid body

    J has a column for each of ``system.names``, and rows x, y and angle in the plane, or x, y, z and the rotations
    about them in space, in global axes; for many rows of coordinates, one J after the other. Where a loop is closed,
    the coordinates depend on each other: J is for each of them alone.

    >>> import pliant as pl
    >>> m = pl.Model("pendulum")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=2.0, mass=1.0, angle=0.0))
    >>> parts = m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"))
    >>> tree = pl.compile(m, formulation="relative")
    >>> pl.jacobian(tree, [0.0], arm.at(s=1)).tolist()
    [[0.0], [2.0], [1.0]]
    """
    require(system, HasJointDynamics, "jacobian")
    q = _rows(system, "coordinates", coordinates, system.coordinate_size)
    rigid = isinstance(marker, Marker) and isinstance(marker.body, RigidBody)
    own = rigid and any(body is marker.body for body in system.model.bodies)  # type: ignore[union-attr]
    found: Marker = marker if own else system.observed.observer().find(marker, "marker")  # type: ignore[assignment]
    table = system.jacobian(q, found)
    return table[0] if np.ndim(coordinates) == 1 else table


def _rows(system: HasJointDynamics, name: str, given: ArrayLike, size: int | None = None) -> np.ndarray:
    """Return one row or many as a table of rows, checked."""
    wanted = size or len(system.names)
    try:
        table = np.asarray(given, float)
    except (TypeError, ValueError):
        raise OptionError(f"{name}={str(given)[:60]}: give {wanted} finite numbers, or rows of {wanted}.") from None
    if table.ndim not in (1, 2) or table.shape[-1] != wanted or not np.all(np.isfinite(table)):
        raise OptionError(
            f"{name} of shape {table.shape}: give {wanted} finite numbers, or rows of {wanted}, in the order "
            f"{', '.join(system.names[:4])}{' ...' if len(system.names) > 4 else ''}."
        )
    return np.ascontiguousarray(np.atleast_2d(table))


def _paired(rows: np.ndarray, others: np.ndarray, name: str) -> np.ndarray:
    """Return rows, repeated to the number of the others."""
    if len(rows) != len(others):
        raise OptionError(f"{len(rows)} rows, but {len(others)} of {name}: give as many of each.")
    return rows
