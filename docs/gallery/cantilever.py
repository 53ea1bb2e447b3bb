"""A cantilever that bends far

A steel strip under a growing dead load at its tip, followed until the tip hangs down; shapes along the way.
"""

import pliant as pl

m = pl.Model("strip")
strip = pl.Section.rectangle(20e-3, 1e-3, pl.STEEL)
ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=0.5, section=strip))
m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1.0, name="load"))

path = pl.path(pl.compile(m, elements=pl.Exact(10, order=2)), "load/y", begin=0.0, to=-20.0)
tip = path.position.sel(marker="strip/tip")
print(f"the tip comes down by {-tip[-1].sel(axis='y').item():.4f} m of 0.5 m")

pl.plots.plot_shape(path)
