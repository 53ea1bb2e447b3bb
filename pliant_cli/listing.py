"""`pliant list`: models, cases, benchmarks and analyses."""

from __future__ import annotations

import json
from inspect import cleandoc, unwrap
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

import pliant_gallery as gallery
from pliant.model import Parameter
from pliant_cli.console import number, out
from pliant_cli.show import table
from pliant_cli.source import source
from pliant_testing import benchmarking, validation


def run(*, as_json: bool) -> None:
    """Print gallery models, validation cases and benchmarks, each with one line of description."""
    models = [(name.replace("_", "-"), gallery.summary(name)) for name in gallery.names()]
    cases = [validation.CASES.get(name) for name in validation.CASES.names()]
    benchmarks = [benchmarking.BENCHMARKS.get(name) for name in benchmarking.BENCHMARKS.names()]
    sections = {
        "Gallery models": models,
        "Validation cases": [(case.name, f"{case.summary} ({case.source})") for case in cases],
        "Benchmarks": [(benchmark.name, benchmark.summary) for benchmark in benchmarks],
    }
    for title, rows in sections.items():
        if as_json:
            for name, description in rows:
                typer.echo(json.dumps({"section": title, "name": name, "summary": description}))
            continue
        listed = Table(
            title=title, title_justify="left", title_style="bold", show_header=False, box=None, padding=(0, 2)
        )
        for name, description in rows:
            listed.add_row(f"[cyan]{name}[/]", description)
        out.print(listed)
        out.print()


def run_analyses(*, as_json: bool) -> None:
    """Print the analyses of pliant and of other packages: how each is written, and its first paragraph."""
    import pliant as pl
    from pliant._arguments import usage
    from pliant._lazy import homes
    from pliant.analyses.workflow import foreign

    own = [name for name, (home, _) in homes("pliant").items() if home.startswith("pliant.analyses.")]
    listed = Table(show_header=False, box=None)
    for name in sorted({name for name in own if name.islower()} | {*foreign()}):
        function = unwrap(getattr(pl, name))
        summary = " ".join(cleandoc(function.__doc__ or "").split("\n\n")[0].split())
        if as_json:
            row = {"name": name, "module": function.__module__, "usage": usage(function), "summary": summary}
            typer.echo(json.dumps(row))
        abroad = f" [dim]({function.__module__})[/]" if name in foreign() else ""
        listed.add_row(f"[cyan]{escape(usage(function))}[/]{abroad}", escape(summary))
    if not as_json:
        out.print(listed)


def run_one(name: str, *, as_json: bool) -> None:
    """Print the options, parameters and signals of a model, for --set and --over."""
    import pliant as pl

    given = source(name)
    fields: dict[str, Any] = {field: getattr(default, field) for field, (_, default) in given.fields().items()}
    plain = {key: p.default for key, p in given.options.items() if key not in {o for o, _ in given.fields().values()}}
    options = {**plain, **fields}
    model = given.model({})
    system, parameters = pl.compile(model), model.parameters
    signals = system.observed.named(system.observed.signals(_zero())[0])
    if as_json:
        shown = {key: repr(value) for key, value in options.items()}
        values = {key: each.value for key, each in parameters.items()}
        typer.echo(json.dumps({"model": name, "options": shown, "parameters": values, "signals": signals}))
        return
    out.print(str(model), highlight=False)
    out.print()
    out.print(table(("option", "default"), [(key, _short(value)) for key, value in options.items()], most=40))
    if parameters:
        heads = ("parameter", "value", "low", "high", "unit")
        rows = [(p.name, number(p.value), number(p.low), number(p.high), p.unit) for p in parameters.values()]
        out.print(table(heads, rows, most=40))
    out.print(table(("signal", "at t = 0"), [(key, number(value)) for key, value in signals.items()], most=40))


def _zero() -> Any:
    import numpy as np

    return np.zeros(1)


def _short(value: Any) -> str:
    if isinstance(value, Parameter):
        return f"parameter {value.name}"
    text = value if isinstance(value, str) else str(value).lower() if value in (None, True, False) else repr(value)
    return text if len(text) <= 50 else f"{text[:47]}..."
