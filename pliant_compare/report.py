"""A comparison as one page of HTML: verdicts, figures, orders, checks and cost. It runs no script and needs no net."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite

from pliant_compare import figures
from pliant_compare.comparison import Comparison, Row
from pliant_compare.verdicts import Judged

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
OPEN_ROWS = 12  # shown at once; the others unfold


def html(found: Comparison) -> str:
    """The whole page."""
    head = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(found.title)}</title>"
    return f"{head}<style>{' '.join(STYLE.split())}</style></head><body>{body(found)}</body></html>\n"


def body(found: Comparison) -> str:
    """What is on it."""
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
    """A row a quantity, a column an answer."""
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
    """What differs, in words, each cause once for all quantities that it explains."""
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
    yield from figures.courses(found)
    for row in figures.shown(found, 1):
        for made in (
            figures.convergence(found, row, "mesh"),
            figures.convergence(found, row, "step"),
            figures.cost(found, row),
        ):
            if made:
                yield made


def _numbers(found: Comparison, rows: Sequence[Row]) -> str:
    """Of every quantity and answer: the extrapolated last value with its uncertainty, and the orders seen."""
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
    """Cells are text of HTML and a class."""
    numeric = [any(row[k][1] == "n" for row in rows) for k in range(len(head))]
    top = "".join(f"<th class='{'n' if right else ''}'>{word}</th>" for word, right in zip(head, numeric, strict=True))
    lines = "".join(f"<tr>{''.join(_cell(*cell) for cell in row)}</tr>" for row in rows)
    return f"<div class='wide'><table><tr>{top}</tr>{lines}</table></div>"


def _cell(text: str, kind: str) -> str:
    return f"<td class='{kind}'>{text}</td>" if kind else f"<td>{text}</td>"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None or not isfinite(value) else f"{value:.{digits}g}"
