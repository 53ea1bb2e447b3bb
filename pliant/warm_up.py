"""Compiling the kernels, once, on two cores.

Numba compiles one function at a time in a process. Two processes with a share each fill the same cache, in an order
that lets each find what the other has done; the process that asked then only loads.
By hand: ``python -m pliant.warm_up``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

INSIDE = "PLIANT_WARMING_UP"
DEFAULT = "dae"
SHARES = {  # of two processes, by the formulation that needs them; "dae" comes first
    DEFAULT: (("forces", "motion"), ("solver", "energies", "statics", "path")),
    "udwadia_kalaba": (("explicit",),),
}


def needed(formulation: str = DEFAULT) -> bool:
    """Whether kernels of a formulation still have to be compiled."""
    from pliant._jit import cache_folder

    if INSIDE in os.environ or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    folder = cache_folder()
    return folder is not None and not (folder / mark(formulation)).exists()


def mark(formulation: str) -> str:
    """File in the cache that tells that the kernels of a formulation are there."""
    return "complete" if formulation == DEFAULT else f"complete-{formulation}"


def warm_up(formulation: str = DEFAULT) -> None:
    """Compile the kernels of a formulation into the cache if it lacks them; says so on standard error."""
    for name in dict.fromkeys((DEFAULT, formulation)):
        if name in SHARES and needed(name):
            _fill(name)


def _fill(formulation: str) -> None:
    from pliant._jit import cache_folder

    what = "kernels" if formulation == DEFAULT else f"the kernels of {formulation!r}"
    print(f"pliant: compiling {what}, once; this takes a minute or two.", file=sys.stderr, flush=True)  # noqa: T201
    began = time.monotonic()
    environment = {**os.environ, INSIDE: "1"}
    workers = [
        subprocess.Popen([sys.executable, "-m", "pliant.warm_up", *share], env=environment, stdout=subprocess.DEVNULL)
        for share in SHARES[formulation]
    ]
    try:
        failed = [worker for worker in workers if worker.wait()]
    except BaseException:
        for worker in workers:
            worker.kill()
        raise
    folder = cache_folder()
    if not failed and folder is not None:
        (folder / mark(formulation)).touch()
        print(f"pliant: kernels compiled in {time.monotonic() - began:.0f} s.", file=sys.stderr, flush=True)  # noqa: T201


def share(names: list[str]) -> None:
    """Compile some of the groups of kernels, by using them on a small mechanism."""
    groups = tasks()
    for name in names:
        groups[name]()


def tasks() -> dict[str, Callable[[], object]]:
    """What to run to compile each group."""
    import numpy as np

    import pliant as pl
    from pliant.solvers import ldl
    from pliant.system import fused

    model = pl.Model("warm-up")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam, arm = model.add(
        pl.Ground(), pl.Beam("beam", length=0.5, section=strip), pl.Link("arm", length=0.1, mass=0.1)
    )
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Revolute(beam.at(s=1), arm.at(s=0)), pl.Gravity())
    system = pl.compile(model, elements=2)
    scratch, start, parts = system.scratch(), system.start(), system.equations.parts
    u = system.signals(np.zeros(1))[0]

    def forces() -> None:
        state = (start.q, start.v, start.a, u)
        fused.add(parts, *state, 1.0, 0.0, 0.0, scratch.r, scratch.s, scratch.w, scratch.stress, False)

    def solver() -> None:
        ldl.solve_once(system.equations.pattern, scratch.s, scratch.w, scratch.factors, scratch.step, False)

    def energies() -> None:
        fused.power(parts, start.q, start.v, u)
        fused.energy(parts, start.q, start.v, u)
        fused.stretch(parts, start.q, start.v, scratch.stress)
        fused.readings(parts, start.q[None], start.v[None], u[None], np.zeros(3, int), np.zeros((1, 0, 3)))

    def explicit() -> None:
        chain = pl.compile(model, formulation="udwadia_kalaba", elements=2)
        pl.transient(chain, end_time=2e-3, times=[1e-3, 2e-3])

    return {
        "forces": forces,
        "solver": solver,
        "energies": energies,
        "motion": lambda: pl.transient(system, end_time=2e-3, step=1e-3),
        "statics": lambda: pl.modal(system, modes=1),
        "explicit": explicit,
        "path": lambda: pl.path(system, system.signal_names[0], to=-9.81),
    }


if __name__ == "__main__":
    if INSIDE in os.environ:
        share(sys.argv[1:])
    else:
        warm_up()
