"""`pliant compare`: two or more runs, or formulations of a model, quantity by quantity."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from rich.markup import escape

from pliant.cli.console import NOT_OK, OK, number, out
from pliant.cli.show import table
from pliant.cli.steps import Plan, Walk
from pliant.errors import FileError, OptionError
from pliant.results.quantities import Quantity, along, quantities

SKIPPED = ("energy", "momentum", "acceleration", "reaction", "resultant")  # unless asked for: methods differ most there
NOTHING = 1e-12  # of the scale: rounding, not a difference


class Row(NamedTuple):
    """A quantity in every run: its last value, the largest difference from the first run, and that as a part of how far
    the quantities of its kind (all positions, all angles) go in the first run.
    """

    quantity: str
    units: str
    last: tuple[float, ...]
    difference: float
    relative: float


def results_of(paths: Sequence[Path]) -> dict[str, Any]:
    """Results by the names of their files; of a folder its last one (motion, else path, modes, statics)."""
    from pliant.results.io import load_result

    found: dict[str, Any] = {}
    for path in paths:
        file = path
        if path.is_dir():
            files = [path / f"{name}.nc" for name in ("motion", "path", "modes", "statics")]
            file = next((each for each in files if each.is_file()), path / "motion.nc")
        if not file.is_file():
            raise FileError(f"{file}: there is no such result. Give a .nc file or a folder that `pliant run` wrote.")
        found[_fresh(str(path), found)] = load_result(file)
    return found


def _fresh(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else f"{name} ({len(taken) + 1})"


def formulations_of(plan: Plan, names: Sequence[str]) -> dict[str, Any]:
    """The last result of a plan in every formulation."""
    found = {}
    for name in names:
        steps = [done.found for done in Walk(replace(plan, formulation=name))]
        found[name] = steps[-1]
    return found


def compare(results: Mapping[str, Any], *, everything: bool = False) -> list[Row]:
    """Rows of all quantities that every result has; the first is what the others are compared with."""
    if len(results) < 2:
        raise OptionError("compare: give two or more results, or a model and two or more --formulation.")
    kinds = {result.kind for result in results.values()}
    if len(kinds) > 1:
        raise OptionError(f"compare: results of one kind can be compared; these are {', '.join(sorted(kinds))}.")
    first, *others = [_by_name(result) for result in results.values()]
    main = [_grid(result) for result in results.values()]
    sizes = dict[str, float]()
    for name, each in first.items():
        sizes[_kind(name)] = max(sizes.get(_kind(name), 1e-300), _size(each.values))
    rows = []
    for name, each in first.items():
        if any(name not in other for other in others) or (_kind(name) in SKIPPED and not everything):
            continue
        values = [each.values, *(other[name].values for other in others)]
        difference = max(_difference(main[0], values[0], x, y) for x, y in zip(main[1:], values[1:], strict=True))
        scale = sizes[_kind(name)]
        difference = 0.0 if difference <= NOTHING * scale else difference
        last = tuple(float(np.real(np.atleast_1d(value)[-1])) for value in values)
        rows.append(Row(name, each.units, last, difference, difference / scale))
    if not rows:
        raise OptionError("compare: the results have no quantity in common.")
    return rows


def _by_name(result: Any) -> dict[str, Quantity]:
    """Quantities; of modes one for each of them."""
    found = {each.name: each for each in quantities(result)}
    if result.kind != "modes":
        return found
    modes = enumerate(result.data["mode"].values.tolist())
    split = [Quantity(f"{q.name}:{mode}", q.units, q.values[k]) for k, mode in modes for q in found.values()]
    return {each.name: each for each in split}


def _kind(name: str) -> str:
    """What shares a scale: all positions, all angles; every mode has its own."""
    return name if name.startswith(("frequency_hz", "eigenvalue", "modal_mass")) else name.partition(":")[0]


def _size(values: np.ndarray) -> float:
    """How far a course goes, or how large a single value is."""
    return float(np.ptp(np.real(values)) if np.ndim(values) else abs(values))


def _grid(result: Any) -> np.ndarray:
    main = along(result)
    if main in (None, "mode"):
        return np.zeros(1)
    return np.asarray(result.data["parameter" if main == "point" else main].values, float)


def _difference(x: np.ndarray, a: np.ndarray, y: np.ndarray, b: np.ndarray) -> float:
    """Largest difference where both are known; of two courses the denser one is splined onto the other's places."""
    a, b = np.atleast_1d(np.real(a)), np.atleast_1d(np.real(b))
    if x.shape == y.shape and np.allclose(x, y, rtol=0.0, atol=1e-9 * max(1.0, float(np.max(np.abs(x))))):
        return float(np.max(np.abs(a - b)))
    if np.any(np.diff(x) <= 0.0) or np.any(np.diff(y) <= 0.0) or min(x.size, y.size) < 2:
        return float(abs(a[-1] - b[-1]))  # paths that turn back, other numbers of modes: the last values
    from scipy.interpolate import CubicSpline

    (fine, f), (coarse, c) = sorted(((x, a), (y, b)), key=lambda pair: -pair[0].size)
    inside = (coarse >= fine[0]) & (coarse <= fine[-1])
    if not inside.any():
        raise OptionError("compare: the motions have no instant in common.")
    return float(np.max(np.abs(CubicSpline(fine, f)(coarse[inside]) - c[inside])))


def run(results: Mapping[str, Any], *, tolerance: float | None, everything: bool, as_json: bool) -> int:
    """Show the rows, the largest differences first; exit code 1 if one exceeds the tolerance."""
    rows = sorted(compare(results, everything=everything), key=lambda row: -row.relative)
    names = list(results)
    if as_json:
        for row in rows:
            typer.echo(json.dumps({**row._asdict(), "runs": names}))
    else:
        head = ("quantity", "unit", *(f"{name}" for name in names), "largest difference", "relative")
        cells = [
            (
                escape(row.quantity),
                row.units,
                *(number(x) for x in row.last),
                number(row.difference, 3),
                number(row.relative, 2),
            )
            for row in rows
        ]
        out.print(table(head, cells, title=f"{next(iter(results.values())).kind}: last values side by side", most=30))
        worst = rows[0]
        out.print(
            f"largest: {escape(worst.quantity)}, {worst.difference:.3g} {worst.units}, relative {worst.relative:.2g}"
        )
    return NOT_OK if tolerance is not None and rows[0].relative > tolerance else OK
