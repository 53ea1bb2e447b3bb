"""A 6-RUS parallel continuum robot

Six motors, six curved rods, one platform: the motor angles that hold it at a height of 0.5 m, rolled by 10 degrees.
"""

import pliant as pl
from pliant.gallery.six_rus import model
from pliant.gallery.six_rus.kinetostatics import ELEMENTS, inverse

system = pl.compile(model(), elements=ELEMENTS)
held = inverse(system, (0.0, 0.0, 0.5), pl.rotation(x=10 * pl.DEG))
print(held.outcome)

pl.plots.plot_shape(held, view=(20.0, -60.0))
