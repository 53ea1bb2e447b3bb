"""Kernels of a law: a family (elements/_family.py) for every class derived from PointLaw, in plane and space.

A law's own functions are compiled here; the kernels that call them are shared (spread.py, planar.py, spatial.py).

Laws of a single distance or angle need no arrays for gradient and Hessian, which makes them three times as fast; except
the distance in space, with 78 entries a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.errors import ModelError
from pliant.forces._dry import Dry, alone, changed
from pliant.forces._law import numbers_of, planar, spatial
from pliant.forces._law import spread as shared
from pliant.forces._law.spread import Arrays, Measured, Response, measured, response, spread
from pliant.forces._lines import Chord, add_line, along, chord
from pliant.forces._turns import IN_PLANE, IN_SPACE, turning
from pliant.jit import allocating_kernel, kernel
from pliant.kernels.buffers import stack_array
from pliant.kernels.measures import ANGLE, DISTANCE, PLACE, TURNED, TURNING
from pliant.kernels.sums import Along, Instant, Into
from pliant.model.kinds import packs_only

if TYPE_CHECKING:
    from pliant.forces._law import PointLaw


class Gauge(NamedTuple):
    """Three kernels: value and derivatives (part, e, q); the rate (part, e, v, derivatives); and the force spread over
    the nodes (part, e, derivatives, v, force, into), with the tangent of `_turns.spatial_spread`.
    """

    measure: Callable[..., Any]
    rate: Callable[..., Any]
    spread: Callable[..., Any]


@kernel
def length(part: Arrays, e: int, q: np.ndarray) -> tuple[float, Chord]:
    """Return the length of the line of part e, and the line."""
    line = chord(q, part.dofs[e], part.arms[e])
    return line.length, line


@kernel
def growth(part: Arrays, e: int, v: np.ndarray, line: Chord) -> float:
    """Return the rate of the length."""
    return along(line.gradient, v, part.dofs[e])


@kernel
def pull(part: Arrays, e: int, line: Chord, v: np.ndarray, force: Along, into: Into) -> None:
    """Add a force along the line."""
    add_line(line, part.dofs[e], part.slots[e], v, force, into)


GAUGES: dict[tuple[str, ...], Gauge] = {
    ("distance", "planar"): Gauge(length, growth, pull),
    ("angle", "planar"): Gauge(*IN_PLANE[:3]),
    ("angle", "spatial"): Gauge(*IN_SPACE[:3]),
}


SPACES = {"planar": planar, "spatial": spatial}


class LawFamily:
    """Family of a law in the plane or in space."""

    def __init__(self, law: type[PointLaw], space: str) -> None:
        self.law, self._space, self.Arrays = law, SPACES[space], shared.Arrays
        self.__name__ = f"{law.__module__}.{law.__name__}.{space}"
        gauge = GAUGES.get((*law.measures, space))
        evaluate = self._space.evaluate if gauge is None else _evaluated_by(gauge)
        functions = _functions(law, evaluate, conservative=law.conserves(space))
        self.add = functions["add"] if gauge is None else _add_of_one(law, gauge)
        self.energy, self.power = functions["energy"], functions["power"]
        self.pack: Callable[[Any], Arrays] = packs_only(law)(lambda layout: self._packed(layout))
        if law.measures == ("distance",):
            self.readings, self.lines = functions["readings"], self._parts

    def _parts(self, layout: Any) -> list[Any]:
        return list(layout.forces(self.law))

    def _packed(self, layout: Any) -> Arrays:
        """Pack the parts of the model that are computed by this law."""
        parts, law = self._parts(layout), self.law
        words = law.measured(layout.space.quaternions)
        for part in parts:
            _try_out(part, len(words), "space" if layout.space.quaternions else "the plane")
        ends = [_ends(layout, part) for part in parts]
        nodes = [(_node(layout, a), _node(layout, b)) for a, b in ends]
        directions = np.zeros((len(parts), len(words), 9))
        for e, part in enumerate(parts):
            for k, word in enumerate(words):
                found = self._space.direction(layout, word, part)
                directions[e, k, : len(found)] = found
        inputs = [[layout.signal(getattr(part, key), part, key) for key in law.inputs] for part in parts]
        fixed = all(part.ends[0] is None for part in parts)
        turned = TURNED if layout.space.quaternions else ANGLE
        kinds = {"distance": DISTANCE, "angle": ANGLE, **dict.fromkeys(("rx", "ry", "rz"), turned)}
        arms = [(*_arm(layout, a), *_arm(layout, b)) for a, b in ends]
        return Arrays(
            dofs=turning(layout, nodes) if law.measures == ("angle",) else layout.dofs(nodes, 2),
            slots=np.empty((len(parts), 0), np.uint32),
            frames=self._space.frames(layout, nodes),
            arms=np.array(arms, float).reshape(-1, 2 * len(layout.space.axes)),
            kinds=np.array([kinds.get(word, PLACE if fixed else TURNING) for word in words], np.uint32),
            directions=directions,
            numbers=np.array([numbers_of(part) for part in parts] or np.zeros((0, 0))),
            inputs=np.array(inputs, np.uint32).reshape(len(parts), len(law.inputs)),
            steady=np.array([all(layout.is_constant(k) for k in row) for row in inputs], np.uint32),
        )

    def dry(self, part: Arrays, layout: Any) -> Iterator[Dry]:
        """Yield the parts with and without dry friction; without it is smoothed below an infinite speed."""
        if self.law.rubs_below:
            column = self.law.numbers.index(self.law.rubs_below)
            for e, each in enumerate(self._parts(layout)):
                rough = alone(part, e, ("kinds",))
                yield Dry(each, rough, changed(rough, "numbers", column, np.inf), each.only_in_motion)

    def unsymmetric(self, part: Arrays) -> bool:
        """Return whether the stiffness may be unsymmetric: a law without potential."""
        return bool(len(part.dofs)) and self.law.energy is None and not self.law.only_in_motion

    def rubbing(self, part: Arrays) -> bool:
        """Return whether the tangent may be unsymmetric in motion: a resistance to motion without potential."""
        return bool(len(part.dofs)) and self.law.energy is None and self.law.only_in_motion

    def gyroscopic(self, part: Arrays) -> bool:
        """Return False: dampers along lines that turn are only a little unsymmetric in motion."""
        return False


@cache
def law_family(law: Any, space: str) -> LawFamily:
    """Return the family of a law, a class derived from PointLaw."""
    return LawFamily(law, space)


def _try_out(part: PointLaw, count: int, space: str) -> None:
    """Raise an error if a law indexes beyond its arrays: compiled code would overwrite other data silently."""
    if not count:
        raise ModelError(
            f"{part.owner}: {space} has none of its measures {part.measures}, so that it would be ignored."
        )
    p, u = numbers_of(part), np.ones(len(part.inputs))
    f, f_x, f_rate = np.zeros(count), np.zeros((count, count)), np.zeros((count, count))
    try:
        part.resist(p, np.ones(count), np.zeros(count), u, f, f_x, f_rate)
        if part.energy is not None:
            part.energy(p, np.ones(count), u)
    except IndexError as error:
        raise ModelError(
            f"{part.owner}: its law reaches beyond its arrays in {space}, where it has {count} measures, {p.size} "
            f"numbers and {u.size} inputs: {error}."
        ) from error
    except Exception:  # a measure of 1 may be outside the law's domain: pliant_testing.check_part reports it
        return


def _ends(layout: Any, part: PointLaw) -> tuple[Any, Any]:
    """Return markers a and b, for a line the one with the lower node first: its lower triangle is the system's."""
    a, b = part.ends
    return (b, a) if part.measures == ("distance",) and _node(layout, b) < _node(layout, a) else (a, b)


