"""A system at an instant, and its matrices there: data exchanged by formulations, solvers and analyses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from pliant._frozen import quick
from pliant._libraries import sparse
from pliant.errors import OptionError
from pliant.linalg.eigen import SUBSTITUTED
from pliant.system.observation.lazy_arrays import Deferred


@quick
@dataclass(frozen=True)
class State:
    """Configuration, velocity, acceleration and multipliers of a system at an instant.

    ``q``, ``v`` and ``a`` have the length of ``System.size``: freedoms first, then the ground's, and in space the
    orientations (of q only). ``abar`` is the integrator's algorithmic acceleration; in momentum form it belongs
    to the middle of the last step, like the multipliers ``lambar``.
    """

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    time: float = 0.0
    abar: np.ndarray | None = None
    contraction: float = 0.0  # Newton's quadratic constant so far, for an exact restart
    contraction_age: float = 0.0  # steps since its measurement
    interior: np.ndarray | None = None  # of rods between their nodes (formulation "shooting")
    changes: np.ndarray | None = None  # changes of the acceleration in the last steps,
    habits: np.ndarray | None = None  # and numbers fitted to them (solvers/stepping/prediction.py)
    gain: float = 0.0  # energy error of that step; negative: a loss
    lambar: np.ndarray | None = None  # in momentum form only
    step: float = 0.0  # step size for which ``abar`` and the velocity are consistent; 0: any
    signals: np.ndarray | None = None  # at the end of a motion, to detect jumps at a restart
    touched: np.ndarray | None = None  # start of sticking contacts (equilibrium with friction)

    def variables(self) -> dict[str, tuple[str, np.ndarray]]:
        """Return the known variables as in a dataset: ``state_q``, ``state_v``, ..."""
        return {
            f"state_{name}": (f"state_{name}_index", value if isinstance(value, np.ndarray) else np.array([value]))
            for name, value in vars(self).items()
            if value is not None
        }

    @staticmethod
    def read(values: Mapping[str, Any]) -> State:
        """Build a state from a result's values, by their names without "state_"; OptionError if they are not valid."""
        missing = [name for name in ("q", "v", "a", "lam") if name not in values]
        if missing:
            raise OptionError(f"its state has no {', '.join(missing)}: it was not kept, or is of another program.")
        shapes = {name: np.shape(value) for name, value in values.items()}
        for name, shape in shapes.items():
            if len(shape) != 1 or shape != ((1,) if name in SCALARS else shapes.get(LIKE.get(name, name))):
                raise OptionError(f"its state is damaged: {name} has the shape {shape}.")
        for name in ARRAYS & {*values}:
            if np.asarray(values[name]).dtype.kind not in "fiu" or not np.isfinite(values[name]).all():
                raise OptionError(f"its state is damaged: {name} holds something other than finite numbers.")
        known: dict[str, Any] = {name: float(value[0]) for name, value in values.items() if name in SCALARS}
        return State(**known | {name: np.array(value) for name, value in values.items() if name in ARRAYS})


SCALARS = frozenset(each.name for each in fields(State) if isinstance(each.default, float))
ARRAYS = frozenset(each.name for each in fields(State)) - SCALARS
LIKE = {**dict.fromkeys(("v", "a", "abar", "touched"), "q"), "lambar": "lam"}  # arrays of one length


class Matrices:
    """Linearised system: ``M dq'' + C dq' + K dq + G^T dlambda = 0``, ``G dq = 0``.

    Each may be a function without arguments, which is called at the first use.
    """

    def __init__(self, stiffness: Any, damping: Any, mass: Any, ties: Any) -> None:
        self._given = Deferred({"stiffness": stiffness, "damping": damping, "mass": mass, "ties": ties})

    @property
    def stiffness(self) -> Any:
        """K, with the stiffness of the constraint forces."""
        return self._given["stiffness"]

    @property
    def damping(self) -> Any:
        """C"""
        return self._given["damping"]

    @property
    def mass(self) -> Any:
        """M"""
        return self._given["mass"]

    @property
    def ties(self) -> sparse.csr_array:
        """G"""
        found: sparse.csr_array = self._given["ties"]
        return found

    @property
    def jacobian(self) -> np.ndarray:
        """G as a dense array."""
        return np.asarray(self.ties.toarray())

    def having(self, **others: Any) -> Matrices:
        """Return the matrices with some of them replaced, by name."""
        found = Matrices(None, None, None, None)
        found._given = self._given | others
        return found

    def in_units(self, unit: np.ndarray) -> Matrices:
        """Return the matrices in coordinates dq / unit, so that lengths and angles compare; rows of G of length 1."""
        return Matrices(
            lambda: _scaled(self.stiffness, unit),
            lambda: _scaled(self.damping, unit),
            lambda: _scaled(self.mass, unit),
            lambda: _rows_of_length_one(self.ties, unit),
        )


def _scaled(given: Any, unit: np.ndarray) -> Any:
    """Return diag(unit) A diag(unit), by columns; dense for small models, where that is faster."""
    if unit.size <= SUBSTITUTED:
        return (given.toarray() if sparse.issparse(given) else given) * np.outer(unit, unit)
    matrix = given if isinstance(given, sparse.csc_matrix) else sparse.csc_matrix(given)
    data = matrix.data * unit[matrix.indices] * np.repeat(unit, np.diff(matrix.indptr))
    return sparse.csc_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _rows_of_length_one(ties: Any, unit: np.ndarray) -> sparse.csr_array:
    """Return G diag(unit), its rows divided by their lengths."""
    rows = ties if isinstance(ties, sparse.csr_array) else sparse.csr_array(ties)
    data, owners = rows.data * unit[rows.indices], np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    sizes = np.sqrt(np.bincount(owners, data**2, rows.shape[0]))
    data = data / np.where(sizes > 0.0, sizes, 1.0)[owners]
    return sparse.csr_array((data, rows.indices, rows.indptr), rows.shape)


@quick
@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium and its properties. ``unstable_directions``: None if they were not counted."""

    state: State
    iterations: int
    load_steps: int
    residual: float  # largest unbalanced force [N] (moments divided by the length scale)
    force_scale: float  # largest force, for comparison
    constraint_error: float
    unstable_directions: int | None
    neutral: str = ""  # parts that can move without any change of force
    more: bool = False  # whether there may be more unstable directions
    own: Mapping[str, Any] = field(default_factory=dict)  # variables of the formulation, by name
    interior: np.ndarray | None = None  # states inside rods (formulation "shooting")
    rounding: float = 0.0  # unbalanced force [N] that may be due to rounding
    lost: float = 0.0  # relative rounding error of the smallest stiffness; from 1 on it is unknown
    falling: int | None = None  # spin: directions of decreasing V - T0, whether or not motions grow
    left: int = 0  # unstable directions of Newton's first equilibrium; 0: this one, or none
    snapped: float = 0.0  # load factor at which the branch of the start ended; 0: it did not, or unknown
    slid: float = 0.0  # descent from the start, in model lengths and radians
