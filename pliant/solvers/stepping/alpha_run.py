"""What the compiled loop of generalized-alpha is given, what it works on and what it records."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.jit.bundle import Bundle
from pliant.kernels.vectors import fill
from pliant.solvers.stepping.alpha_scheme import Scheme
from pliant.solvers.stepping.drivers import Counts
from pliant.solvers.stepping.sampling import Sampler
from pliant.system.equations import Equations, Scratch

POSITION, BAUMGARTE, PROJECTION = 0, 1, 2
OPENEST = 1e-6  # a joint further open than this, in lengths of the model or radians, is not closed
TIGHTEST = 1e-10  # no step may leave an error larger than this, in lengths of the model and radians

Memory = Any  # numpy.record with the fields of MEMORY: ``memory.contraction``
MEMORY = np.dtype(
    [
        ("contraction", np.float64),  # Newton's quadratic constant
        ("age", np.float64),  # steps since it was measured
        ("jumped", np.float64),  # whether the signals have jumped since the last step
        ("gain", np.float64),  # energy that came from nowhere in the last step; negative: that was lost
    ]
)


class Controls(Bundle):
    """What the loop is given besides the equations."""

    tolerance: float
    max_iterations: int
    constraints: int  # POSITION, BAUMGARTE or PROJECTION
    stiffness: float  # Baumgarte omega [1/s]
    damping: float  # Baumgarte zeta
    error_limit: float  # largest local error allowed over the size of the step [1/s] (0: not controlled)
    error_floor: float  # a whole run of steps below this may be taken larger
    shortest: float  # step [s]: shorter ones may make its error, so that accelerations which jump are passed
    least_gain: float  # energy [J] that may always come from nowhere in a step
    gain_limit: float  # and that which may as a part of the energy at work
    unsymmetric: bool
    powers: bool
    carries: bool  # whether stiffness carries what moves no mass, where velocities are projected (momentum form only)
    mixed: bool = False  # beams take the mean of their stresses before and after a step (momentum form only)


class State(Bundle):
    """Everything that one step hands to the next; ``work`` = (energy supplied, dissipated).

    Where velocities are projected a is off by a part of h along the joints, and ``recorded`` is what takes it there.
    """

    whole: np.ndarray  # all of it in one piece of memory, which is copied at once
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    recorded: np.ndarray  # what is added to a where it is recorded
    abar: np.ndarray
    lam: np.ndarray
    lambar: np.ndarray  # multipliers that belong to abar (momentum form only)
    work: np.ndarray

    @staticmethod
    def of(whole: np.ndarray, size: int, joints: int) -> State:
        """The state that a piece of memory holds, of so many coordinates and conditions."""
        q, v, a, recorded, abar = (whole[k * size : (k + 1) * size] for k in range(5))
        rest = whole[5 * size :]
        return State(whole, q, v, a, recorded, abar, rest[:joints], rest[joints:-2], rest[-2:])


class Record(Bundle):
    """Recorded instants."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: np.ndarray


class Run(Bundle):
    """A motion at work: what is solved and how, the state now and before the step, and what is remembered."""

    equations: Equations
    scheme: Scheme
    controls: Controls
    state: State
    old: State
    scratch: Scratch
    memory: Memory
    counts: Counts
    sampler: Sampler


class Inputs(NamedTuple):
    """Signals at an instant, and the derivatives of those that drive joints."""

    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


@kernel
def copy(source: State, target: State) -> None:
    """Copy a state."""
    fill(target.whole, source.whole)


@linked_kernel
def keep(state: State, time: float, counts: Counts, record: Record) -> None:
    """Record a state, after those recorded so far."""
    m = counts.records
    record.time[m] = time
    fill(record.q[m], state.q)
    fill(record.v[m], state.v)
    for i in range(state.a.size):
        record.a[m, i] = state.a[i] + state.recorded[i]
    fill(record.lam[m], state.lam)
    fill(record.work[m], state.work)
    counts.records += 1
