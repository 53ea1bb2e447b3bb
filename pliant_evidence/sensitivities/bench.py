"""Cost and exactness of derivatives by a parameter, beside differences of whole solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import pliant as pl
from pliant_evidence.sensitivities import models, motions
from pliant_gallery import leg, six_rus
from pliant_testing.benchmarking import Comparison, Contender, Lap, benchmark, race

STEP = 1e-4  # of a parameter, of plain central differences
SHARE = 0.3  # of a further solution: what a further parameter may cost
ROUNDS = 20  # of what is a difference of two times


@benchmark("sensitivities")
def sensitivities() -> Iterator[Comparison]:
    """Places of an elastica by four parameters: against central differences that compile and solve anew.

    Errors are against what is exact here: places depend on F / E alone, so that F d/dF = -E d/dE.
    """
    for plane, elements in (("xy", 8), ("xy", 64), (None, 16)):
        system = pl.compile(models.cantilever(plane, load=-8.0), elements=elements)
        yield _row(f"elastica {'in the plane' if plane else 'in space'}, four parameters", elements, system)

    yield from _further()
    yield _motion()
    yield _goal()


def _goal() -> Comparison:
    """Return one number of a motion of 1000 steps by ten parameters, backwards in time, against forwards."""
    system = pl.compile(models.chain(), elements=4)
    run = pl.transient(system, end_time=0.5, step=5e-4, estimate=False)
    of = {"mean": pl.Goal("position:second/tip:y", over="mean")}

    def job(adjoint: bool) -> Callable[[], Any]:
        return lambda: pl.sensitivity(system, run, of=of, adjoint=adjoint).derivative["mean"].values

    laps = _race({"backwards": job(True), "forwards": job(False)}, rounds=2)
    mine, other = laps["backwards"], laps["forwards"]
    apart = float(np.max(np.abs(mine.value - other.value)) / np.max(np.abs(other.value)))
    words = ("the same forwards", "derivatives of all instants by every parameter")
    return Comparison("sensitivities: a goal by ten parameters", 8, mine.seconds, *words, other.seconds, apart, 0.0)


def _motion() -> Comparison:
    """Return derivatives of all instants of a motion by two parameters, against four whole motions each.

    Errors are against differences of motions whose Newton goes down to rounding.
    """
    swing = next(each for each in motions.swings() if each.name == "four-bar with a leaf")
    system, held = motions.compiled(swing)
    run, how = motions.moved(swing, system, held)
    names = list(system.model.parameters)
    jobs: dict[str, Callable[[], Any]] = {
        "sensitivity": lambda: pl.sensitivity(system, run, of=["position"], **how).derivative.position.values,
        "differences": lambda: np.array([motions.four(swing, system, held, name, STEP) for name in names]),
    }
    laps = _race(jobs)
    exact = np.array([motions.differences(swing, name)[0] for name in names])
    sizes = np.max(np.abs(exact), axis=(1, 2, 3))

    def error(by: np.ndarray) -> float:
        return float(np.max(np.max(np.abs(by - exact), axis=(1, 2, 3)) / sizes))

    mine, other = laps["sensitivity"], laps["differences"]
    words = ("differences of fourth order", "four whole motions a parameter")
    title = "sensitivities: four-bar with a leaf in motion, two parameters"
    errors = error(mine.value), error(other.value)
    return Comparison(title, 4, mine.seconds, *words, other.seconds, *errors)


def _row(name: str, elements: int, system: Any) -> Comparison:
    rest = pl.statics(system)
    jobs: dict[str, Callable[[], Any]] = {
        "sensitivity": lambda: places(system, rest),
        "differences": lambda: differences(system),
    }
    laps = _race(jobs)
    values, names = system.model.parameters, list(system.model.parameters)

    def error(by: np.ndarray) -> float:
        force, modulus = (values[name].value * by[names.index(name)] for name in ("F", "E"))
        return float(np.max(np.abs(force + modulus)) / np.max(np.abs(force)))

    mine, other = laps["sensitivity"], laps["differences"]
    words = ("central differences", "two whole solutions a parameter")
    errors = error(mine.value), error(other.value)
    return Comparison(f"sensitivities: {name}", elements, mine.seconds, *words, other.seconds, *errors)


class _Case(NamedTuple):
    """Quantities of a system, by a first parameter and by a further one, beside a further solution."""

    name: str
    size: int
    system: Any
    parameters: tuple[str, str]
    of: str = "position"

    def further(self) -> Comparison:
        """Compare the cost of a further parameter with one whole solution with another value of it, as first-order
        differences take; nothing is known of systems beside this one.
        """
        rest, (first, further) = pl.statics(self.system), self.parameters
        value, changes = self.system.model.parameters[further].value, iter(range(1, 10**6))

        def solved() -> Any:
            other = self.system.with_parameters(**{further: value * (1.0 + 1e-7 * next(changes))})
            found = pl.statics(other, start=rest)
            return pl.modal(other, at=found, modes=3).frequency_hz.values if self.modal else found.position.values

        def slopes(*names: str) -> Any:
            vars(self.system).pop("_beside", None)
            return pl.sensitivity(self.system, rest, of=[self.of], to=list(names), modes=3).derivative[self.of].values

        jobs = {"both": lambda: slopes(first, further), "one": lambda: slopes(first), "solved": solved}
        laps = _race(jobs, rounds=ROUNDS)
        title = f"sensitivities: {self.name}, {self.of} by a further parameter, {further}"
        cost = max(laps["both"].seconds - laps["one"].seconds, 0.0)
        words = f"with_parameters, statics{', modal' if self.modal else ''}", "one further solution"
        return Comparison(title, self.size, cost, *words, laps["solved"].seconds, required_ratio=1.0 / SHARE)

    @property
    def modal(self) -> bool:
        """Return whether the quantity is a frequency."""
        return self.of == "frequency_hz"


def _further() -> Iterator[Comparison]:
    """Measure one parameter more: one that moves nothing, and a length, whose assembled pose is found anew."""
    of_leg = ("leaf.section.bending_stiffness", "tendon.stiffness", "leaf.length")
    upright = pl.compile(models.named(leg.model(hold="q3"), *of_leg), elements=8)
    of_robot = ("rod 1.section.bending_stiffness", "rod 2.section.bending_stiffness", "rod 1.length")
    robot = pl.compile(models.named(six_rus.model(), *of_robot))
    strip = pl.compile(models.cantilever("xy", load=-8.0), elements=8)
    for of in ("position", "frequency_hz"):
        for further in ("tendon_stiffness", "leaf_length"):
            yield _Case("leg", 8, upright, ("leaf_EI", further), of).further()
        for further in ("E", "F", "L"):
            yield _Case("elastica", 8, strip, ("h", further), of).further()
        for further in ("rod_2_EI", "rod_1_length"):
            yield _Case("6-RUS", 6, robot, ("rod_1_EI", further), of).further()


def _race(jobs: Mapping[str, Callable[[], Any]], rounds: int = 5) -> dict[str, Lap]:
    """Return the best of interleaved runs, in processor time: other programs on the machine do not count."""
    return race({key: Contender(job) for key, job in jobs.items()}, rounds=rounds, by=process_time)


def places(system: Any, rest: pl.Result, to: list[str] | None = None) -> np.ndarray:
    """Return places by parameters, with nothing known of the systems beside this one."""
    vars(system).pop("_beside", None)
    return np.asarray(pl.sensitivity(system, rest, of=["position"], to=to).derivative.position.values)


def differences(system: Any) -> np.ndarray:
    """Return places by all parameters, from two whole solutions each."""
    found = []
    for name, parameter in system.model.parameters.items():
        step = STEP * parameter.size
        ends = [system.with_parameters(**{name: parameter.value + sign * step}) for sign in (1.0, -1.0)]
        up, down = (pl.statics(each).position.values for each in ends)
        found.append((up - down) / (2.0 * step))
    return np.array(found)
