"""A delta robot with flexible rods

Three driven arms carry a platform on six thin rods in pairs, so that it only translates. Without loads the rods are
straight and the motors have the angles of rigid kinematics in closed form; the rods affect stiffness and
vibrations.
"""

from math import pi

import numpy as np

import pliant as pl
from pliant_gallery import delta

system = pl.compile(delta.model(), elements=2)
robot = pl.Kinetostatics(system, platform="platform", motors=delta.MOTORS)
place, home = np.array([0.06, -0.04, -0.36]), np.array([0.0, 0.0, delta.HEIGHT])
pose = robot.inverse(place)
rigid = [delta.arm_angle(place, turn) - delta.arm_angle(home, turn) for turn in (0.0, 2 * pi / 3, 4 * pi / 3)]
print("motors, rad:", pose.motors.round(6), "- of rigid rods:", np.round(rigid, 6))

rest = robot.result(pose)
there = system.with_signals(dict(zip(delta.MOTORS, pose.motors.tolist(), strict=True)))
print(
    "stiffness of the platform along x, y, z, kN/m:",
    (1e-3 * pl.stiffness(there, at=rest, marker="platform").matrix.diagonal()[:3]).round(1),
)
print("first vibrations, Hz:", pl.modal(there, at=rest).frequency_hz.values[:5].round(1))
ax = pl.plots.plot_shape(rest, view=(12.0, -60.0))
