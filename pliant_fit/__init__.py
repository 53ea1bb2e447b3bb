"""Parameters of a model from measurements.

`identify` is the door; `forecasts`, `beside` and `task` compute what was measured and its derivatives, `fitting` does
the least squares and knows no mechanics, `doubts` judges what is left, `identification` is the result, `plots` draws.
"""
