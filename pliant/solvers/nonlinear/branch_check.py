"""The equilibrium that a start goes over into under increasing loads: Newton's result, checked against the result of
following the start in small steps (homotopy.py).
"""

from __future__ import annotations

import numpy as np

from pliant._frozen import replace
from pliant.errors import ConvergenceError
from pliant.forces import rest_lengths
from pliant.forces.state_force import callbacks
from pliant.jit import kernel
from pliant.kernels import so3
from pliant.kernels.triples import cross, vector
from pliant.kernels.vectors import largest
from pliant.linalg import ldl
from pliant.solvers.nonlinear import equilibrium, newton
from pliant.solvers.nonlinear.homotopy import Followed, Homotopy
from pliant.solvers.stepping.status import DONE
from pliant.system.equations import Equations, Scratch
from pliant.system.limits import contact_distances
from pliant.system.packing import fused
from pliant.system.state import Equilibrium, State
from pliant.system.system import System

SAME = 1e-3  # of the whole way: nearer equilibria are equal
NOTHING = 1e-6  # of forces: negligible


def find_equilibrium(system: System, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
    """Find the equilibrium near ``start`` under the loads and drives at ``time`` that the start goes over into.

    Newton with large steps finds an equilibrium; following the start checks it. If another one is reached and is
    stable, it is returned. If the start cannot be followed to the end, ``snapped`` is the share of the loads that was
    reached.
    """
    with system.working() as scratch:
        return _found(system, start, time, load_steps, scratch)


def _found(system: System, start: State, time: float, load_steps: int, scratch: Scratch) -> Equilibrium:
    """Find the equilibrium with given work arrays."""
    rest = equilibrium.unloaded(system, start.q, system.signals(np.array([time]))[0])
    try:
        found = equilibrium.search(system, start, rest, scratch, time=time, load_steps=load_steps)
    except ConvergenceError:
        if (other := led_to(system, follow(system, start, rest, time, 1.0, scratch), time, scratch)) is None:
            raise
        return other
    far = equilibrium.distance(system, found.state.q, start.q)
    if not found.iterations:
        return found  # it is the start
    followed = branch_of(system, start, rest, found, far, scratch)
    if followed.share < 1.0:
        return replace(found, snapped=followed.share)
    if equilibrium.distance(system, found.state.q, followed.q) < SAME * far:
        return replace(found, left=0, slid=0.0)
    return prefer(found, led_to(system, followed, time, scratch))


def prefer(found: Equilibrium, other: Equilibrium | None) -> Equilibrium:
    """Choose between Newton's equilibrium and another one reached from the start: the latter if it is stable."""
    if other is None or other.unstable_directions is None or found.unstable_directions and other.unstable_directions:
        return found
    return replace(found, left=other.unstable_directions) if other.unstable_directions else other


def led_to(system: System, followed: Followed, time: float, scratch: Scratch) -> Equilibrium | None:
    """Return the equilibrium at the end of a branch; None if the end was not reached."""
    target = system.signals(np.array([time]))[0]
    q, lam, share = followed
    if share < 1.0:
        return None
    status, count, _ = equilibrium.newton_with(equilibrium.PLAIN, system, target, q, lam, scratch)
    callbacks.reraise()
    state = equilibrium.resting_at(q, lam, time)
    return equilibrium.judge(system, state, target, count, 0, scratch) if status == DONE else None


def compared(system: System, start: State, found: Equilibrium, same: float = SAME) -> Equilibrium:
    """Compare an equilibrium of another formulation with the branch of ``start``: set ``snapped`` if the branch ends,
    and ``slid`` if it leads further away than the part ``same`` of the way.
    """
    far = equilibrium.distance(system, found.state.q, start.q)
    rest = equilibrium.unloaded(system, start.q, system.signals(np.array([found.state.time]))[0])
    q, _, share = branch_of(system, start, rest, found, far, system.scratch())
    apart = equilibrium.distance(system, found.state.q, q) if share == 1.0 else 0.0
    return replace(found, snapped=share if share < 1.0 else 0.0, slid=apart if apart > same * far else found.slid)


def branch_of(
    system: System, start: State, rest: np.ndarray, found: Equilibrium, far: float, scratch: Scratch
) -> Followed:
    """Follow a start from signals at rest; if it ends at an unstable equilibrium, as the one found, follow again and
    watch the stability.
    """
    followed = follow(system, start, rest, found.state.time, far, scratch)
    if followed.share == 1.0 and found.unstable_directions:
        turned = follow(system, start, rest, found.state.time, 1.0, scratch, watched=True)
        return turned if turned.share == 1.0 else followed
    return followed


def follow(
    system: System, start: State, rest: np.ndarray, time: float, far: float, scratch: Scratch, *, watched: bool = False
) -> Followed:
    """Follow a start from signals at rest (`equilibrium.unloaded`) to the signals of an instant; ``far`` and
    ``watched`` as in `Homotopy.follow`.
    """
    target = system.signals(np.array([time]))[0]
    gamma = equilibrium.stiffness_scale(system, start.q, start.lam, target, scratch)
    found = Multiplied(system, start, bases(system, rest, target), target, gamma, scratch).follow(far, watched)
    callbacks.reraise()
    return found


def bases(system: System, rest: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return signals under which a start may be an equilibrium, with drives where the joints are: no loads; no loads
    and tendons at rest (``rest``, see `equilibrium.unloaded`); the loads of the target.
    """
    lengths = rest_lengths.signals(system.layout)
    driven = system.equations.rows.signal[system.equations.rows.gain != 0.0]
    free, loaded = rest.copy(), target.copy()
    free[lengths], loaded[driven] = target[lengths], rest[driven]
    return free, rest, loaded


@kernel
def carry(forces: np.ndarray, before: np.ndarray, after: np.ndarray, frames: int, nodes: int) -> None:
    """Rotate moments on nodes, in their axes, from one configuration to another: half as far as the nodes."""
    for k in range(nodes):
        i = 6 * k + 3
        x, y, z = cross(vector(forces, i), so3.turned(before, after, frames, k))
        forces[i] += 0.5 * x
        forces[i + 1] += 0.5 * y
        forces[i + 2] += 0.5 * z


@kernel
def increment(
    equations: Equations, q: np.ndarray, lam: np.ndarray, u: np.ndarray, gamma: float, unsymmetric: bool,
    scratch: Scratch, step: np.ndarray,
) -> bool:  # fmt: skip
    """Replace the residual in ``step`` by Newton's increment. Returns whether the matrix is regular."""
    newton.assemble(equations, q, lam, u, gamma, 0.0, True, scratch)
    for i in range(step.size):
        step[i] += scratch.step[i]
    if not ldl.solve_once(equations.pattern, scratch.s, scratch.w, scratch.factors, step, unsymmetric):
        return False
    total = 0.0
    for i in range(step.size):
        total += abs(step[i])
    return bool(np.isfinite(total))


class Multiplied(Homotopy):
    """Homotopy of a system with multipliers, from a start to the signals ``target``.

    The tangent is symmetric at equilibrium. With moments m that hold a node in space and rotation dx in its axes it is
    symmetric too if m turns half as far as the node, m + m x dx / 2: between a fixed moment and one that turns with the
    node (J. H. Argyris et al., Comput. Methods Appl. Mech. Eng. 17/18, 1979: semitangential). Newton converges
    quadratically only with these.

    bases  initial signals; the first with the smallest hold are used
    gamma  weight of the augmented term (N/m)
    """

    def __init__(
        self,
        system: System,
        start: State,
        bases: tuple[np.ndarray, ...],
        target: np.ndarray,
        gamma: float,
        scratch: Scratch,
    ) -> None:
        self.system, self.gamma, self.q, self.lam = system, gamma, start.q.copy(), start.lam.copy()
        self.scratch = scratch
        scratch.trial[:] = 0.0
        held = [(self.assemble(self.q, self.lam, u, 0.0), -scratch.step) for u in bases]
        forces = np.array([force for force, _ in held])
        chosen = int(np.argmax(forces <= np.min(forces) + NOTHING * np.max(forces)))
        self.base, self.hold, self.along = bases[chosen], held[chosen][1], target - bases[chosen]

    def held(self, q: np.ndarray) -> np.ndarray:
        """Return the forces that hold a configuration near the present point."""
        if not self.system.equations.turning:
            return self.hold
        hold = self.hold.copy()
        carry(hold, self.q, q, self.system.equations.frames, self.system.equations.turning)
        return hold

    def assemble(self, q: np.ndarray, lam: np.ndarray, u: np.ndarray, gamma: float, mixed: bool = False) -> float:
        """Assemble residual and tangent into scratch. Returns the largest force, times the length scale."""
        return float(newton.assemble(self.system.equations, q, lam, u, gamma, 0.0, mixed, self.scratch)[0])

    def rests(self) -> bool:
        """Check the inertia of the tangent; for loads without potential, of its symmetric part."""
        return bool(self.signs(0.0) == (ldl.OK, self.lam.size))

    def signs(self, t: float) -> tuple[int, int]:
        """Return the status of factorising the tangent, and the number of its negative pivots."""
        self.assemble(self.q, self.lam, self.base + t * self.along, self.gamma)
        status, negative = ldl.factor(self.system.equations.pattern, self.scratch.s, self.scratch.factors)
        return int(status), int(negative)

    def moved(self, q: np.ndarray, lam: np.ndarray, step: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the point after an increment (None: zero), with the stresses of mixed integration points."""
        n, trial = self.system.freedoms, self.scratch.trial
        trial[:n] = 0.0 if step is None else step[:n]
        fused.stretch(self.system.equations.parts, q, trial, self.scratch.stress)
        return (q, lam) if step is None else (self.system.moved(q, step[:n]), lam + step[n:])

    def increment(self, q: np.ndarray, lam: np.ndarray, t: float) -> np.ndarray | None:
        """Return Newton's increment; None if the matrix is singular."""
        step, unsymmetric = (1.0 - t) * self.held(q), not self.system.conservative
        u, equations = self.base + t * self.along, self.system.equations
        return step if increment(equations, q, lam, u, self.gamma, unsymmetric, self.scratch, step) else None

    def leaps(self, q: np.ndarray) -> bool:
        """Return whether shapes pass through each other."""
        return contact_distances.pass_through(self.system, self.q, q)

    def size(self, step: np.ndarray) -> float:
        """Return the largest displacement of an increment, in lengths of the model and radians."""
        return float(largest(step, self.system.equations.weight))

    def apart(self, q: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the increment from one configuration to another."""
        return self.system.apart(q, other)
