"""A beam thrown into the air

A force and two moments on one end throw a free beam, which then tumbles and bends. The momentum scheme keeps linear and
angular momentum to rounding, whatever the step.
"""

import numpy as np

import pliant as pl
from pliant.gallery.spatial_dynamics import thrown

system = pl.compile(thrown(), elements=4)
flight = pl.transient(system, end_time=8.0, step=0.1, scheme="momentum")
print(flight.outcome)

pl.plots.plot_shape(flight, times=np.arange(0.0, 8.1, 1.0), view="xz")
