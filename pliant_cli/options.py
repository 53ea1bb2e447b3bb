"""Arguments and options of several commands, groups of them, and the examples below their help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

Cases = Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Names as in `pliant list`; none: all.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Gallery name, or a file: .toml, .urdf, .py (is run).")]
Steps = Annotated[
    list[str],
    typer.Argument(
        metavar="STEP...", help="statics, path, modes, simulate, linearise, campbell; others: `pliant list analyses`."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line instead of a table.")]
Force = Annotated[bool, typer.Option("--force", help="Write over what exists.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FOLDER", help="Write model and results into a new folder.")]
Also = Annotated[str, typer.Option(metavar="FORMATS", help="Other formats beside netCDF: csv,mat,pvd,html,gif.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Option, parameter or signal of the model: tip/y=-2."),
]
Option = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Analyses of other packages: an argument, such as height=1.0."),
]
Formulation = Annotated[str, typer.Option(help="dae, relative, udwadia_kalaba, kinked or shooting.")]
Elements = Annotated[int | None, typer.Option(help="Elements of every beam.", min=1, max=10_000)]
Time = Annotated[float, typer.Option(help="simulate: how long (s).")]
StepSize = Annotated[float | None, typer.Option("--step", help="simulate: fixed step (s); otherwise it adapts.")]
Radius = Annotated[
    float | None,
    typer.Option(
        "--spectral-radius", help="simulate: of fast vibrations in a step, 1 (all kept) to 0 (none).", min=0, max=1
    ),
]
Newmark = Annotated[
    str | None, typer.Option(metavar="BETA,GAMMA", help="simulate: Newmark's scheme: 0.25,0.5 damps nothing.")
]
Modes = Annotated[
    int | None,
    typer.Option(help="modes: how many; else up to ten that the mesh resolves. campbell: 6.", min=1, max=1000),
]
Damped = Annotated[bool, typer.Option("--damped", help="modes: with dampers, drag and damping of beams.")]
Rubbing = Annotated[
    str | None,
    typer.Option("--friction", metavar="stuck|free", help="modes, campbell, linearise: parts that rub hold, or not."),
]
Follow = Annotated[str | None, typer.Option(metavar="SIGNAL", help="path: the parameter, such as tendon/rest_length.")]
To = Annotated[float | None, typer.Option(help="path: value at which it ends.")]
SpinRate = Annotated[
    str | None,
    typer.Option("--spin", metavar="RATE[,AXIS]", help="statics, path: steady turning (rad/s): 12 or 12,y."),
]
Rates = Annotated[
    str | None, typer.Option(metavar="FROM,TO,COUNT", help="campbell: rates of the spin (rad/s): 0,20,11.")
]
Input = Annotated[list[str] | None, typer.Option("--input", metavar="SIGNAL", help="linearise, fmu: motor/torque.")]
Output = Annotated[list[str] | None, typer.Option("--output", metavar="NAME", help="linearise, fmu: angle:crank.")]
Release = Annotated[list[str] | None, typer.Option(metavar="JOINT", help="simulate: without this joint, let go.")]
Push = Annotated[
    list[str] | None, typer.Option(metavar="BODY=SPEED", help="simulate: initial rad/s of a body, or vx,vy,rad/s.")
]


Show = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Quantity: angle:crank, frequency_hz:1, max:tension:rope.")
]


@dataclass(frozen=True)
class StepOptions:
    """Options of every command that takes a model through steps."""

    set_: Set = None
    elements: Elements = None
    time: Time = 1.0
    step: StepSize = None
    spectral_radius: Radius = None
    newmark: Newmark = None
    modes: Modes = None
    damped: Damped = False
    friction: Rubbing = None
    follow: Follow = None
    to: To = None
    release: Release = None
    option: Option = None


@dataclass(frozen=True)
class Ports:
    """Inputs and outputs of a linear model or an FMU."""

    input_: Input = None
    output: Output = None


@dataclass(frozen=True)
class Fmu(Ports):
    """Options of writing an FMU."""

    step: Annotated[float | None, typer.Option(help="fmu: largest step of the method (s).")] = None
    fmi: Annotated[int | None, typer.Option(help="fmu: version of the standard, 2 (default) or 3.")] = None


@dataclass(frozen=True)
class Spinning:
    """Steady rotation of everything."""

    spin: SpinRate = None
    rates: Rates = None


Columns = Annotated[
    list[str] | None, typer.Option(metavar="OURS=THEIRS,...", help="Of it: time=1,position:beam/tip:y=TIP_Y*0.001.")
]


@dataclass(frozen=True)
class Fitting:
    """Options of a fit to measurements."""

    find: Annotated[list[str], typer.Option(metavar="NAME", help="Parameter, or number that the model takes.")]
    columns: Columns = None
    hold_out: Annotated[
        list[Path] | None, typer.Option("--hold-out", metavar="FILE", help="Not fitted, only predicted.")
    ] = None
    loss: Annotated[str, typer.Option(help="linear, soft_l1, huber or cauchy: the latter doubt what is far off.")] = (
        "linear"
    )


@dataclass(frozen=True)
class Others:
    """Results of other programs."""

    other: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Of another program: .csv, .mat, .tab, .txt.")
    ] = None
    columns: Columns = None


@dataclass(frozen=True)
class Comparing:
    """Options of a comparison."""

    tolerance: Annotated[float | None, typer.Option(help="Share of a range up to which differences pass.")] = None
    everything: Annotated[bool, typer.Option("--all", help="Velocities, forces and energies too.")] = False
    levels: Annotated[int, typer.Option(help="Meshes and steps, each twice as fine.", min=1, max=6)] = 3
    patience: Annotated[float, typer.Option(help="Processor time that one run may take (s).")] = 10.0


@dataclass(frozen=True)
class Sampling:
    """Points and quantities of a study."""

    over: Annotated[list[str], typer.Option(metavar="NAME=RANGE", help="FIRST:LAST:COUNT, A,B,C; or LEAST:MOST.")]
    show: Show = None
    design: Annotated[str, typer.Option(help="grid, random, latin-hypercube, sobol or refined.")] = "grid"
    runs: Annotated[int | None, typer.Option(help="How many; of refined, at most.", min=1)] = None
    seed: Annotated[int, typer.Option(help="Of random designs.", min=0)] = 0
    by: Annotated[str, typer.Option(metavar="NAME", help="refined: the quantity that changes.")] = "stable"
    jump: Annotated[float, typer.Option(help="refined: numbers differ beyond this.", min=0.0)] = 0.0
    levels: Annotated[int, typer.Option(help="refined: how often cells are halved.", min=1, max=20)] = 4


@dataclass(frozen=True)
class Working:
    """Processes or cluster that compute a study."""

    workers: Annotated[int | None, typer.Option(help="Processes; as many as processors unless given.", min=1)] = None
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Of dask: tcp://127.0.0.1:8786.")] = None


@dataclass(frozen=True)
class WrittenStore:
    """Store of a study."""

    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Store of the study: leg.zarr.")]
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the store that is there.")] = False
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="HTML page with the progress, made anew as it grows.")
    ] = None
    json: Json = False


@dataclass(frozen=True)
class Written:
    """Files of a command."""

    out: Out = None
    force: Force = False
    json: Json = False


@dataclass(frozen=True)
class Files(Written):
    """Files of a command that writes results in several formats."""

    also: Also = ""


@dataclass(frozen=True)
class WrittenTable(Written):
    """Files of a command that writes one table."""

    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Table to write: .csv or .nc.")] = None


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose options are the fields of its groups of options."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[Parameter] = []
    for each in signature(command).parameters.values():
        group = hints[each.name]
        if is_dataclass(group):
            types = get_type_hints(group, include_extras=True)
            parameters += [
                Parameter(
                    field.name,
                    Parameter.KEYWORD_ONLY,
                    default=Parameter.empty if field.default is MISSING else field.default,
                    annotation=types[field.name],
                )
                for field in fields(group)
            ]
        else:
            parameters.append(each.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[each.name]))

    def run(**given: Any) -> None:
        for name, group in hints.items():
            if is_dataclass(group):
                given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})  # type: ignore[operator]
        command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def examples(*lines: str) -> str:
    """Return the text below the help of a command; each line can be run as it stands."""
    return "\n\n".join(["Examples:", *lines])
