"""Comparison of all formulations and elements for one analysis: differences, orders, limits, costs and verdicts.

`compare` is the entry point; `courses` and `refinement` compute, `causes` and `verdicts` assess, `other_programs` reads
results of other programs, `report` shows everything.
"""
