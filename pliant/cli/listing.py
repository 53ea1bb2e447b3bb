"""`pliant list`: what there is."""

from __future__ import annotations

from rich.table import Table

from pliant import benchmarking, gallery, validation
from pliant.cli.console import out


def run() -> None:
    """Print gallery models, validation cases and benchmarks, each with one line of description."""
    models = [(name, gallery.summary(name)) for name in gallery.names()]
    cases = [validation.CASES.get(name) for name in validation.CASES.names()]
    benchmarks = [benchmarking.BENCHMARKS.get(name) for name in benchmarking.BENCHMARKS.names()]
    sections = {
        "Gallery models": models,
        "Validation cases": [(case.name, f"{case.summary} ({case.source})") for case in cases],
        "Benchmarks": [(benchmark.name, benchmark.summary) for benchmark in benchmarks],
    }
    for title, rows in sections.items():
        table = Table(title=title, title_justify="left", show_header=False, box=None, padding=(0, 2))
        for name, description in rows:
            table.add_row(name, description)
        out.print(table)
