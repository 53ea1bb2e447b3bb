"""Shows docstrings as they are written: examples as code, aligned lists as they stand (for mkdocstrings)."""

from __future__ import annotations

import re
from typing import Any

import griffe

ALIGNED = re.compile(r"\S {2,}\S")


class AsWritten(griffe.Extension):
    """Fences paragraphs that Markdown would run together."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a loaded object."""
        if obj.docstring:
            paragraphs = obj.docstring.value.split("\n\n")
            obj.docstring.value = "\n\n".join(fenced(paragraph) for paragraph in paragraphs)


def fenced(paragraph: str) -> str:
    """The paragraph, as a code block if it is an example or an aligned list."""
    if paragraph.startswith((" ", "|", "```")):
        return paragraph
    if paragraph.startswith(">>>"):
        return f"```pycon\n{paragraph}\n```"
    described = [line for line in paragraph.splitlines() if re.match(r"\w+: ", line)]
    if ALIGNED.search(paragraph) or len(described) > 1:
        return f"```text\n{paragraph}\n```"
    return paragraph
