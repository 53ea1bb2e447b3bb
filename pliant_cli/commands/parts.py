"""`pliant list parts`: all parts of models, also of other packages."""

from __future__ import annotations

import json

import typer
from rich.markup import escape
from rich.table import Table

from pliant.model.files.io import GROUPS
from pliant.model.kinds import kinds_of, load_all
from pliant.model.parts import Part
from pliant_cli.console import out


def run(*, as_json: bool) -> None:
    """Print every part with its arguments and one line of description."""
    load_all()
    for group in GROUPS:
        listed = Table(title=group, title_justify="left", title_style="bold", show_header=False, box=None)
        for kind in sorted(kinds_of(Part), key=lambda kind: kind.__name__):
            if kind.group != group:
                continue
            space = " and ".join({"planar": "plane", "spatial": "space"}[each] for each in kind.spaces())
            if as_json:
                row = {"kind": kind.__name__, "group": group, "space": space, "module": kind.__module__}
                typer.echo(json.dumps({**row, "usage": kind.usage(), "summary": kind.summary()}))
            abroad = "" if kind.__module__.startswith("pliant.") else f" [dim]({kind.__module__})[/]"
            listed.add_row(f"[cyan]{escape(kind.usage())}[/]{abroad}", escape(kind.summary()))
        if not as_json:
            out.print(listed)
            out.print()
