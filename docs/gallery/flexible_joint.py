"""An arm behind an elastic gear, with and without shaping

A stiff motor raises its rotor by half a right angle. Sent at once the link swings on; shaped, it arrives.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import flexible_joint

system = pl.compile(flexible_joint.model())
hold = pl.Controller.proportional(
    {"motor/torque": {"angle:rotor": 400.0, "angular_velocity:rotor": 10.0}}, sample_time=2e-3
)
up = pl.Ramp(-90 * pl.DEG, -45 * pl.DEG, t0=0.1, t1=0.15)
link = flexible_joint.MASS * flexible_joint.LENGTH**2 / 3.0
omega = np.sqrt(flexible_joint.STIFFNESS / link)  # of the link on its gear, the rotor held

figure, ax = plt.subplots(layout="constrained")
for name, sent in {"sent at once": up, "shaped (ZVD)": pl.Shaped(up, omega=omega, kind="ZVD")}.items():
    run = pl.transient(system, end_time=2.0, step=1e-3, controller=hold.following({"angle:rotor": sent}))
    print(name, run.outcome)
    ax.plot(run.time, run.angle.sel(body="link") / pl.DEG, label=name)
ax.set(xlabel="time (s)", ylabel="link (deg)")
ax.legend()
