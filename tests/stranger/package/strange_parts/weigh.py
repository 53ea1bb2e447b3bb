"""A command."""

from __future__ import annotations

from typing import Annotated

import typer

import pliant as pl


def weigh(
    file: Annotated[str, typer.Argument(help="A model file.")],
    gravity: Annotated[float, typer.Option(help="Of the planet (m/s²).")] = 9.81,
) -> None:
    """Print the weight of all bodies of a model file."""
    model = pl.Model.load(file)
    typer.echo(f"{gravity * sum(getattr(body, 'mass', 0.0) for body in model.bodies):.6g} N")
