"""Shooting in space: nodes, joints, bodies and forces as in the formulation "dae", rods marched between the nodes.

The signals that hold a system of rods in space, and rows of its equilibria, are found here.

The unstable directions of an unloaded rod between its held ends are counted as follows. Its second variation is the sum
for the steps of its march, each with held ends, and for the sections between them (E.V. Haynsworth, Linear Algebra
Appl. 1, 1968). A step is so short that it has no unstable direction of its own (stability.py). Section after section is
then eliminated: with all sections before it free, section k has the stiffness

    S = D B^-1 - (D - Q R'^-1 B') (B - R R'^-1 B')^-1

where B is the move of section k by the wrench at the base, D the change of the resultants there, R and Q the effects of
a rigid move of the base on both, and primes mark section k + 1, which is held. Negative eigenvalues of S, which is
symmetric, are unstable directions: conjugate points between the sections (C.G.J. Jacobi), counted with multiplicity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi, sqrt
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from pliant.elements.rod_ivp.feeding import lengthen
from pliant.elements.rod_ivp.frames import FORCE, Work, workspace
from pliant.elements.rod_ivp.frozen import KEPT, take_wrenches
from pliant.elements.rod_ivp.outputs import look_along
from pliant.elements.rod_ivp.simd import BY_WRENCH, MOVES, SIZE
from pliant.elements.rod_ivp.spatial import Arrays
from pliant.elements.rod_ivp.unloaded import look, march_all
from pliant.errors import ConvergenceError
from pliant.formulations.shooting.spatial import equilibrium as spatial_equilibrium
from pliant.formulations.shooting.spatial import motion as spatial_motion
from pliant.formulations.shooting.spatial import stability as spatial_stability
from pliant.formulations.shooting.spatial.observation import FAMILY, SpatialRodObserver, dense
from pliant.formulations.shooting.spatial.stability import may_hide
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.triples import cross, dot, minus, plus, vector
from pliant.kernels.vectors import fill
from pliant.linalg import elimination
from pliant.model.signals.base import SignalLike
from pliant.solvers.nonlinear import newton
from pliant.solvers.nonlinear.held_frame import Frame
from pliant.solvers.nonlinear.inverse import Inverse, Yielding
from pliant.solvers.nonlinear.inverse_step import LIMIT, SMALLEST_STEP, Reached, Wanted
from pliant.solvers.nonlinear.multipliers import Multipliers, Resting
from pliant.solvers.nonlinear.pose_path import Limits, PoseFollower
from pliant.solvers.paths.continuation import Continuation
from pliant.solvers.paths.parameter import PathParameter
from pliant.solvers.stepping.methods import GeneralizedAlpha, Kinds, Newmark
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Sensors
from pliant.solvers.stepping.sensors import Reading, sensors
from pliant.system.packing.build import pack_families
from pliant.system.state import Equilibrium, State

if TYPE_CHECKING:
    from pliant.elements.rod_ivp.spatial import Arrays

UNKNOWN = -1
ROUNDING = 1e-9  # of the largest entry of its row: the sign of a smaller pivot is unknown


class Workspace(NamedTuple):
    """Workspace of the count, (6, 6) unless stated otherwise."""

    moves: np.ndarray  # B
    other: np.ndarray  # B - R R'^-1 B'
    force: np.ndarray  # D, and D B^-1
    held: np.ndarray  # D - Q R'^-1 B', divided by `other`
    stiffness: np.ndarray  # S
    matrix: np.ndarray
    side: np.ndarray  # (6)
    order: np.ndarray  # (6)


@allocating_kernel
def count(part: Arrays, q: np.ndarray, u: np.ndarray, stress: np.ndarray, out: np.ndarray) -> None:
    """Count unstable directions between nodes in states at rest, one a row, whose wrenches were stored; UNKNOWN if rods
    are loaded between their ends or steps are too long.
    """
    work, square = workspace(part), (6, 6)
    room = Workspace(
        np.zeros(square), np.zeros(square), np.zeros(square), np.zeros(square), np.zeros(square), np.zeros(square),
        np.zeros(6), np.zeros(6, np.int64),
    )  # fmt: skip
    for state in range(q.shape[0]):
        out[state] = 0
        lengthen(part, q[state], False, work)
        take_wrenches(part, stress[state], work)
        march_all(part, BY_WRENCH, work)
        for e in range(part.steps.size):
            fill(work.wrench, work.wrenches[e])
            found = within(part, e, work, room) if part.bare[e] else UNKNOWN
            if found == UNKNOWN:
                out[state] = UNKNOWN
                break
            out[state] += found


@kernel
def is_short(part: Arrays, e: int, step: int, work: Work) -> bool:
    """Return whether a step of subinterval e is certainly stable; see stability.py. The moment is linear in the
    place, and the place off the chord by ``kappa h^2/8`` at most.
    """
    k, h = part.first[e] + part.spacing * step, part.step[e] * work.longer[e]
    S, N, M, bent = part.compliance[k], 0.0, 0.0, 0.0
    for i in range(2):
        seen = work.seen[step + i]
        N = max(N, sqrt(dot(vector(seen, FORCE), vector(seen, FORCE))))
        M = max(M, sqrt(dot(vector(seen, FORCE + 3), vector(seen, FORCE + 3))))
        rest = vector(part.rest[k + i * part.spacing], 3)
        bent = max(bent, sqrt(dot(rest, rest)))
    soft, bends = max(S[0, 0], max(S[1, 1], S[2, 2])), max(S[3, 3], max(S[4, 4], S[5, 5]))
    gamma = 1.0 + N * soft
    sag = 0.125 * N * (gamma * h) ** 2  # moment between the ends in addition to the chord's, by a unit curvature
    if sag * bends >= 1.0:
        return False
    M = (M + sag * bent) / (1.0 - sag * bends)
    kappa = bent + M * bends
    if kappa * h >= pi:
        return False
    reach = (h / pi) / (1.0 - kappa * h / pi)
    return (N * (gamma + N * soft) * reach * reach + M * reach) * bends < 1.0


@kernel
def within(part: Arrays, e: int, work: Work, room: Workspace) -> int:
    """Return the count of subinterval e, which was marched."""
    found = 0
    look(work.passed[e, 0], work.wrench, work.seen[0])
    for step in range(part.steps[e]):
        look(work.passed[e, step + 1], work.wrench, work.seen[step + 1])
        if not is_short(part, e, step, work):
            return UNKNOWN
        if step > 0:
            stiffen(work.passed[e, step], work.passed[e, step + 1], work.wrench, room)
            negatives = negative(room.stiffness)
            if negatives == UNKNOWN:
                return UNKNOWN
            found += negatives
    return found


@kernel
def stiffen(here: np.ndarray, held: np.ndarray, wrench: np.ndarray, room: Workspace) -> None:
    """Compute S of a section that a march has passed, with the next one held."""
    x, y, n, C = vector(here, 0), vector(held, 0), vector(wrench, 0), room.other
    B, m, on = room.moves, plus(vector(wrench, 3), cross(n, x)), minus(x, y)
    for i in range(6):
        for j in range(6):
            B[i, j] = here[SIZE + MOVES * i + j]
    for j in range(6):
        i = SIZE + j
        dx, dphi = (B[0, j], B[1, j], B[2, j]), (held[i + 18], held[i + 24], held[i + 30])
        swung, pulled, spun = cross(dphi, on), cross(dphi, n), cross(dphi, m)
        dn = (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)
        dm = (1.0 if j == 3 else 0.0), (1.0 if j == 4 else 0.0), (1.0 if j == 5 else 0.0)
        dm = plus(dm, plus(cross(dn, x), cross(n, dx)))
        for k in range(3):
            C[k, j], C[k + 3, j] = B[k, j] - held[i + 6 * k] - swung[k], B[k + 3, j] - dphi[k]
            room.force[k, j], room.force[k + 3, j] = dn[k], dm[k]
            room.held[k, j], room.held[k + 3, j] = dn[k] - pulled[k], dm[k] - spun[k]
    divide(room.force, B, room)
    divide(room.held, C, room)
    for i in range(6):
        for j in range(6):
            room.stiffness[i, j] = 0.5 * (room.force[i, j] - room.held[i, j] + room.force[j, i] - room.held[j, i])


@kernel
def divide(D: np.ndarray, B: np.ndarray, room: Workspace) -> None:
    """Replace D by D B^-1; infinite if B is singular."""
    for i in range(6):
        for j in range(6):
            room.matrix[i, j] = B[j, i]
    if elimination.factor(room.matrix, 6, room.order) == 0.0:
        D[:] = np.inf
        return
    for i in range(6):
        for j in range(6):
            room.side[j] = D[i, j]
        elimination.solve(room.matrix, 6, room.order, room.side, D[i])


@kernel
def negative(S: np.ndarray) -> int:
    """Return the number of negative eigenvalues of a symmetric matrix, by its pivots; UNKNOWN if one is near zero."""
    found = 0
    for k in range(6):
        pivot, own = S[k, k], 0.0
        for j in range(6):
            own = max(own, abs(S[k, j]) * ROUNDING if j != k else 0.0)
        if not abs(pivot) > own:
            return UNKNOWN
        found += int(pivot < 0.0)
        for i in range(k + 1, 6):
            f = S[i, k] / pivot
            for j in range(k + 1, 6):
                S[i, j] -= f * S[k, j]
    return found


REMAINDER = (
    1e-12  # in lengths of the model and radians: wrenches are unknowns, so the rest is not multiplied by a stiffness
)
CLASSICAL = 4  # method for resultants between nodes, in steps half as long: relative error 1e-4
PATIENCE = 4  # poses whose increments use one factorisation


class SpatialRodInverse(Inverse):
    """Newton for some signals of rods in space, by their numbers."""

    system: SpatialShooting

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rods: Arrays = pack_families(self.system.layout)[0][FAMILY]
        shown = dense(self.system.layout)
        quick = {mesh.beam.name: replace(mesh.options, runge_kutta=CLASSICAL) for mesh in shown.beams}
        self.shown: Arrays = pack_families(shown.with_options(quick))[0][FAMILY]

    def toward(
        self,
        wanted: Wanted,
        start: State,
        u: np.ndarray,
        *,
        gamma: float | None = None,
        step: float = SMALLEST_STEP,
        limit: int = LIMIT,
    ) -> Reached:
        """Return the equilibrium in which conditions hold, or the last one on the way there; from the equilibrium of
        the model, if the start is the model as assembled: its joints may be open, and its rods far from rest.
        """
        if np.array_equal(start.q, self.system.initial):
            try:
                held = self.system.with_signals(self.system.named(u))
                start = replace(held.find_equilibrium(start, time=start.time).state, time=start.time)
            except ConvergenceError:
                pass  # the start itself may be good enough
        return super().toward(wanted, start, u, gamma=gamma, step=step, limit=limit)

    def follower(self, frame: Frame, stability: bool = True) -> PoseFollower | None:
        """Return a compiled follower of poses of a frame; without stability it uses factors of earlier poses."""
        if not self.system.conservative:
            return None
        first = self.rods.stress_start + KEPT * np.arange(len(self.rods.dofs))
        way = Limits(REMAINDER, (first[:, None] + np.arange(6)).ravel())
        return PoseFollower(self.system, self.signals, frame, self.gamma, way, 0 if stability else PATIENCE)

    def resultants(self, q: np.ndarray, u: np.ndarray, stress: np.ndarray) -> np.ndarray:
        """Return (states, sections, 6) at the sections of the observer, by the stored wrenches."""
        found = np.empty((len(q), int(np.sum(self.shown.steps + 1)), 6))
        look_along(self.rods, self.shown, q, u, stress, found)
        return found

    def hidden(self, q: np.ndarray, u: np.ndarray, stress: np.ndarray) -> np.ndarray:
        """Return (states,) unstable directions between nodes: counted, or zero by a bound; negative: not known."""
        found = np.zeros(len(q), np.int64)
        count(self.rods, q, u, stress, found)
        for k in np.flatnonzero(found < 0):
            found[k] = -1 if may_hide(self.system, q[k], u[k]) else 0
        return found

    def yielding(self, found: Reached, forces: np.ndarray) -> Yielding:
        """Return the compliance, with unstable directions between nodes."""
        nodes, state, u = super().yielding(found, forces), found.state, found.signals
        if not nodes.regular or nodes.unstable is None:
            return nodes
        with self.system.working() as scratch:
            newton.begin(self.system.equations, state.q, state.lam, u, self.gamma, scratch)
            hidden = int(self.hidden(state.q[None], u[None], scratch.stress[None])[0])
        return nodes._replace(unstable=together(nodes.unstable, hidden))


def together(nodes: int, hidden: int) -> int | None:
    """Return the unstable directions of nodes and between them; None if the nodes have none and the rest is unknown."""
    return nodes + hidden if hidden >= 0 else nodes or None


@dataclass(frozen=True, repr=False)
class SpatialShooting(Resting):
    """A spatial model with its beams as initial-value problems and its joints as terminal equations.

    mesh  the model with finite elements that end at the same nodes: equilibria are searched there first
    """

    methods: ClassVar[Kinds] = (GeneralizedAlpha, Newmark)
    unmeasured: ClassVar[tuple[str, ...]] = ("resultant", "strain")
    eliminates: ClassVar[bool] = True

    formulation: str = "shooting"
    mesh: Multipliers = None  # type: ignore[assignment]  # given by the builder

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Self:
        """Return the system with some signals replaced, by the names in ``signal_names``."""
        return replace(super().with_signals(signals), mesh=self.mesh.with_signals(signals))

    def observer(self) -> SpatialRodObserver:
        """Return the observer of its results."""
        return SpatialRodObserver(self)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
        """Find the equilibrium near a state; see equilibrium.py."""
        return spatial_equilibrium.find_equilibrium(self, start, time=time, load_steps=load_steps)

    def assess(self, state: State, u: np.ndarray, iterations: int, load_steps: int) -> Equilibrium:
        """Return an equilibrium with residual and stability; refuse it if its marches are not accurate enough."""
        spatial_equilibrium.check_marches(self, state, u)
        found = super().assess(state, u, iterations, load_steps)
        hidden = spatial_stability.may_hide(self, state.q, u)
        return replace(found, unstable_directions=None) if hidden else found

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Continuation:
        """Return Newton along a path that passes near an equilibrium; the path is refused if stability is not known."""
        return spatial_stability.WatchfulContinuation(parameter, q, lam, p)

    def inverse(self, signals: Sequence[int]) -> SpatialRodInverse:
        """Return Newton for some signals, by their numbers."""
        return SpatialRodInverse(self, list(signals))

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Return the sensors that a controller reads within the time loop."""
        return sensors(self, names, terms)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Compute the motion in time; see motion.py."""
        return spatial_motion.move(self, begin, plan)
