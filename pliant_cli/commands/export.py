"""`pliant export`: results, linear models and models into other formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from pliant.errors import FileError, OptionError
from pliant.results.io import load_result
from pliant_cli.console import out
from pliant_cli.source import settings, source, split
from pliant_io.export import FORMATS, export
from pliant_io.linear_models import load_linear


def run(
    text: str, targets: Sequence[Path], values: Sequence[str], *, force: bool, as_json: bool, **options: Any
) -> None:
    """Write the source in every format; write nothing if one of them is not possible."""
    thing = _thing(text, values)
    known = FORMATS[type(thing).__name__]
    for target in targets:
        if target.suffix.lower() not in known:
            raise OptionError(f"{target}: {text} can be written as {', '.join(known)}.")
        if target.exists() and not force:
            raise FileError(f"{target} exists already. Choose another name, or --force.")
    given = {name: value for name, value in options.items() if value}
    if given and not any(target.suffix.lower() == ".fmu" for target in targets):
        raise OptionError(f"--{next(iter(given)).rstrip('s')}: an option of FMUs; no target ends in .fmu.")
    for target in targets:
        fmu = given if target.suffix.lower() == ".fmu" else {}
        export(thing, target, overwrite=force, **fmu)
        if as_json:
            typer.echo(json.dumps({"file": str(target), "bytes": target.stat().st_size}))
        else:
            out.print(f"{target}  {target.stat().st_size / 1024:.1f} kB", highlight=False)


def _thing(text: str, values: Sequence[str]) -> Any:
    """Load a result or a linear model from a netCDF file, otherwise a model."""
    path = Path(text)
    if path.suffix != ".nc":
        given = source(text)
        own, others = split(given, settings(values))
        if others:
            raise OptionError(f"--set {next(iter(others))}: not an option of {text}.")
        return given.model(own)
    if values:
        raise OptionError("--set: an option of models, not of results.")
    try:
        return load_result(path)
    except FileError as error:
        if "lacks the attribute pliant_format" not in str(error):
            raise
        return load_linear(path)
