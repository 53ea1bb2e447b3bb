"""Motion of a reduced mechanism: y'' by adaptive explicit Runge-Kutta, all else from the pose (thesis listing 2.2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import DOP853

from pliant.errors import ConvergenceError, OptionError, SingularError
from pliant.formulations.dae.motion import Motion
from pliant.formulations.dae.system import State
from pliant.formulations.geometric.reduction import Point, Reduced
from pliant.joints import rows as joints

ACCURACY = 1e-9


def integrate(
    reduced: Reduced,
    start: State,
    *,
    end_time: float,
    times: np.ndarray | None = None,
    accuracy: float | None = None,
    report: Callable[[float], None] = lambda time: None,
) -> Motion:
    """From y, y' of a state to ``end_time`` by DOP853 (Hairer, Norsett, Wanner), which is of order 8.

    ``accuracy`` is the largest local error of y (rad, and relative). Reported are the steps taken, or ``times`` from the
    method's own interpolant of order 7; the pose is on the joints at every instant.
    """
    accuracy = ACCURACY if accuracy is None else accuracy
    run = _Run(reduced, start)
    solver = run.solver(end_time, accuracy)
    wanted = None if times is None else np.asarray(times, float)
    instants, values = [start.time], [solver.y.copy()]
    message, ok = "reached the end", True
    try:
        while solver.status == "running":
            trouble = solver.step()
            if trouble is not None:
                raise run.stuck(solver.t)
            run.keep(solver.y[0], solver.t)
            if wanted is None:
                instants.append(solver.t)
                values.append(solver.y.copy())
            else:
                passed = wanted[(wanted > solver.t_old) & (wanted <= solver.t)]
                instants += passed.tolist()
                values += list(solver.dense_output()(passed).T)
            report(solver.t)
    except KeyboardInterrupt:
        message, ok = f"was interrupted at t = {solver.t:.6g} s", False
    if wanted is not None and wanted[0] > start.time:
        instants, values = instants[1:], values[1:]
    return run.motion(np.array(instants), np.array(values), solver, message, ok)


class _Run:
    """The right-hand side z' of z = (y, y', energy supplied, energy dissipated), and what was met on the way."""

    def __init__(self, reduced: Reduced, start: State) -> None:
        self.reduced, self.start = reduced, start
        self.near, self.last_time = start.q, start.time
        self.evaluations = self.steps = self.cuts = 0
        self.trouble: SingularError | None = None

    def solver(self, end_time: float, accuracy: float) -> DOP853:
        """The method, with tolerances in the units of each part of z; the energies follow and steer nothing."""
        index, start = self.reduced.index, self.start
        first = np.array([start.q[index], start.v[index], 0.0, 0.0])
        point = self.reduced.point(first[0], first[1], start.q, start.time)
        pace = max(abs(point.v[index]), abs(point.second) ** 0.5, 1.0 / (end_time - start.time))
        tolerances = [accuracy, accuracy * pace, np.inf, np.inf]
        return DOP853(self.rates, start.time, first, end_time, rtol=max(accuracy, 1e-13), atol=tolerances)

    def rates(self, time: float, z: np.ndarray) -> np.ndarray:
        """z'; not a number where the pose does not exist, which makes the method take a smaller step."""
        self.evaluations += 1
        try:
            point = self.reduced.point(z[0], z[1], self.near, time)
        except SingularError as error:
            self.trouble = error
            self.cuts += 1
            return np.full(4, np.nan)
        work = self.reduced.power(point, time) if self.reduced.dae.powered else (0.0, 0.0)
        return np.array([z[1], point.second, *work])

    def keep(self, y: float, time: float) -> None:
        """Go on from an accepted step."""
        self.near = self.reduced.gamma(y, self.near, time=time)
        self.steps += 1

    def stuck(self, time: float) -> SingularError | ConvergenceError:
        """Why no step is small enough."""
        if self.trouble is not None:
            return SingularError(self.reduced.dead_centre(self.near, time))
        return ConvergenceError(f"The reduced motion stopped at t = {time:.6g} s: no step meets the accuracy. Try a larger one.")

    def motion(self, instants: np.ndarray, values: np.ndarray, solver: DOP853, message: str, ok: bool) -> Motion:
        """Full coordinates at every instant."""
        reduced, near = self.reduced, self.start.q
        points: list[Point] = []
        gaps = np.zeros(reduced.dae.constraints)
        largest = 0.0
        for time, z in zip(instants, values, strict=True):
            points.append(reduced.point(z[0], z[1], near, time))
            near = points[-1].q
            joints.residual(reduced.dae.equations.rows, near, reduced.signals(time), gaps)
            largest = max(largest, float(np.max(np.abs(gaps), initial=0.0)))
        multipliers = np.array([reduced.multipliers(p, t) for p, t in zip(points, instants, strict=True)])
        q, v, a = (np.array([getattr(p, name)[: reduced.dae.freedoms] for p in points]) for name in ("q", "v", "a"))
        end = reduced.point(solver.y[0], solver.y[1], self.near, solver.t)
        last = State(end.q, end.v, np.append(end.a, np.zeros(3)), reduced.multipliers(end, solver.t), float(solver.t))
        return Motion(
            time=instants, q=q, v=v, a=a, lam=multipliers, work=values[:, 2:], last=last, steps=self.steps,
            iterations=self.evaluations, cut_backs=self.cuts, constraint_error=largest, local_error=np.nan,
            message=message, ok=ok,
        )  # fmt: skip


__all__ = ["OptionError", "integrate"]
