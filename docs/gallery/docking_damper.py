"""The damper with which a satellite docks most softly

20 kg drift at 50 mm/s into a ring on a spring and a damper. With too little damping the spring pushes back hard, with
too much the damper itself strikes: `pl.optimise` finds a damping ratio of 0.265, where the peak force is half of that
at the start; the closed form says the same.
"""

import pliant as pl
from pliant_evidence.optimise import examples, theory

found = examples.bumper()
print(found)
print("by the closed form: damping ratio {:.4f}, peak {:.4f} of speed √(k m)".format(*theory.softest_bumper()))

pl.plot_optimum(found)
