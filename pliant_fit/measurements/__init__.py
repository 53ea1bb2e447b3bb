"""Measurements, and their agreement with a model.

`tables` and `formats` read files, `columns` finds the column and units of a quantity, `measurement` is the measurement
itself, `agreement` compares it with computed values, `alignment` finds time shift and frame.
"""
