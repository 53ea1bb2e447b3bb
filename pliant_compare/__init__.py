"""One question, answered in every way there is: differences, orders, extrapolated values, costs and verdicts.

`compare` is the door; `courses` and `refinement` compute, `extrapolation` and `verdicts` judge, `others` reads what
other programs found, `report` shows it.
"""
