"""`pliant doctor`: is everything here that is needed, and does it compute right?"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import typer

import pliant
from pliant.cli.console import NOT_OK, OK, err, out, verdict
from pliant.cli.show import table

NEEDED = ("numpy", "scipy", "numba", "xarray", "matplotlib", "rich", "typer")
EXTRAS = {
    "control": "python-control models and diagrams: pip install 'pliant[control]'",
    "pythonfmu": "FMU export: pip install 'pliant[fmu]'",
    "viser": "viewer and studio: pip install 'pliant[studio]'",
    "imageio_ffmpeg": "MP4 animations: pip install 'pliant[video]'",
    "zarr": "studies in files: pip install 'pliant[study]'",
    "distributed": "studies on clusters: pip install 'pliant[study]'",
    "exudyn": "a peer in benchmarks: pip install 'pliant[bench]'",
}


class Finding(NamedTuple):
    """One line: what, what was found, and whether that is well (None: it need not be there)."""

    what: str
    found: str
    ok: bool | None


def run(*, as_json: bool) -> int:
    """Look at everything and show it; exit code 1 if something that is needed is missing or wrong."""
    with err.status("computing a few things whose answer is known"):
        findings = [*_versions(), *_kernels(), *_extras(), *_self_test()]
    if as_json:
        for each in findings:
            typer.echo(json.dumps(each._asdict()))
    else:
        shown = table(("", "found", ""), [(each.what, each.found, verdict(each.ok)) for each in findings], most=60)
        shown.columns[1].justify = "left"
        out.print(shown)
    return NOT_OK if any(each.ok is False for each in findings) else OK


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _versions() -> Iterator[Finding]:
    yield Finding("pliant", pliant.__version__, True)
    yield Finding(
        "python",
        f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        sys.version_info >= (3, 11),
    )
    for name in NEEDED:
        found = _version(name)
        yield Finding(name, found or "missing", found is not None)


def _kernels() -> Iterator[Finding]:
    from pliant import _jit

    folder = _jit.cache_folder()
    yield Finding("processors", str(os.cpu_count()), True)
    yield Finding(
        "kernel cache", str(folder) if folder else "none: kernels are compiled in every process", folder is not None
    )
    kept = list(folder.glob("*.kernel")) if folder else []
    size = sum(path.stat().st_size for path in kept) / 1e6
    yield Finding("kernels", f"{len(kept)} compiled, {size:.0f} MB" if kept else "not compiled yet", True)


def _extras() -> Iterator[Finding]:
    for name, use in EXTRAS.items():
        there = importlib.util.find_spec(name) is not None
        yield Finding(
            name, _version(name) or "installed" if there else f"not installed ({use})", True if there else None
        )


def _self_test() -> Iterator[Finding]:
    """A pendulum's frequency against sqrt(g / l), and a cantilever's tip against F l^3 / 3 EI."""
    from pliant.gallery import cantilever, pendulum

    began = time.perf_counter()
    swing = float(pliant.modal(pliant.compile(pendulum.model()), modes=1).frequency_hz[0])
    exact = math.sqrt(9.81) / (2.0 * math.pi)
    error = abs(swing / exact - 1.0)
    yield Finding("self-test: pendulum", f"{swing:.6f} Hz, exact to {error:.1e}", error < 1e-6)
    model = cantilever.model(tip_force=-1e-3)
    beam = model.part("beam")
    rest = pliant.statics(pliant.compile(model, elements=pliant.Exact(4, order=2)))
    tip = float(rest.position.sel(marker="beam/tip", axis="y"))
    shear = 1e-3 * beam.length / beam.section.shear_stiffness
    theory = -(1e-3 * beam.length**3 / (3.0 * beam.section.bending_stiffness) + shear)
    error = abs(tip / theory - 1.0)
    yield Finding("self-test: cantilever", f"{1e6 * tip:.4f} µm, exact to {error:.1e}", error < 1e-6)
    run = pliant.transient(pliant.compile(pendulum.model(angle=0.0)), end_time=1.0, step=1e-3)
    energy = run.outcome.energy_error
    yield Finding("self-test: motion", f"{run.outcome.steps} steps, energy kept to {energy:.1e} J", run.outcome.ok)
    yield Finding("self-test: time", f"{time.perf_counter() - began:.2f} s", True)
