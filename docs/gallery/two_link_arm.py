"""A flexible arm of two links

Relative coordinates, a torque at the shoulder: the links swing and bend.
"""

import pliant as pl
from pliant_gallery import manipulator

arm = manipulator.FIGURES[13]
system = pl.compile(manipulator.model(arm), formulation="kinked", elements=2)
run = pl.transient(system, end_time=1.0)
print(run.outcome)

pl.plots.plot_shape(run, times=[0.0, 0.25, 0.5, 0.75, 1.0])
