"""How a compiled loop ended: what the solvers return and the drivers ask."""

from __future__ import annotations

DONE = 0
NOT_CONVERGED = 1
SINGULAR = 2
NOT_FINITE = 3
INACCURATE = 4
CALM = 5  # the errors of a whole run of steps were so small that steps may be larger
OPEN = 6
TOO_SMALL = 7
WHIRLING = 9  # a part turns too far in a step for its rotation to be known
GAINING = 10  # energy came from nowhere in a step
REJECTED = 8  # the error of a step was too large; the method has chosen a smaller one
