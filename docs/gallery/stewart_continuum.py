"""A platform on six rods that are fed through its base

A continuum Stewart-Gough robot: six steel rods of 1.3 mm leave holes of the base and are clamped to a rigid platform.
Motors feed the rods in and out; the free lengths decide where the platform stands, and the rods bend on the way.
"""

import numpy as np

import pliant as pl
from pliant_gallery.robots import ContinuumStewart

robot = ContinuumStewart()
system = pl.compile(robot.model(), elements=pl.Exact(4, order=3))
legs = pl.Kinetostatics(system, platform="platform", motors=robot.motors, limits=robot.limits)

pose = legs.inverse((0.0, 0.12, 0.58), (-0.3, 0.0, 0.0))
print("free lengths, m:", (robot.free_lengths() + pose.motors).round(4))

loaded = legs.forward(pose.motors, load={"load/z": -2.0})
print("2 N on the platform lower it by", np.round(1e3 * (pose.position[2] - loaded.position[2]), 2), "mm")

ax = pl.plots.plot_shape(legs.result(pose), view=(15.0, 20.0))
