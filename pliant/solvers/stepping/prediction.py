"""Linear prediction of the next acceleration from its last changes, as a start for Newton's method.

With d_n the change of the acceleration in step n, the next one is predicted as

    d_{n+1} = c_1 d_n + c_2 d_{n-1} + c_3 d_{n-2},

with the c of least squared error in the steps so far (J. Makhoul, Proc. IEEE 63, 1975, "covariance method"), each
weighted half as much as its successor, whatever its size. Zero (c = 0), a trend (1, 0, 0), polynomials, and a few
vibrations that the steps do not resolve are such sums. A bad prediction only costs an increment.
"""

from __future__ import annotations

import numpy as np

from pliant.jit import kernel, linked_kernel
from pliant.kernels.vectors import more
from pliant.solvers.stepping.alpha_run import Run

KEPT = 0.5  # forgetting factor, from step to step
UNDERFLOW = 1e-200  # a smaller product of two changes has lost its digits
SLIGHT = 1e-12  # of the sums: changes more alike than this do not determine two factors


@linked_kernel
def update(run: Run) -> float:
    """Store the change of the acceleration in the last step, and fit the factors c of the next. Returns the largest
    change of the algorithmic acceleration abar, in lengths of the model and radians.

    ``scratch.changes`` are d_n, d_{n-1}, d_{n-2}, in turn. ``scratch.habits`` are c; the products d_i d_j of these (i
    <= j); the weighted sums of d_i d_j and of d_0 d_i, where d_0 follows d_1.
    """
    state, old, weight, d, x = run.state, run.old, run.equations.weight, run.scratch.changes, run.scratch.habits
    n = np.uint64(run.equations.freedoms)
    largest, p0, p1, p2, p3 = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        moved, d1, d2, d3 = state.a[i] - old.a[i], d[i], d[i + n], d[i + n + n]
        largest = more(largest, abs(state.abar[i] - old.abar[i]) * weight[i])
        size = weight[i] * weight[i] * moved
        p0 += size * moved
        p1 += size * d1
        p2 += size * d2
        p3 += size * d3
        d[i], d[i + n], d[i + n + n] = moved, d1, d2
    p11, p12, p13, p22, p23, p33 = x[3], x[4], x[5], x[6], x[7], x[8]  # each is one step older now
    x[3], x[4], x[5], x[6], x[7], x[8] = p0, p1, p2, p11, p12, p22
    if not p33 > UNDERFLOW:  # fewer changes than factors, or the motion has died away
        return largest
    share = 1.0 / (p0 + p11 + p22 + p33)
    s11, s12, s13 = KEPT * x[9] + share * p11, KEPT * x[10] + share * p12, KEPT * x[11] + share * p13
    s22, s23, s33 = KEPT * x[12] + share * p22, KEPT * x[13] + share * p23, KEPT * x[14] + share * p33
    b1, b2, b3 = KEPT * x[15] + share * p1, KEPT * x[16] + share * p2, KEPT * x[17] + share * p3
    x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16], x[17] = s11, s12, s13, s22, s23, s33, b1, b2, b3
    slight = SLIGHT * (s11 + s22 + s33) + 1e-300
    s11, s22, s33 = s11 + slight, s22 + slight, s33 + slight
    l21, l31 = s12 / s11, s13 / s11
    d2, t = s22 - l21 * s12, s23 - l21 * s13
    l32 = t / d2
    d3 = s33 - l31 * s13 - l32 * t
    y2 = b2 - l21 * b1
    x[2] = (b3 - l31 * b1 - l32 * y2) / d3
    x[1] = y2 / d2 - l32 * x[2]
    x[0] = b1 / s11 - l21 * x[1] - l31 * x[2]
    return largest


@kernel
def extrapolate(run: Run) -> None:
    """Predict the next change, into ``scratch.move``."""
    d, x, move, n = run.scratch.changes, run.scratch.habits, run.scratch.move, np.uint64(run.equations.freedoms)
    c1, c2, c3 = x[0], x[1], x[2]
    for i in range(n):
        move[i] = c1 * d[i] + c2 * d[i + n] + c3 * d[i + n + n]


@kernel
def reset(run: Run) -> None:
    """Clear the changes, after a jump or a change of the step size."""
    run.scratch.changes[:] = 0.0
    run.scratch.habits[:] = 0.0
