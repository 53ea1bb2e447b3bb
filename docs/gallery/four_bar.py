"""A four-bar with a flexible coupler

The crank falls, the titanium coupler bends. One second of motion: where it is, and what it loses.
"""

import pliant as pl
from pliant_gallery import four_bar

system = pl.compile(four_bar.model(coupler="flexible", damping=0.01), elements=8)
run = pl.transient(system, end_time=1.0, step=1e-3)
print(run.outcome)

pl.plots.plot_shape(run, times=[0.0, 0.15, 0.3, 0.45])
