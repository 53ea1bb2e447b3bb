"""`pliant identify`: parameters of a model from measurements, with confidence intervals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from pliant.model.parameters import Parameter
from pliant.system.compile import compile
from pliant.whole_files import whole_file
from pliant_cli.commands.compare import one_each, show_agreements
from pliant_cli.console import NOT_OK, OK, number, out, verdict
from pliant_cli.folder import Folder
from pliant_cli.options import Fitting
from pliant_cli.show import table
from pliant_cli.source import Source, settings, split, with_signals
from pliant_fit.identification.identification import Estimate, Identification
from pliant_fit.identification.identify import identify
from pliant_fit.measurements.described import described


def fitted(given: Source, measured: Sequence[Path], fitting: Fitting, values: Sequence[str], **options: Any) -> Any:
    """Fit parameters of a model to measurements; ``options`` go to `compile`."""
    own, signals = split(given, settings(values))
    model = given.model(own)
    if numbers := _parameters(given, own, [name for name in fitting.find if name not in model.parameters]):
        model = given.model(own | numbers)
    system = with_signals(compile(model, **options), given, signals)
    kept = fitting.hold_out or []
    tables = [each for each in (*measured, *kept) if each.suffix != ".toml"]
    columns = dict(zip(tables, one_each(fitting.columns or [], tables), strict=True))
    every = [described(path, system.signal_names, columns.get(path)) for path in (*measured, *kept)]
    words: dict[str, Any] = {"loss": fitting.loss, "start": given.start(system), "hold_out": every[len(measured) :]}
    return identify(system, parameters=fitting.find, measurements=every[: len(measured)], **words)


def _parameters(given: Source, own: Mapping[str, Any], names: Sequence[str]) -> dict[str, Parameter]:
    """Return parameters in the place of numbers that the function of a model takes."""
    options = {name: own.get(name, option.default) for name, option in given.options.items()}
    return {name: Parameter(name, options[name]) for name in names if isinstance(options.get(name), int | float)}


def run(fit: Identification, folder: Folder, *, as_json: bool) -> int:
    """Print the fit and store it, with the fitted model and the residuals; exit code 1 if it is not ok."""
    folder.keep_files({"identification.nc": lambda path, overwrite: _saved(fit, path)})
    folder.keep_model(fit.model)
    if as_json:
        for each in fit.estimates.values():
            typer.echo(json.dumps({key: _plain(value) for key, value in vars(each).items()}))
        typer.echo(json.dumps({**fit.outcome.as_dict(), "notes": list(fit.notes)}))
        return OK if fit.ok else NOT_OK
    head = ("parameter", "value", "±", "unit", "from", "")
    out.print(table(head, map(_row, fit.estimates.values()), title=f"identified: {escape(fit.provenance.model)}"))
    show_agreements([*fit.agreement.values(), *fit.hold_out.values()])
    for note in fit.notes:
        out.print(escape(note), highlight=False)
    out.print(f"{verdict(fit.ok)} {escape(fit.outcome.message)}", highlight=False)
    if folder.files:
        out.print(f"\nwritten to [bold]{folder.path}[/]: {', '.join(each.name for each in folder.files)}")
    return OK if fit.ok else NOT_OK


def _row(each: Estimate) -> tuple[str, ...]:
    half = 0.5 * (each.high - each.low)
    return escape(each.name), number(each.value), number(half, 2), each.unit, number(each.start), escape(each.note)


def _plain(value: Any) -> Any:
    return None if value != value else value  # NaN, which JSON has not


def _saved(fit: Identification, path: Path) -> Path:
    with whole_file(path) as part:
        fit.to_dataset().to_netcdf(part, engine="scipy", format="NETCDF3_64BIT")
    return path
