"""`Comparison`: answers side by side, with verdicts; the result of `compare`, shown in reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pliant.errors import FileError, OptionError, nearest
from pliant.results.records import Outcome, plain
from pliant.whole_files import whole_file
from pliant_compare.courses import Course
from pliant_compare.refinement import Refined
from pliant_compare.verdicts import Judged, Verdict


@dataclass(frozen=True)
class Answer:
    """Answer of one method, result or other program.

    courses      quantities by name, extrapolated where it was refined
    uncertainty  of each, in its units; None: unknown
    refined      record of its refinement; None without one
    """

    name: str
    courses: Mapping[str, Course]
    uncertainty: Mapping[str, float | None]
    outcome: Outcome | None = None
    refined: Refined | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return all numbers as a dictionary, for files and programs."""
        entry: dict[str, Any] = {"name": self.name, "notes": list(self.notes)}
        if self.outcome is not None:
            entry["outcome"] = self.outcome.as_dict()
        if self.refined is not None:
            entry["runs"] = [
                {"pieces": run.pieces, "step": run.step, "cpu_seconds": run.seconds, "ok": run.outcome.ok}
                for run in self.refined.runs
            ]
        return entry


class Refusal(NamedTuple):
    """A method that does not apply, and the reason."""

    name: str
    why: str


@dataclass(frozen=True)
class Row:
    """One quantity: its value in each answer, and the verdicts; None for an answer without it."""

    quantity: str
    units: str
    scale: float
    verdicts: tuple[Verdict | None, ...]
    last: tuple[float | None, ...]

    @property
    def difference(self) -> float:
        """Return the largest difference."""
        return max(each.difference for each in self.verdicts if each is not None)

    @property
    def relative(self) -> float:
        """Return the largest difference as a part of the scale."""
        return self.difference / self.scale

    @property
    def ok(self) -> bool:
        """Return whether the quantity agrees, or the reason for its difference was found."""
        return all(each is None or each.ok for each in self.verdicts)

    @property
    def judged(self) -> bool:
        """Return whether it has a verdict: given results have no errors to assess them by."""
        return all(each is None or each.judged is not Judged.NOT_JUDGED for each in self.verdicts)

    def words(self, names: tuple[str, ...]) -> str:
        """Return one verdict for all."""
        pairs = [(name, each) for name, each in zip(names, self.verdicts, strict=True) if each is not None]
        agree = [each for _, each in pairs if each.judged is Judged.AGREES]
        entry = []
        if agree:
            entry.append(
                f"{len(agree)} agree within {max(each.difference for each in agree):.2g} {self.units}".rstrip()
            )
        entry += [
            f"{name} {each.words}" for name, each in pairs if each.judged not in (Judged.AGREES, Judged.REFERENCE)
        ]
        return "; ".join(entry) or "nothing to compare with"


@dataclass(frozen=True)
class Comparison:
    """Results of one analysis by several formulations, compared quantity by quantity.

    title      of the model
    question   analysis in words
    kind       of the results: "statics", "modes", "motion" or "path"
    reference  number of the result that the others are compared with
    refused    formulations and elements that do not apply, with the reason

    `ok`: every quantity agrees, or the reason for its difference was found. `save` writes ``.html`` or ``.json``.

    >>> import pliant as pl
    >>> from pliant_gallery import pendulum
    >>> system = pl.compile(pendulum.model(angle=0.0))
    >>> fine, coarse = (pl.transient(system, end_time=0.1, step=h) for h in (1e-3, 4e-3))
    >>> found = pl.compare_results({"fine": fine, "coarse": coarse}, tolerance=1e-3)
    >>> found.ok, found.row("angle:bob 1").relative < 1e-4
    (True, True)
    """

    title: str
    question: str
    kind: str
    answers: tuple[Answer, ...]
    reference: int
    rows: tuple[Row, ...]
    refused: tuple[Refusal, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Return whether every quantity agrees, or the reason for its difference was found."""
        return all(row.ok for row in self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the compared results."""
        return tuple(answer.name for answer in self.answers)

    def row(self, quantity: str) -> Row:
        """Return the row of a quantity, by its name."""
        for each in self.rows:
            if each.quantity == quantity:
                return each
        raise OptionError(
            f"comparison: there is no quantity {quantity!r}. {nearest(quantity, [r.quantity for r in self.rows])}"
        )

    def as_dict(self) -> dict[str, object]:
        """Return all numbers as a dictionary, for files and programs."""
        return plain(
            {
                "title": self.title,
                "question": self.question,
                "kind": self.kind,
                "ok": self.ok,
                "reference": self.names[self.reference],
                "settings": dict(self.settings),
                "answers": [answer.as_dict() for answer in self.answers],
                "refused": [refusal._asdict() for refusal in self.refused],
                "quantities": [self._entry(row) for row in self.rows],
            }
        )

    def _entry(self, row: Row) -> dict[str, Any]:
        answers = []
        for answer, last, each in zip(self.answers, row.last, row.verdicts, strict=True):
            if each is None:
                continue
            entry: dict[str, Any] = {
                "answer": answer.name,
                "last": last,
                "own_uncertainty": answer.uncertainty[row.quantity],
            }
            if answer.refined is not None:
                mesh, step = answer.refined.mesh(row.quantity), answer.refined.step(row.quantity)
                entry |= {"mesh_order": mesh.order, "mesh_changes": mesh.changes}
                entry |= {"step_order": step.order, "step_changes": step.changes}
            answers.append(entry | each.as_dict())
        words = {"quantity": row.quantity, "units": row.units, "scale": row.scale, "ok": row.ok}
        return {**words, "verdict": row.words(self.names), "answers": answers}

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the report, one file of HTML with its figures, or all numbers as JSON, by the suffix."""
        path = Path(path)
        if path.suffix not in (".html", ".json"):
            raise FileError(f"{path}: a comparison is written as .html or .json.")
        if path.exists() and not overwrite:
            raise FileError(f"{path} exists already. Choose another name, or overwrite=True.")
        if path.suffix == ".html":
            from pliant_compare.report import html

            text = html(self)
        else:
            text = json.dumps(self.as_dict(), indent=1) + "\n"
        with whole_file(path) as part:
            part.write_text(text, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        from pliant_compare.report import body

        return body(self)

    def __repr__(self) -> str:
        mark = "ok" if self.ok else "not ok"
        worst = sorted(self.rows, key=lambda row: -row.relative)[:6]
        lines = [f"{row.quantity}: {row.words(self.names)}" for row in worst]
        head = f"Comparison of {self.title!r}, {self.question}: {len(self.answers)} answers, {mark}"
        return "\n  ".join([head, *lines])
