"""The leg of a continuum robot, pretensioned and released

A tendon that is too short buckles the leaf; then the hold is taken away and the leg falls, its loop closed.
"""

import pliant as pl
from pliant_gallery.leg import model
from pliant_gallery.leg.stages import pretension, release

elements = pl.Exact(8, order=2)
rest = pretension(pl.compile(model(hold="q3"), elements=elements)).rest
print(f"tendon at rest: {rest.tension.sel(line='tendon').item():.2f} N")
fall = release(pl.compile(model(hold=None), elements=elements), rest, end_time=0.6)
print(fall.outcome)

pl.plots.plot_shape(fall, times=[0.0, 0.2, 0.4, 0.6])
