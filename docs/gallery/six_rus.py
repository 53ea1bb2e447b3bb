"""A 6-RUS parallel continuum robot

Six motors, six curved rods, one platform: the motor angles that hold it at a height of 0.5 m, rolled by 10 degrees.
"""

import pliant as pl
from pliant_gallery.six_rus.kinetostatics import kinetostatics

robot = kinetostatics()
pose = robot.inverse((0.0, 0.0, 0.5), pl.rotation(x=10 * pl.DEG))
print(pose)

pl.plots.plot_shape(robot.result(pose), view=(20.0, -60.0))
