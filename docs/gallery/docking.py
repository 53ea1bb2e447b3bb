"""A satellite docks on flexible legs

20 kg drift at 50 mm/s, 7.5 degrees off, against the ring on the platform of a weightless 6-RUS robot. The robot gives
way and pushes it back in a series of soft touches.
"""

import pliant as pl
from pliant_evidence.docking.studies import dock, strike

run = dock(step=1e-3, end_time=0.4)
struck = strike(run)
print(f"peak {struck.peak:.2f} N, impulse {struck.impulse:.4f} N s, lost in the contact {1e3 * struck.loss:.2f} mJ")

pl.plots.plot_history(run, "normal_force", contact="ring")
