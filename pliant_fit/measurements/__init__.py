"""What was measured, and how near a model comes to it.

`tables` and `formats` read files, `columns` says which column is which quantity and in which units, `measurement` is
the measurement itself, `agreement` compares it with what was computed, `alignment` finds time shift and frame.
"""
