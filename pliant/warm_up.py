"""Compiling ahead: a small mechanism is computed, so that its kernels are in the cache.

``python -m pliant.warm_up [formulation] [planar|spatial]`` does it by hand; the assistant of a first computation
(pliant/_jit/assistant.py) does it beside that, in an order that begins with what is needed last.
"""

from __future__ import annotations

import os
import sys
import warnings


def warm_up(formulation: str = "dae", space: str = "planar") -> None:
    """Compute the motion, modes and a path of a beam with an arm."""
    import pliant as pl

    model = pl.Model("warm-up", plane=None if space == "spatial" else "xy")
    strip = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
    ground, beam, arm = model.add(
        pl.Ground(), pl.Beam("beam", length=0.5, section=strip), pl.Link("arm", length=0.1, mass=0.1)
    )
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Revolute(beam.at(s=1), arm.at(s=0)), pl.Gravity())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = pl.compile(model, formulation=formulation, elements=2)
        if formulation != "dae":
            pl.transient(system, end_time=2e-3, times=[1e-3, 2e-3])
            return
        pl.transient(system, end_time=2e-3, step=1e-3)
        pl.modal(system, modes=1)
        pl.path(system, system.signal_names[0], to=-9.81)


if __name__ == "__main__":
    os.nice(5)
    warm_up(*sys.argv[1:])
