"""From a motor's torque to an angle: frequency response

The leg about its posture as a linear model of 98 states, and as one of six.
"""

from dataclasses import replace

import pliant as pl
from pliant.results.plots import linear_models
from pliant_gallery.leg import LEG_LOWER_HELD, model
from pliant_gallery.leg.stages import pretension

leg, elements = replace(LEG_LOWER_HELD, tendon_damping=15.0), pl.Exact(8, order=2)
rest = pretension(pl.compile(model(leg, hold="q1"), elements=elements), leg).rest
torque = rest.reaction.sel(joint="hold", wrench="M").item()
free = pl.compile(model(leg, hold=None, motor=torque), elements=elements)
plant = pl.linearise(free, at=pl.statics(free, start=rest), inputs=["motor/torque"], outputs=["angle:upper link"])
small = pl.reduce(plant, modes=3)
print(f"{plant.A.shape[0]} states become {small.A.shape[0]}")

linear_models.plot_reduction(small)
