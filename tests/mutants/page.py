"""The table of all faults, for the documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tests.mutants.candidates import ERROR
from tests.mutants.fault import ROOT, Fault
from tests.mutants.run import Trial, batches

PLACE = ROOT / "docs" / "verification" / "mutants.md"
PAGE = """# Seeded faults

`make mutants` changes one place of pliant's source at a time, in a copy, and runs validation cases and tests until one
fails whose reference pliant did not compute (published, exact, independent code, conservation law). The last run:
{count} faults, {outside} caught by a reference from outside, {explained} explained below, {survivors} not caught.
Of the {candidates} cases and tests with a reference, {run} were also run without a fault, and {failing} failed.
Seconds are of one processor, including compilation after the fault.

{counts}

| Fault | Caught by | Reference | s |
|---|---|---|---:|
{rows}
{reasons}"""
REASONS = """
## Explained

| Fault | Why no reference from outside |
|---|---|
{rows}
"""


def verdict(fault: Fault, trial: Trial) -> str:
    """Return the kind of the reference that noticed; "explained" or "survives" if that is not one from outside."""
    caught = trial.caught
    if caught is not None and caught.is_outside:
        return caught.kind
    return "explained" if fault.reason else "survives"


def write(faults: Iterable[Fault], done: Mapping[str, Trial]) -> None:
    """Write the page."""
    PLACE.write_text(page(list(faults), done), encoding="utf-8")


def page(faults: list[Fault], done: Mapping[str, Trial]) -> str:
    """Return the page as text."""
    verdicts = {fault.name: verdict(fault, done[fault.name]) for fault in faults}
    counts = Counter(verdicts.values())
    inside = counts["explained"] + counts["survives"]
    explained = [f for f in faults if verdicts[f.name] == "explained"]
    return PAGE.format(
        count=len(faults),
        outside=len(faults) - inside,
        explained=counts["explained"],
        survivors=counts["survives"],
        candidates=len({name for fault in faults for name in fault.candidates}),
        run=sum(len(batch) for name, batch in batches(faults) if name in done and done[name].ended),
        failing=sum(len(done[name].findings) for name, _ in batches(faults) if name in done),
        counts=", ".join(f"{number} {kind}" for kind, number in counts.most_common()),
        rows="\n".join(_row(fault, done[fault.name]) for fault in faults),
        reasons=REASONS.format(rows="\n".join(f"| {f.name} | {f.reason} |" for f in explained)) if explained else "",
    )


def _row(fault: Fault, trial: Trial) -> str:
    caught = trial.caught
    if caught is None:
        return f"| {fault.name} | **nothing** | | {trial.seconds:.0f} |"
    kind = "pliant stops with an error" if caught.kind == ERROR else caught.kind
    return f"| {fault.name} | {_text(caught.by)} | {kind} | {trial.seconds:.0f} |"


def _text(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("\n", " ")
