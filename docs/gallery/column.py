"""Buckling of a column, and what comes after

The straight column loses its stability at Euler's load, π² EI/L². `pl.branch` follows the bent one.
"""

from math import pi

import pliant as pl
from pliant_gallery import buckling

system = pl.compile(buckling.model(problem="column"), elements=pl.Exact(8, order=2))
straight = pl.path(system, "load/x", to=-20.0)
bent = pl.branch(system, straight, side=1, to=-20.0)
print(f"buckles at {straight.event_parameter[0].item():.4f}; Euler: {-(pi**2):.4f}")

pl.plots.plot_path(straight, bent, quantity="position", marker="column@0.5", component="y", labels=["straight", "bent"])
