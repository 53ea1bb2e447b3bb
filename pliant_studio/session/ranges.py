"""Sliders of any model: its parameters, its drives, its loads, each with a unit and a range that fit the model."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, inf, log10, pi
from typing import Any

from pliant.errors import OptionError, nearest
from pliant.model import Beam, Model, Parameter
from pliant.model.formulas import parameters_of
from pliant.model.parts import Joint
from pliant.model.signals.base import Constant
from pliant.model.signals.sizes import of_force, units
from pliant.system.packing.build import length_scale
from pliant_studio.session.mechanism import Slider

Range = tuple[float, float]
Ranges = Mapping[str, Range]
"""Lowest and highest value of a slider by its name, in SI units."""

GRAVITY = 9.81
LONG = 10.0  # m: larger mechanisms are shown in metres
SHOWN: dict[str, tuple[str, float]] = {"rad": ("deg", 180.0 / pi), "m": ("mm", 1e3), "1": ("", 1.0)}
STEPS = 1000  # of a range, at least
ELEMENTS = "elements"


def sliders(model: Model, system: Any, ranges: Ranges) -> tuple[Slider, ...]:
    """Make sliders for all parameters, constant signals, and the number of elements; presently effective ones first.

    A signal whose value comes from a parameter is moved by the parameter's slider; time-varying signals have none.
    """
    signals = {named.name: named.signal for named in system.layout.signals if named.name in system.signal_names}
    constant = {name: signal.value for name, signal in signals.items() if isinstance(signal, Constant)}
    free = [name for name in constant if not _depends(model, name)]
    known = [*model.parameters, *free, *([ELEMENTS] if model.beams else [])]
    for name, (low, high) in ranges.items():
        if name not in known:
            raise OptionError(f"ranges: {name!r} is no slider. {nearest(name, known)}")
        if not low < high:
            raise OptionError(f"ranges: {name!r} from {low:g} to {high:g}; the first must be smaller.")
    scale = _Scale(model, constant)
    found = [
        _slider(name, name.replace("_", " "), each.unit, each.value, ranges.get(name) or _bounds(each), scale)
        for name, each in model.parameters.items()
    ]
    for name in sorted(free, key=lambda name: _rank(model, name, constant[name])):
        low, high = ranges.get(name) or scale.nearby(name, constant[name])
        unit, (part, _, key) = units(model, name) or "", name.rpartition("/")
        label = f"{part}, {key.replace('_', ' ')}"
        found.append(_slider(name, label, unit, constant[name], (low, high), scale, {name: 1.0}))
    if model.beams:
        low, high = ranges.get(ELEMENTS) or (2.0, 40.0)
        start = min(max(6.0, low), high)
        found.append(Slider(ELEMENTS, "elements of every beam", "", low, high, start, 1.0, anew=True))
    return tuple(found)


def _depends(model: Model, name: str) -> bool:
    part, _, key = name.rpartition("/")
    return bool(parameters_of(model.part(part)._as_given(key)))


def _rank(model: Model, name: str, value: float) -> int:
    """Return the order: drives, then loads that act, then loads that are zero, then the weight."""
    part = model.part(name.rpartition("/")[0])
    if isinstance(part, Joint):
        return 0
    weight = units(model, name) == "m/s²"
    return (3 if weight else 1) if value else (4 if weight else 2)


def _bounds(parameter: Parameter) -> Range:
    """Return a parameter's bounds; without them, half to twice its value, or its size about zero, rounded."""
    value, size = parameter.value, parameter.size
    low, high = _few_digits(*sorted((0.5 * value, 2.0 * value))) if value else (-size, size)
    return (parameter.low if parameter.low > -inf else low, parameter.high if parameter.high < inf else high)


def _few_digits(low: float, high: float) -> Range:
    """Extend a range to ends with few digits.

    >>> _few_digits(-56.098765, 61.7)
    (-60.0, 70.0)
    """
    grain = 10.0 ** floor(log10(high - low) - 1.0)
    first, last = floor(low / grain + 1e-9), ceil(high / grain - 1e-9)  # except for rounding
    return float(f"{grain * first:.10g}"), float(f"{grain * last:.10g}")


def _slider(
    name: str,
    label: str,
    unit: str,
    value: float,
    between: Range,
    scale: _Scale,
    signals: Mapping[str, float] | None = None,
) -> Slider:
    shown, per_si = scale.shown(unit)
    low, high = (float(f"{each * per_si:.10g}") for each in (min(between[0], value), max(between[1], value)))
    step = 10.0 ** floor(log10((high - low) / STEPS))
    return Slider(name, label, shown, low, high, value * per_si, step, per_si, signals or {})


def _softest(beam: Beam) -> float:
    """Return the smallest bending stiffness of its sections, from base to tip."""
    found = [beam.section_at(s) for s in (0.0, 0.5, 1.0)]
    return min(x for each in found for x in (each.bending_stiffness, each.bending_stiffness_y) if x)


class _Scale:
    """Length of a model and the forces at work in it."""

    def __init__(self, model: Model, constant: Mapping[str, float]) -> None:
        self.model, self.length = model, length_scale(model)
        loads = [abs(value) for name, value in constant.items() if units(model, name) == "N"]
        mass = sum(body.mass for body in model.bodies) + sum(beam.mass for beam in model.beams)
        bent = [pi**2 * _softest(beam) / beam.length**2 for beam in model.beams]  # its buckling load
        self.force = max(loads, default=0.0) or min(bent, default=0.0) or GRAVITY * mass or 1.0

    def shown(self, unit: str) -> tuple[str, float]:
        """Return the common unit, and its number per SI unit."""
        return (unit, 1.0) if unit == "m" and self.length > LONG else SHOWN.get(unit, (unit, 1.0))

    def nearby(self, name: str, value: float) -> Range:
        """Return a range about a value, with few digits in the unit shown."""
        per_si = self.shown(units(self.model, name) or "")[1]
        low, high = self.around(name, value)
        few = _few_digits(per_si * low, per_si * high)
        return few[0] / per_si, few[1] / per_si

    def around(self, name: str, value: float) -> Range:
        """Return a range of a signal about its value."""
        unit = units(self.model, name)
        if unit == "rad":
            return value - 0.5 * pi, value + 0.5 * pi
        if unit == "m":
            away = 0.5 * value if name.endswith("/rest_length") else 0.25 * self.length
            return value - away, value + away
        if unit == "m/s²":
            size = 2.0 * abs(value) or GRAVITY
        elif of_force(self.model, name):
            size = 3.0 * abs(value) or self.force * (self.length if unit == "N m" else 1.0)
            if name.endswith("/tension"):  # a tendon cannot push
                return 0.0, size
        else:
            size = 2.0 * abs(value) or 1.0
        return -size, size
