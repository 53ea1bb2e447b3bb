"""Report of a comparison as one page of HTML: verdicts, figures, orders, checks and cost, without scripts or network.

Figures of a comparison are SVG text: courses, convergence of errors, costs.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite
from typing import Any

import numpy as np

from pliant_compare.comparison import Answer, Comparison, Row
from pliant_compare.courses import apart, kind
from pliant_compare.verdicts import Judged

COLOURS = ("#0b6e7f", "#d1495b", "#edae49", "#3d5a80", "#8f5ea2", "#6a994e", "#b5651d", "#7d8597", "#e07a9f", "#2a9d8f")
DASHES = ("-", "--", "-.", ":")
LIMIT = 12  # answers in a figure
POINTS = 160  # of a course
LEAST = 1e-13  # of the scale: smaller values are drawn there


def courses(found: Comparison, most: int = 3) -> list[str]:
    """Draw a few quantities of motions and paths in all answers, and their differences from the reference."""
    rows = [row for row in shown(found, most) if found.answers[found.reference].courses[row.quantity].values.size > 1]
    return [_course(found, row) for row in rows]


def shown(found: Comparison, most: int) -> list[Row]:
    """Return quantities worth a figure: the one of every kind that differs most, those in most answers first."""
    known: dict[str, Row] = {}
    for row in found.rows:  # sorted by their differences
        known.setdefault(kind(row.quantity), row)
    by_answers = sorted(known.values(), key=lambda row: -sum(each is not None for each in row.verdicts))
    return by_answers[:most]


def convergence(found: Comparison, row: Row, what: str) -> str | None:
    """Draw changes of a quantity from one mesh ("mesh") or step ("step") to the next, over the finer one's fineness."""
    axes = _axes(1, (6.4, 3.4))[0]
    drawn = 0
    for k, answer in enumerate(found.answers):
        if answer.refined is None or row.quantity not in answer.courses:
            continue
        runs = answer.refined.meshes if what == "mesh" else answer.refined.steps
        changes = np.array(getattr(answer.refined, what)(row.quantity).changes)
        if not changes.size or not np.any(changes > 0.0) or (what == "step" and answer.refined.order is None):
            continue
        x = [run.pieces if what == "mesh" else run.step for run in runs[1:]]
        axes.loglog(x, np.maximum(changes, LEAST * row.scale), marker="o", ms=3.5, label=answer.name, **_style(k))
        drawn += 1
    if not drawn:
        return None
    axes.set_xlabel("pieces of a beam" if what == "mesh" else "step in s")
    axes.set_ylabel(f"change in {row.units or '1'}")
    axes.set_title(f"{row.quantity}: changes as {'meshes become finer' if what == 'mesh' else 'steps become shorter'}")
    return _svg(axes.figure)


def cost(found: Comparison, row: Row) -> str | None:
    """Draw the distance from the reference's extrapolated value over processor time, for all runs of every answer."""
    reference = found.answers[found.reference].courses[row.quantity]
    axes = _axes(1, (6.4, 3.4))[0]
    for k, answer in enumerate(found.answers):
        if answer.refined is None or row.quantity not in answer.courses:
            continue
        runs = sorted(answer.refined.runs, key=lambda run: run.seconds)
        off = [float(np.max(np.abs(apart(reference, run.courses[row.quantity])[1]))) for run in runs]
        axes.loglog(
            [run.seconds for run in runs],
            np.maximum(off, LEAST * row.scale),
            marker="o",
            ms=3.5,
            label=answer.name,
            **_style(k),
        )
    if not axes.lines:
        return None
    axes.set_xlabel("processor time in s")
    axes.set_ylabel(f"error in {row.units or '1'}")
    axes.set_title(f"{row.quantity}: distance from the reference's limit, over cost")
    return _svg(axes.figure)


def _course(found: Comparison, row: Row) -> str:
    above, below = _axes(2, (6.4, 4.6))
    reference = found.answers[found.reference].courses[row.quantity]
    for k, answer in enumerate(found.answers):
        if row.quantity not in answer.courses:
            continue
        course = answer.courses[row.quantity]
        above.plot(*_thin(course.x, course.values), label=answer.name, **_style(k) | _mark(answer))
        if k != found.reference:
            x, between = apart(reference, course)
            below.semilogy(*_thin(x, np.maximum(np.abs(between), LEAST * row.scale)), **_style(k))
    off = found.answers[found.reference].uncertainty[row.quantity]
    if off is not None and np.isfinite(off):
        below.axhline(off, color="#444444", lw=0.8, ls=(0, (1, 2)))
        below.annotate(
            "uncertainty of the reference",
            (0.99, off),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            fontsize=7,
        )
    above.ticklabel_format(axis="y", useOffset=False)
    above.set_ylabel(f"{row.quantity}\nin {row.units or '1'}")
    below.set_ylabel("difference")
    below.set_xlabel("time in s" if found.kind == "motion" else "parameter")
    return _svg(above.figure)


