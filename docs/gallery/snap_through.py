"""Snap-through of Lee's frame

Past the first limit point no equilibrium is near: the frame jumps. The path goes on, over
loads that fall and rise again.
"""

import pliant as pl
from pliant_gallery import buckling

system = pl.compile(buckling.model(problem="lee_frame"), elements=pl.Exact(6, order=2))
path = pl.path(system, "load/y", to=-30.0)
for kind, load in zip(path.event_kind.values, path.event_parameter.values, strict=True):
    print(f"{kind} at {load:.3f} EI/L²")

pl.plots.plot_path(path, quantity="position", marker="girder@0.2", component="y", swap=True)
