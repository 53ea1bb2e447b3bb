"""A crank-slider comes to rest

Udwadia and Kalaba's explicit accelerations: the crank falls from 45 degrees, a spring and a damper catch the slider.
"""

import pliant as pl
from pliant_gallery import crank_slider

system = pl.compile(crank_slider.model(), formulation="udwadia_kalaba")
run = pl.transient(system, end_time=5.0)
print(run.outcome)

pl.plots.plot_history(run, "angle", body="crank")
