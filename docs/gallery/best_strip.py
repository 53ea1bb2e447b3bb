"""The lightest strip that is stiff enough

Width and thickness of a cantilever are parameters; `pl.optimise` finds the strip of least mass whose
first frequency is at least 12 Hz and whose tip sinks by at most 4 mm under 2 N, and reports which condition is active.
"""

import pliant as pl

width = pl.Parameter("width", "20 mm", low="8 mm", high="40 mm", unit="m")
height = pl.Parameter("height", "3 mm", low="1 mm", high="6 mm", unit="m")
model = pl.Model("strip")
ground, strip = model.add(
    pl.Ground(), pl.Beam("strip", length=0.4, section=pl.Section.rectangle(width, height, pl.STEEL))
)
model.add(pl.Weld(ground.at(0, 0), strip.at(s=0)), pl.Force(strip.at(s=1), y=-2.0, name="load"))
system = pl.compile(model, elements=pl.Exact(3, order=3))
best = pl.optimise(
    system, minimise="mass", subject_to=["frequency_hz:1 >= 12", "position:strip/tip:y >= -4e-3"], starts=1
)
print(best)

before, after = pl.statics(system), pl.statics(system.with_parameters(**best.values))
pl.plots.plot_overlay({"at first": before, "lightest": after})
