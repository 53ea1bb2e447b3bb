"""Linear model predictive control: the LQR that knows its limits.

Inputs u = -K x + c over a horizon of N samples cost ``sum of c'Sc`` more than the LQR alone: its cost as a completed
square, S = R + B'PB, the cost beyond the horizon being that of the LQR without limits. So at every sample

    least  sum of c'Sc    with  low <= u <= high,  |u - u before| <= rate T,  low <= y <= high of outputs kept

over the horizon, and the first c is added to what the LQR wants. Where no limit is in the way c is zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.control import checks
from pliant.control.controllers.sampled import Promise, Sample, SampledController, none
from pliant.control.design.horizon import Horizon, Limits
from pliant.control.design.lqg import Design, designed
from pliant.control.models.margins import margins
from pliant.errors import OptionError

if TYPE_CHECKING:
    from pliant.control.controllers.controller import Controller
    from pliant.control.design.observer import Observer
    from pliant.control.design.regulator import Gain

KEPT = 1e-8  # of the width of a limit: what counts as kept
SOLVED = 1e-8  # what may be left of the conditions of Karush, Kuhn and Tucker


@dataclass
class Plans:
    """What the controller remembers: the states of the linear one, and how it came to its last decision."""

    x: np.ndarray
    last: np.ndarray  # issued at the last sample
    linear: np.ndarray  # what the LQR alone wanted
    active: int = 0  # limits that push
    residual: float = 0.0  # of the conditions of Karush, Kuhn and Tucker
    relaxed: float = 0.0  # by how much of its width a limit of outputs could not be kept
    worst: tuple[float, float] = (0.0, 0.0)  # largest of both so far


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PredictiveController(SampledController):
    """A sampled controller that plans its inputs over a horizon within limits; `mpc` makes it.

    design    gain and observer
    horizon   samples planned ahead
    kept      outputs with limits: names, lowest and highest values

    The result holds the estimate and, for every sample, the number of active limits, the residual of the
    Karush-Kuhn-Tucker conditions, and by which fraction of their width limits of outputs were relaxed.
    """

    design: Design
    linear: Controller
    horizon: int
    kept: tuple[str, ...] = ()
    lowest: np.ndarray = field(default_factory=none)
    highest: np.ndarray = field(default_factory=none)

    @cached_property
    def plans(self) -> Horizon:
        """The optimisation problem that is solved at every sample."""
        bounds = (self.low - self.u0, self.high - self.u0, self.rate * self.sample_time)
        return Horizon(self.design, self.horizon, Limits(*bounds, self.kept, self.lowest, self.highest))

    def begin(self) -> Plans:
        """The estimate, and nothing planned."""
        return Plans(np.zeros(len(self.linear.A)), self.u0.copy(), self.u0.copy())

    def decide(self, time: float, y: np.ndarray, r: np.ndarray, memory: Plans) -> np.ndarray:
        """The input of the LQR, changed as far as the limits require."""
        memory.linear = self.linear.decide(time, y, r, memory.x)
        found = self.plans.plan(memory.x, y - self.linear.y0, r - self.r0, memory.last - self.u0)
        memory.active, memory.residual, memory.relaxed = found.active, found.residual, found.relaxed
        memory.worst = max(memory.worst[0], memory.residual), max(memory.worst[1], memory.relaxed)
        return memory.linear if found.active == 0 else np.clip(memory.linear + found.more, self.low, self.high)

    def proceed(self, sample: Sample, memory: Plans) -> None:
        """As the linear controller, with the input of the LQR as the wanted one, so that integrals do not wind up."""
        self.linear.proceed(sample._replace(wanted=memory.linear), memory.x)
        memory.last = sample.issued

    def states(self, memory: Plans) -> np.ndarray:
        """States of the linear controller, limits active, residual, how much limits were relaxed."""
        return np.concatenate([memory.x, [memory.active, memory.residual, memory.relaxed]])

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of what `states` returns."""
        return (*self.linear.state_names, "limits active", "KKT residual", "limits relaxed")

    def promises(self, memory: Plans) -> Sequence[Promise]:
        """Checks that the plans are optimal and keep all limits."""
        least = "Ask for less: wider limits, a longer horizon, or a slower reference."
        return (
            Promise("MPC: conditions left", memory.worst[0], SOLVED, "of the limits", "Scale the weights."),
            Promise("MPC: limits of outputs relaxed", memory.worst[1], KEPT, "of their width", least),
        )


