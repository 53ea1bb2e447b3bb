"""Motion of an arm in time: its accelerations as ordinary differential equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.solvers.ode import adapter
from pliant.solvers.ode.runge_kutta import Record, Run, Span, Tableau, Tolerance
from pliant.solvers.stepping.drive_discontinuities import refuse_kinks
from pliant.solvers.stepping.drivers import Signals, tabulate
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.status import SINGULAR, TOO_SMALL
from pliant.system.numbering.planar_layout import Layout
from pliant.system.state import State
from pliant_papers.kinked import march, outputs
from pliant_papers.kinked import tree as trees
from pliant_papers.kinked.starting import begin_from
from pliant_papers.kinked.system import Kinked

ACCURACY = 1e-8
ADVICE = (
    "strain='mean' (with 'third' alone the strain energy has no lower bound, and an arm that bends far collapses), "
    "more elements=, method='SDIRK4' or a larger accuracy="
)
REASONS = {
    TOO_SMALL: "no step is small enough for the accuracy (a force may jump there, or the arm is crushed)",
    SINGULAR: "the accelerations are not determined",
}


def move(system: Kinked, begin: State, plan: Plan) -> TimeHistory:
    """Compute the motion from a state of the observed system; for tolerances see udwadia_kalaba/motion.py."""
    plan.refuse(
        "step", "sampler", why="not an option of the formulation 'kinked', which has no constraints and whose step "
        "adapts. Give accuracy= or tolerances= and method= instead, or compile with formulation='dae'.",
    )  # fmt: skip
    method: Any = plan.method
    if method.constraints not in (None, "none"):
        raise OptionError(
            f"constraints={method.constraints!r}: the formulation 'kinked' has none; its joints are always closed. "
            "Leave it out."
        )
    refuse_kinks(system.observed, begin.time, plan.end_time, system.formulation)
    q, v = (system.padded(x) for x in begin_from(system, begin, plan.velocity))
    return adapter.integrate(ArmOde(system), begin.time, q, v, plan, ACCURACY)


class ArmOde:
    """The accelerations of an arm as ordinary differential equations (see ``solvers/ode/adapter.py``)."""

    augmented, one_size, gap = True, True, 0.0
    turning = 0, 0
    reasons = REASONS

    def __init__(self, system: Kinked) -> None:
        self.arm, self.system, self.units = system, system.observed, system.units
        self.workspace = workspace_of(system)
        self.steady = all(one.constant for k, one in enumerate(system.observed.layout.signals) if k != Layout.TIME)

    def signals(self, times: np.ndarray) -> Signals:
        """Return the signals at instants; one row if they do not change."""
        return tabulate(self.system, times[:1] if self.steady else times)

    def evaluate(self, run: Run, time: float, q: np.ndarray, v: np.ndarray) -> bool:
        """Compute accelerations and powers at a state, in the first stage of the run."""
        run.stages.q[0, :-3], run.stages.v[0, :-3] = q, v
        return bool(march.evaluate(self.workspace, tabulate(self.system, np.array([time])), 0, time, run, 0))

    def undetermined(self, time: float) -> str:
        """Return the message for accelerations that are not determined."""
        return f"The accelerations of {self.arm.model.name!r} are not determined: a part has no mass."

    def advance(
        self, table: Tableau, tolerance: Tolerance, signals: Signals, span: Span, run: Run, record: Record
    ) -> tuple[int, int]:
        """Take the steps of a span."""
        return march.advance(self.workspace, table, tolerance, signals, span, run, record)

    def changing(self) -> tuple[np.ndarray, ...]:
        """Return an empty tuple: only the state changes."""
        return ()

    def velocity_rate(self, fastest: float, run: Run, table: Tableau) -> float:
        """Return the reference of velocities: the largest so far; in implicit steps at least one unit per step, so that
        fast motion of negligible size is damped, not followed.
        """
        step = float(run.clock["step"])
        return max(fastest, 1.0 / step) if table.gamma and step else fastest

    def jacobian(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
        """Return None: scipy uses differences."""
        return None

    def motion(self, run: Run, record: Record) -> TimeHistory:
        """Return the recorded motion, as nodes of the observed system and as coordinates of the arm."""
        arm, time = self.arm, float(run.clock.time)
        recorded = outputs.Recorded(arm, self.workspace, record)
        self.evaluate(run, time, run.q[:-3], run.v[:-3])
        last = arm.observe(run.q[:-3], run.v[:-3], run.stages.a[0, :-3])
        none = np.zeros(self.system.constraints)
        return TimeHistory(
            time=record.time,
            q=recorded.observed[0],
            v=recorded.observed[1],
            a=recorded.observed[2],
            lam=np.zeros((record.time.size, none.size)),
            work=record.work,
            last=State(*last, none, time, last[2].copy()),
            counted="evaluations",
            advice=ADVICE,
            own=recorded.variables(),
        )


def workspace_of(system: Kinked) -> march.Workspace:
    """Allocate the workspace to evaluate an arm."""
    n = system.freedoms + 3
    driven = np.array(system.driven, np.int64).reshape(-1, 2)
    work = trees.work(system.tree)
    return march.Workspace(system.tree, driven, work, np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n, n)))