def _node(layout: Any, marker: Any) -> int:
    return int(layout.ground if marker is None else layout.node(marker))


def _arm(layout: Any, marker: Any) -> Any:
    return np.zeros(len(layout.space.axes)) if marker is None else layout.arm(marker)


def _add_of_one(law: type[PointLaw], gauge: Gauge) -> Callable[..., None]:
    """Build the kernel of forces and tangents of a law of one measure."""
    resist, (measure, rate_of, spread_one) = kernel(law.resist), gauge
    number, block, signals = stack_array(1), stack_array(1, 1), stack_array(len(law.inputs))

    @kernel
    def add(part: Arrays, now: Instant, into: Into) -> None:
        x, rate, given, out = number(), number(), signals(), Response(number(), block(), block(), block())
        for e in range(part.dofs.shape[0]):
            x[0], at = measure(part, e, now.q)
            rate[0] = rate_of(part, e, now.v, at)
            read(part, e, now.u, given)
            clear(out)
            resist(part.numbers[e], x, rate, given, out.f, out.f_x, out.f_rate)
            stiff, late = into.ck * out.f_x[0, 0] + into.cc * out.f_rate[0, 0], into.ck * out.f_rate[0, 0]
            spread_one(part, e, at, now.v, Along(out.f[0], into.ck * out.f[0], stiff, late), into)

    return add


