"""Commands and their options; the modules that do the work are imported when a command needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import pliant
from pliant._lazy import entries, loaded
from pliant.errors import PliantWarning, warn
from pliant_cli import options as o
from pliant_cli.options import examples

app = typer.Typer(
    help="Flexible multibody mechanisms: equilibrium, modes and motion.",
    epilog="Exit codes: 0 done, 1 not converged or a check failed, 2 input refused, 3 a fault of pliant, 130 stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pliant {pliant.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Take the options of every command (`pliant_cli.main` removes `--debug`)."""


@app.command(epilog=examples("pliant demo --out my-demo"))
def demo(
    out: Annotated[Path, typer.Option(help="Folder for pictures and results.")] = Path("demo"),
    force: o.Force = False,
    json: o.Json = False,
) -> None:
    """Pretension and release the leg; write a summary, pictures, animations and results."""
    from pliant_cli.commands.demo import run

    run(out, force=force, as_json=json)


@app.command("list", epilog=examples("pliant list", "pliant list parts", "pliant list analyses", "pliant list leg"))
def list_all(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL|parts|formulations|analyses]",
            help="Options and signals of this model; or all parts, formulations and what they can do, or analyses.",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """List models, validation cases, benchmarks; a model's options and signals; parts, formulations or analyses."""
    from pliant_cli import listing
    from pliant_cli.commands import formulations, parts

    if what == "parts":
        parts.run(as_json=json)
    elif what == "formulations":
        formulations.run(as_json=json)
    elif what == "analyses":
        listing.run_analyses(as_json=json)
    elif what is None:
        listing.run(as_json=json)
    else:
        listing.run_one(what, as_json=json)


@app.command(
    epilog=examples(
        "pliant run cantilever statics modes --elements 10",
        "pliant run leg statics modes simulate --release hold --time 0.1 --elements 6 --out leg-run --also csv",
        "pliant run leg path --follow tendon/rest_length --to 0.3 --set lower_mass=2",
        "pliant run manipulator linearise --elements 4 --input motor1/torque --output angle:link1",
    )
)
@o.grouped
def run(
    model: o.ModelName,
    steps: o.Steps,
    options: o.StepOptions,
    ports: o.Ports,
    spinning: o.Spinning,
    written: o.Files,
    formulation: o.Formulation = "dae",
    push: o.Push = None,
) -> None:
    """Take a model through steps. Each starts from the equilibrium or state that the one before it reached."""
    from pliant_cli.commands.run import run as run_plan
    from pliant_cli.folder import Folder
    from pliant_cli.source import source
    from pliant_cli.steps import Plan

    plan = Plan(source(model), steps, options, formulation, ports, push or (), spinning)
    folder = Folder(written.out, force=written.force, formats=written.also.split(",") if written.also else ())
    raise typer.Exit(run_plan(plan, folder, as_json=written.json))


@app.command(
    epilog=examples(
        "pliant sweep cantilever statics modes --over tip_force=-8:0:5 --elements 6 --out stiffening.csv",
        "pliant sweep leg statics --over lower_mass=1,2 --over tendon/rest_length=0.17:0.3:4 --show tension:tendon",
    )
)
@o.grouped
def sweep(
    model: o.ModelName,
    steps: o.Steps,
    over: Annotated[list[str], typer.Option(metavar="NAME=RANGE", help="FIRST:LAST:COUNT, or A,B,C; several: a grid.")],
    options: o.StepOptions,
    table: o.WrittenTable,
    show: o.Show = None,
    formulation: o.Formulation = "dae",
    workers: Annotated[int | None, typer.Option(help="Threads; as many as processors unless given.", min=1)] = None,
) -> None:
    """Run steps over ranges of options or signals, in parallel, and put quantities into a table."""
    from pliant_cli.commands.sweep import run
    from pliant_cli.source import source
    from pliant_cli.steps import Plan

    plan = Plan(source(model), steps, options, formulation)
    found = run(plan, over, show or [], path=table.out, force=table.force, workers=workers, as_json=table.json)
    raise typer.Exit(found)


