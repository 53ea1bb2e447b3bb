"""Data of the compiled loop of generalized-alpha: settings, workspace and records."""

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
        ("age", np.float64),  # steps since its measurement
        ("jumped", np.float64),  # whether the signals have jumped since the last step
        ("gain", np.float64),  # spurious energy gained in the last step; negative: lost
    ]
)


class Controls(Bundle):
    """Settings of the loop besides the equations."""

    tolerance: float
    max_iterations: int
    constraints: int  # POSITION, BAUMGARTE or PROJECTION
    stiffness: float  # Baumgarte omega [1/s]
    damping: float  # Baumgarte zeta
    error_limit: float  # largest local error per step size [1/s] (0: not controlled)
    error_floor: float  # a run of steps with errors below this may take larger ones
    shortest: float  # step [s]: shorter ones may have its error, to pass jumps of the acceleration
    least_gain: float  # spurious energy [J] that a step may always gain
    gain_limit: float  # and the part of the energy at work that it may gain
    unsymmetric: bool
    powers: bool
    carries: bool  # whether stiffness carries massless parts in the projection of velocities (momentum form only)
    mixed: bool = False  # beams use the mean of their stresses before and after a step (momentum form only)


class State(Bundle):
    """Complete state from one step to the next; ``work`` = (energy supplied, dissipated).

    With projected velocities a has an error of order h along the joints, which ``recorded`` corrects.
    """

    whole: np.ndarray  # all arrays in one piece of memory, for fast copies
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    recorded: np.ndarray  # correction added to a in records
    abar: np.ndarray
    lam: np.ndarray
    lambar: np.ndarray  # multipliers that belong to abar (momentum form only)
    work: np.ndarray

    @staticmethod
    def of(whole: np.ndarray, size: int, joints: int) -> State:
        """Return the state in a piece of memory, for ``size`` coordinates and ``joints`` conditions."""
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
    """Running motion: equations and settings, the state now and before the step, and stored data."""

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
    """Signals at an instant, and time derivatives of the signals that drive joints."""

    u: np.ndarray
    rate: np.ndarray
    second: np.ndarray


@kernel
def copy(source: State, target: State) -> None:
    """Copy a state."""
    fill(target.whole, source.whole)


@linked_kernel
def keep(state: State, time: float, counts: Counts, record: Record) -> None:
    """Record a state, after the previous records."""
    m = counts.records
    record.time[m] = time
    fill(record.q[m], state.q)
    fill(record.v[m], state.v)
    for i in range(state.a.size):
        record.a[m, i] = state.a[i] + state.recorded[i]
    fill(record.lam[m], state.lam)
    fill(record.work[m], state.work)
    counts.records += 1
