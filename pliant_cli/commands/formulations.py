"""`pliant list formulations`: the formulations, and the questions that their systems can answer."""

from __future__ import annotations

import json

import typer
from rich.table import Table

from pliant.system.capabilities import QUESTIONS, offers
from pliant.system.compile import formulation_names, in_space, kind_of
from pliant_cli.console import out


def answers(name: str) -> dict[str, list[bool]]:
    """Return whether systems of a formulation answer each question: for planar models, and for spatial models if the
    formulation takes these.
    """
    spaces = (False, True) if in_space(name) else (False,)
    return {
        question: [offers(kind_of(name, spatial=spatial), capability) for spatial in spaces]
        for capability, question in QUESTIONS.items()
    }


def run(*, as_json: bool) -> None:
    """Print every formulation with what its systems offer."""
    listed = Table(box=None)
    listed.add_column("formulation", no_wrap=True)
    listed.add_column("in space")
    for question in QUESTIONS.values():
        listed.add_column(question)
    for name in formulation_names():
        found = answers(name)
        if as_json:
            plane = {question: said[0] for question, said in found.items()}
            space = {question: said[-1] for question, said in found.items()} if in_space(name) else {}
            typer.echo(json.dumps({"formulation": name, "in space": in_space(name), **plane, "space": space}))
        listed.add_row(f"[cyan]{name}[/]", "yes" if in_space(name) else "", *map(_words, found.values()))
    if not as_json:
        out.print(listed)


def _words(said: list[bool]) -> str:
    """Return where a question is answered: for planar models, for spatial models, or for all."""
    return "yes" if all(said) else "plane" if said[0] else "space" if any(said) else ""
