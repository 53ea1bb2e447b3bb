"""Count what one iteration of a motion computes: the kernels as plain Python, with numbers that count.

NUMBA_DISABLE_JIT=1 python -m pliant_evidence.floor.count <model>

prints operations (sums, products, divisions, functions) and bytes of the arrays that it reads or writes.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from pliant.jit.bundle import Bundle
from pliant.kernels import buffers as stack
from pliant.kernels.vectors import sizes
from pliant.linalg import ldl
from pliant.solvers.stepping import alpha_step
from pliant.solvers.stepping.alpha_run import Inputs
from pliant.solvers.stepping.alpha_scheme import coefficients
from pliant.solvers.stepping.alpha_stepping import AlphaStepping
from pliant.solvers.stepping.methods import GeneralizedAlpha
from pliant.solvers.stepping.motion import Plan
from pliant.system.packing import fused
from pliant_evidence.floor.models import MODELS, STEP


class Counted:
    """A number that counts what is done with it."""

    __slots__ = ("value",)
    operations = 0

    def __init__(self, value: float) -> None:
        self.value = value

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any) -> Counted:
        """Apply a function of numpy and count its operations."""
        Counted.operations += 1
        return Counted(float(function(*map(plain, inputs))))

    def __float__(self) -> float:
        """Return a float, for functions such as a root."""
        Counted.operations += 1
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def __neg__(self) -> Counted:
        return Counted(-self.value)

    def __abs__(self) -> Counted:
        return Counted(abs(self.value))

    def __lt__(self, other: Any) -> bool:
        return self.value < plain(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= plain(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > plain(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= plain(other)

    def __eq__(self, other: object) -> bool:
        return self.value == plain(other)

    def __hash__(self) -> int:
        return hash(self.value)


def plain(x: Any) -> float:
    """Return a number that is no longer counted."""
    return float(x.value if isinstance(x, Counted) else x)


def _counting(compute: Any, reverse: bool) -> Any:
    def operate(self: Counted, other: Any) -> Counted:
        Counted.operations += 1
        one, two = self.value, plain(other)
        return Counted(compute(two, one) if reverse else compute(one, two))

    return operate


for _name, _compute in (
    ("add", lambda x, y: x + y),
    ("sub", lambda x, y: x - y),
    ("mul", lambda x, y: x * y),
    ("truediv", lambda x, y: x / y if y else 0.0),
):
    setattr(Counted, f"__{_name}__", _counting(_compute, False))
    setattr(Counted, f"__r{_name}__", _counting(_compute, True))


class Arrays:
    """Substitute for numpy where kernels make arrays on the stack: these hold numbers that count."""

    @staticmethod
    def empty(shape: Any) -> np.ndarray:
        """Return an array, not filled."""
        return np.empty(shape, object)


def counting(x: Any) -> Any:
    """Return an array whose numbers count their operations."""
    if isinstance(x, np.ndarray) and x.dtype == np.float64:
        found = np.empty(x.shape, object)
        found.reshape(-1)[:] = [Counted(each) for each in x.reshape(-1).tolist()]
        return found
    if isinstance(x, Bundle) or hasattr(x, "_fields"):
        return x._replace(**{name: counting(getattr(x, name)) for name in _names(x)})
    return x


def nbytes(x: Any) -> int:
    """Return bytes of all arrays of a bundle."""
    if isinstance(x, np.ndarray):
        return x.nbytes
    return sum(nbytes(getattr(x, name)) for name in _names(x)) if isinstance(x, Bundle) or hasattr(x, "_fields") else 0


def _names(x: Any) -> list[str]:
    return list(getattr(type(x), "_fields", ()))


def iteration(system: Any) -> tuple[int, int]:
    """Return operations of a step of one iteration, and bytes of what it touches."""
    plan = Plan(end_time=STEP, step=STEP, method=GeneralizedAlpha(0.9))
    stepping = AlphaStepping(system, system.start(), plan, STEP)
    run, inputs = stepping.run, Inputs(*(np.zeros(len(system.layout.signals)) for _ in range(3)))
    rows, equations = run.equations.rows, run.equations
    pattern, touched = equations.pattern, [equations.parts, rows, run.state, run.old]
    touched += [run.scratch.s, run.scratch.r, run.scratch.step, run.scratch.factors.terms]
    touched += [pattern.head, pattern.members, pattern.start, pattern.pairs, pattern.targets, pattern.width]
    moved = sum(nbytes(each) for each in touched) - run.state.whole.nbytes - run.old.whole.nbytes
    random = np.random.default_rng(0)
    run.state.v[:], run.state.lam[:] = 1e-3 * random.standard_normal(run.state.v.size), 1.0
    run = counting(run)
    Counted.operations = 0
    c = coefficients(run.scheme, STEP)
    alpha_step.predict(run, STEP)
    alpha_step.residual(run, run.equations.rows, inputs.u, inputs, c)
    ldl.solve_once(pattern, run.scratch.s, run.scratch.w, run.scratch.factors, run.scratch.step, False)
    alpha_step.correct(run, STEP, c)
    sizes(run.scratch.step, run.state.abar, run.state.q, run.equations.weight, 3 if equations.turning else 2)
    fused.energy(run.equations.parts, run.state.q, run.state.v, inputs.u)
    return Counted.operations, moved


if __name__ == "__main__":
    vars(stack)["np"] = Arrays
    print(json.dumps(iteration(MODELS[sys.argv[1]]())))  # noqa: T201
