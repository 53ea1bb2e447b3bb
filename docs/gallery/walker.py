"""A walking linkage whose coupler bends

Chebyshev's linkage turns a crank into a step: half a turn straight along the ground, half a turn back above it. Its
coupler is a flexible strip here; the ground, which carries the walker on this foot, bends it.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import walker

angles = np.linspace(0.0, 2.0 * np.pi, 49)
figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
paths = {}
for weight in (0.0, 30.0):
    system = pl.compile(walker.model(load=(0.0, weight)))
    rest, steps = None, []
    for angle in angles:
        rest = pl.statics(system.with_signals({"motor/angle": float(angle)}), start=rest)
        steps.append(rest.position.sel(marker="coupler/tip").values)
    paths[weight] = np.array(steps)
    left.plot(*(1e3 * paths[weight].T), label=f"{weight:.0f} N on the foot")
rigid = np.array([walker.foot(angle) for angle in angles])
flat = (rigid[:, 0] > -walker.CRANK) & (rigid[:, 0] < 3.0 * walker.CRANK) & (np.cos(angles) < 0.0)
print(f"without a load it is where rigid bars lead it, to {np.max(np.abs(paths[0.0] - rigid)):.1e} m")
print(f"its step is straight to {1e3 * np.ptp(rigid[flat, 1]):.2f} mm")
print(f"30 N bend it by {1e3 * np.max(np.abs(paths[30.0] - rigid)):.2f} mm at most")
left.set(xlabel="x, mm", ylabel="y, mm", aspect="equal", title="path of the foot")
left.legend()

system = pl.compile(walker.model(load=(0.0, 30.0)))
pl.plots.plot_shape(pl.statics(system.with_signals({"motor/angle": 2.0})), ax=right)
