"""A controller made ready for the compiled time loop, and what it did made ready for the result."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from pliant.control.controller import Controller
from pliant.control.outputs import Outputs, Term
from pliant.errors import OptionError, nearest
from pliant.formulations.dae.sampling import (
    ANGLE,
    LINE,
    POSITION,
    RATE,
    SECTION,
    SPACE_POSITION,
    SPACE_RATE,
    SPACE_TURN,
    SPACE_VELOCITY,
    STRAIN,
    VELOCITY,
    Law,
    Sampler,
    Sensors,
)
from pliant.model.loads import Line
from pliant.model.signals import Table
from pliant.system import catalogue, fused
from pliant.system.observation import Observer
from pliant.system.system import System

KINDS = {
    **{"angle": ANGLE, "angular_velocity": RATE, "position": POSITION, "velocity": VELOCITY},
    **{**dict.fromkeys(Line.results, LINE), "resultant": SECTION, "strain": STRAIN},
}
KINDS_IN_SPACE = KINDS | {
    **{"rotation": SPACE_TURN, "angular_velocity": SPACE_RATE},
    **{"position": SPACE_POSITION, "velocity": SPACE_VELOCITY},
}
LINE_COLUMNS = {name: k for k, name in enumerate(Line.results)}


class ClosedLoop:
    """A controller at work on a system, from one instant to another.

    Its inputs are no longer constant, so that their loads have no potential: ``system`` is the one that knows it.
    """

    def __init__(self, system: System, controller: Controller, begin: float, end: float, step: float | None) -> None:
        self.controller, self.begin = controller, begin
        self.system = _driven(system, controller)
        self.step = _step(controller, controller.sample_time if step is None else step, end - begin)
        self.sampler = _sampler(self.system, controller, begin, end, self.step)

    def signals(self, times: np.ndarray) -> np.ndarray:
        """All signals at these instants, those set by the controller as they were in the step before each."""
        u, work = self.system.signals(times), self.sampler
        last = max(0, int(work.taken[0]) - 1)
        sample = np.ceil((times - self.begin) / self.controller.sample_time - 1e-6).astype(int) - 1
        u[:, work.signals] = np.where(sample[:, None] < 0, self.controller.u0, work.sent[np.clip(sample, 0, last)])
        return u

    def variables(self) -> dict[str, Any]:
        """What was read and applied, sample by sample: variables and coordinates of a dataset."""
        count = int(self.sampler.taken[0])
        return {
            "measured": (("sample", "output"), self.sampler.seen[:count]),
            "applied": (("sample", "input"), self.sampler.sent[:count]),
            "sample": self.begin + self.controller.sample_time * np.arange(count),
            "output": list(self.controller.outputs),
            "input": list(self.controller.inputs),
        }


def _step(controller: Controller, step: float, duration: float) -> float:
    """The largest step up to ``step`` that divides the sample time; the motion must last a whole number of samples."""
    period = controller.sample_time
    samples = duration / period
    if abs(samples - round(samples)) > 1e-6 or round(samples) < 1:
        raise OptionError(
            f"end_time: the motion lasts {duration:g} s, which is not a whole number of samples of {period:g} s. Let "
            f"it last {max(1, round(samples)) * period:g} s, or choose another sample_time of the controller."
        )
    return period / ceil(period / step * (1.0 - 1e-9))


def _driven(system: System, controller: Controller) -> System:
    names = system.signal_names
    for name in controller.inputs:
        if name not in names:
            raise OptionError(f"controller: there is no signal {name!r} to set. {nearest(name, names)}")
        if 3 + names.index(name) in system.driving:
            raise OptionError(
                f"controller: {name!r} drives a joint; a controller sets forces, torques, tensions and rest lengths. "
                "Use a Motor or a Tendon instead of a Motion."
            )
    held = {name: Table((0.0, 1.0), (u, u)) for name, u in zip(controller.inputs, controller.u0.tolist(), strict=True)}
    return system.with_signals(held)


def _sampler(system: System, c: Controller, begin: float, end: float, step: float) -> Sampler:
    """The controller as arrays, with its sensors found in the system."""
    period = c.sample_time
    samples = round((end - begin) / period) + 1
    matrices = (c.A, c.Bu, c.By, c.Br, c.Bw, c.C, c.Dy, c.Dr)
    return Sampler(
        period=round(period / step),
        signals=np.array([system.signal_number(name) for name in c.inputs], np.uint32),
        sensors=sensors(system, c.outputs),
        law=Law(*matrices, c.u0, c.y0, c.low, c.high, c.rate * period, c.quantum),
        noise=c.noise_table(samples),
        aims=c.reference_table(begin + period * np.arange(samples)),
        x=np.zeros(len(c.state_names)),
        ahead=np.zeros(len(c.state_names)),
        wanted=c.u0.copy(),
        issued=c.u0.copy(),
        applied=c.u0.copy(),
        queue=np.tile(c.u0, (c.delay + 1, 1)),
        seen=np.zeros((samples, len(c.outputs))),
        sent=np.zeros((samples, len(c.inputs))),
        taken=np.zeros(1, np.int64),
    )


def sensors(system: System, names: tuple[str, ...]) -> Sensors:
    """Where the outputs are read."""
    observer = Observer(system)
    terms = Outputs(observer, names).terms
    kinds = KINDS_IN_SPACE if system.space.quaternions else KINDS
    for name, term in zip(names, terms, strict=True):
        if term.variable not in kinds:
            raise OptionError(f"controller: {name!r} cannot be measured; choose among {', '.join(kinds)}.")
    turning, _ = observer._body_nodes()
    points = observer.points(list(observer.markers.values()))
    entries: list[tuple[Any, ...]] = []
    for output, term in enumerate(terms):
        for label, weight in zip(term.labels.tolist(), term.weights.tolist(), strict=True):
            node, place, column, offset = _place(system, term, label, turning, points)
            frame = system.equations.frames + 4 * node
            entries.append((output, weight, kinds[term.variable], place, frame, column, offset))
    columns = list(zip(*entries, strict=True))
    used = {term.variable for term in terms}
    state, wide = np.zeros((1, system.size)), len(system.space.resultants)
    lines, line_starts = _counts(catalogue.having("readings"), lambda name: len(catalogue.lines(name, system.layout)))
    sections, section_starts = _counts(
        catalogue.having("resultants"),
        lambda name: sum(catalogue.of(name).stations(mesh).size for mesh in catalogue.meshes(name, system.layout)),
    )
    fused.prepare(system.equations.parts, ("readings", "resultants"))
    return Sensors(
        output=np.array(columns[0], np.uint32),
        scale=np.array(columns[1], float),
        kind=np.array(columns[2], np.uint32),
        place=np.array(columns[3], np.uint32),
        frame=np.array(columns[4], np.uint32),
        column=np.array(columns[5], np.uint32),
        offset=np.array(columns[6], float).reshape(-1, 3),
        line_starts=line_starts,
        section_starts=section_starts,
        lines=np.zeros((1, lines if used & set(LINE_COLUMNS) else 0, 3)),
        sections=np.zeros((1, sections if "resultant" in used else 0, wide)),
        strains=np.zeros((1, sections if "strain" in used else 0, wide)),
        q=state,
        v=state.copy(),
        rest=state.copy(),
        u=np.zeros((1, len(system.layout.signals))),
    )


def _place(
    system: System, term: Term, label: int, turning: np.ndarray, points: Any
) -> tuple[int, int, int, tuple[float, ...]]:
    """Node, first freedom or number of what an entry reads, its column, and the offset of a marker."""
    none, width = (0.0, 0.0, 0.0), system.space.width
    if term.variable in ("angle", "rotation", "angular_velocity"):
        node = int(turning[label])
        return node, width * node, term.component, none
    if term.variable in ("position", "velocity"):
        node = int(points.node[label])
        return node, width * node, term.component, (*points.offset[label].tolist(), 0.0)[:3]
    return 0, label, LINE_COLUMNS.get(term.variable, term.component), none


def _counts(names: list[str], count: Any) -> tuple[int, np.ndarray]:
    """Rows of all families, and where those of each start."""
    counts = [count(name) for name in names]
    return sum(counts), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
