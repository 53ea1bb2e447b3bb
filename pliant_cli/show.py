"""Results of steps as tables for people, and as plain records for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.measure import Measurement
from rich.table import Table

from pliant.results.quantities import Quantity, along, quantities
from pliant.results.schema import events, units_of
from pliant_cli.console import number, out
from pliant_cli.steps import Done

ROWS = 12  # of a table; more are in the files
ROUNDING = 1e-13
DEGREE = 180.0 / np.pi


def show(done: Done) -> None:
    """Print a heading and the tables of a step."""
    out.print()
    mark = "[green]✓[/]" if done.ok else "[bold red]✗[/]"
    outcome = getattr(done.found, "outcome", None)
    message = "small motion about the equilibrium" if outcome is None else outcome.message
    if outcome is not None and done.step == "statics" and outcome.figures.get("stable"):
        message += ", stable"
    out.print(f"{mark} [bold]{done.step}[/]  {message}  [dim]{seconds(done.seconds)}[/]", highlight=False)
    if done.warnings:
        out.print(f"[bold yellow]![/] {', '.join(done.warnings)}", highlight=False)
    if left := getattr(outcome, "not_checked", None):
        out.print(f"[bold yellow]?[/] not checked: {', '.join(left)}", highlight=False)
    for row in _side_by_side(list(_tables(done.found)), out.width):
        out.print(Columns(row, padding=(0, 3)))


def _side_by_side(tables: Sequence[Table], width: int) -> Iterator[list[Table]]:
    """Yield rows of tables, each as long as the terminal is wide."""
    row, used = list[Table](), 0
    for each in tables:
        needs = Measurement.get(out, out.options, each).maximum + 3
        if row and used + needs > width:
            yield row
            row, used = [], 0
        row.append(each)
        used += needs
    if row:
        yield row


def seconds(value: float) -> str:
    """Format a duration."""
    return f"{1e3 * value:.0f} ms" if value < 1.0 else f"{value:.1f} s"


def short(value: float, digits: int = 5) -> str:
    """Format a quantity in a few digits; a number as small as rounding errors is 0."""
    return number(value if abs(value) > ROUNDING else 0.0, digits)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None, most: int = ROWS) -> Table:
    """Return a light table: words on the left, numbers on the right, no more than `most` rows."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
    for k, heading in enumerate(head):
        made.add_column(heading, justify="right" if k else "left", no_wrap=True)
    rows = list(rows)
    for row in rows[:most]:
        made.add_row(*row)
    if len(rows) > most:
        made.add_row(f"… {len(rows) - most} more", *[""] * (len(head) - 1), style="dim")
    return made


def _tables(found: Any) -> Iterable[Table]:
    if not hasattr(found, "outcome"):
        return [_poles(found)]
    known = {"statics": _statics, "modes": _modes, "motion": _motion, "path": _path, "campbell": _campbell}
    return known.get(found.kind, _others)(found)


def _statics(result: Any) -> list[Table]:
    data, tables = result.data, []
    if "angle" in data and data.sizes.get("body"):
        angles = zip(data["body"].values, data["angle"].values, strict=True)
        tables.append(table(("body", "angle °"), [(name, short(DEGREE * value)) for name, value in angles]))
    if data.sizes.get("line"):
        lines = zip(*(data[key].values for key in ("line", "tension", "line_length")), strict=True)
        rows = [(name, number(force), number(length)) for name, force, length in lines]
        tables.append(table(("line", "tension N", "length m"), rows))
    for variable, dimension, units in (("position", "marker", "m"), ("reaction", "joint", "")):
        if data.sizes.get(dimension):
            labels = data[data[variable].dims[-1]].values.tolist()
            head = [f"{label} {units or units_of(data[variable], label)}" for label in labels]
            places = [
                (str(name), *(short(value, 4 if len(values) > 3 else 5) for value in values))
                for name, values in zip(data[dimension].values, data[variable].values, strict=True)
            ]
            tables.append(table((dimension, *head), places))
    return tables


def _others(result: Any) -> list[Table]:
    """Return all quantities, for a kind of result of another package."""
    if along(result):
        return [_course(quantities(result))]
    rows = [(each.name.replace(":", "  ", 1), each.units, short(float(each.values))) for each in quantities(result)]
    return [table(("quantity", "unit", "value"), rows)]


