"""Derivatives of numbers of a motion by many parameters at once, backwards in time
(`pliant.solvers.derivatives.adjoint_steps`).

Every result is checked by one forward differentiation (`pliant.solvers.derivatives.tangent_steps`) along all parameters
together, with random signs: both derivatives of the number must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant._libraries import sparse
from pliant.errors import OptionError, SingularError
from pliant.solvers.derivatives.adjoint_steps import Matrices, Pull, run_backwards
from pliant.solvers.derivatives.implicit import LEAST
from pliant.solvers.derivatives.recorded_states import Direction, Known
from pliant.solvers.derivatives.tangent_motion import KINKED, Differentiated, Sides, Stretch
from pliant.solvers.stepping.status import DONE
from pliant.system.packing.coupling import blocks, split_coupled


class FixedStateDerivatives(NamedTuple):
    """Derivatives of a motion by a parameter at fixed states.

    way    derivatives of the initial state
    known  derivatives of the residual at all instants
    kinks  (instants) True where forces have a kink
    part   fraction of the usual step of the parameter that was needed
    """

    way: Direction
    known: Known
    kinks: np.ndarray
    part: float


class AdjointDerivatives(NamedTuple):
    """Derivatives of numbers by parameters.

    slopes  (numbers, parameters) through the motion, without the direct dependence of a number on a parameter
    error   difference from the forward derivatives, relative to the largest slope times the size of its parameter, or
            to `LEAST` of the number
    kinks   instants at which a slope jumps, along all parameters together
    """

    slopes: np.ndarray
    error: float
    kinks: np.ndarray


def refusal(found: Differentiated) -> str:
    """Return the reason why a motion has no adjoint; "" if it has one."""
    name = found.system.model.name
    if found.projected:
        return (
            f"velocities of {name!r} were projected on its joints, which the adjoint does not follow back. Give "
            "transient constraints='position', or adjoint=False"
        )
    if found.system.rubs:
        return f"joints of {name!r} rub (Friction), which has no adjoint here. Give adjoint=False"
    if len(found.stretches) > 1 or len(found.stretches[0].fits) > 1:
        return (
            f"steps of the motion of {name!r} failed and were taken in parts, which the adjoint does not follow back. "
            "Give transient a smaller step=, or adjoint=False"
        )
    return ""


def only(found: Differentiated) -> Stretch:
    """Return the steps of a motion that has an adjoint; refuse other motions."""
    if why := refusal(found):
        raise OptionError(f"sensitivity: {why}.")
    return found.stretches[0]


def differentiate_at_states(
    found: Differentiated, sides: Sides, begun: np.ndarray, *, assembled: bool
) -> FixedStateDerivatives:
    """Differentiate a motion by a parameter at fixed states; arguments as in `Differentiated.line`."""
    known, kinks, part = found.explicit_derivatives(sides, only(found))
    return FixedStateDerivatives(found.initial_derivatives(sides, begun, assembled=assembled), known, kinks, part)


def pull(
    found: Differentiated,
    values: Sequence[float],
    gradients: Sequence[np.ndarray],
    by: Sequence[FixedStateDerivatives],
    sizes: np.ndarray,
) -> AdjointDerivatives:
    """Differentiate numbers with gradients (instants, 3 n + m) by q, v, a and lambda, by parameters of these sizes."""
    backwards = [_back(found, gradient, _matrices(found)) for gradient in gradients]
    slopes = np.array([[_by(each, one) for one in by] for each in backwards])
    signs = np.random.default_rng(0).choice([-1.0, 1.0], sizes.size) * sizes
    forwards, kinks = _forwards(found, by, signs)
    apart = [abs(np.sum(gradient * forwards) - signs @ row) for gradient, row in zip(gradients, slopes, strict=True)]
    most = [max(float(np.max(np.abs(row * sizes))), LEAST * abs(x)) for row, x in zip(slopes, values, strict=True)]
    return AdjointDerivatives(slopes, max((a / b for a, b in zip(apart, most, strict=True) if b), default=0.0), kinks)


def _matrices(found: Differentiated) -> Matrices:
    """Allocate derivatives, and colour the coordinates: two that share a row get different colours."""
    pattern, n, m = found.system.equations.pattern, found.system.freedoms, found.system.constraints
    i, j = pattern.row.astype(int), pattern.column.astype(int)
    ones = sparse.coo_array((np.ones(i.size, bool), (i, j)), shape=(n + m, n + m))
    whole = sparse.csr_array(ones + ones.T + sparse.eye_array(n + m, dtype=bool))
    touching = sparse.csr_array(whole[:n, :].astype(int) @ whole[:, :n].astype(int))
    colour = np.full(n, -1)
    for k in range(n):
        near = colour[touching.indices[touching.indptr[k] : touching.indptr[k + 1]]]
        colour[k] = next(each for each in range(n) if each not in near)
    damping, damping_skew, mass, mass_skew = np.zeros((4, int(pattern.storage)))
    start = found.start
    far = [dofs for dofs, _ in blocks(found.system.equations.parts, start.q, start.v, 0.0, 1.0)]
    dofs = np.unique(np.concatenate([np.zeros(0, int), *far])).astype(np.uint32)
    columns, (far_q, far_v) = np.zeros((int(np.max(colour)) + 1, n + m)), np.zeros((2, dofs.size, dofs.size))
    return Matrices(colour, columns, damping, damping_skew, mass, mass_skew, dofs, far_q, far_v)


def _back(found: Differentiated, gradient: np.ndarray, matrices: Matrices) -> Pull:
    stretch, n, m = only(found), found.system.freedoms, found.system.constraints
    state, work = np.zeros((4, n)), np.zeros((5, n + m))
    back = Pull(gradient, matrices, np.zeros((len(gradient), n + m)), *state, *work)
    equations = found.trial.equations
    near, far = (
        found.trial._replace(equations=equations._replace(parts=each)) for each in split_coupled(equations.parts)
    )
    if run_backwards(found.run, near, far, stretch.course, stretch.h, back)[0] != DONE:
        raise SingularError("a step's matrix is singular, or the adjoint of this motion is not finite.")
    return back


def _by(back: Pull, one: FixedStateDerivatives) -> float:
    """Return the derivative of a number by a parameter: ``-sum mu R_p`` plus the share of the initial state."""
    m, way = one.way.lam.size, one.way
    begin = (
        back.q @ way.q + back.v @ way.v + back.a @ way.a + back.gradient[0, -m or back.gradient.shape[1] :] @ way.lam
    )
    return float(begin - np.sum(back.mu * one.known.forces))


def _forwards(
    found: Differentiated, by: Sequence[FixedStateDerivatives], signs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (instants, 3 n + m) derivatives along all parameters together, and the instants with a kink."""
    stretch = only(found)
    first = by[0]
    way = first.way._replace(**{name: _sum([getattr(each.way, name) for each in by], signs) for name in WAYS})
    known = first.known._replace(forces=_sum([each.known.forces for each in by], signs))
    slopes = found.derivatives_along(stretch, known, way)
    kinks = (slopes.bent > KINKED) | np.any([each.kinks for each in by], axis=0)
    return np.hstack([slopes.q, slopes.v, slopes.recorded, slopes.reactions]), stretch.recorded.time[kinks]


WAYS = ("q", "v", "a", "abar", "lam")


def _sum(arrays: Sequence[np.ndarray], signs: np.ndarray) -> np.ndarray:
    return np.asarray(sum(sign * array for sign, array in zip(signs, arrays, strict=True)))
