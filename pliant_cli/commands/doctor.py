"""`pliant doctor`: what is installed, and whether it computes correctly."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import typer
from rich.markup import escape

import pliant
from pliant._threads import ONE_THREAD
from pliant_cli.console import NOT_OK, OK, err, out, verdict
from pliant_cli.show import table

NEEDED = ("numpy", "scipy", "numba", "llvmlite", "xarray", "matplotlib", "pillow", "rich", "typer", "tomli-w")
THREADS = (*ONE_THREAD, "NUMBA_NUM_THREADS")
SETTINGS = ("PLIANT_CACHE_DIR", "PLIANT_NO_ASSISTANT", "NUMBA_DISABLE_JIT", "MPLBACKEND")
SCARCE = 500e6  # bytes free in the cache folder; a full set of kernels takes less
EXTRAS = {
    "control": "python-control models and diagrams: pip install 'pliant[control]'",
    "pythonfmu": "FMU export, FMI 2: pip install 'pliant[fmu]'",
    "pythonfmu3": "FMU export, FMI 3: pip install 'pliant[fmu]'",
    "pyyeti": "reduced bodies from OP2 and OP4: pip install 'pliant[nastran]'",
    "viser": "viewer and studio: pip install 'pliant[studio]'",
    "imageio_ffmpeg": "MP4 animations: pip install 'pliant[video]'",
    "zarr": "studies in files: pip install 'pliant[study]'",
    "distributed": "studies on clusters: pip install 'pliant[study]'",
    "exudyn": "a peer in benchmarks: pip install 'pliant[bench]'",
}


class Finding(NamedTuple):
    """One line: a subject, its state, and whether that is well (None: it is optional)."""

    what: str
    found: str
    ok: bool | None


def run(*, as_json: bool) -> int:
    """Check everything and print it; exit code 1 if something necessary is missing or wrong."""
    with err.status("computing a few things whose answer is known"):
        findings = [*_versions(), *_kernels(), *_extras(), *_self_test()]
    if as_json:
        for each in findings:
            typer.echo(json.dumps(each._asdict()))
    else:
        shown = table(
            ("", "found", ""), [(each.what, escape(each.found), verdict(each.ok)) for each in findings], most=60
        )
        shown.columns[1].justify, shown.columns[1].no_wrap, shown.columns[1].overflow = "left", False, "fold"
        out.print(shown)
    return NOT_OK if any(each.ok is False for each in findings) else OK


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _versions() -> Iterator[Finding]:
    yield Finding("pliant", f"{pliant.__version__} in {Path(pliant.__file__).parent}", True)
    yield Finding("python", f"{platform.python_version()} in {sys.prefix}", sys.version_info >= (3, 11))
    yield Finding("platform", platform.platform(), sys.maxsize > 2**32)
    yield Finding("processors", _processors(), True)
    yield Finding("threads", _set(THREADS) or "as many as there are processors", True)
    yield Finding("settings", _set(SETTINGS) or "none", True)
    for name in NEEDED:
        found = _version(name)
        yield Finding(name, found or "missing", found is not None)


def _processors() -> str:
    """Return the number of processors, and how many this process may use."""
    there = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there
    return str(there) if usable == there else f"{there}, {usable} of them usable"


def _set(names: Sequence[str]) -> str:
    """Return the environment variables that are set."""
    return ", ".join(f"{name}={os.environ[name]}" for name in names if name in os.environ)


def _kernels() -> Iterator[Finding]:
    """Check the folder of compiled kernels: permission to write, free space, broken files."""
    from pliant import jit

    folder = jit.cache_folder()
    if folder is None:
        where = f"{jit.cache_root()} cannot be written: kernels are compiled in every process, set PLIANT_CACHE_DIR"
        yield Finding("kernel cache", where, False)
        return
    free = shutil.disk_usage(folder).free
    yield Finding("kernel cache", f"{folder}, writable, {free / 1e9:.1f} GB free", free > SCARCE)
    found = jit.health(folder)
    said = f"{found.kernels} compiled, {found.size / 1e6:.0f} MB" if found.kernels else "none compiled yet"
    if found.claimed:
        said += f", {found.claimed} being compiled"
    if found.abandoned:
        said += f", {found.abandoned} given up by processes that ended"
    if found.damaged:
        said += f", {found.damaged} damaged (compiled again when needed; look at the disk if it happens often)"
    yield Finding("kernels", said, found.damaged == 0)


def _extras() -> Iterator[Finding]:
    for name, use in EXTRAS.items():
        there = importlib.util.find_spec(name) is not None
        yield Finding(
            name, _version(name) or "installed" if there else f"not installed ({use})", True if there else None
        )


def _self_test() -> Iterator[Finding]:
    """Check a pendulum's frequency against sqrt(g / l), and a cantilever's tip against F l^3 / 3 EI."""
    from pliant_gallery import cantilever, pendulum

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
