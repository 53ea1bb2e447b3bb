"""Commands and their options; the work is done elsewhere and imported only when asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import pliant

app = typer.Typer(
    help="Flexible multibody mechanisms: equilibrium, modes and motion.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Names = Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Names as in `pliant list`; none: all.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line instead of a table.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pliant {pliant.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options of every command (`--debug` is taken out by `pliant.cli.main`)."""


@app.command()
def validate(cases: Names = None, json: Json = False) -> None:
    """Compare computed with published and exact numbers; exit code 1 if any differs."""
    from pliant.cli.validate import run

    raise typer.Exit(run(cases or [], as_json=json))


@app.command()
def bench(cases: Names = None, json: Json = False) -> None:
    """Time pliant beside its peers; exit code 1 if a required ratio is missed."""
    from pliant.cli.bench import run

    raise typer.Exit(run(cases or [], as_json=json))


@app.command("list")
def list_all() -> None:
    """List gallery models, validation cases and benchmarks."""
    from pliant.cli.listing import run

    run()


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for pictures and results.")] = Path("demo"),
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that exists.")] = False,
) -> None:
    """Pretension and release the leg; write a summary, pictures, animations and results."""
    from pliant.cli.demo import run

    run(out, force=force)


Host = Annotated[str, typer.Option(help="Who may see the page: this machine only, or 0.0.0.0 for the network.")]
Port = Annotated[int | None, typer.Option(help="Port of the page; the first free one from 8080 on unless given.")]
Seconds = Annotated[float | None, typer.Option(help="Stop by itself after so many seconds.")]


@app.command(epilog="Examples:\n\npliant view demo/motion.nc\n\npliant view demo/path.nc demo/motion.nc --port 8090")
def view(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Results (.nc), shown side by side.")],
    host: Host = "127.0.0.1",
    port: Port = None,
    seconds: Seconds = None,
) -> None:
    """Show results in the browser: play motions, walk along paths, see modes swing."""
    from pliant.cli.view import run

    run(files, host=host, port=port, seconds=seconds)


@app.command(epilog="Examples:\n\npliant studio\n\npliant studio four-bar --port 8090")
def studio(
    model: Annotated[str, typer.Argument(metavar="[MODEL]", help="leg, leg-motor, four-bar or six-rus.")] = "leg",
    host: Host = "127.0.0.1",
    port: Port = None,
    seconds: Seconds = None,
) -> None:
    """Set a mechanism up with sliders in the browser, see its equilibrium and modes at once, release it."""
    from pliant.cli.studio import run

    run(model, host=host, port=port, seconds=seconds)