def _modes(result: Any) -> list[Table]:
    data = result.data
    columns = {
        "frequency Hz": ("frequency_hz", 6),
        "damping ratio": ("damping_ratio", 3),
        "modal mass kg": ("modal_mass", 4),
    }
    if "damping_ratio" not in data:  # it was not looked at, and is not 0
        del columns["damping ratio"]
    numbers = [[short(value, digits) for value in data[name].values] for name, digits in columns.values()]
    return [table(("mode", *columns), zip(map(str, data["mode"].values), *numbers, strict=True))]


def _motion(result: Any) -> list[Table]:
    kinds = ("angle", "rotation", "tension", "normal_force", "drive_effort", "motor_torque", "energy")
    chosen = [each for each in quantities(result) if each.name.partition(":")[0] in kinds]
    return [_course(chosen)]


def _course(chosen: Iterable[Quantity]) -> Table:
    rows = [
        (each.name.replace(":", "  ", 1), units, *(short(factor * float(v)) for v in _ends(each.values)))
        for each in chosen
        for units, factor in [("°", DEGREE) if each.units == "rad" else (each.units, 1.0)]
    ]
    return table(("quantity", "unit", "start", "end", "least", "most"), rows)


def _ends(values: np.ndarray) -> tuple[Any, ...]:
    return values[0], values[-1], np.min(values), np.max(values)


def _path(result: Any) -> list[Table]:
    data = result.data
    met = [(kind, number(value), str(point)) for kind, value, point in events(data)]
    kinds = ("angle", "tension", "normal_force")
    parameter = Quantity(str(data["parameter"].attrs.get("name", "parameter")), "", data["parameter"].values)
    chosen = [each for each in quantities(result) if each.name.partition(":")[0] in kinds]
    events_table = [table(("event", "parameter", "point"), met)] if met else []
    return [_course([parameter._replace(units=units_of(data["parameter"])), *chosen]), *events_table]


def _campbell(result: Any) -> list[Table]:
    """Return frequencies over the rate, in axes that turn, and the critical rates."""
    data, rates = result.data, result.outcome.figures["critical_rates"]
    head = ("rate rad/s", *(f"mode {k} Hz" for k in data["mode"].values), "stable")
    rows = [
        (number(float(rate)), *(short(value) for value in values), "yes" if stable else "no")
        for rate, values, stable in zip(
            data["rate"].values, data["frequency_hz"].values, data["stable"].values, strict=True
        )
    ]
    return [
        table(head, rows),
        *([table(("critical rate rad/s",), [(number(each),) for each in rates])] if rates else []),
    ]


def _poles(model: Any) -> Table:
    data = model.damping_table()
    rows = [
        (str(k + 1), number(f), short(d, 3), number(t, 3) if t < 1e6 else "-", parts)
        for k, (f, d, t, parts) in enumerate(
            zip(*(data[n].values for n in ("frequency_hz", "damping_ratio", "time_constant", "parts")), strict=True)
        )
    ]
    return table(("pole", "frequency Hz", "damping ratio", "time constant s", "what moves"), rows)


def record(done: Done, files: Sequence[Any] = ()) -> dict[str, Any]:
    """Return a step for programs: its outcome and quantities."""
    found = done.found
    base = {"step": done.step, "ok": done.ok, "seconds": round(done.seconds, 6), "files": [str(file) for file in files]}
    if not hasattr(found, "outcome"):
        poles = found.poles()
        names = {f"{what}s": list(getattr(found, f"{what}_names")) for what in ("input", "output")}
        return {**base, **names, "poles": [[float(p.real), float(p.imag)] for p in poles]}
    base |= {"message": found.outcome.message, "figures": dict(found.outcome.figures)}
    base["checks"] = [check.as_dict() for check in found.outcome.checks]
    base["not_checked"], base["warnings"] = dict(found.outcome.not_checked), list(done.warnings)
    main = along(found)
    values: dict[str, Any] = {}
    for each in quantities(found):
        real = np.real(each.values)
        if main == "mode":
            values[each.name] = {"units": each.units, "values": real.tolist()}
        elif main is None:
            values[each.name] = {"units": each.units, "value": float(real)}
        else:
            keys = ("first", "last", "min", "max")
            values[each.name] = {"units": each.units, **dict(zip(keys, map(float, _ends(real)), strict=True))}
    if found.kind == "path":
        base["events"] = [{"kind": kind, "parameter": value, "point": at} for kind, value, at in events(found.data)]
    return {**base, "quantities": values}
