"""Equilibria that signals hold at places (`inverse_statics`): how these signals, and the rest, follow a parameter.

    R(x, s; p) = 0,  c(x; p) = 0   ->   s' = -c_s^-1 c_p,   x' = x_p + x_s s'

where c_p and c_s are derivatives along the equilibria for given signals, and along the signals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from pliant.analyses.statics.inverse_statics import conditions_of
from pliant.errors import OptionError
from pliant.model.signals import sizes as signal_sizes
from pliant.results import Result
from pliant.solvers.derivatives import implicit
from pliant.system.state import State

NAME = "signal_value"
SINGULAR = 1e-10  # of the largest singular value of c_s: signals that do not move the places apart


class HeldPlaces:
    """Signals that hold places at a known equilibrium."""

    def __init__(self, system: Any, at: Result, factored: Callable[[Any], tuple[State, implicit.Tangent]]) -> None:
        self.settings: Mapping[str, Any] = at.provenance.settings
        if at.raw(NAME) is None or "places" not in self.settings:
            raise OptionError(f"of: {NAME}: that equilibrium is no result of inverse_statics.")
        self.values: dict[str, float] = dict(self.settings["signals"])
        self.system = system.with_signals(self.values)
        self.factored = cache(lambda: factored(self.system))
        self.along = cache(self._along)

    def _along(self) -> tuple[list[implicit.Line], np.ndarray]:
        """Return lines of equilibria along every signal, and c_s, one column each."""
        state, tangent = self.factored()
        lines, force = [], float(np.max(np.abs(state.lam), initial=0.0))
        for name, value in self.values.items():
            size = signal_sizes.size(self.system.model, name, value, self.system.length_scale, force)
            step = implicit.STEP * size
            beside = [self.system.with_signals({name: value + k * step}) for k in implicit.PLACES]
            lines.append(implicit.line(self.system, state, tangent, beside, step))
        return lines, np.array([line.derivative(self._gap) for line in lines]).T

    def _gap(self, system: Any, state: State) -> np.ndarray:
        u = system.signals(np.array([state.time]))[0]
        conditions = conditions_of(system, self.settings)
        return conditions.evaluate(state.q, state.lam, u, system.freedoms)[0]

    def followed(self, line: implicit.Line) -> tuple[implicit.Line, np.ndarray]:
        """Return the line along a parameter with fixed places, from the line with fixed signals; and s'."""
        signals, by_signal = self.along()
        sizes = np.linalg.svd(by_signal, compute_uv=False)
        if not sizes[-1] > SINGULAR * sizes[0]:
            raise OptionError(
                f"sensitivity: {', '.join(self.values)} do not move {', '.join(self.settings['places'])} independently "
                "here: that pose is singular, and its signals have no derivatives."
            )
        slopes = -np.linalg.solve(by_signal, line.derivative(self._gap))
        x = line.x + sum(slope * each.x for slope, each in zip(slopes, signals, strict=True))
        moves = list(zip(self.values.items(), (line.step * slopes).tolist(), strict=True))
        beside = [
            each.with_signals({name: value + k * move for (name, value), move in moves})
            for k, each in zip(implicit.places(line.neighbours), line.neighbours, strict=True)
        ]
        error = max([line.error, *(each.error for each in signals)])
        return implicit.Line(line.system, line.state, beside, line.step, x, error), slopes
