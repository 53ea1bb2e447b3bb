"""Compiling ahead: a small mechanism is computed, so that its kernels are in the cache.

``python -m pliant.warm_up [formulation] [planar|spatial]`` does it by hand; the assistant of a first computation
(pliant/_jit/assistant.py) does it beside that, in an order that begins with what is needed last.
"""

from __future__ import annotations

import os
import sys
import warnings


def warm_up(formulation: str = "dae", space: str = "planar") -> None:
    """Compute the motion of a pendulum, then the modes and a path of a beam with an arm."""
    import pliant as pl

    plane = None if space == "spatial" else "xy"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        swinging = pl.Model("pendulum", plane=plane)
        ground, arm = swinging.add(pl.Ground(), pl.Body("arm", mass=0.1, inertia=1e-3))
        swinging.add(pl.Revolute(ground.at(0, 0), arm.at(-0.05, 0)), pl.Gravity())
        if formulation in ("udwadia_kalaba", "kinked"):
            pl.transient(pl.compile(swinging, formulation=formulation), end_time=2e-3, times=[1e-3, 2e-3])
        if formulation != "dae":
            return
        pl.transient(pl.compile(swinging), end_time=2e-3, step=1e-3)
        model = pl.Model("beam and arm", plane=plane)
        strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
        ground, beam, arm = model.add(
            pl.Ground(), pl.Beam("beam", length=0.5, section=strip), pl.Link("arm", length=0.1, mass=0.1)
        )
        model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Revolute(beam.at(s=1), arm.at(s=0)), pl.Gravity())
        system = pl.compile(model, elements=2)
        pl.path(system, system.signal_names[0], to=-9.81)
        pl.modal(system, modes=1)


if __name__ == "__main__":
    os.nice(5)
    warm_up(*sys.argv[1:])
