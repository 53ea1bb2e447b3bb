"""Controllers made ready for the time loop, and what they did made ready for the result."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from pliant.control.controllers.controller import Controller
from pliant.control.controllers.ensemble import Ensemble, Playing
from pliant.control.controllers.sampled import SampledController
from pliant.control.models.outputs import Outputs
from pliant.errors import OptionError, nearest
from pliant.model.signals.base import Table
from pliant.results.records import Check
from pliant.solvers.stepping.controller_callbacks import register
from pliant.solvers.stepping.sampling import Law, Sampler, idle
from pliant.solvers.stepping.sensors import are_compiled
from pliant.system.capabilities import HasSampling

FEW = 20  # samples: a shorter loop is not checked at its end
AT_LIMIT = 1e-9  # of a limit: rounding of an input at it
STAYS = 1e-9  # of an input: smaller changes are rounding
STUCK = 0.5  # of a motion
GROWING = 2.0  # times, in each quarter of a motion
SATURATED = "The inputs are too weak for the task, or the loop is unstable: look at .wanted and .applied."
DIVERGES = "The loop is unstable: look at its margins (pl.margins), and at its poles on the full model (pl.spillover)."

Controllers = SampledController | Sequence[SampledController]


class ClosedLoop:
    """Controllers at work on a system, from one instant to another.

    Their inputs are no longer constant, so that their loads have no potential: ``system`` is the one that knows it.
    """

    def __init__(self, system: HasSampling, ensemble: Ensemble, begin: float, end: float, step: float | None) -> None:
        self.ensemble = ensemble
        self.begin, self.end = begin, end
        self.system = _driven(system, self.ensemble, begin)
        self.step = _step(self.ensemble.tick, self.ensemble.tick if step is None else step, end - begin)
        self.sampler, self.decides = _sampler(self.system, self.ensemble, (begin, end), self.step)

    def signals(self, times: np.ndarray) -> np.ndarray:
        """Return all signals at these instants, controlled ones as in the step before each."""
        u = self.system.signals(times)
        u[:, self.sampler.signals] = self.sampler.applied_before(times, self.begin, self.end)
        return u

    @property
    def quantised(self) -> bool:
        """Return whether outputs are rounded: other steps then read another quantum here and there, and their motion
        differs by as much, however small they are.
        """
        return self.ensemble.quantised

    def distance(self, other: ClosedLoop) -> float:
        """Return the largest difference of the inputs of two loops, as a part of their range. Rounding of constant
        inputs does not count.
        """
        count = min(int(loop.sampler.taken[0]) for loop in (self, other))
        one, two = self.sampler.sent[:count], other.sampler.sent[:count]
        wide = np.max(one, axis=0) - np.min(one, axis=0)
        wide = np.maximum(wide, np.maximum(STAYS * np.max(np.abs(one), axis=0), 1e-300))
        return float(np.max(np.where(one == two, 0.0, np.abs(one - two) / wide), initial=0.0))

    def checks(self) -> list[Check]:
        """Return checks of the promises of controllers, and of inputs that stay at a limit, or grow, to the end."""
        kept = [] if self.decides is None else self.decides.playing.promises()
        count, work = int(self.sampler.taken[0]), self.sampler
        low, high = self.ensemble.limits
        stuck = held_at_limits(work.wishes[:count], low, high)
        return [Check(*promise) for promise in kept] + [
            Check("inputs at a limit to the end", stuck, STUCK, "of the motion", SATURATED),
            Check("growth of the inputs", growth(work.wishes[:count] - work.first), GROWING, "a quarter", DIVERGES),
        ]

    def variables(self) -> dict[str, Any]:
        """Return measurements, references, estimates and inputs, sample by sample: variables and coordinates of a
        dataset.
        """
        count, work = int(self.sampler.taken[0]), self.sampler
        found: dict[str, Any] = {
            "measured": (("sample", "output"), work.measured[:count]),
            "applied": (("sample", "input"), work.sent[:count]),
            "wanted": (("sample", "input"), work.wishes[:count]),
            "sample": self.begin + self.ensemble.tick * np.arange(count),
            "output": list(self.ensemble.outputs),
            "input": list(self.ensemble.inputs),
        }
        if work.states.shape[1]:
            found["estimate"] = (("sample", "controller_state"), work.states[:count])
            found["controller_state"] = list(self.ensemble.state_names)
        return found


def held_at_limits(wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Return the longest part of the motion, up to its end, with an input wanted at or beyond one of its limits."""
    longest = 0
    near = AT_LIMIT * np.minimum(np.minimum(high - low, np.abs(high)), np.abs(low))
    near = np.where(np.isfinite(near), near, 0.0)
    for beyond in (wanted >= high - near, wanted <= low + near):
        inside = ~beyond[::-1]
        trailing = np.where(inside.any(axis=0), np.argmax(inside, axis=0), len(wanted))
        longest = max(longest, int(np.max(trailing, initial=0)))
    return longest / len(wanted) if len(wanted) >= FEW else 0.0


def growth(inputs: np.ndarray) -> float:
    """Return the smallest growth factor of the largest input from one quarter of the motion to the next."""
    if len(inputs) < FEW:
        return 0.0
    most = np.array([np.max(np.abs(part), axis=0) for part in np.array_split(inputs, 4)])
    grown = most[1:] / np.maximum(most[:-1], 1e-300)
    moved = most[0] > 1e-12 * np.maximum(most[-1], 1e-300)
    return float(np.max(np.where(moved, np.min(grown, axis=0), 0.0), initial=0.0))


