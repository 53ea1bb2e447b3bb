"""`pliant run`: a model through its steps."""

from __future__ import annotations

import json
from typing import Any

import typer

from pliant.errors import Interrupted, PliantError
from pliant_cli.console import INTERRUPTED, NOT_OK, OK, err, out
from pliant_cli.folder import Folder
from pliant_cli.show import record, show
from pliant_cli.steps import Done, Plan, Walk

FILES = {"simulate": "motion", "linearise": "linear"}  # others are called as their step


def run(plan: Plan, folder: Folder, *, as_json: bool) -> int:
    """Run the plan and return the exit code; finished steps are stored if a later one fails or is stopped."""
    walk = Walk(plan)
    if not as_json:
        out.print(f"[bold]{walk.model.name}[/]  [dim]{walk.system!r}[/]", highlight=False)
    records, code = [], OK
    try:
        for done in walk:
            records.append(_keep(done, folder, walk.model, as_json))
            if not done.ok:
                code = NOT_OK
                break
    except Interrupted as stop:
        records.append(_keep(Done(walk.step, stop.result, 0.0), folder, walk.model, as_json))
        code = INTERRUPTED
    except PliantError:
        if not folder.files:
            raise
        err.print(f"kept: {', '.join(map(str, folder.files))}", style="yellow", markup=False)
        raise
    finally:
        folder.keep_json("run.json", {"model": plan.source.name, "settings": dict(plan.values), "steps": records})
    if folder.files and not as_json:
        out.print(
            f"\nwritten to [bold]{folder.path}[/]: {', '.join(file.name for file in folder.files)}", highlight=False
        )
    return code


def _keep(done: Done, folder: Folder, model: Any, as_json: bool) -> dict[str, Any]:
    files = folder.keep(FILES.get(done.step, done.step), done.found)
    folder.keep_model(model)
    entry = record(done, files)
    if as_json:
        typer.echo(json.dumps(entry))
    else:
        show(done)
    return entry
