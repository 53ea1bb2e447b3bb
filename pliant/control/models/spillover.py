"""Spill-over: the effect of a controller designed for a reduced model on the modes left out in the reduction."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.control import checks
from pliant.control.controllers.controller import Controller
from pliant.control.models.loop_response import LoopResponse
from pliant.control.models.margins import Margins, compute_margins, warn_of
from pliant.control.models.open_loop import closed_loop, open_loop
from pliant.control.models.poles import continuous, describe, eigenvalues
from pliant.errors import DroppedMode, OptionError, PliantWarning, warn

if TYPE_CHECKING:
    from pliant.control.models.linear_model import LinearModel


FREQUENCIES = 400  # of the loop gain, over six decades


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Spillover:
    """Result of `spillover`.

    poles       of the closed loop of controller and full model, in 1/s
    neglected   poles of the full model that the reduced one lacks, in 1/s, slow ones first
    bandwidth   rad/s: up to there the loop gain of the reduced model is above one
    unstable    growing poles of the closed loop, in words; `reached`: neglected modes within the bandwidth, or whose
                own resonance the controller feeds
    margins     of the controller with the full model, opened at the plant's inputs
    """

    poles: np.ndarray
    neglected: np.ndarray
    bandwidth: float
    unstable: tuple[str, ...]
    reached: tuple[str, ...]
    margins: Margins

    def __repr__(self) -> str:
        first = f", the first at {abs(self.neglected[0]) / (2.0 * math.pi):.4g} Hz" if self.neglected.size else ""
        words = [
            f"bandwidth {self.bandwidth / (2.0 * math.pi):.4g} Hz",
            f"{self.neglected.size} poles neglected{first}",
        ]
        words += [f"reaches {one}" for one in self.reached]
        words += [f"unstable: {one}" for one in self.unstable] or [
            f"the full loop is stable, with a disk margin of {self.margins.disk:.3g}"
        ]
        return f"Spillover({'ok' if self.ok else 'in danger'}: {'; '.join(words)})"

    @property
    def ok(self) -> bool:
        """Return whether the full closed loop is stable with margins that are not thin, and the bandwidth stays below
        every neglected mode.
        """
        return not (self.unstable or self.reached) and self.margins.ok


def spillover(controller: Controller, *, reduced: LinearModel, full: LinearModel | None = None) -> Spillover:
    """Check a controller, designed for a reduced model, on the full model; warn of modes that it may excite and of
    instability.

    full   default: the model from which `reduced` was made

    The bandwidth is the highest frequency at which the loop gain of controller and reduced model, opened at the plant's
    input, is one or more; it should stay below the first omitted mode (thesis 6.3.5; see the glossary). An omitted mode
    is also in danger if the loop gain with the full model is one or more at its own frequency. The poles of the
    controller with the full model show the effect. Remedies: keep that mode in the reduced model, weight the inputs
    more, a slower observer, more damping.

    >>> import numpy as np
    >>> import pliant as pl
    >>> A = np.kron(np.eye(2), [[0, 1], [0, 0]]) - np.diag([0, 0.02, 0, 2.0]) - np.diag([1, 0, 1e4], -1)
    >>> full = pl.LinearModel(A, [[0], [1], [0], [1]], [[1, 0, 1, 0]], [[0]])  # modes of 1 and 100 rad/s
    >>> slow = pl.LinearModel(A[:2, :2], [[0], [1]], [[1, 0]], [[0]])
    >>> gain = pl.lqr(slow, Q=[1, 1], R=1, sample_time=0.01)
    >>> seen = pl.luenberger(slow, poles=[-3.0, -4.0], sample_time=0.01)
    >>> spillover(pl.lqg(gain, seen), reduced=slow, full=full).ok
    True
    """
    checks.linear("spillover", reduced)
    condensed = False
    if full is None:
        if reduced.reduction is None:
            raise OptionError("spillover: the model given as reduced was not made by pl.reduce. Give full=, too.")
        full, condensed = reduced.reduction.plant, reduced.reduction.condensed
    checks.linear("spillover", full)
    poles, unstable = _unstable(controller, full)
    neglected = _neglected(full, reduced)
    bandwidth = _bandwidth(controller, reduced)
    acts = _loop_gain(controller, full)
    highest = math.pi / controller.sample_time
    reached = tuple(
        describe(pole)
        for pole in neglected
        if pole.imag >= 0.0 and (abs(pole) <= bandwidth or (abs(pole) < highest and acts(abs(pole)) >= 1.0))
    )
    if condensed:
        fastest = float(np.max(np.abs(full.poles()))) / (2.0 * math.pi)
        warn(
            DroppedMode,
            f"spillover: the model is large; only its {len(full.A)} slowest states are checked, up to {fastest:.4g} "
            "Hz. To check faster modes, give a model that has them as full=.",
        )
    if reached:
        warn(
            DroppedMode,
            f"spillover: the closed loop acts up to {bandwidth / (2.0 * math.pi):.4g} Hz and reaches the neglected "
            f"{'; '.join(reached)}. Keep it in the reduced model, or weight the inputs more.",
        )
    found = compute_margins(controller, full)
    if unstable:
        warn(PliantWarning, f"spillover: with the full model the closed loop is unstable: {'; '.join(unstable)}.")
    else:
        warn_of(found)
    return Spillover(
        poles=poles,
        neglected=neglected,
        bandwidth=bandwidth,
        unstable=unstable,
        reached=reached,
        margins=found,
    )


def _unstable(controller: Controller, full: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return poles of the full closed loop, and describe growing ones with the mode that moves most."""
    T = controller.sample_time
    values, vectors = np.linalg.eig(closed_loop(controller, full))
    own, shapes = np.linalg.eig(full.A)
    own = continuous(own, full.sample_time)
    words = []
    for value, vector in zip(values, vectors.T, strict=True):
        if abs(value) > 1.0 + 1e-9 and value.imag >= 0.0:
            amplitudes = np.abs(np.linalg.lstsq(shapes, vector[: len(own)], rcond=None)[0])
            mode = describe(own[int(np.argmax(amplitudes))])
            words.append(f"a pole at {complex(continuous(value, T)):.4g} 1/s grows, mostly of the open-loop {mode}")
    kept = values[np.abs(values) > 1e-9]  # the others are memory that vanishes at the next sample
    return continuous(kept, T), tuple(words)


