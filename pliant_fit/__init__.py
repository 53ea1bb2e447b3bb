"""Parameters of a model from measurements.

`identify` is the entry point; `forecasts`, `perturbed` and `task` compute measured quantities and derivatives,
`fitting` solves least squares, `doubts` and `trust` assess residuals, `identification` is the result, `plots` draws.
"""