def mpc(
    gain: Gain,
    observer: Observer,
    *,
    horizon: int,
    low: checks.PerName = None,
    high: checks.PerName = None,
    rate: checks.PerName = None,
    keep: Mapping[str, tuple[float | None, float | None]] | None = None,
    track: Sequence[str] = (),
) -> PredictiveController:
    """Linear model predictive control: as `lqg`, with limits that are part of the optimisation.

    horizon   samples planned ahead, in which limits are kept; take at least the time in which the loop leaves its
              limits
    low, high, rate   limits of inputs, as ``limited`` has them: for all or by name, `rate` per second
    keep      {output: (lowest, highest)}, None: no limit; kept at all planned samples, according to the model. If no
              inputs can keep them, all are relaxed by the smallest common fraction of their width, and the outcome of
              the motion is not ok
    track     outputs that follow a reference, as in `lqg`; over the horizon, references are assumed to stay at their
              present values

    Without active limits this is exactly the LQR; beyond the horizon the plan is the LQR without limits. Stability is
    not guaranteed: with limits it depends on the initial state, and an unstable plant cannot be stabilised from every
    state. Solved by the dual method of Goldfarb and Idnani (1983), exactly.

    >>> import pliant as pl
    >>> cart = pl.LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], [[0], [0]], output_names=("x", "v"))
    >>> gain = pl.lqr(cart, Q=[1, 1], R=0.1, sample_time=0.1)
    >>> seen = pl.luenberger(cart, poles=[-20.0, -21.0], sample_time=0.1)
    >>> controller = mpc(gain, seen, horizon=30, low=-1.0, high=1.0, keep={"v": (-0.5, 0.5)})
    >>> run = controller.simulate(cart, end_time=5.0, start=[-2.0, 0.0])
    >>> float(run.y.sel(output="v").max().round(6)), float(abs(run.u).max().round(6))
    (0.5, 1.0)
    """
    design = designed(gain, observer, track, "mpc")
    linear = design.controller()
    margins(linear, gain.model)  # thin ones are warned about
    if checks.whole("mpc", "horizon", horizon) < 1:
        raise OptionError(f"mpc: horizon={horizon!r}: plan one sample ahead at least.")
    limits = {} if keep is None else dict(keep)
    checks.positions("mpc", "keep", limits, gain.model.output_names)
    bounds = np.array([_pair(name, pair) for name, pair in limits.items()]).reshape(-1, 2)
    common: dict[str, Any] = {key: getattr(linear, key) for key in ("inputs", "outputs", "sample_time", "tracked")}
    common |= {"u0": linear.u0, "r0": linear.r0, "design": design, "linear": linear, "horizon": horizon}
    made = PredictiveController(**common, kept=tuple(limits), lowest=bounds[:, 0], highest=bounds[:, 1])
    return made.limited(low=low, high=high, rate=rate)


def _pair(name: str, pair: Any) -> tuple[float, float]:
    """Lowest and highest value of an output; None: none."""
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise OptionError(f"mpc: keep: {name!r}: {pair!r}: give (lowest, highest), None for no limit.") from None
    found = (
        -np.inf if low is None else checks.number("mpc", f"keep: lowest {name!r}", low),
        np.inf if high is None else checks.number("mpc", f"keep: highest {name!r}", high),
    )
    if not found[0] < found[1]:
        raise OptionError(f"mpc: keep: {name!r}: lowest = {found[0]:g} must be below highest = {found[1]:g}.")
    return found