class Decides:
    """Controllers in Python, called by compiled code: they read all outputs of the system and write into a sampler."""

    def __init__(self, ensemble: Ensemble, outputs: Outputs, samples: int, begin: float) -> None:
        self.playing, self.outputs, self.begin = Playing(ensemble, samples=samples, start_time=begin), outputs, begin
        self.sampler: Any = None

    def sample(self, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray) -> None:
        """Decide at sample k, in the given state, and store the inputs."""
        work, playing = self.sampler, self.playing
        work.states[k] = playing.states
        playing.sample(k, self.outputs.evaluate(q, v, lam, u, a))
        work.measured[k], work.wishes[k], work.sent[k] = playing.readings, playing.wanted, playing.applied
        work.applied[:] = playing.applied

    def fail(self) -> None:
        """Store inputs that are not numbers: the motion must not go on."""
        self.sampler.applied[:] = np.nan

    def in_words(self, error: Exception) -> str:
        """Return the error of a controller as a sentence for the user."""
        at = self.begin + self.playing.ensemble.tick * int(self.sampler.taken[0])
        kind = "" if isinstance(error, OptionError) else f"{type(error).__name__}: "
        return f"controller of {', '.join(self.playing.ensemble.inputs)}, at t = {at:g} s: {kind}{error}"


def together(controllers: Controllers) -> Ensemble:
    """Return one controller, or several, as an ensemble."""
    return Ensemble([controllers] if isinstance(controllers, SampledController) else controllers)


def _step(period: float, step: float, duration: float) -> float:
    """Return the largest step up to ``step`` that divides the sample time; the motion must last a whole number of
    samples.
    """
    samples = duration / period
    if abs(samples - round(samples)) > 1e-6 or round(samples) < 1:
        raise OptionError(
            f"end_time: the motion lasts {duration:g} s, which is not a whole number of samples of {period:g} s. Let "
            f"it last {max(1, round(samples)) * period:g} s, or choose another sample_time of the controller."
        )
    return period / ceil(period / step * (1.0 - 1e-9))


def _driven(system: HasSampling, ensemble: Ensemble, begin: float) -> HasSampling:
    """Return the system with the signals of its controllers held: drives where they are, others at first values."""
    names, now = system.signal_names, system.signals(np.array([begin]))[0]
    held = {}
    for name, u0 in zip(ensemble.inputs, ensemble.u0.tolist(), strict=True):
        if name not in names:
            raise OptionError(f"controller: there is no signal {name!r} to set. {nearest(name, names)}")
        number = system.signal_number(name)
        value = float(now[number]) if number in system.driving else u0
        held[name] = Table((0.0, 1.0), (value, value))
    return system.with_signals(held)


def _sampler(
    system: HasSampling, ensemble: Ensemble, span: tuple[float, float], step: float
) -> tuple[Sampler, Decides | None]:
    """Return the controllers as arrays: a linear one is compiled, with its sensors found in the system."""
    begin, end = span
    samples = round((end - begin) / ensemble.tick) + 1
    signals = np.array([system.signal_number(name) for name in ensemble.inputs], np.uint32)
    driving = np.isin(signals, system.driving)
    first = np.where(driving, system.signals(np.array([begin]))[0][signals], ensemble.u0)
    outputs, states = Outputs(system.observer(), ensemble.outputs), len(ensemble.state_names)
    _refuse_unmeasured(system, ensemble.outputs, outputs)
    common: dict[str, Any] = {
        "period": round(ensemble.tick / step),
        "begin": begin,
        "tick": ensemble.tick,
        "signals": signals,
        "every": np.where(driving, ensemble.every, 0).astype(np.uint32),
        "first": first,
        "applied": first.copy(),
        "measured": np.zeros((samples, len(ensemble.outputs))),
        "sent": np.zeros((samples, signals.size)),
        "wishes": np.zeros((samples, signals.size)),
        "states": np.zeros((samples, states)),
        "taken": np.zeros(1, np.int64),
        "noise": np.zeros((samples, len(ensemble.outputs))),
    }
    only, bare = ensemble.controllers[0], idle(len(system.signals(np.array([begin]))[0]), system.size)
    readable = are_compiled(system, outputs.terms)
    if readable and len(ensemble.controllers) == 1 and isinstance(only, Controller) and not np.any(driving):
        return _linear(system, only, outputs, bare._replace(**common)), None
    decides = Decides(ensemble, outputs, samples, begin)
    sampler = bare._replace(**common, law_number=register(decides), law=bare.law._replace(u0=ensemble.u0))
    decides.sampler = sampler
    return sampler, decides


def _refuse_unmeasured(system: HasSampling, names: Sequence[str], outputs: Outputs) -> None:
    """Refuse outputs that a system does not know within its steps."""
    for name, term in zip(names, outputs.terms, strict=True):
        if term.variable in getattr(system, "unmeasured", ()):
            raise OptionError(
                f"controller: {name!r} is inside a beam, which is not measured in the formulation "
                f"{system.formulation!r}. Measure angles, positions, velocities, lengths and tensions, or compile with "
                "formulation='dae'."
            )


def _linear(system: HasSampling, c: Controller, outputs: Outputs, sampler: Sampler) -> Sampler:
    """Compile one linear controller."""
    samples = sampler.noise.shape[0]
    matrices = (c.A, c.Bu, c.By, c.Br, c.Bw, c.C, c.Dy, c.Dr)
    return sampler._replace(
        sensors=system.sensors(c.outputs, outputs.terms),
        law=Law(*matrices, c.u0, c.y0, c.low, c.high, c.rate * c.sample_time, c.quantum),
        noise=c.noise_table(samples),
        aims=c.reference_table(sampler.begin + c.sample_time * np.arange(samples)),
        x=np.zeros(len(c.state_names)),
        ahead=np.zeros(len(c.state_names)),
        wanted=c.u0.copy(),
        issued=c.u0.copy(),
        queue=np.tile(c.u0, (c.delay + 1, 1)),
    )
