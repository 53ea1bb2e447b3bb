"""A rod that spins fast, a beam in flight, and Bricard's mechanism.

``python -m pliant_evidence.spatial_dynamics.figures docs/images`` draws them for the documentation.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.drawing import panels, save
from pliant_evidence.spatial_dynamics import theory
from pliant_evidence.spatial_dynamics.validate import SCHEMES, SPINS, fly, spin
from pliant_gallery import spatial_dynamics as models


def motions() -> None:
    """Draw the energy of the rod by two schemes; the thrown beam from the side; a corner of Bricard's mechanism."""
    rod, flight, loop = panels(1, 3, (13.0, 4.0))
    for name, options in {**SCHEMES, "generalized-alpha, ρ = 0.6": {"spectral_radius": 0.6}}.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            run = spin(SPINS["across"], partial=True, end_time=2.0, **options)
        energy = run.energy.values[:, :2].sum(axis=1)
        rod.plot(run.time, energy / energy[0], label=name)
    rod.set(title="rod, 0.1 rad a step: energy", xlabel="time [s]", ylabel="of the first", ylim=(0.95, 1.15))
    rod.legend(frameon=False, fontsize=8, loc="upper left")

    run = fly()
    shape = run.shape.values
    for k in range(0, len(run.time), 20):
        flight.plot(shape[k, :, 0], shape[k, :, 2], color=pl.plots.COLOURS[0], linewidth=0.8 + 0.01 * k)
    flight.set(title="thrown beam, every second", xlabel="x [m]", ylabel="z [m]")
    flight.set_aspect("equal", adjustable="datalim")

    moved = pl.transient(pl.compile(models.bricard()), end_time=10.0, step=5e-3)
    for k, axis in enumerate("xyz"):
        loop.plot(moved.time, moved.position.sel(marker="bar 3/tip").values[:, k], label=axis)
    every = moved.time.values[::40]
    loop.plot(every, theory.bricard(every), linestyle="", marker=".", color="black", markersize=3)
    loop.set(title="Bricard: third corner, dots one freedom", xlabel="time [s]", ylabel="[m]")
    loop.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    save({"spatial-dynamics": motions}, Path(sys.argv[1]))
