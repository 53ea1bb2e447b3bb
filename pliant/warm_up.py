"""Compile ahead: compute a small mechanism, so that its kernels are in the cache.

``python -m pliant.warm_up [formulation] [planar|spatial]`` does it by hand; during a first computation its assistant
(pliant/jit/assistant.py) does it in parallel, beginning with the kernels that are needed last.
"""

from __future__ import annotations

import os
import sys
import warnings


def warm_up(formulation: str = "dae", space: str = "planar") -> None:
    """Compute the motion of a pendulum and read it; then follow its equilibrium and find its modes."""
    import pliant as pl

    plane, axes = (None, 3) if space == "spatial" else ("xy", 2)
    model = pl.Model("pendulum", plane=plane)
    ground, arm = model.add(pl.Ground(), pl.Body("arm", mass=0.1, inertia=1e-3, position=(0.0, -0.05, 0.0)[:axes]))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(0, 0.05)), pl.Gravity())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if formulation in ("udwadia_kalaba", "kinked"):
            pl.transient(pl.compile(model, formulation=formulation), end_time=2e-3, times=[1e-3, 2e-3])
        if formulation != "dae":
            return
        system = pl.compile(model)
        run = pl.transient(system, end_time=2e-3, step=1e-3)
        for name in ("reaction", "momentum"):
            run.raw(name)
        pl.path(system, "gravity/y", begin=-9.0, to=-9.81)
        pl.modal(system, modes=1)


if __name__ == "__main__":
    if hasattr(os, "nice"):  # not on Windows
        os.nice(5)
    warm_up(*sys.argv[1:])
