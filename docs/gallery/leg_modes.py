"""Modes about a buckled equilibrium

The frequencies contain the stiffness that the tendon's force takes away.
"""

import pliant as pl
from pliant_gallery.leg import model
from pliant_gallery.leg.stages import pretension

held = pl.compile(model(hold="q3"), elements=pl.Exact(8, order=2))
modes = pl.modal(held, at=pretension(held).rest, modes=3)
print(modes.frequency_hz.values.round(2))

pl.plots.plot_modes(modes)
