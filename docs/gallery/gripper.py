"""A gripper without hinges

Two jaws on pairs of leaf springs stay parallel as they close. Part of the force that pulls them bends the leaves, the
rest squeezes the object: for small strokes in the ratio of 24 EI/L³ to twice the object's stiffness.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import gripper

system = pl.compile(gripper.model(), elements=pl.Exact(2, order=3))
leaves = 24.0 * gripper.LEAF.bending_stiffness / gripper.LENGTH**3
forces, squeezes, strokes = np.linspace(0.0, 12.0, 13), [], []
for force in forces:
    rest = pl.statics(system.with_signals({"pull on lower/y": force, "pull on upper/y": -force}))
    squeezes.append(-float(rest.tension[0]))
    strokes.append(0.5 * squeezes[-1] / gripper.OBJECT)
share = 2.0 * gripper.OBJECT / (2.0 * gripper.OBJECT + leaves)
print(f"of 1 N the object feels {squeezes[1]:.4f} N, by linear theory {share:.4f} N; of 12 N {squeezes[-1]:.4f} N")
print("the jaws are turned by", f"{np.max(np.abs(rest.angle.values)):.1e} rad")

figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
pl.plots.plot_shape(rest, ax=left)
right.plot(forces, squeezes, "o-", label="squeezed with")
right.plot(forces, share * forces, "--", label="linear theory")
right.set(xlabel="pulled with, N", ylabel="N")
right.legend()
