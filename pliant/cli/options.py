"""Arguments and options that several commands have, and the examples below their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Cases = Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Names as in `pliant list`; none: all.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Gallery name, or a file: .toml, .urdf, .py (is run).")]
Steps = Annotated[
    list[str], typer.Argument(metavar="STEP...", help="statics, path, modes, simulate, linearise; one after another.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line instead of a table.")]
Force = Annotated[bool, typer.Option("--force", help="Write over what exists.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FOLDER", help="Write model and results into a new folder.")]
Also = Annotated[str, typer.Option(metavar="FORMATS", help="Other formats beside netCDF: csv,mat,pvd,html,gif.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Option of the model, or a signal: tip/y=-2.")
]
Formulation = Annotated[str, typer.Option(help="dae, geometric, udwadia_kalaba, kinked or shooting.")]
Elements = Annotated[int | None, typer.Option(help="Elements of every beam.", min=1, max=10_000)]
Time = Annotated[float, typer.Option(help="simulate: how long (s).")]
StepSize = Annotated[float | None, typer.Option("--step", help="simulate: fixed step (s); otherwise it adapts.")]
Modes = Annotated[int, typer.Option(help="modes: how many.", min=1, max=1000)]
Damped = Annotated[bool, typer.Option("--damped", help="modes: with dampers, drag and damping of beams.")]
Follow = Annotated[str | None, typer.Option(metavar="SIGNAL", help="path: the parameter, such as tendon/rest_length.")]
To = Annotated[float | None, typer.Option(help="path: value at which it ends.")]
Input = Annotated[list[str] | None, typer.Option("--input", metavar="SIGNAL", help="linearise, fmu: motor/torque.")]
Output = Annotated[list[str] | None, typer.Option("--output", metavar="NAME", help="linearise, fmu: angle:crank.")]
Release = Annotated[list[str] | None, typer.Option(metavar="JOINT", help="simulate: without this joint, let go.")]
Push = Annotated[
    list[str] | None, typer.Option(metavar="BODY=SPEED", help="simulate: initial rad/s of a body, or vx,vy,rad/s.")
]


def examples(*lines: str) -> str:
    """Text below the help of a command; each line can be run as it stands."""
    return "\n\n".join(["Examples:", *lines])
