"""Furuta's pendulum held upright

The pole stands on the end of an arm that a motor turns. An LQR reads both pins; a push of the pole is answered.
"""

import matplotlib.pyplot as plt

import pliant as pl
from pliant_gallery import furuta

outputs = ["joint_angle:base", "joint_angle:hinge", "joint_rate:base", "joint_rate:hinge"]
system = pl.compile(furuta.model(upright=True))
plant = pl.linearise(system, inputs=["motor/torque"], outputs=outputs)
weights = {"joint_angle:base": 4.0, "joint_angle:hinge": 10.0}
gain = pl.lqr(plant, outputs=weights, inputs={"motor/torque": 50.0}, sample_time=0.01)
controller = pl.state_feedback(gain, outputs=outputs).limited(low=-0.3, high=0.3)

pushed = {"pole": (0.0, -furuta.LENGTH / 2, 0.0, 1.0, 0.0, 0.0)}  # 1 rad/s about its hinge
run = pl.transient(system, end_time=3.0, step=1e-3, controller=controller, push=pushed)
print(run.outcome)

figure, ax = plt.subplots(layout="constrained")
for name in outputs[:2]:
    ax.plot(run.sample, run.measured.sel(output=name), label=name.partition(":")[2])
ax.set(xlabel="time (s)", ylabel="angle of the pin (rad)")
ax.legend()
