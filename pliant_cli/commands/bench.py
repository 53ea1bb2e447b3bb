"""`pliant bench`: run benchmarks, show times side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer
from rich.table import Table

from pliant_cli.console import err, number, out, unique, verdict, with_progress
from pliant_testing import benchmarking
from pliant_testing.benchmarking import Comparison, Scaling


def run(names: Sequence[str], *, as_json: bool) -> int:
    """Run the named benchmarks (none: all) and return the exit code."""
    chosen = benchmarking.BENCHMARKS.chosen(unique(names))
    if benchmarking.find_peer("exudyn") is None:
        err.print("exudyn is not installed, pliant is timed alone; to compare: pip install exudyn")
    outcomes: list[Comparison | Scaling] = []
    for name in with_progress(chosen):
        for outcome in benchmarking.run(name):
            outcomes.append(outcome)
            if as_json:
                typer.echo(json.dumps(outcome.as_dict()))
    if not as_json:
        show(outcomes)
    return 1 if any(outcome.ok is False for outcome in outcomes) else 0


def show(outcomes: Sequence[Comparison | Scaling]) -> None:
    """Print comparisons as a table, and below it the peers' settings and how time grows with size."""
    table = Table("case", "size")
    for heading in ("pliant s", "peer s", "ratio", "required", "pliant error", "peer error", "ok"):
        table.add_column(heading, justify="right")
    notes = []
    for each in outcomes:
        if isinstance(each, Scaling):
            growth = f"time grows as size^{each.exponent:.2f} from {min(each.sizes)} to {max(each.sizes)}"
            notes.append(f"{each.case}: {growth} (at most {each.limit:g}) {verdict(each.ok)}")
            continue
        times = (number(each.pliant_s, 3), number(each.peer_s, 3), number(each.ratio, 3))
        errors = (number(each.pliant_error, 2), number(each.peer_error, 2))
        table.add_row(each.case, str(each.size), *times, number(each.required_ratio, 3), *errors, verdict(each.ok))
        if each.peer:
            notes.append(f"peer of {each.case}: {each.peer}, {each.peer_settings}")
    if table.row_count:
        out.print(table)
    for note in unique(notes):
        out.print(note)