@app.command(
    epilog=examples(
        "pliant study pendulum modes --over length=0.5:2 --design sobol --runs 16 --out lengths.zarr",
        "pliant study pendulum modes --over length=0.5:2 --design sobol --runs 16 --out lengths.zarr --resume",
    )
)
@o.grouped
def study(
    model: o.ModelName,
    steps: o.Steps,
    sampling: o.Sampling,
    options: o.StepOptions,
    working: o.Working,
    store: o.WrittenStore,
    formulation: o.Formulation = "dae",
) -> None:
    """Run steps at many points, on processes or a cluster, into a store; a run that was killed can be resumed."""
    from pliant_cli.commands.study import run
    from pliant_cli.source import source
    from pliant_cli.steps import Plan

    plan = Plan(source(model), steps, options, formulation)
    raise typer.Exit(run(plan, sampling, working, store))


@app.command(
    epilog=examples(
        "pliant compare cantilever statics --out cantilever-compared",
        "pliant compare four-bar simulate --time 0.2 --formulation dae --formulation relative",
        "pliant run pendulum simulate --set angle=0 --time 0.2 --step 1e-3 --out fine --also csv",
        "pliant run pendulum simulate --set angle=0 --time 0.2 --step 4e-3 --out coarse",
        "pliant compare fine coarse",
        "pliant compare coarse fine/motion.csv",
        "pliant compare pendulum simulate --set angle=0 --time 0.2 --other fine/motion.csv",
    )
)
@o.grouped
def compare(
    what: Annotated[list[str], typer.Argument(metavar="MODEL STEP... | RUN RUN...", help="Or results, run folders.")],
    others: o.Others,
    comparing: o.Comparing,
    options: o.StepOptions,
    written: o.Written,
    formulation: Annotated[list[str] | None, typer.Option(help="Only this one; may be repeated.")] = None,
    space: Annotated[bool, typer.Option(help="Compute a planar model in space too.")] = True,
    push: o.Push = None,
) -> None:
    """Solve a model in every formulation that applies, or compare result files; report the differences."""
    from dataclasses import asdict

    from pliant_cli.commands.compare import (
        agreements,
        at_rest,
        names_model,
        of_model,
        others_of,
        results_of,
        run_at_rest,
        show_agreements,
    )
    from pliant_cli.commands.compare import run as show
    from pliant_cli.folder import Folder
    from pliant_cli.source import source
    from pliant_cli.steps import Plan
    from pliant_compare.compare import compare_results

    folder = Folder(written.out, force=written.force)
    files, columns = others.other or [], others.columns or []
    if names_model(what):
        plan = Plan(source(what[0]), what[1:] or ["statics"], options, push=push or ())
        found = of_model(plan, formulation or [], others_of(files, columns), in_space=space, **asdict(comparing))
    else:
        if rows := at_rest([*map(Path, what), *files], columns):
            raise typer.Exit(run_at_rest(rows, folder, comparing.tolerance, as_json=written.json))
        results = results_of([*map(Path, what), *files], columns)
        found = compare_results(results, tolerance=comparing.tolerance, everything=comparing.everything)
        if not written.json:
            show_agreements(agreements(results, everything=comparing.everything))
    raise typer.Exit(show(found, folder, as_json=written.json))


@app.command(
    epilog=examples(
        "pliant sweep cantilever statics --over tip_force=-8:-2:7 --set height=4.8e-3 --show position:beam/tip:y "
        "--out weights.csv",
        "pliant identify cantilever weights.csv --find height --columns "
        '"force beam/tip/y=tip_force,position:beam/tip:y=position:beam/tip:y" --out fitted',
    )
)
@o.grouped
def identify(
    model: o.ModelName,
    measured: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Tables, or .toml that describes one.")],
    fitting: o.Fitting,
    written: o.Written,
    set_: o.Set = None,
    elements: o.Elements = None,
    formulation: o.Formulation = "dae",
) -> None:
    """Fit parameters of a model to measurements, with confidence intervals; exit code 1 if the fit is not ok."""
    from pliant_cli.commands.identify import fitted, run
    from pliant_cli.folder import Folder
    from pliant_cli.source import source

    folder = Folder(written.out, force=written.force)
    how = {"formulation": formulation} | ({} if elements is None else {"elements": elements})
    raise typer.Exit(run(fitted(source(model), measured, fitting, set_ or [], **how), folder, as_json=written.json))


