"""Python interface of the compiled row of equilibria in pose_path_kernel.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from pliant.model.signals import sizes as signal_sizes
from pliant.solvers.nonlinear import newton, pose_path_kernel
from pliant.solvers.nonlinear.border import border
from pliant.solvers.nonlinear.extrapolation import new_history
from pliant.solvers.nonlinear.held_frame import POSE, Frame
from pliant.solvers.nonlinear.pose_path_kernel import EquilibriumRow, PoseTrack, UnknownSignals, Workspace
from pliant.system.packing.build import unbordered
from pliant.system.system import System


class Limits(NamedTuple):
    """Properties of Newton for the parts of a system.

    remainder  largest remainder of an increment, in lengths of the model and radians
    stress     numbers of the stresses that are extrapolated from pose to pose; None: all
    """

    remainder: float
    stress: np.ndarray | None = None


ELEMENTS = Limits(pose_path_kernel.REMAINDER)


class PoseFollower:
    """Follower of poses of a frame by signals, from an equilibrium on; it stores its state and the prediction.

    signals   numbers of the signals that hold the frame, or are given if ``frame.task`` is 0
    gamma     weight of the augmented term
    way       properties of Newton
    patience  poses per factorisation; 0: every increment has its own, which yields the compliance
    """

    def __init__(
        self,
        system: System,
        signals: Sequence[int],
        frame: Frame,
        gamma: float,
        way: Limits = ELEMENTS,
        patience: int = 0,
    ) -> None:
        system = unbordered(system)
        equations, scratch = system.equations, system.scratch()
        n, m, width = system.freedoms, system.constraints, system.space.width
        unknown = _unknown_signals(system, signals)
        unknowns, count, everything = n + m, len(signals), np.arange(n + m)
        of_node = np.arange(frame.first, frame.first + width)
        supports = [n + unknown.row[unknown.owner == j] for j in range(count)]
        for j in unknown.loads.tolist():
            supports[j] = everything
        sides = border(equations.pattern, [each.astype(np.int64) for each in (*supports, *[of_node] * width)])
        signals_of_all = system.signals(np.zeros(1)).shape[1]
        stress = np.arange(scratch.stress.size) if way.stress is None else way.stress
        all_numbers = unknowns + count + stress.size
        work = Workspace(
            sides=sides,
            factors=np.zeros_like(scratch.s),
            step=np.zeros(all_numbers),
            total=np.zeros(all_numbers),
            before=np.zeros(system.size + m + signals_of_all + scratch.stress.size),
            begin=np.zeros(signals_of_all),
            motion=np.zeros((width, width)),
            jacobian=np.zeros((width, count)),
            compliance=np.zeros((width, width)),
            core=np.zeros((frame.task, frame.task)),
            right=np.zeros(frame.task),
            change=np.zeros(count),
            order=np.zeros(frame.task, np.int64),
            pose=np.zeros(POSE),
            home=np.zeros(POSE),
            aim=np.zeros(POSE),
            way=np.zeros(width),
            whole_way=np.zeros(width),
            bend=np.zeros(1),
            negatives=np.zeros(1, np.int64),
            age=np.full(1, patience, np.int64),
        )
        self.system = system
        self.track = PoseTrack(
            equations, frame, unknown, new_history(all_numbers), work, scratch, stress.astype(np.uint32), float(gamma),
            way.remainder, patience,
        )  # fmt: skip
        self.q, self.lam, self.u = np.zeros(system.size), np.zeros(m), np.zeros(signals_of_all)

    @property
    def tells(self) -> bool:
        """Return whether it computes the compliance of every equilibrium."""
        return self.track.patience == 0

    def begin(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray) -> Self:
        """Restart from an equilibrium, without a history."""
        self.q[:], self.lam[:], self.u[:] = q, lam, u
        self.track.history.known[:] = 0
        newton.begin(self.track.equations, self.q, self.lam, self.u, self.track.gamma, self.track.scratch)
        self.track.work.bend[:] = 0.0
        self.track.work.age[:] = self.track.patience
        return self

    def allocate(self, count: int) -> EquilibriumRow:
        """Allocate arrays for some equilibria."""
        width, signals = self.track.work.jacobian.shape
        return EquilibriumRow(
            q=np.zeros((count, self.q.size)),
            lam=np.zeros((count, self.lam.size)),
            u=np.zeros((count, self.u.size)),
            stress=np.zeros((count, self.track.scratch.stress.size)),
            jacobian=np.zeros((count, width, signals)),
            compliance=np.zeros((count, width, width)),
            unstable=np.zeros(count, np.int64),
            iterations=np.zeros(count, np.int64),
            strides=np.zeros(count, np.int64),
        )

    def follow(self, targets: np.ndarray, given: np.ndarray, found: EquilibriumRow) -> int:
        """Follow poses (count, POSE) with given signals (count, all signals), of which the unknown ones are ignored.
        Returns the number of poses reached.
        """
        reached, _ = pose_path_kernel.track_row(self.track, targets, given, (self.q, self.lam, self.u), found)
        return int(reached)


def _unknown_signals(system: System, signals: Sequence[int]) -> UnknownSignals:
    rows, numbers = system.equations.rows, list(signals)
    driven = np.flatnonzero(np.isin(rows.signal, numbers) & (rows.gain != 0.0))
    drives, own = set(system.driving), system.signals(np.zeros(1))[0]
    loads = [j for j, number in enumerate(numbers) if number not in drives]
    names, length = [system.layout.signals[numbers[j]].name for j in loads], system.length_scale
    sizes = [
        signal_sizes.size(system.model, name, own[numbers[j]], length, 1.0)
        for j, name in zip(loads, names, strict=True)
    ]
    return UnknownSignals(
        numbers=np.array(numbers, np.uint32),
        row=driven.astype(np.uint32),
        owner=np.array([numbers.index(int(k)) for k in rows.signal[driven]], np.uint32),
        gain=np.ascontiguousarray(rows.gain[driven]),
        loads=np.array(loads, np.uint32),
        size=np.array(sizes, float),
        force=np.array([signal_sizes.of_force(system.model, name) for name in names], np.bool_),
    )
