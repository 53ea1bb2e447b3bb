"""Shows docstrings in the reference (for mkdocstrings): examples as code, aligned lists of arguments as tables."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROW = re.compile(r"(\S.*?)(?: {2,}|: +)(\S.*)")  # "length   m", or "order: of the elements"
ALIGNED = re.compile(r"\S {2,}\S")


class Readable(griffe.Extension):
    """Rewrites paragraphs that Markdown would run together."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a loaded object."""
        if obj.docstring:
            paragraphs = obj.docstring.value.split("\n\n")
            obj.docstring.value = "\n\n".join(readable(paragraph) for paragraph in paragraphs)


def readable(paragraph: str) -> str:
    """The paragraph, as a code block if it is an example, as a table if it is a list of names."""
    if paragraph.startswith((" ", "|", "```")):
        return paragraph
    if paragraph.startswith(">>>"):
        return f"```pycon\n{paragraph}\n```"
    first = [line for line in paragraph.splitlines() if not line.startswith(" ")]
    described = [line for line in first if re.match(r"\w+: ", line)]
    if not ALIGNED.search(paragraph) and len(described) < 2:
        return paragraph
    if all(ROW.fullmatch(line) for line in first):
        return table(paragraph)
    return f"```text\n{paragraph}\n```"


def table(paragraph: str) -> str:
    """Names and what they mean, which may go on in lines that are indented."""
    rows: list[list[str]] = []
    for line in paragraph.splitlines():
        found = None if line.startswith(" ") else ROW.fullmatch(line)
        if found is None:
            rows[-1][1] += f" {line.strip()}"
        else:
            rows.append([f"`{found[1]}`", found[2]])
    cells = [" | ".join(_escaped(cell) for cell in row) for row in rows]
    return "\n".join(["| | |", "|---|---|", *(f"| {row} |" for row in cells)])


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;")
