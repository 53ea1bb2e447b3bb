"""`pliant identify`: parameters of a model from measurements, and how sure they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from pliant.model.parameters import Parameter
from pliant.system.compile import compile
from pliant.whole_files import written_whole
from pliant_cli.commands.compare import one_each, show_agreements
from pliant_cli.console import NOT_OK, OK, number, out, verdict
from pliant_cli.folder import Folder
from pliant_cli.options import Sought
from pliant_cli.show import table
from pliant_cli.source import Source, settings, split, with_signals
from pliant_fit.identification.identification import Estimate, Identification
from pliant_fit.identification.identify import identify
from pliant_fit.measurements.described import described


def found(given: Source, measured: Sequence[Path], asked: Sought, values: Sequence[str], **options: Any) -> Any:
    """What the measurements say of a model; ``options`` are those of `compile`."""
    own, signals = split(given, settings(values))
    model = given.model(own)
    if numbers := _sought(given, own, [name for name in asked.find if name not in model.parameters]):
        model = given.model(own | numbers)
    system = with_signals(compile(model, **options), given, signals)
    kept = asked.hold_out or []
    tables = [each for each in (*measured, *kept) if each.suffix != ".toml"]
    told = dict(zip(tables, one_each(asked.columns or [], tables), strict=True))
    every = [described(path, system.signal_names, told.get(path)) for path in (*measured, *kept)]
    words: dict[str, Any] = {"loss": asked.loss, "start": given.start(system), "hold_out": every[len(measured) :]}
    return identify(system, parameters=asked.find, measurements=every[: len(measured)], **words)


def _sought(given: Source, own: Mapping[str, Any], names: Sequence[str]) -> dict[str, Parameter]:
    """Parameters in the place of numbers that the function of a model takes."""
    options = {name: own.get(name, option.default) for name, option in given.options.items()}
    return {name: Parameter(name, options[name]) for name in names if isinstance(options.get(name), int | float)}


def run(told: Identification, folder: Folder, *, as_json: bool) -> int:
    """Show it and keep it: what was found, the model with it, what is left. Exit code 1 if it is not ok."""
    folder.keep_files({"identification.nc": lambda path, overwrite: _saved(told, path)})
    folder.keep_model(told.model)
    if as_json:
        for each in told.estimates.values():
            typer.echo(json.dumps({key: _plain(value) for key, value in vars(each).items()}))
        typer.echo(json.dumps({**told.outcome.as_dict(), "notes": list(told.notes)}))
        return OK if told.ok else NOT_OK
    head = ("parameter", "value", "±", "unit", "from", "")
    out.print(table(head, map(_row, told.estimates.values()), title=f"identified: {escape(told.provenance.model)}"))
    show_agreements([*told.agreement.values(), *told.hold_out.values()])
    for note in told.notes:
        out.print(escape(note), highlight=False)
    out.print(f"{verdict(told.ok)} {escape(told.outcome.message)}", highlight=False)
    if folder.files:
        out.print(f"\nwritten to [bold]{folder.path}[/]: {', '.join(each.name for each in folder.files)}")
    return OK if told.ok else NOT_OK


def _row(each: Estimate) -> tuple[str, ...]:
    half = 0.5 * (each.high - each.low)
    return escape(each.name), number(each.value), number(half, 2), each.unit, number(each.start), escape(each.note)


def _plain(value: Any) -> Any:
    return None if value != value else value  # NaN, which JSON has not


def _saved(told: Identification, path: Path) -> Path:
    with written_whole(path) as part:
        told.to_dataset().to_netcdf(part, engine="scipy", format="NETCDF3_64BIT")
    return path
