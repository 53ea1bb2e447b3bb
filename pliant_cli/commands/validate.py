"""`pliant validate`: run cases, show rows."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from pliant.errors import PliantError
from pliant_cli.console import err, number, out, unique, verdict, with_progress
from pliant_testing import validation


def run(names: Sequence[str], *, as_json: bool) -> int:
    """Run the named cases (none: all) and return the exit code. A case that fails does not stop the others."""
    chosen = validation.CASES.chosen(unique(names))
    failed = []
    for name in with_progress(chosen):
        try:
            report = validation.run(name)
        except PliantError as error:
            if len(chosen) == 1:
                raise
            err.print(f"{name}: {error}", style="red", markup=False)
            failed.append(name)
            continue
        if as_json:
            typer.echo(json.dumps(report.as_dict()))
        else:
            show(report)
        if not report.ok:
            failed.append(name)
    if not as_json:
        out.print(legend())
        out.print(
            f"[red]not ok: {', '.join(failed)}[/]"
            if failed
            else f"[green]{len(chosen)} case{'s' * (len(chosen) != 1)} ok[/]"
        )
    return 1 if failed else 0


def show(report: validation.Report) -> None:
    """Print one case as a table; a letter beside a reference says where it comes from (`legend`)."""
    title = f"{report.case}: {report.source} ({report.seconds:.2g} s)"
    table = Table("quantity", "unit", title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("reference", "computed", "error", "tolerance", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in report.rows:
        reference = f"{number(row.reference, 7)} {validation.KINDS[row.kind].mark}"
        numbers = (number(row.computed, 7), number(row.error, 2), number(row.tolerance, 2))
        table.add_row(row.quantity, row.unit, reference, *numbers, row.skipped or verdict(row.ok))
    out.print(table)


def legend() -> str:
    """Return the meanings of the letters beside references."""
    return "References: " + "; ".join(f"{source.mark} {kind}" for kind, source in validation.KINDS.items())
