"""Status of a compiled loop: returned by the solvers, used by the drivers."""

from __future__ import annotations

DONE = 0
NOT_CONVERGED = 1
SINGULAR = 2
NOT_FINITE = 3
INACCURATE = 4
CALM = 5  # errors in a run of steps were so small that steps may be larger
OPEN = 6
TOO_SMALL = 7
WHIRLING = 9  # a part turns too far in a step for a unique rotation
GAINING = 10  # a step gained spurious energy
REJECTED = 8  # the error of a step was too large; the method has chosen a smaller one