def _evaluated_by(gauge: Gauge) -> Callable[..., None]:
    """Build the kernel of value and rate of a law of one measure."""
    measure, rate_of, _ = gauge

    @kernel
    def evaluate(part: Arrays, e: int, q: np.ndarray, v: np.ndarray, at: Measured) -> None:
        at.x[0], by = measure(part, e, q)
        at.rate[0] = rate_of(part, e, v, by)

    return evaluate


def _functions(law: type[PointLaw], evaluate: Any, conservative: bool) -> dict[str, Callable[..., Any]]:
    """Build the kernels around the law's own functions."""
    resist = kernel(law.resist)
    potential = no_energy if law.energy is None else kernel(law.energy)

    @allocating_kernel
    def add(part: Arrays, now: Instant, into: Into) -> None:
        at, out, given = measured(part), response(part), np.zeros(part.inputs.shape[1])
        for e in range(part.dofs.shape[0]):
            evaluate(part, e, now.q, now.v, at)
            read(part, e, now.u, given)
            clear(out)
            resist(part.numbers[e], at.x, at.rate, given, out.f, out.f_x, out.f_rate)
            spread(part, e, at, out, into)

    @allocating_kernel
    def energy(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        at, given, total = measured(part), np.zeros(part.inputs.shape[1]), 0.0
        for e in range(part.dofs.shape[0]):
            if conservative and part.steady[e]:
                evaluate(part, e, q, v, at)
                read(part, e, u, given)
                total += potential(part.numbers[e], at.x, given)
        return 0.0, total

    @allocating_kernel
    def power(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        at, out, rest, given = measured(part), response(part), response(part), np.zeros(part.inputs.shape[1])
        still, supplied, dissipated = np.zeros(part.kinds.size), 0.0, 0.0
        for e in range(part.dofs.shape[0]):
            evaluate(part, e, q, v, at)
            read(part, e, u, given)
            clear(out)
            clear(rest)
            resist(part.numbers[e], at.x, at.rate, given, out.f, out.f_x, out.f_rate)
            resist(part.numbers[e], at.x, still, given, rest.f, rest.f_x, rest.f_rate)
            for k in range(part.kinds.size):
                dissipated += (out.f[k] - rest.f[k]) * at.rate[k]
                if not (conservative and part.steady[e]):
                    supplied -= rest.f[k] * at.rate[k]
        return supplied, dissipated

    @allocating_kernel
    def readings(part: Arrays, q: np.ndarray, v: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
        at, said, given = measured(part), response(part), np.zeros(part.inputs.shape[1])
        for e in range(part.dofs.shape[0]):
            evaluate(part, e, q, v, at)
            read(part, e, u, given)
            resist(part.numbers[e], at.x, at.rate, given, said.f, said.f_x, said.f_rate)
            out[e, 0], out[e, 1], out[e, 2] = at.x[0], at.rate[0], said.f[0]

    return {"add": add, "energy": energy, "power": power, "readings": readings}


@kernel
def read(part: Arrays, e: int, u: np.ndarray, given: np.ndarray) -> None:
    """Write the signals of part e."""
    for k in range(given.size):
        given[k] = u[part.inputs[e, k]]


@kernel
def clear(out: Any) -> None:
    """Set force and derivatives to zero: the law may leave some of them out."""
    out.f[:] = 0.0
    out.f_x[:] = 0.0
    out.f_rate[:] = 0.0


@kernel
def no_energy(numbers: np.ndarray, x: np.ndarray, given: np.ndarray) -> float:
    """Return zero, for a law without potential."""
    return 0.0