def _mark(answer: Answer) -> dict[str, Any]:
    """Return the style of points for other programs, over our lines."""
    return {} if answer.refined is not None else {"marker": ".", "markevery": 4, "ls": ""}


def _style(number: int) -> dict[str, Any]:
    """Return one colour for each of ten answers, then other dashes."""
    return {"color": COLOURS[number % len(COLOURS)], "ls": DASHES[number // len(COLOURS) % len(DASHES)], "lw": 1.3}


def _thin(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    step = max(1, x.size // POINTS)
    keep = np.unique(np.append(np.arange(0, x.size, step), x.size - 1))
    return x[keep], y[keep]


def _axes(count: int, size: tuple[float, float]) -> list[Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    found = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for axes in found:
        axes.grid(color="#dddddd", lw=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(which="both", labelsize=7.5)
    return list(found)


def _svg(figure: Any) -> str:
    """Return a figure as an element of a page, on one line; text stays text, which keeps it small."""
    from matplotlib import rc_context

    handles, labels = figure.axes[0].get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles[:LIMIT], labels[:LIMIT], loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    buffer = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "pliant"}):
        for axes in figure.axes:
            for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
                text.set_fontsize(8.5)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r">\s+<", "><", " ".join(text.split()))
    return re.sub(r' d="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), text)


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2b33; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; margin: .6rem 0; font-size: 13px; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #e3e8ea; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } .one { white-space: nowrap; }
.ok { color: #1b7a3d; } .why { color: #9a6a00; } .no { color: #b3261e; font-weight: 600; } .dim { color: #66757d; }
.figures svg { max-width: 100%; height: auto; } summary { cursor: pointer; color: #0b6e7f; }
"""
CLASSES = {
    Judged.AGREES: "ok", Judged.EXPLAINED: "why", Judged.OPEN: "no", Judged.DIFFERS: "no", Judged.REFERENCE: "dim",
    Judged.NOT_JUDGED: "dim",
}  # fmt: skip
SHORT = {
    Judged.AGREES: "agrees", Judged.EXPLAINED: "explained", Judged.OPEN: "cannot tell", Judged.DIFFERS: "differs",
    Judged.REFERENCE: "reference", Judged.NOT_JUDGED: "not judged",
}  # fmt: skip
MARKS = {Judged.AGREES: "✓", Judged.EXPLAINED: "≠", Judged.OPEN: "?", Judged.DIFFERS: "✗", Judged.NOT_JUDGED: ""}
LEGEND = (
    "<p class='dim'>✓ agrees, ≠ differs for a reason that was found, ? cannot tell, ✗ differs without a reason. "
    "Numbers: largest difference from the reference, as a part of the range of all quantities of the kind.</p>"
)
OPEN_ROWS = 12  # shown at once; the others are folded


def html(found: Comparison) -> str:
    """Return the whole page."""
    head = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(found.title)}</title>"
    return f"{head}<style>{' '.join(STYLE.split())}</style></head><body>{body(found)}</body></html>\n"


def body(found: Comparison) -> str:
    """Return the body of the page."""
    return "\n".join(
        [
            f"<h1>{escape(found.title)}: {escape(found.question)}</h1>",
            _summary(found),
            "<h2>Verdicts</h2>",
            _folded([_verdicts(found, rows) for rows in _parts(found.rows)]),
            *_causes(found),
            "<h2>Figures</h2>",
            f"<div class='figures'>{''.join(_figures(found))}</div>",
            "<h2>Values, differences and orders</h2>",
            _folded([_numbers(found, rows) for rows in _parts(found.rows)]),
            "<h2>Checks and cost</h2>",
            _answers(found),
            *_refused(found),
            _made(found),
        ]
    )


def _summary(found: Comparison) -> str:
    counts = dict.fromkeys(Judged, 0)
    for row in found.rows:
        for each in row.verdicts:
            if each is not None:
                counts[each.judged] += 1
    judged = ", ".join(
        f"<span class='{CLASSES[how]}'>{count} {escape(how.value)}</span>"
        for how, count in counts.items()
        if count and how is not Judged.REFERENCE
    )
    word = "<span class='ok'>ok</span>" if found.ok else "<span class='no'>not ok</span>"
    reference = escape(found.names[found.reference])
    return (
        f"<p><b>{word}</b>: {len(found.answers)} answers, {len(found.rows)} quantities; {judged}.<br>"
        f"<span class='dim'>Reference: {reference}, the most certain answer that leaves nothing out.</span></p>"
    )


def _parts(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows[:OPEN_ROWS], rows[OPEN_ROWS:]]


def _folded(parts: Sequence[str]) -> str:
    first, second = parts
    return first + (f"<details><summary>all others</summary>{second}</details>" if second else "")


def _verdicts(found: Comparison, rows: Sequence[Row]) -> str:
    """Return the table of verdicts: a row a quantity, a column an answer."""
    if not rows:
        return ""
    others = [k for k in range(len(found.answers)) if k != found.reference]
    cells = []
    for row in rows:
        line = [
            (escape(row.quantity), ""),
            (escape(_number(row.last[found.reference], 6)), "n"),
            (escape(row.units), ""),
        ]
        for k in others:
            each = row.verdicts[k]
            if each is None:
                line.append(("–", "dim"))
            else:
                text = f"{MARKS[each.judged]} {each.relative:.0e}"
                line.append((f"<span title='{escape(each.words)}'>{text}</span>", CLASSES[each.judged] + " one"))
        cells.append(line)
    head = ["quantity", "last value", "", *(escape(found.names[k]) for k in others)]
    return _table(head, cells) + LEGEND


def _causes(found: Comparison) -> list[str]:
    """Return the differences in words, each cause once for all quantities that it explains."""
    causes: dict[tuple[str, str, Judged], list[str]] = {}
    for row in found.rows:
        for name, each in zip(found.names, row.verdicts, strict=True):
            if each is not None and each.judged in (Judged.EXPLAINED, Judged.OPEN, Judged.DIFFERS):
                key = name, each.words.partition(" because ")[2].partition(":")[0], each.judged
                causes.setdefault(key, []).append(f"{row.quantity} {each.words}")
    if not causes:
        return []
    items = [
        f"<li class='{CLASSES[how]}'>{escape(name)}: {escape(words[0])}"
        + (f" <span class='dim'>(and {len(words) - 1} more)</span>" if len(words) > 1 else "")
        + "</li>"
        for (name, _, how), words in causes.items()
    ]
    return ["<h2>What differs, and why</h2>", f"<ul>{''.join(items)}</ul>"]


def _figures(found: Comparison) -> Iterable[str]:
    yield from courses(found)
    for row in shown(found, 1):
        for made in (
            convergence(found, row, "mesh"),
            convergence(found, row, "step"),
            cost(found, row),
        ):
            if made:
                yield made


def _numbers(found: Comparison, rows: Sequence[Row]) -> str:
    """Return a table of the extrapolated last values with their uncertainties, and the observed orders."""
    if not rows:
        return ""
    cells = []
    for row in rows:
        named = False
        for answer, last, each in zip(found.answers, row.last, row.verdicts, strict=True):
            if each is None:
                continue
            mesh = step = None
            if answer.refined is not None:
                mesh, step = (getattr(answer.refined, what)(row.quantity).order for what in ("mesh", "step"))
            numbers = (last, 8), (answer.uncertainty[row.quantity], 2), (mesh, 3), (step, 3), (each.difference, 3)
            line = [("" if named else escape(row.quantity), ""), (escape(answer.name), "")]
            named = True
            line += [(_number(value, digits), "n") for value, digits in numbers]
            cells.append([*line, (SHORT[each.judged], CLASSES[each.judged])])
    head = ["quantity", "answer", "last value", "±", "order, mesh", "order, step", "difference", ""]
    return _table(head, cells)


def _answers(found: Comparison) -> str:
    cells = []
    for answer in found.answers:
        run = None if answer.refined is None else answer.refined.finest
        checks = [] if answer.outcome is None else answer.outcome.checks
        checked = "; ".join(f"{check.name} {check.value:.1e}" for check in checks)
        line = [
            (escape(answer.name), ""),
            (str(run.pieces or "–") if run else "–", "n"),
            (_number(run.step if run else None, 3), "n"),
        ]
        line += [
            (f"{run.seconds:.2g}" if run else "–", "n"),
            (f"{answer.refined.seconds:.2g}" if answer.refined else "–", "n"),
        ]
        notes = "<br>".join(escape(note) for note in answer.notes)
        cells.append([*line, (escape(checked) or "–", ""), (notes, "dim")])
    head = ["answer", "pieces", "step or accuracy", "CPU s, finest", "CPU s, all", "checks of the finest run", "notes"]
    return _table(head, cells)


def _refused(found: Comparison) -> list[str]:
    if not found.refused:
        return []
    items = "".join(f"<li><b>{escape(each.name)}</b>: {escape(each.why)}</li>" for each in found.refused)
    return ["<h2>What does not apply</h2>", f"<ul class='dim'>{items}</ul>"]


def _made(found: Comparison) -> str:
    import pliant

    settings = ", ".join(f"{name} {value}" for name, value in found.settings.items() if value)
    return f"<p class='dim'>pliant {pliant.__version__}; {escape(settings)}. How to read this: docs/compare.md.</p>"


def _table(head: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Return a table; cells are HTML text and a class."""
    numeric = [any(row[k][1] == "n" for row in rows) for k in range(len(head))]
    top = "".join(f"<th class='{'n' if right else ''}'>{word}</th>" for word, right in zip(head, numeric, strict=True))
    lines = "".join(f"<tr>{''.join(_cell(*cell) for cell in row)}</tr>" for row in rows)
    return f"<div class='wide'><table><tr>{top}</tr>{lines}</table></div>"


def _cell(text: str, kind: str) -> str:
    return f"<td class='{kind}'>{text}</td>" if kind else f"<td>{text}</td>"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None or not isfinite(value) else f"{value:.{digits}g}"
