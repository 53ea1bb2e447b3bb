"""The two models of the leg that the thesis built (chapters 4 and 5). Do not use; kept to show what fails and why.

    first = FirstModel()                            # chapter 4: linear leaf, loop closed as if it were rigid
    run = first.simulate(end_time=3.0)              # moves like a rigid four-bar; first.end_load(105.0) does not buckle
    full = FullModel()                              # chapter 5 as written, with all of its DEFECTS
    full.pretension()                               # does not converge; the energy sees strain in the last element only
    FullModel(defects=DEFECTS - {"reaction"})       # one defect mended: what was it to blame for?

Misprints are corrected as in ERRATA; modelling choices are kept. ``compare`` sets both beside the consistent leg, and
docs/theory/thesis-leg.md describes the models.
"""

from pliant_evidence.historical.thesis_leg.first import FirstModel
from pliant_evidence.historical.thesis_leg.full import DEFECTS, FullModel
from pliant_evidence.historical.thesis_leg.integrator import Motion