@app.command(
    epilog=examples(
        "pliant export four-bar four-bar.toml",
        "pliant run pendulum simulate --set angle=0 --time 0.1 --out swing",
        "pliant export swing/motion.nc swing.csv swing.mat swing.pvd",
        "pliant export manipulator arm.fmu --input motor1/torque --output angle:link1",
    )
)
@o.grouped
def export(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Result or linear model (.nc), or a model.")],
    targets: Annotated[list[Path], typer.Argument(metavar="FILE...", help=".nc .csv .mat .pvd .html .toml .fmu ...")],
    fmu: o.Fmu,
    set_: o.Set = None,
    elements: o.Elements = None,
    force: o.Force = False,
    json: o.Json = False,
) -> None:
    """Write a result, a linear model or a model; the suffixes of the files choose the formats."""
    from pliant_cli.commands.export import run

    options = {"inputs": fmu.input_, "outputs": fmu.output, "step": fmu.step, "fmi": fmu.fmi, "elements": elements}
    run(source, targets, set_ or [], force=force, as_json=json, **options)


@app.command(epilog=examples("pliant validate beam-static"))
def validate(cases: o.Cases = None, json: o.Json = False) -> None:
    """Compare computed with published and exact numbers; exit code 1 if any differs."""
    from pliant_cli.commands.validate import run

    raise typer.Exit(run(cases or [], as_json=json))


@app.command(epilog=examples("pliant bench leg"))
def bench(cases: o.Cases = None, json: o.Json = False) -> None:
    """Time pliant beside its peers, each on one thread; exit code 1 if a required ratio is missed."""
    from pliant._threads import use_one_thread

    use_one_thread()
    from pliant_cli.commands.bench import run

    raise typer.Exit(run(cases or [], as_json=json))


@app.command(epilog=examples("pliant doctor", "pliant doctor --json"))
def doctor(json: o.Json = False) -> None:
    """Show versions, threads, the kernel cache and extras, and run three computations with known answers."""
    from pliant_cli.commands.doctor import run

    raise typer.Exit(run(as_json=json))


Host = Annotated[str, typer.Option(help="Who may see the page: this machine only, or 0.0.0.0 for the network.")]
Port = Annotated[int | None, typer.Option(help="Port of the page; the first free one from 8080 on unless given.")]
Seconds = Annotated[float | None, typer.Option(help="Stop by itself after so many seconds.")]


@app.command(epilog=examples("pliant view demo/motion.nc", "pliant view demo/path.nc demo/motion.nc --port 8090"))
def view(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Results (.nc), shown side by side.")],
    host: Host = "127.0.0.1",
    port: Port = None,
    seconds: Seconds = None,
) -> None:
    """Show results in the browser: motions, paths and modes, animated."""
    from pliant_cli.commands.view import run

    run(files, host=host, port=port, seconds=seconds)


@app.command(epilog=examples("pliant studio", "pliant studio leg", "pliant studio my_model.py --range load/x=-5:5"))
def studio(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL]", help="A gallery name, or a file: .toml, .urdf, .py (is run). Without it, an empty sheet."
        ),
    ] = None,
    set_: o.Set = None,
    range_: Annotated[
        list[str] | None, typer.Option("--range", metavar="NAME=LOW:HIGH", help="Ends of a slider, in SI units.")
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = None,
    seconds: Seconds = None,
) -> None:
    """Draw a mechanism in the browser, or set a model up with sliders: equilibrium, modes, motion, control."""
    from pliant_cli.commands.studio import run

    run(model, set_=set_ or (), ranges=range_ or (), host=host, port=port, seconds=seconds)


def add_commands() -> None:
    """Add the commands of other packages, functions as Typer takes them; warn of one that cannot be added.

    [project.entry-points."pliant.commands"]
    weigh = "my_package.weigh:weigh"
    """
    for entry in entries("pliant.commands"):
        lost = f"there is no command `pliant {entry.name}`"
        if entry.name in own_commands():
            warn(PliantWarning, f"{entry.value}: `pliant {entry.name}` exists already; the command needs another name.")
        elif (function := loaded(entry, lost)) is not None:
            alone = typer.Typer()
            alone.command(entry.name)(function)
            try:
                typer.main.get_command(alone)
            except Exception as error:  # whatever Typer raises where it cannot read the arguments
                warn(PliantWarning, f"{entry.value} cannot be a command, so that {lost}: {error}")
                continue
            app.registered_commands += alone.registered_commands


def own_commands() -> list[str]:
    """Return the names of all commands that were added so far."""
    return [str(each.name or getattr(each.callback, "__name__", "")) for each in app.registered_commands]
