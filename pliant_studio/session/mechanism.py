"""Mechanism of the studio, described as data: its sliders with unit and range, its readings and releases."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pliant as pl
import pliant_gallery as gallery
from pliant._libraries import xarray as xr
from pliant.errors import OptionError, nearest
from pliant.model import Model
from pliant.results import Result

Values = dict[str, float]
"""Value of every slider by its name, in SI units."""


@dataclass(frozen=True)
class Slider:
    """One adjustable quantity. `low`, `high`, `start` and `step` are in the unit shown: SI times `per_si`.

    signals  signals that it drives, with a factor: equilibria are followed along them. Empty: an option of the model,
             which is changed in small steps of the equilibrium
    anew     the number of coordinates changes with it: everything is computed again from the start
    """

    name: str
    label: str
    unit: str
    low: float
    high: float
    start: float
    step: float
    per_si: float = 1.0
    signals: Mapping[str, float] = field(default_factory=dict)
    anew: bool = False

    def shown(self, value: float) -> float:
        """Convert a value in SI units to the unit shown."""
        return value * self.per_si

    def si(self, shown: float) -> float:
        """Convert a shown value to SI units, within the range."""
        little = 1e-6 * self.step  # rounding
        if not self.low - little <= shown <= self.high + little:
            raise OptionError(
                f"{self.label}: {shown:g} {self.unit} is out of range; choose between {self.low:g} and {self.high:g}."
            )
        return shown / self.per_si

    def written(self, value: float) -> str:
        """Format a value in SI units, with the unit shown."""
        return f"{self.shown(value):.6g} {self.unit}".rstrip()


class Reading(NamedTuple):
    """A number read from a result: `output` is "variable:label" or "variable:label:component"."""

    label: str
    unit: str
    output: str
    per_si: float = 1.0

    def of(self, result: Result) -> xr.DataArray:
        """Return its value, or values over time, in the unit shown."""
        variable, *labels = self.output.split(":")
        array = getattr(result, variable)
        own = [dimension for dimension in array.dims if dimension not in ("time", "point")]
        return array.sel(dict(zip(own, labels, strict=True))) * self.per_si


class Release(NamedTuple):
    """A system to release, its start (None: as assembled), and a controller if there is one."""

    system: Any
    start: Result | None
    controller: Any = None


@dataclass(frozen=True)
class Mechanism:
    """Description of a mechanism for the studio. Its functions are module-level and use only what their module imports,
    since they are copied into the script that reproduces a session.

    name      as in the command line
    about     one sentence for the page
    sliders   the most useful one first
    readings  shown beside the equilibrium, and over time after a release
    model     values -> Model
    rest      (system, values) -> Result: the first equilibrium
    release   (system, rest, values, choice) -> Release
    releases  the choices of `release`, each with what it does
    step      of time in a motion; None: it adapts
    given     line of a script that defines what its functions need in addition, if anything
    """

    name: str
    about: str
    sliders: tuple[Slider, ...]
    readings: tuple[Reading, ...]
    model: Callable[[Values], Model]
    rest: Callable[[Any, Values], Result]
    release: Callable[[Any, Result, Values, str], Release]
    end_time: float
    releases: Mapping[str, str]
    step: float | None = 1e-3
    given: Callable[[], str] = str

    def slider(self, name: str) -> Slider:
        """Return one of its sliders."""
        for slider in self.sliders:
            if slider.name == name:
                return slider
        raise OptionError(f"{self.name} has no slider {name!r}. {nearest(name, [s.name for s in self.sliders])}")

    @property
    def values(self) -> Values:
        """Return the initial values of the sliders."""
        return {slider.name: slider.si(slider.start) for slider in self.sliders}


def compiled(model: Model, values: Values) -> Any:
    """Compile a mechanism, with exact beam elements, as many as the slider "elements" says, if there is one."""
    if "elements" not in values:
        return pl.compile(model)
    return pl.compile(model, elements=pl.Exact(int(values["elements"]), order=2))


def mechanisms() -> dict[str, Mechanism]:
    """Return the mechanisms of the gallery: `MECHANISMS` of every ``pliant_gallery/<name>/studio.py``."""
    folder = Path(gallery.__file__).parent
    found: dict[str, Mechanism] = {}
    for name in gallery.names():
        if (folder / name / "studio.py").is_file():
            module = importlib.import_module(f"pliant_gallery.{name}.studio")
            found |= {each.name: each for each in module.MECHANISMS}
    return found


def names() -> list[str]:
    """Return all names that `mechanism` knows: mechanisms for the studio, then other models of the gallery."""
    described = list(mechanisms())
    return [*described, *(name for each in gallery.names() if (name := each.replace("_", "-")) not in described)]


def mechanism(name: str) -> Mechanism:
    """Return the mechanism with that name; "six_rus" and "six-rus" are equal."""
    known, wanted = mechanisms(), name.replace("_", "-")
    if wanted in known:
        return known[wanted]
    if wanted not in names():
        raise OptionError(f"The studio has no mechanism {name!r}. {nearest(wanted, names())}")
    from pliant_studio.session.any_model import of_model

    return replace(of_model(gallery.model(wanted)), name=wanted, about=gallery.summary(wanted))
