"""The 45-degree bend

A curved beam bends out of its plane under a dead force at its tip: the classical test of
beams in space, in one load step.
"""

import pliant as pl
from pliant_gallery import bend_45

bent = pl.statics(pl.compile(bend_45.model(load=600.0), elements=pl.Exact(4, order=3)))
print(bent.position.sel(marker="bend/tip").values.round(3))

pl.plots.plot_shape(bent, view=(25.0, -60.0))
