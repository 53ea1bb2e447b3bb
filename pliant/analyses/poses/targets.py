"""Requested poses, as rows of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pliant.analyses.poses.effector import Target
from pliant.errors import OptionError, nearest
from pliant.model import rotations
from pliant.model.rotations import Orientation
from pliant.solvers.nonlinear.held_frame import POSE
from pliant.system.state import State

if TYPE_CHECKING:
    from pliant.analyses.poses.robot import Kinetostatics

FORMS = 'Give {"x": [...], "z": [...]}, or a list of positions or of pairs (position, orientation).'

Poses: TypeAlias = Mapping[str, ArrayLike] | Sequence[ArrayLike | tuple[ArrayLike, Orientation]] | np.ndarray
"""Components by name, numbers or rows; or a list of positions, or of pairs of position and orientation."""


@dataclass(frozen=True)
class Targets:
    """A row of poses: points (n, 2 or 3), and turns, quaternions (n, 4) or angles (n,) in the plane."""

    points: np.ndarray
    turns: np.ndarray

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, k: int) -> Target:
        turn = self.turns[k]
        return Target(self.points[k], float(turn) if np.ndim(turn) == 0 else turn)

    def __iter__(self) -> Iterator[Target]:
        return (self[k] for k in range(len(self)))

    @property
    def rotations(self) -> np.ndarray:
        """Return (n, 1 or 3) angles, or rotation vectors."""
        return self.turns[:, None] if self.turns.ndim == 1 else rotations.logarithm(self.turns)

    @property
    def packed(self) -> np.ndarray:
        """Return (n, POSE) the poses for compiled code (solvers/nonlinear/pose_path_kernel.py)."""
        found = np.zeros((len(self), POSE))
        found[:, : self.points.shape[1]] = self.points
        turns = self.turns[:, None] if self.turns.ndim == 1 else self.turns
        found[:, 3 : 3 + turns.shape[1]] = turns
        return found

    def first(self, count: int) -> Targets:
        """Return the first poses."""
        return Targets(self.points[:count], self.turns[:count])

    def only(self, k: int) -> Targets:
        """Return one pose."""
        return Targets(self.points[k : k + 1], self.turns[k : k + 1])

    def put(self, k: int, other: Targets) -> None:
        """Write others from place k on."""
        self.points[k : k + len(other)], self.turns[k : k + len(other)] = other.points, other.turns

    @staticmethod
    def unknown(like: Target, count: int) -> Targets:
        """Return so many poses that are not known yet."""
        return Targets(np.full((count, like.position.size), np.nan), np.full((count, *np.shape(like.turn)), np.nan))

    @staticmethod
    def of(targets: Sequence[Target]) -> Targets:
        """Return a row from single poses."""
        return Targets(np.array([each.position for each in targets]), np.array([each.turn for each in targets]))


Asked = tuple[Targets, dict[str, np.ndarray]]


def targets(robot: Kinetostatics, poses: Poses, start: State, *, grid: bool) -> Asked:
    """Return the requested poses in a row, and the axes of their grid if they have one; missing numbers as at the
    start.
    """
    home = robot.effector.at(start.q)
    if isinstance(poses, Mapping):
        return _by_name(robot, poses, home, grid=grid)
    if isinstance(poses, np.ndarray) and poses.shape[1:] == home.position.shape and np.all(np.isfinite(poses)):
        return Targets(np.array(poses, float), np.array([home.turn] * len(poses))), {}
    found = []
    listed: Any = poses if isinstance(poses, Sequence | np.ndarray) else ()
    for entry in listed:
        pair = isinstance(entry, Sequence | np.ndarray) and len(entry) == 2 and np.ndim(entry[0]) == 1
        position, orientation = entry if pair else (entry, None)
        found.append(robot.effector.target(position, orientation, home))
    if not found:
        raise OptionError(f"poses={poses!r:.60}: none was given. {FORMS}")
    return Targets.of(found), {}


def _by_name(robot: Kinetostatics, poses: Mapping[str, Any], home: Target, *, grid: bool) -> Asked:
    for name in poses:
        if name not in robot.effector.axes:
            raise OptionError(f"poses: {name!r} is no part of a pose. {nearest(str(name), robot.effector.axes)}")
    values = {name: row_of("poses", name, value) for name, value in poses.items()}
    fixed = {name: value for name, value in values.items() if value.ndim == 0}
    axes = {name: value for name, value in values.items() if value.ndim == 1}
    if not axes or not (grid or len({value.size for value in axes.values()}) == 1):
        raise OptionError(f"poses: {', '.join(poses)}: give {'a row' if grid else 'rows of equal length'} of values.")
    rows = np.array(list(product(*axes.values()))) if grid else np.stack(list(axes.values()), axis=1)
    numbers = {name: np.full(len(rows), value) for name, value in fixed.items()}
    found = robot.effector.from_numbers(numbers | dict(zip(axes, rows.T, strict=True)), home)
    return Targets(*found), axes if grid else {}


def row_of(argument: str, name: str, value: Any) -> np.ndarray:
    """Return a finite number or a row of them as an array."""
    try:
        row = np.asarray(value, float)
    except (TypeError, ValueError):
        row = np.empty(0)
    if row.ndim > 1 or not row.size or not np.all(np.isfinite(row)):
        raise OptionError(f"{argument}: {name}={value!r}: give a finite number or a row of them.")
    return row


def single(load: Mapping[str, ArrayLike] | None) -> Mapping[str, float] | None:
    """Return the loads at the first pose, from loads that may be rows."""
    if not isinstance(load, Mapping):
        return load
    rows = {name: row_of("load", name, value) for name, value in load.items()}
    return {name: float(row.reshape(-1)[0]) for name, row in rows.items()}


def rows_of_signals(
    robot: Kinetostatics, u: np.ndarray, count: int, load: Mapping[str, ArrayLike] | None
) -> np.ndarray:
    """Return (count, all signals), with rows of loads if given."""
    found = np.tile(u, (count, 1))
    for name, value in (load or {}).items():
        row = row_of("load", name, value)
        if row.ndim and row.size != count:
            raise OptionError(
                f"load: {name!r} has {row.size} values for {count} poses. Give one, or one for every pose."
            )
        found[:, robot.system.signal_number(name)] = row
    return found


def rows_of_motors(robot: Kinetostatics, motors: ArrayLike, load: Mapping[str, ArrayLike] | None) -> np.ndarray:
    """Return (poses, motors), one row repeated as often as loads have values."""
    try:
        rows = np.atleast_2d(np.asarray(motors, float))
    except (TypeError, ValueError):
        rows = np.empty((0, 0))
    if rows.shape[1:] != (len(robot.motors),) or not np.all(np.isfinite(rows)):
        raise OptionError(f"motors={motors!r:.60}: give rows of {len(robot.motors)} finite numbers.")
    longest = max((row_of("load", name, value).size for name, value in (load or {}).items()), default=1)
    return np.repeat(rows, longest, axis=0) if len(rows) == 1 else rows
