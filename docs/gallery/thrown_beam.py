"""A beam thrown into the air

A force and two moments on one end throw a free beam, which then tumbles and bends: drawn every second, from the side.
The momentum scheme keeps linear and angular momentum, once nothing acts any more, whatever the step.
"""

import numpy as np

import pliant as pl
from pliant_evidence.spatial_dynamics.validate import drifts
from pliant_gallery.spatial_dynamics import thrown

system = pl.compile(thrown(), elements=4)
flight = pl.transient(system, end_time=10.0, step=0.05, scheme="momentum")
momentum, energy = drifts(flight, since=5.0)
print(f"after the throw momentum changes by {momentum:.0e} of itself, energy by {energy:.0e}")

pl.plots.plot_shape(flight, times=np.arange(0.0, 10.1, 1.0), view="xz")
