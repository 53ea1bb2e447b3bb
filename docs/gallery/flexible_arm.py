"""A two-link flexible arm under control

LQR and a Kalman filter read encoders and strain gauges; both joints swing, and the strips stay calm.
"""

import matplotlib.pyplot as plt

import pliant as pl
from pliant_gallery import flexible_arm

motors = ["shoulder motor/torque", "elbow motor/torque"]
angles, strains = ["joint_angle:shoulder", "joint_angle:elbow"], ["strain:link 1@0.1", "strain:link 2@0.1"]
system = pl.compile(flexible_arm.model(), elements=flexible_arm.ELEMENTS)
plant = pl.reduce(pl.linearise(system, inputs=motors, outputs=angles + strains), modes=5)

gain = pl.lqr(plant, outputs=dict.fromkeys(angles, 4.0), inputs=dict.fromkeys(motors, 1.0), sample_time=0.01)
noise = dict.fromkeys(angles, 1e-3) | dict.fromkeys(strains, 1e-5)
seen = pl.kalman(plant, process_noise=dict.fromkeys(motors, 0.05), measurement_noise=noise, sample_time=0.01)
wanted = {angles[0]: pl.Ramp(0.0, 0.8, t0=0.1, t1=0.7), angles[1]: pl.Ramp(0.0, -0.9, t0=0.1, t1=0.7)}
controller = pl.lqg(gain, seen, track=angles).limited(low=-2.0, high=2.0).following(wanted)

run = pl.transient(system, end_time=2.0, step=1e-3, controller=controller)
print(run.outcome)

figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
pl.plots.plot_shape(run, times=[0.0, 0.3, 0.5, 2.0], ax=left)
for name in angles:
    right.plot(run.sample, run.measured.sel(output=name), label=name.partition(":")[2])
right.set(xlabel="time (s)", ylabel="encoder (rad)")
right.legend()
