"""Result of an optimisation: the design, its active constraints and their prices, the designs tried, and the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.errors import FileError
from pliant.model import Model
from pliant.model.files.io import dumps, loads
from pliant.results import Outcome, Result
from pliant.results.io import load_result

KIND = "optimisation"
MODEL = "model_text"  # setting of the provenance: the model of the best design as text
FINE = {"m": (1e3, "mm"), "kg": (1e3, "g")}  # units of small changes
PRICE = 1e-9  # of the goal: smaller prices are zero


class Active(NamedTuple):
    """A constraint, or a bound of a parameter, that is active at the optimum.

    text   as given: "stiffness:stage:x >= 400", or "thickness >= 0.0005"
    bound  SI
    price  change of the goal's best value a unit of the bound (SI)
    words  price in a sentence
    """

    text: str
    bound: float
    price: float
    words: str


@dataclass(frozen=True, repr=False)
class Optimum:
    """The best design found by `optimise`. `print` shows it as text.

    values   of the parameters (SI), by name; `start`: values at the start
    result   of every quantity, by name; `before` at the start
    goal     name of the quantity that is minimised or maximised
    active   active constraints, with prices: how much the goal improves if a bound is moved
    choice   values of ``choices`` that were best
    model    with the best values; None if loaded from a file that could not hold the model (one with Python functions)
    record   a `Result` of all designs that were tried, which `save` writes: ``design`` and ``response`` over
             ``evaluation``, their ``violation`` of the constraints, and which start they were ``begun_from``

    >>> import pliant as pl
    >>> m = pl.Model("arm")
    >>> mass = pl.Parameter("mass", 1.0, low=0.5, high=2.0, unit="kg")
    >>> ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=mass, angle=0.0))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), arm.at(s=0)))
    >>> print(pl.optimise(m, minimise="mass"))
    ok: a local optimum
      mass: 0.5 kg (began with 1, -50 %)
      mass = 0.5 (began with 1)
      mass >= 0.5 holds it back: 5 g more costs 5 g of mass (1 %)
    """

    values: Mapping[str, float]
    start: Mapping[str, float]
    result: Mapping[str, float]
    before: Mapping[str, float]
    goal: str
    active: Sequence[Active]
    choice: Mapping[str, object]
    record: Result
    model: Model | None = None

    @property
    def outcome(self) -> Outcome:
        """Return the outcome: whether it is an optimum, with the checks."""
        return self.record.outcome

    @property
    def ok(self) -> bool:
        """Return whether all checks passed: constraints, stationary, minimum, analyses ok, one branch."""
        return self.outcome.ok

    @property
    def history(self) -> xr.Dataset:
        """Return all designs that were tried, in order."""
        return self.record.data

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write everything to a netCDF file, which `load_optimum` reads."""
        return self.record.save(path, overwrite=overwrite)

    def __repr__(self) -> str:
        units = self.record.provenance.settings["units"]
        first, last = self.before.get(self.goal, np.nan), self.result[self.goal]
        lines = [f"{'ok' if self.ok else 'not ok'}: {self.outcome.message}"]
        value = f"{last:.6g} {_shown(units[self.goal])}".rstrip()
        lines.append(f"  {self.goal}: {value} (began with {first:.6g}{_change(first, last)})")
        lines += [f"  {name} = {value:.6g} (began with {self.start[name]:.6g})" for name, value in self.values.items()]
        lines += [f"  {name} = {value!r}" for name, value in self.choice.items()]
        others = [name for name in self.result if name != self.goal]
        lines += [f"  {name}: {self.result[name]:.6g} {_shown(units[name])}".rstrip() for name in others]
        return "\n".join([*lines, *(f"  {each.words}" for each in self.active)])


def load_optimum(path: str | Path) -> Optimum:
    """Read a file of `Optimum.save`.

    >>> import tempfile
    >>> import pliant as pl
    >>> m = pl.Model("strip")
    >>> h = pl.Parameter("h", 2e-3, low=1e-3, high=4e-3, unit="m")
    >>> ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    >>> found = pl.optimise(m, minimise="mass", subject_to=["frequency_hz:1 >= 5"], over=["h"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = found.save(f"{folder}/strip.nc")
    ...     again = pl.load_optimum(file)
    >>> again.values == found.values, again.model.parameters == found.model.parameters
    (True, True)
    """
    record = load_result(path)
    if record.kind != KIND:
        raise FileError(f"{path} is a {record.kind} result, no optimum. Read it with pl.load_result.")
    return of_record(record)


def of_record(record: Result) -> Optimum:
    """Make an optimum from its record."""
    kept = record.provenance.settings
    text = kept.get(MODEL)
    active = [Active(**each) for each in kept["active"]]
    model = loads(text) if text else None
    before = kept["values"], kept["start"], kept["result"], kept["before"]
    return Optimum(*before, kept["goal"], active, kept["choice"], record, model)


def text_of(model: Model) -> str:
    """Return a model as the text of its file; "" if it cannot be saved."""
    from pliant.errors import PliantError

    try:
        return dumps(model)
    except PliantError:
        return ""


def price_bound(text: str, bound: float, price: float, unit: str, goal: tuple[str, float, str], sign: float) -> Active:
    """Return an active bound with its price in words: the cost of a bound that is tighter by one per cent. ``sign``: 1
    if the goal is minimised, -1 if maximised.

    >>> price_bound("mass <= 2", 2.0, 0.5, "kg", ("stiffness", 100.0, "N/m"), -1.0).words
    'mass <= 2 holds it back: 20 g less costs 0.01 N/m of stiffness (0.01 %)'
    """
    name, value, goal_unit = goal
    step = 0.01 * abs(bound) or 0.01
    more = "less" if "<=" in text else "more"
    worse = abs(price) * step
    share = f" ({100.0 * worse / abs(value):.2g} %)" if value else ""
    cost = "saves" if "==" in text and sign * price < 0.0 else "costs"  # tighter inequalities save nothing
    words = f"{_small_change(step, unit)} {more} {cost} {_small_change(worse, goal_unit)} of {name}{share}"
    return Active(text, bound, price, f"{text} holds it back: {words}")


def _small_change(value: float, unit: str) -> str:
    """Format a small change: lengths in mm, masses in g if below a tenth."""
    factor, shown = FINE.get(unit, (1.0, unit)) if value < 0.1 else (1.0, unit)
    return f"{factor * value:.3g} {_shown(shown)}".rstrip()


def _shown(unit: str) -> str:
    """Return a unit behind a number; empty for a pure number."""
    return "" if unit == "1" else unit


def _change(first: float, last: float) -> str:
    if not np.isfinite(first) or first == 0.0:
        return ""
    return f", {100.0 * (last - first) / abs(first):+.3g} %"
