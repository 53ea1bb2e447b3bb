"""A flexure stage: what it lets go, and what it holds

A plate on four leaf springs moves along x and is stiff against everything else: its 6 × 6 stiffness says by how much,
its first modes how fast. Along x four leaves that are clamped at both ends give 48 EI/L³.
"""

import numpy as np

import pliant as pl
from pliant_gallery import flexure_stage

system = pl.compile(flexure_stage.model(), elements=pl.Exact(4, order=2))
stiffness = pl.stiffness(system, marker="stage").matrix
print("stiffness along x, y, z, N/m:", stiffness.diagonal()[:3].round(1))
print("about x, y, z, N m/rad:", stiffness.diagonal()[3:].round(1))
print("48 EI/L^3:", round(48.0 * flexure_stage.LEAF.bending_stiffness / flexure_stage.LENGTH**3, 1), "N/m")
modes = pl.modal(system)
print("modes, Hz:", modes.frequency_hz.values[:4].round(1))

pushed = pl.statics(system.with_signals({"load/x": 60.0}))
moved = pushed.position.sel(marker="stage(0, 0)").values
print(
    "60 N along x move it by",
    np.round(1e3 * moved[0], 3),
    "mm and lower it by",
    np.round(1e3 * (0.05 - moved[2]), 3),
    "mm",
)
ax = pl.plots.plot_shape(pushed, view=(12.0, -70.0))
