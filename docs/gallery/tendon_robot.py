"""A continuum robot of two segments, bent by tendons

A thin rod with disks carries six tendons in straight channels: three end at its middle, three at its tip. Pulling them
bends the rod; then inverse statics finds the tensions for a place of the tip. Pushed aside and let go, it swings.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import tendon_arm

robot = tendon_arm.ROBOT
system = pl.compile(tendon_arm.model(), elements=pl.Exact(8, order=3))
bent = pl.statics(system)
tip = bent.position.sel(marker="backbone/tip").values
print("tensions, N:", robot.tensions(tendon_arm.CURVATURES, least=1.0).round(2), "- tip at", tip.round(4), "m")
print(
    "stiffness of the tip along x, y, z, N/m:",
    np.diag(pl.stiffness(system, at=bent, marker="backbone/tip").matrix)[:3].round(1),
)

legs = pl.Kinetostatics(
    system, platform="backbone/tip", motors=[robot.motors[k] for k in (0, 2, 5)], limits=(0.0, 60.0)
)
pose = legs.inverse(tip + (0.02, -0.01, 0.0), start=bent)
print("2 cm aside with tensions", pose.motors.round(2), "N of", ", ".join(legs.motors))

pushed = pl.statics(system.with_signals({"load/x": 0.3, "load/y": -0.2}))
motion = pl.transient(system, start=pushed, end_time=0.4, step=5e-4)
print("let go from a push of 0.36 N:", motion.outcome.message)

figure = plt.figure(figsize=(10.0, 4.2), layout="constrained")
pl.plots.plot_shape(legs.result(pose), ax=figure.add_subplot(1, 2, 1, projection="3d"), view=(15.0, -60.0))
ax = figure.add_subplot(1, 2, 2)
for axis in "xyz":
    ax.plot(motion.time, 1e3 * motion.position.sel(marker="backbone/tip", axis=axis), label=axis)
ax.set(xlabel="time, s", ylabel="tip, mm", title="let go from a push")
ax.legend()
