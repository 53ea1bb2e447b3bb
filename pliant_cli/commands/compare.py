"""`pliant compare`: a model in every way that applies, or results side by side, with verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.markup import escape

from pliant.analyses.workflow import STEPS
from pliant.errors import FileError, OptionError
from pliant.system.compile import variants_of
from pliant.system.variants import Variant
from pliant.whole_files import whole_file
from pliant_cli.console import NOT_OK, OK, number, out, verdict
from pliant_cli.folder import Folder
from pliant_cli.show import table
from pliant_cli.source import split
from pliant_cli.steps import Plan, formulation_of
from pliant_compare.compare import compare
from pliant_compare.comparison import Comparison
from pliant_compare.courses import courses
from pliant_compare.other_programs import Other, read_other
from pliant_fit.measurements.agreement import Agreement, fit
from pliant_fit.measurements.described import described
from pliant_fit.measurements.formats import READERS
from pliant_fit.measurements.tables import TEXT

ROWS = 30
TABLES = (*TEXT, ".mat", *(suffix for suffix in READERS if suffix != ".nc"))


def names_model(what: Sequence[str]) -> bool:
    """Return whether the words are a model and its steps, not results.

    >>> names_model(["leg", "statics", "modes"]), names_model(["fine", "coarse"])
    (True, False)
    """
    if len(what) > 1:
        return all(word in STEPS for word in what[1:])
    return not Path(what[0]).is_dir() and Path(what[0]).suffix not in (".nc", *TABLES)


def of_model(plan: Plan, formulations: Sequence[str], others: Sequence[Other], **options: Any) -> Comparison:
    """Compare a model in every way, or in the given formulations."""
    own, given = split(plan.source, plan.values)
    model = plan.source.model(own)
    asked = plan.question
    if asked.spectral_radius is not None or asked.newmark is not None:
        raise OptionError(
            "--spectral-radius and --newmark are of one motion, and formulations are compared each by its own method. "
            "Leave them out, or compare results of `pliant run`."
        )
    words = {
        name: getattr(asked, name) for name in ("time", "step", "damped", "friction", "follow", "to", "release", "push")
    }
    words |= {} if asked.modes is None else {"modes": asked.modes}
    ways: list[str | Variant] | None = [_way(text, model) for text in formulations] or None
    return compare(
        model,
        *asked.steps,
        **words,
        signals=given,
        formulations=ways,
        elements=plan.options.elements,
        others=others,
        **options,
    )


def _way(text: str, model: Any) -> str | Variant:
    """Return a formulation by its name, or with options, as in "kinked:modes=system"."""
    own = formulation_of(text)
    name = own.pop("formulation")
    if not own:
        return str(name)
    first = variants_of(name, model)[0]
    words = ", ".join(f"{key}={value}" for key, value in own.items())
    return replace(first, words=words, options=lambda pieces: {**first.options(pieces), **own})


def results_of(paths: Sequence[Path], columns: Sequence[str]) -> dict[str, Any]:
    """Load results, by the names of their files; from a folder the last one (motion, else path, modes, statics)."""
    from pliant.results.io import load_result

    found: dict[str, Any] = {}
    for path in paths:
        file = path
        if path.is_dir():
            files = [path / f"{name}.nc" for name in ("motion", "path", "modes", "statics")]
            file = next((each for each in files if each.is_file()), path / "motion.nc")
        if not file.is_file():
            raise FileError(f"{file}: there is no such result. Give a .nc file or a folder that `pliant run` wrote.")
        foreign = file.suffix.lower() in TABLES
        found[_fresh(str(path), found)] = others_of([file], columns)[0] if foreign else load_result(file)
    return found


def _fresh(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else f"{name} ({len(taken) + 1})"


def others_of(paths: Sequence[Path], columns: Sequence[str]) -> list[Other]:
    """Read tables of other programs, with one text of columns for all of them, or one for each."""
    return [read_other(path, text) for path, text in zip(paths, one_each(columns, paths), strict=True)]


def one_each(columns: Sequence[str], paths: Sequence[Path]) -> list[str | None]:
    """Return the text of columns of each file."""
    if len(columns) > 1 and len(columns) != len(paths):
        raise OptionError(f"--columns: give one for all files, or one for each; there are {len(paths)} files.")
    return list(columns) if len(columns) == len(paths) else [*columns, None][:1] * len(paths)


def agreements(results: Mapping[str, Any], *, everything: bool) -> list[Agreement]:
    """Compare the first result with every table: RMS, largest difference, delay and coherence."""
    first = next(iter(results.values()))
    ours = courses(first, everything=everything) if any(isinstance(each, Other) for each in results.values()) else {}
    found = []
    for name, other in results.items():
        if not isinstance(other, Other):
            continue
        rows = []
        for key, theirs in other.matched(ours).items():
            mine = ours[key]
            inside = (theirs.x >= mine.x[0]) & (theirs.x <= mine.x[-1])
            if mine.x.size > 1 and np.any(inside):
                there = np.interp(theirs.x[inside], mine.x, mine.values)
                moving = first.kind == "motion"
                rows.append(fit(key, mine.units, theirs.x[inside], theirs.values[inside], there, moving=moving))
        found.append(Agreement(name, tuple(rows)))
    return found


def at_rest(paths: Sequence[Path], columns: Sequence[str]) -> list[Agreement]:
    """Compare measured tables with an equilibrium or a path, the first file, at the signals set in their rows; return
    nothing for another kind of result.
    """
    first, *tables = paths
    if not tables or any(each.suffix.lower() not in (*TABLES, ".toml") for each in tables):
        return []
    [(_, result)] = results_of([first], []).items() if first.suffix.lower() not in TABLES else [("", None)]
    if result is None or result.kind not in ("statics", "path"):
        return []
    followed = [result.data["parameter"].attrs.get("name", "")] if result.kind == "path" else []
    signals = [*followed, *result.provenance.settings.get("signal_values", {})]
    told = one_each(columns, tables)
    return [described(path, signals, text).against(result) for path, text in zip(tables, told, strict=True)]


def show_agreements(found: Sequence[Agreement]) -> None:
    """Print the agreements as tables."""
    for each in found:
        rows = [
            (escape(r.quantity), r.units, str(r.count), *(number(x, 3) for x in (r.rms, r.peak, r.delay, r.coherence)))
            for r in each.rows
        ]
        head = ("quantity", "unit", "values", "RMS", "largest", "delay (s)", "coherence")
        out.print(table(head, rows, title=f"computed less {escape(each.name)}", most=ROWS))


def run_at_rest(found: Sequence[Agreement], folder: Folder, tolerance: float | None, *, as_json: bool) -> int:
    """Print and store agreements at rest; exit code 1 if a difference exceeds the tolerance times the range."""
    rows = [{"measurement": each.name, **asdict(row)} for each in found for row in each.rows]
    plain = [{key: None if value != value else value for key, value in row.items()} for row in rows]
    files = folder.keep_files({"agreement.json": lambda path, overwrite: _written(path, plain)})
    if as_json:
        for row in plain:
            typer.echo(json.dumps(row))
    else:
        show_agreements(found)
        if files:
            out.print(f"\nwritten to [bold]{folder.path}[/]: agreement.json", highlight=False)
    far = tolerance is not None and any(row.relative > tolerance for each in found for row in each.rows)
    return NOT_OK if far else OK


def _written(path: Path, content: Any) -> Path:
    with whole_file(path) as part:
        part.write_text(json.dumps(content, indent=1))
    return path


def run(found: Comparison, folder: Folder, *, as_json: bool) -> int:
    """Print a comparison, the largest differences first, and store it; exit code 1 if a difference is unexplained."""
    files = folder.keep_files({"report.html": found.save, "comparison.json": found.save})
    if as_json:
        for row in found.rows:
            entry: dict[str, Any] = {"quantity": row.quantity, "units": row.units, "last": list(row.last)}
            entry |= {"difference": row.difference, "relative": row.relative, "runs": list(found.names)}
            typer.echo(json.dumps({**entry, "ok": row.ok, "verdict": row.words(found.names)}))
        return OK if found.ok else NOT_OK
    _show_answers(found)
    _show_rows(found)
    for row in (row for row in found.rows if not row.ok):
        out.print(f"[bold red]✗[/] {escape(row.quantity)}: {escape(row.words(found.names))}", highlight=False)
    if files:
        out.print(f"\nwritten to [bold]{folder.path}[/]: {', '.join(file.name for file in files)}", highlight=False)
    return OK if found.ok else NOT_OK


def _show_answers(found: Comparison) -> None:
    refined = [(answer.name, answer.refined) for answer in found.answers if answer.refined is not None]
    if not refined:
        return
    rows = [
        (escape(name), str(each.finest.pieces or "-"), number(each.finest.step, 3), f"{each.finest.seconds:.2g}")
        for name, each in refined
    ]
    out.print(
        table(
            ("answer", "pieces", "step or accuracy", "CPU s"), rows, title=f"{found.title}: {found.question}", most=ROWS
        )
    )
    for name, why in found.refused:
        out.print(f"[dim]not: {escape(name)}: {escape(why)}[/]", highlight=False)


def _show_rows(found: Comparison) -> None:
    """Print values of the reference; of all results, if these are few and were not refined."""
    few = all(answer.refined is None for answer in found.answers)
    names = found.names if few else (found.names[found.reference],)
    cells = []
    for row in found.rows:
        last = row.last if few else (row.last[found.reference],)
        off = [] if few else [number(found.answers[found.reference].uncertainty[row.quantity], 2)]
        mark = verdict(row.ok if row.judged else None)
        values = [*(number(value) for value in last), *off, number(row.difference, 3), number(row.relative, 2)]
        cells.append((escape(row.quantity), row.units, *values, mark))
    head = ("quantity", "unit", *map(escape, names), *([] if few else ["±"]), "largest difference", "relative", "")
    out.print(table(head, cells, title=f"{found.kind}: last values", most=ROWS))
    worst = found.rows[0]
    out.print(f"largest: {escape(worst.quantity)}, {worst.difference:.3g} {worst.units}, relative {worst.relative:.2g}")
