"""Tubes in each other that snap

Pre-curved tubes of nitinol in each other are a robot as thin as a needle: turning and pushing their bases bends all of
it. Two tubes of opposite curvature twist each other; long and curved enough, they snap. The path shows where.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import concentric_tubes
from pliant_gallery.robots import ConcentricTubes, CurvedTube

figure = plt.figure(figsize=(10.0, 4.2), layout="constrained")
space, plane = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)

system = pl.compile(concentric_tubes.model(angles=(0.0, 0.0, 0.0)), elements=pl.Exact(14, order=3))
robot = ConcentricTubes(tubes=concentric_tubes.TUBES, bases=concentric_tubes.BASES)
for angles, colour in (((0.0, 1.5, -1.0), "C0"), ((0.0, 3.0, -1.0), "C1"), ((2.0, 1.5, -1.0), "C2")):
    rest = pl.statics(system.with_signals(robot.turned(angles)))
    tip = rest.position.sel(marker="tube 1/tip").values
    print(f"tubes turned by {angles} rad: tip at {np.round(1e3 * tip, 2)} mm")
    line, s = 1e3 * rest.shape.values, np.linspace(robot.bases[0], robot.tips[0], len(rest.shape.values))
    for end, width in zip(robot.tips, (1.2, 2.6, 4.2), strict=True):
        space.plot(*line[(s <= end) & (s > -0.03)].T, color=colour, linewidth=width, alpha=0.7)
space.set(xlabel="x, mm", ylabel="y, mm", title="three tubes, three settings")
space.set_box_aspect((2, 1, 1), zoom=1.2)

sizes = ({"outer_radius": 0.5e-3, "inner_radius": 0.3e-3}, {"outer_radius": 0.9e-3, "inner_radius": 0.6e-3})
for length in (0.1, 0.15):
    tubes = [CurvedTube(length=length, straight=0.0, curvature=11.0, **size) for size in sizes]
    pair = pl.compile(ConcentricTubes(tubes=tubes, bases=(0.0, 0.0)).model(), elements=pl.Exact(6, order=3))
    path = pl.path(pair, "tube 2/angle", to=2.0 * np.pi)
    print(f"tubes of {1e3 * length:.0f} mm snap at", np.degrees(path.event_parameter.values).round(2), "degrees")
    tip = path.position.sel(marker="tube 1/tip", axis="z").values
    for stable, style in ((True, "-"), (False, ":")):
        shown = np.where(path.stable.values == stable, 1e3 * tip, np.nan)
        label = f"{1e3 * length:.0f} mm" if stable else None
        plane.plot(np.degrees(path.parameter), shown, style, color=f"C{int(20 * length)}", label=label)
plane.set(xlabel="angle of the outer tube, degrees", ylabel="tip, z, mm", title="two tubes, turned (dotted: unstable)")
plane.legend()