def _neglected(full: Any, reduced: Any) -> np.ndarray:
    """Return poles of the full model without those nearest to the reduced one's."""
    from scipy.optimize import linear_sum_assignment

    all_poles, kept = eigenvalues(full.A, full.sample_time), eigenvalues(reduced.A, reduced.sample_time)
    size = np.abs(all_poles)[None, :] + np.abs(kept)[:, None]
    distance = np.abs(all_poles[None, :] - kept[:, None]) / np.maximum(size, 1e-300)
    return np.delete(all_poles, linear_sum_assignment(distance)[1])


def _bandwidth(controller: Controller, model: Any) -> float:
    """Return the highest frequency (rad/s) at which the loop gain is one or more; zero if none."""
    highest, gain = math.pi / controller.sample_time, _loop_gain(controller, model)
    modes = np.abs(continuous(np.linalg.eigvals(model.A), model.sample_time))
    grid = np.concatenate([highest * np.logspace(-6.0, 0.0, FREQUENCIES), modes[(modes > 0.0) & (modes < highest)]])
    return next((float(omega) for omega in np.sort(grid)[::-1] if gain(omega) >= 1.0), 0.0)


def _loop_gain(controller: Controller, model: Any) -> Callable[[float], float]:
    """Return the largest eigenvalue of the loop gain, as a function of frequency (rad/s)."""
    response = LoopResponse(open_loop(controller, model))

    def gain(omega: float) -> float:
        return float(np.max(np.abs(np.linalg.eigvals(response(np.array([omega]))[0]))))

    return gain
