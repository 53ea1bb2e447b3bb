"""The table of formulations and questions, from the capabilities of their systems."""

from __future__ import annotations

from pliant.system.compile import formulation_names, in_space
from pliant_cli.commands.formulations import answers

PLACE = "<!-- formulations -->"


def with_formulations(markdown: str) -> str:
    """Put the table where the page wants it."""
    return markdown.replace(PLACE, _table()) if PLACE in markdown else markdown


def _table() -> str:
    names = formulation_names()
    said = {name: answers(name) for name in names}
    rows = [f"| Question | {' | '.join(f'`{name}`' for name in names)} |", "|---" * (len(names) + 1) + "|"]
    for question in said[names[0]]:
        cells = [_cell(said[name][question], in_space(name)) for name in names]
        rows.append(f"| {question} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(said: list[bool], spatial: bool) -> str:
    spaces = [word for word, yes in zip(("plane", "space"), said if spatial else said[:1], strict=False) if yes]
    return ", ".join(spaces) or "–"
