"""Kinetostatics of a robot: its platform, its motors, and the equilibria that they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.analyses.common import numbers, require, state_of, values_at
from pliant.analyses.poses import follow, free_range, workspace
from pliant.analyses.poses.arrival import arrive
from pliant.analyses.poses.effector import Effector
from pliant.analyses.poses.equilibria import Equilibria
from pliant.analyses.poses.free_range import Room
from pliant.analyses.poses.legs import Reach
from pliant.analyses.poses.pose import Pose
from pliant.analyses.poses.refusals import not_assembled, over_limit, torn
from pliant.analyses.poses.rows import Driven, Held
from pliant.analyses.poses.stepper import PoseStepper
from pliant.analyses.poses.targets import Poses, rows_of_motors, rows_of_signals, single, targets
from pliant.analyses.statics.statics import resting
from pliant.errors import (
    AssemblyError,
    ConvergenceError,
    NearSingularPose,
    OptionError,
    UnstableEquilibrium,
    nearest,
    warn,
)
from pliant.forces.state_force.callbacks import watched
from pliant.model import Marker
from pliant.model.rotations import Orientation
from pliant.results import Result
from pliant.solvers.nonlinear.inverse_step import Reached
from pliant.system.capabilities import HasInverse
from pliant.system.state import State

Limits = tuple[float, float] | Mapping[str, tuple[float, float]]

NEAR_SINGULAR = 1e3  # ratio of the largest to the smallest singular value of the Jacobian


class Kinetostatics:
    """Forward and inverse kinetostatics of a robot: a compiled system, its platform, and the signals (motors) that hold
    the platform's pose.

    platform      name of a rigid body, label of a marker, or a marker (also on a beam)
    motors        names of signals (``system.signal_names``): six to hold a pose in space, three in the plane; three or
                  two to hold a position only, with a free orientation
    limits        (lowest, highest) value of all motors (rad or m), or a mapping for some of them
    strain_limit  largest permissible strain of beams, such as yield stress over Young's modulus; only used to compute
                  margins

    Loads are as in the system; ``load={"load/z": -5.0}`` replaces some by the names of their signals.

    >>> import pliant as pl
    >>> from pliant_gallery.examples import two_links
    >>> system = pl.compile(two_links())
    >>> arm = pl.Kinetostatics(system, platform="lower/tip", motors=["shoulder/angle", "elbow/angle"])
    >>> pose = arm.inverse((0.0, 1.0))
    >>> pose.motors.round(4)
    array([0.5236, 2.0944])
    >>> arm.forward(pose.motors).position.round(9) + 0.0
    array([0., 1.])
    """

    def __init__(
        self,
        system: HasInverse,
        *,
        platform: Marker | str,
        motors: Sequence[str],
        limits: Limits | None = None,
        strain_limit: float | None = None,
    ) -> None:
        require(system, HasInverse, "Kinetostatics")
        if isinstance(motors, str) or not isinstance(motors, Sequence):
            raise OptionError(f"motors={motors!r:.60}: give a list of names of signals.")
        names = [str(name) for name in motors]
        for name in names:
            if name not in system.signal_names:
                raise OptionError(f"motors: there is no signal {name!r}. {nearest(name, system.signal_names)}")
        if len(set(names)) < len(names):
            raise OptionError(f"motors={names!r}: a signal comes twice.")
        if strain_limit is not None:
            numbers("strain_limit", strain_limit, 1, "a positive strain")
            if strain_limit <= 0.0:
                raise OptionError(f"strain_limit={strain_limit!r}: give a positive strain, such as 0.008.")
        self.system = system
        self.motors = tuple(names)
        self.strain_limit = strain_limit
        self.limits = _limits(limits, names)
        effector = Effector.named(system, platform, len(names))
        self.effector, self.reach = effector, Reach(effector)
        self.legs = self.reach.legs
        signals = [system.signal_number(name) for name in names]
        self.equilibria = Equilibria(effector, signals, self.limits, _size(effector))

    @watched()
    def inverse(
        self,
        position: ArrayLike,
        orientation: Orientation | float | None = None,
        *,
        load: Mapping[str, float] | None = None,
        start: Pose | Result | None = None,
    ) -> Pose:
        """Find the motors that hold the platform at a pose, in equilibrium with the loads.

        position     (x, y, z), or (x, y) in the plane (m)
        orientation  a rotation vector, a matrix or pl.rotation(...); an angle in the plane; default: as at the start
        load         values of other signals, by name
        start        pose, or Result of statics, to start from, with its motor values; default: the assembled
                     configuration. If there are several solutions, it determines which one is found: legs that are
                     assembled straight need a start in which they are bent (`robots.stand`)

        Raises UnreachableError, SingularError or LimitError (its ``pose`` is the one beyond the limit); warns if the
        equilibrium is unstable.
        """
        begin, u = self._start(start, load)
        target = self.effector.target(position, orientation, self.effector.at(begin.q))
        pose = arrive(self, target, begin, u)
        if pose.limit_margin < 0.0:
            raise over_limit(self, pose)
        return self._warned(pose)

    @watched()
    def forward(
        self, motors: ArrayLike, *, load: Mapping[str, float] | None = None, start: Pose | Result | None = None
    ) -> Pose:
        """Find the pose of the platform for given values of the motors, in the order of their names.

        load   values of other signals, by name
        start  as for `inverse`

        A stable equilibrium is preferred where Newton runs into an unstable one away from the start. Raises LimitError,
        AssemblyError where legs cannot be brought together, ConvergenceError where no equilibrium is
        found; warns where it is unstable.
        """
        numbers("motors", motors, len(self.motors), f"{len(self.motors)} finite numbers")
        begin, u = self._start(start, load)
        u[self.equilibria.motors] = motors
        return self._warned(self.resting(begin, u))

    def resting(self, begin: State, u: np.ndarray) -> Pose:
        """Find the pose for values of all signals, from a state; see `forward`."""
        motors = u[self.equilibria.motors]
        if np.any(motors < self.limits[:, 0]) or np.any(motors > self.limits[:, 1]):
            raise over_limit(self, motors)
        found = self.equilibria.inverse.driven(begin, u)
        pose = None if found is None else self.equilibria.describe(found)
        if pose is None or pose.stable is False:
            try:
                rest = self.equilibria.with_signals(u).find_equilibrium(begin, time=0.0, load_steps=1)
            except ConvergenceError as error:
                raise not_assembled(self, begin, u, error) from error
            pose = self.equilibria.describe(Reached(rest.state, u, rest.iterations, rest.load_steps, 1.0))
        if reason := torn(self, pose):
            raise AssemblyError(
                f"The legs cannot be assembled at these motors: {reason} Bring the motors nearer to a pose "
                "that was found, or give the leg another length."
            )
        return pose

    @watched()
    def workspace(
        self,
        poses: Poses,
        *,
        load: Mapping[str, float] | None = None,
        start: Pose | Result | None = None,
        workers: int | None = None,
    ) -> Result:
        """Find which of many poses the robot can take, and how well.

        poses    a grid as {"x": xs, "z": zs, "roll": 0.1}: values of x, y, z, roll, pitch, yaw, of which single numbers
                 make no axis and those left out are the start's (R = Rz(yaw) Ry(pitch) Rx(roll)); in the plane x, y,
                 angle. Or a list of positions, or of pairs (position, orientation)
        load     values of other signals, by name
        start    as for `inverse`
        workers  threads; one a processor unless given

        Result of kind "workspace" over the axes of the grid, or over ``pose``: ``reachable``, ``stable``, ``usable``
        (both, within limits of motors and strain), ``motor``, ``torque``, ``limit_margin``, ``strain``,
        ``strain_margin``, ``condition``, ``softest``. Every pose starts from the nearest that was found before. Ctrl-C
        raises Interrupted with what was computed as its ``result``.
        """
        return workspace.explore(self, poses, *self._start(start, load), workers)

    @watched()
    def room(
        self,
        *,
        reach: float,
        start: Pose | None = None,
        load: Mapping[str, float] | None = None,
        condition: float = 10.0,
        rays: int = 12,
        steps: int = 16,
        symmetry: int = 1,
    ) -> Room:
        """Find how far the platform goes from a pose, without turning, until a motor is at its limit, a beam at the
        largest strain, the equilibrium unstable, the Jacobian ill-conditioned, or no pose is found: `Room`, whose
        ``size`` is an area or a volume. Rays are straight, so places behind an edge are not counted.

        reach      how far is looked (m)
        start      the pose from which rays go; the assembled configuration unless given
        load       values of other signals, by name
        condition  the largest condition number of the Jacobian that is allowed
        rays       about z, all around; in space there are half as many rows of them
        steps      poses of a ray
        symmetry   in how many parts that are alike the robot can be cut about z through the start: one is computed

        >>> import pliant as pl
        >>> from pliant_gallery.examples import two_links
        >>> joints = ["shoulder/angle", "elbow/angle"]
        >>> arm = pl.Kinetostatics(pl.compile(two_links()), platform="lower/tip", motors=joints)
        >>> found = arm.room(reach=0.1, rays=4, start=arm.inverse((0.0, 1.0)))
        >>> round(found.size / (3.141593 * 0.1**2), 6), set(found.stopped)
        (1.0, {'reach'})
        """
        begin = start or self.forward(self._start(None, load)[1][self.equilibria.motors], load=load)
        return free_range.explore(
            self, begin, load or {}, reach=reach, steps=steps, condition=condition, rays=rays, symmetry=symmetry
        )

    @watched()
    def follow(
        self,
        poses: Poses,
        *,
        load: Mapping[str, ArrayLike] | None = None,
        start: Pose | Result | None = None,
        time: Sequence[float] | None = None,
        stability: bool = True,
    ) -> Result:
        """Find the motors along a trajectory of poses, in compiled code.

        poses  a list as for `workspace`, an array of positions, or {"x": xs, "z": zs}: as many values each, single
               numbers for what stays
        load   values of other signals, by name: numbers, or one for every pose
        start  as for `inverse`
        time   instants of the poses (s), if the result is to have them
        stability   False: poses only, which rods by "shooting" are found faster for; how they yield (``stable``,
               ``condition``, ``softest``) is not known then

        Result of kind "trajectory" over ``pose``, as from `workspace`. Every point begins where the last ones point
        to, and is compared with what the Jacobian predicts, and how the platform yields to loads that change; where
        they differ the way between is cut, and if that does not help, the point is marked as a ``jump`` to another
        branch. The outcome is ok if every point was reached, stable, within limits and without jump. A trajectory ends
        at the first pose that cannot be reached.
        """
        begin, u = self._start(start, single(load))
        requested, _ = targets(self, poses, begin, grid=False)
        signals, known = rows_of_signals(self, u, len(requested), load), start if isinstance(start, Pose) else None
        return follow.along(self, Held(self, requested, signals, begin, known), time, stability)

    @watched()
    def drive(
        self,
        motors: ArrayLike,
        *,
        load: Mapping[str, ArrayLike] | None = None,
        start: Pose | Result | None = None,
        time: Sequence[float] | None = None,
        stability: bool = True,
    ) -> Result:
        """Find the poses of the platform as motors and loads change, in compiled code: `forward` along a row.

        motors  (poses, motors), or one row that is held while loads change
        load    values of other signals, by name: numbers, or one for every pose
        start   as for `inverse`
        time    instants of the poses (s), if the result is to have them
        stability   as for `follow`

        Result as from `follow`, with the poses found. Ends at the first motors beyond their limits or at which there
        is no equilibrium.

        >>> import numpy as np, pliant as pl
        >>> from pliant_gallery.examples import two_links
        >>> arm = pl.Kinetostatics(
        ...     pl.compile(two_links()), platform="lower/tip", motors=["shoulder/angle", "elbow/angle"]
        ... )
        >>> swing = arm.drive(np.linspace([0.5, 1.0], [0.6, 1.2], 11))
        >>> swing.outcome.poses, bool(np.allclose(swing.position.values[-1], arm.forward([0.6, 1.2]).position))
        (11, True)
        """
        begin, u = self._start(start, single(load))
        given = rows_of_motors(self, motors, load)
        signals = rows_of_signals(self, u, len(given), load)
        signals[:, self.equilibria.motors] = given
        known = start if isinstance(start, Pose) else None
        return follow.along(self, Driven(self, signals, begin, known), time, stability)

    @watched()
    def stepper(
        self,
        *,
        load: Mapping[str, float] | None = None,
        start: Pose | Result | None = None,
        stability: bool = True,
    ) -> PoseStepper:
        """Return the robot for a control loop, which requests one pose after the other: at rest with the motors of the
        start.

        load       values of other signals, by name
        start      as for `inverse`
        stability  as for `follow`
        """
        begin, u = self._start(start, load)
        return PoseStepper(self, self._warned(self.resting(begin, u)), stability)

    def result(self, pose: Pose) -> Result:
        """Return the labelled Result of a pose, as of `statics` (shape, resultants, reactions), to plot and to save."""
        held = self.equilibria.with_signals(pose.signals)
        rest = held.assess(pose.state, pose.signals, pose.iterations, 1)
        return resting(held, rest, {"signals": dict(zip(self.motors, pose.motors.tolist(), strict=True))})

    def _start(self, start: Pose | Result | None, load: Mapping[str, float] | None) -> tuple[State, np.ndarray]:
        """Return the state to start from and values of all signals: motors as in the state, and some others
        replaced.
        """
        u = self.system.signals(np.zeros(1))[0]
        if load is not None and not isinstance(load, Mapping):
            raise OptionError(f'load={load!r:.60}: give values by the names of signals, such as {{"load/z": -5.0}}.')
        for name, value in (load or {}).items():
            if name not in self.system.signal_names:
                raise OptionError(f"load: there is no signal {name!r}. {nearest(str(name), self.system.signal_names)}")
            if name in self.motors:
                raise OptionError(f"load: {name!r} is a motor, whose value is looked for. Name other signals.")
            numbers(f"load[{name!r}]", value, 1, "a finite number")
            u[self.system.signal_number(name)] = value
        if not isinstance(start, Pose):
            state = state_of(self.system, start)
            u[self.equilibria.motors] = values_at(self.system, start, state, self.motors)
            return state, u
        if start.state.q.size != self.system.size or start.motors.size != len(self.motors):
            raise OptionError(f"start={start!r:.60}: it is a pose of another robot.")
        u[self.equilibria.motors] = start.motors
        return start.state, u

    def _warned(self, pose: Pose) -> Pose:
        if pose.stable is False:
            warn(
                UnstableEquilibrium,
                f"The pose of {self.system.model.name!r} is unstable in {pose.unstable_directions} direction(s) with "
                "the motors held. Start from a pose on the side you want (start=).",
            )
        if pose.condition > NEAR_SINGULAR:
            warn(
                NearSingularPose,
                f"The pose of {self.system.model.name!r} is nearly singular: the motors move the platform "
                f"{pose.condition:.2g} times further in one direction than in another. Choose a pose away from it, or "
                "other motors.",
            )
        return pose

    def __repr__(self) -> str:
        return f"Kinetostatics({self.system.model.name!r}: {self.effector.marker.label} by {', '.join(self.motors)})"


def _limits(given: Limits | None, motors: list[str]) -> np.ndarray:
    """Return (motors, 2) limits, infinite without any."""
    found = np.tile([-np.inf, np.inf], (len(motors), 1))
    if given is None:
        return found
    pairs = given if isinstance(given, Mapping) else dict.fromkeys(motors, given)
    for name, pair in pairs.items():
        if name not in motors:
            raise OptionError(f"limits: there is no motor {name!r}. {nearest(str(name), motors)}")
        numbers(f"limits of {name!r}", pair, 2, "two finite numbers, the lowest and the highest value")
        if not pair[0] < pair[1]:
            raise OptionError(f"limits of {name!r}: {pair!r}: the lowest value comes first.")
        found[motors.index(name)] = pair
    return found


def _size(effector: Effector) -> float:
    """Return the distance of the platform's joints from its frame (root mean square), or else the model's size: it
    makes metres comparable with radians.
    """
    system = effector.system
    layout: Any = system.layout
    mine = [m for rows in system.joints for m in rows.joint.markers if m.body is effector.marker.body]
    arms: Any = [np.subtract(layout.arm(m), layout.arm(effector.marker)) for m in mine]
    mean = float(np.sqrt(np.mean(np.sum(np.square(arms), axis=1)))) if mine else 0.0
    return mean or system.length_scale
