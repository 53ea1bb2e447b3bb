"""`pliant list formulations`: the ways to compile a model, and which questions the systems they make can answer."""

from __future__ import annotations

import json

import typer
from rich.table import Table

from pliant.cli.console import out
from pliant.system.capabilities import QUESTIONS, offers
from pliant.system.compile import in_space, kind_of, known


def run(*, as_json: bool) -> None:
    """Print every formulation with what its systems offer."""
    listed = Table(box=None)
    listed.add_column("formulation", no_wrap=True)
    listed.add_column("in space")
    for question in QUESTIONS.values():
        listed.add_column(question)
    for name in known():
        answers = {question: offers(kind_of(name), capability) for capability, question in QUESTIONS.items()}
        if as_json:
            typer.echo(json.dumps({"formulation": name, "in space": in_space(name), **answers}))
        listed.add_row(f"[cyan]{name}[/]", *("yes" if answer else "" for answer in (in_space(name), *answers.values())))
    if not as_json:
        out.print(listed)
