"""`pliant study`: the steps of a run at many points, into a store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import typer

from pliant.errors import Interrupted, OptionError
from pliant.results import Result
from pliant.studies.designs import Design, Grid, LatinHypercube, Random, Sobol
from pliant.studies.page import StudyPage
from pliant.studies.refinement import Refined
from pliant.studies.study import study
from pliant_cli.commands.sweep import axes_of, columns_of
from pliant_cli.console import INTERRUPTED, NOT_OK, OK, err, number, out
from pliant_cli.options import Sampling, Working, WrittenStore
from pliant_cli.requests import StepsAtPoint
from pliant_cli.show import table
from pliant_cli.source import value_of
from pliant_cli.steps import Plan

SAMPLED: dict[str, Callable[..., Design]] = {"random": Random, "latin-hypercube": LatinHypercube, "sobol": Sobol}
PROCESSES = "processes"  # of this machine, unless there is a scheduler
DESIGNS = ("grid", *SAMPLED, "refined")


def run(plan: Plan, sampling: Sampling, working: Working, store: WrittenStore) -> int:
    """Compute the points that the store lacks, print a summary of all, and return the exit code."""
    design, code = design_of(sampling), OK
    who: dict[str, Any] = {"on": working.scheduler or PROCESSES, "workers": working.workers}
    who["watch"] = None if store.page is None else StudyPage(store.page)
    try:
        found = study(StepsAtPoint(plan, sampling.show or []), over=design, out=store.out, resume=store.resume, **who)
    except Interrupted as stop:
        found, code = stop.result, INTERRUPTED  # type: ignore[assignment]
        err.print("Stopped. The same command with --resume goes on.", style="yellow")
    if store.json:
        typer.echo(json.dumps({"store": str(store.out), **found.outcome.as_dict()}))
    else:
        _show(found, store.out)
    return code or (OK if found.outcome.ok else NOT_OK)


def design_of(asked: Sampling) -> Design:
    """Return the design that the options describe."""
    over = asked.over
    if asked.design not in DESIGNS:
        raise OptionError(f"--design {asked.design}: choose {', '.join(DESIGNS)}.")
    if asked.design in SAMPLED:
        if asked.runs is None:
            raise OptionError(f"--design {asked.design}: say how many points, --runs 1024.")
        return SAMPLED[asked.design](dict(map(_range, over)), runs=asked.runs, seed=asked.seed)
    if asked.design == "grid":
        return Grid(columns_of(axes_of(over)))
    most = {} if asked.runs is None else {"runs": asked.runs}
    return Refined(axes_of(over), by=asked.by, jump=asked.jump, levels=asked.levels, **most)


def _range(text: str) -> tuple[str, tuple[float, float]]:
    """
    >>> _range("length=0.1:0.2")
    ('length', (0.1, 0.2))
    """
    name, _, given = text.partition("=")
    words = [value_of(word) for word in given.split(":")]
    if not name or len(words) != 2 or not all(isinstance(word, int | float) for word in words):
        raise OptionError(f"--over {text}: write NAME=LEAST:MOST, such as length=0.1:0.2.")
    return name, (float(words[0]), float(words[1]))


def _show(found: Result, path: Path) -> None:
    """Print least, median and greatest value of every number."""
    rows = []
    for name, variable in found.data.data_vars.items():
        values = variable.values
        if variable.dtype.kind == "f" and np.isfinite(values).any():
            spread = (np.nanmin(values), np.nanmedian(values), np.nanmax(values))
            rows.append([str(name), str(variable.attrs.get("units", "1")), *(number(float(each)) for each in spread)])
    out.print(table(["quantity", "unit", "least", "median", "most"], rows, most=40))
    out.print(f"{found.outcome.message}: {path}", highlight=False)
    if found.outcome.failed_runs:
        reasons = [str(text) for text in found.data["reason"].values.ravel() if text]
        for text in dict.fromkeys(reasons[:3]):
            err.print(text, style="red", markup=False)
