"""A finger that one tendon closes

Three phalanges on elastic hinges, one tendon below them: pulling it curls the finger. Pulled slowly, the work of the
tendon is what the hinges store.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import cable_finger

system = pl.compile(cable_finger.model())
path = pl.path(system, "tendon/tension", to=4.0, step=0.02)
drawn = path.line_length.values[0, 0] - path.line_length.values[:, 0]
work, stored = np.trapezoid(path.parameter, drawn), path.energy.sel(energy_kind="potential").values[-1]
angles = np.diff(path.angle.values[-1], prepend=0.0)
springs = 0.5 * np.sum(np.array(cable_finger.HINGES) * angles**2)
print(f"4 N draw {1e3 * drawn[-1]:.2f} mm of tendon and bend the hinges by {np.degrees(angles).round(1)} degrees")
print(f"work of the tendon {1e3 * work:.4f} mJ, energy of the hinges {1e3 * springs:.4f} mJ")

figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
joints = [
    f"{name}/{end}" for name, end in (("proximal", "base"), ("middle", "base"), ("distal", "base"), ("distal", "tip"))
]
for k in range(0, path.sizes["point"], 12):
    at = 1e3 * path.position.isel(point=k).sel(marker=joints).values
    left.plot(at[:, 0], at[:, 1], "o-", color=plt.cm.viridis(path.parameter.values[k] / 4.0))
left.set(xlabel="x, mm", ylabel="y, mm", aspect="equal", title="0 to 4 N")
right.plot(
    path.parameter, np.degrees(np.diff(path.angle.values, axis=1, prepend=0.0)), label=list(cable_finger.PHALANGES)
)
right.set(xlabel="tension, N", ylabel="angles of the hinges, degrees")
right.legend()
