"""Figures of a comparison, as SVG text: courses over each other, how errors fall, what they cost."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from pliant_compare.comparison import Answer, Comparison, Row
from pliant_compare.courses import apart, kind

COLOURS = ("#0b6e7f", "#d1495b", "#edae49", "#3d5a80", "#8f5ea2", "#6a994e", "#b5651d", "#7d8597", "#e07a9f", "#2a9d8f")
DASHES = ("-", "--", "-.", ":")
LIMIT = 12  # answers in a figure
POINTS = 160  # of a course
LEAST = 1e-13  # of the scale: what is smaller is drawn there


def courses(found: Comparison, most: int = 3) -> list[str]:
    """Of motions and paths: a few quantities in all answers, and their differences from the reference."""
    rows = [row for row in shown(found, most) if found.answers[found.reference].courses[row.quantity].values.size > 1]
    return [_course(found, row) for row in rows]


def shown(found: Comparison, most: int) -> list[Row]:
    """Quantities worth a figure: of every kind the one that differs most, those that most answers have first."""
    known: dict[str, Row] = {}
    for row in found.rows:  # sorted by their differences
        known.setdefault(kind(row.quantity), row)
    by_answers = sorted(known.values(), key=lambda row: -sum(each is not None for each in row.verdicts))
    return by_answers[:most]


def convergence(found: Comparison, row: Row, what: str) -> str | None:
    """Changes of a quantity from one mesh ("mesh") or step ("step") to the next, over how fine the finer of them is."""
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
    """Distance from the reference's extrapolated value over processor time, for all runs of every answer."""
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
    """Others are drawn as points, over ours."""
    return {} if answer.refined is not None else {"marker": ".", "markevery": 4, "ls": ""}


def _style(number: int) -> dict[str, Any]:
    """One colour for each of ten answers, then other dashes."""
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
    """The figure as an element of a page, on one line; text stays text, which keeps it small."""
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
