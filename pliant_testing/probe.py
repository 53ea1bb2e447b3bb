"""Forces, matrices, energy, power and conditions of a part at any pose, and the pose after a rigid motion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import pliant as pl
from pliant.errors import PliantError
from pliant.joints import rows
from pliant.model import rotations
from pliant.system.packing import fused
from pliant.system.state import State

TIME = 0.4  # s, when signals are read
STEP = 1e-3  # of differences, m and rad


@dataclass(frozen=True)
class Kinematics:
    """A pose, velocities and accelerations."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@dataclass(frozen=True)
class Probe:
    """A model with the part `owner`, and the model without it: the difference is the part's."""

    owner: str
    model: pl.Model
    without: pl.Model | None = None
    elements: Any = None
    tolerance: float = 1e-7

    @cached_property
    def system(self) -> Any:
        """Return the compiled model."""
        try:
            return pl.compile(self.model, **({} if self.elements is None else {"elements": self.elements}))
        except PliantError as error:
            raise AssertionError(f"{self.owner}: it is refused: {error}") from error

    @cached_property
    def rest(self) -> Probe | None:
        """Return the system without the part."""
        return None if self.without is None else Probe(self.owner, self.without, elements=self.elements)

    @property
    def spatial(self) -> bool:
        """Return whether the model is in space."""
        return bool(self.system.space.quaternions)

    @cached_property
    def u(self) -> np.ndarray:
        """Return all signals."""
        found: np.ndarray = self.system.signals(np.array([TIME]))[0]
        return found

    def random(self, rng: np.random.Generator, size: float, *, accelerated: bool = False) -> Kinematics:
        """Return a random pose near the assembled one, with velocities."""
        system, n = self.system, self.system.freedoms
        v, a = np.zeros((2, system.size))
        v[:n] = rng.standard_normal(n)
        a[:n] = rng.standard_normal(n) if accelerated else 0.0
        return Kinematics(system.moved(system.initial, size * rng.standard_normal(n)), v, a)

    def force(self, at: Kinematics, lam: np.ndarray | None = None) -> np.ndarray:
        """Return the part's share of M a + f + G^T lambda."""
        found: np.ndarray = self.system.unbalanced(at.q, at.v, at.a, self.u)
        if self.rest is not None:
            found = found - self.rest.force(at)
        if lam is not None and lam.size:
            jacobian = np.zeros((lam.size, self.system.size))
            rows.jacobian_dense(self.system.equations.rows, at.q, self.u, jacobian)
            found = found + (lam @ jacobian)[: found.size]
        return found

    def matrices(self, at: Kinematics, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the part's share of K, C, M and G."""
        found = self.system.matrices(State(at.q, at.v, at.a, lam, TIME), whole=True)
        K, C, M = (each.toarray() for each in (found.stiffness, found.damping, found.mass))
        if self.rest is not None:
            k, c, m, _ = self.rest.matrices(at, np.zeros(self.rest.system.constraints))
            K, C, M = K - k, C - c, M - m
        return K, C, M, found.jacobian

    def energy(self, at: Kinematics) -> float:
        """Return the kinetic and potential energy of the part."""
        own = sum(fused.energy(self.system.equations.parts, at.q, at.v, self.u))
        return float(own - (0.0 if self.rest is None else self.rest.energy(at)))

    def power(self, at: Kinematics) -> tuple[float, float]:
        """Return the supplied and dissipated power of the part."""
        supplied, dissipated = fused.power(self.system.equations.parts, at.q, at.v, self.u)
        other = (0.0, 0.0) if self.rest is None else self.rest.power(at)
        return float(supplied - other[0]), float(dissipated - other[1])

    def gaps(self, q: np.ndarray) -> np.ndarray:
        """Return the values of all conditions."""
        gap = np.zeros(self.system.constraints)
        rows.residual(self.system.equations.rows, q, self.u, gap)
        return gap

    def opened(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the changes of conditions from one pose to another near it; some are known up to periods only."""
        change, period = self.gaps(after) - self.gaps(before), self.system.equations.rows.period
        found: np.ndarray = change - period * np.round(change / np.where(period > 0.0, period, 1.0))
        return found

    def closed(self, q: np.ndarray) -> np.ndarray:
        """Return a pose near q that closes all joints (Newton's method)."""
        for _ in range(30):
            gap = self.gaps(q)
            if np.max(np.abs(gap), initial=0.0) < 1e-12:
                return q
            jacobian = np.zeros((gap.size, self.system.size))
            rows.jacobian_dense(self.system.equations.rows, q, self.u, jacobian)
            q = self.system.moved(q, -np.linalg.pinv(jacobian[:, : self.system.freedoms]) @ gap)
        raise AssertionError(
            f"{self.owner}: no pose was found that meets its conditions; {np.max(np.abs(gap)):.3g} left."
        )

    def carried(self, at: Kinematics, turn: np.ndarray, shift: np.ndarray) -> Kinematics:
        """Return the motion after a rigid one: a rotation vector about the origin, then a translation."""
        system, R = self.system, self.rotation(turn)
        count, width = len(system.space.axes), system.space.width
        q, v = at.q.copy(), at.v.copy()
        frames_end = width * system.layout.moving
        places, speeds = (x[:frames_end].reshape(-1, width)[:, :count] for x in (q, v))
        places[:], speeds[:] = places @ R.T + shift[:count], speeds @ R.T
        if self.spatial:
            frames = q[system.space.frames(system.nodes) :].reshape(-1, 4)[: system.nodes]
            frames[:] = rotations.product(rotations.exponential(turn), frames)
        else:
            q[2:frames_end:3] += turn[2]
        return Kinematics(q, v, at.a)

    def carried_back(self, force: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Return forces in axes that were turned; moments in space are in the axes of the nodes anyway."""
        found, count, width = force.copy(), len(self.system.space.axes), self.system.space.width
        nodes = found[: width * self.system.layout.moving].reshape(-1, width)
        nodes[:, :count] = nodes[:, :count] @ self.rotation(turn)
        return found

    def rotation(self, turn: np.ndarray) -> np.ndarray:
        """Return the matrix of a rotation vector; in the plane, of its component about z."""
        count = len(self.system.space.axes)
        return rotations.matrix(rotations.exponential(turn if self.spatial else turn * (0, 0, 1)))[:count, :count]

    def same(self, what: str, actual: Any, expected: Any, *, size: float = 0.0, tolerance: float = 0.0) -> None:
        """Raise unless all numbers agree, to the largest of them (or to `size`)."""
        actual, expected = np.atleast_1d(np.asarray(actual, float)), np.atleast_1d(np.asarray(expected, float))
        if actual.shape != expected.shape:
            raise AssertionError(f"{self.owner}: {what}: shapes {actual.shape} and {expected.shape} differ.")
        off = np.abs(actual - expected)
        scale = max(size, float(np.max(np.abs(expected), initial=0.0)), float(np.max(np.abs(actual), initial=0.0)))
        if not np.all(off <= (tolerance or self.tolerance) * scale + 1e-11):
            place = np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off)), off.shape)
            entry = f" at {tuple(int(k) for k in place)}" if off.size > 1 else ""
            raise AssertionError(f"{self.owner}: {what}: {actual[place]:.8g} against {expected[place]:.8g}{entry}.")


@contextmanager
def nothing_else_raised(owner: str) -> Iterator[None]:
    """Raise every error of the part, and every refusal, as an AssertionError with its name."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        how = "it is refused:" if isinstance(error, PliantError) else f"it fails with {type(error).__name__}:"
        raise AssertionError(f"{owner}: {how} {error}") from error


def differences(function: Any, count: int) -> np.ndarray:
    """Return the derivatives of ``function(step)`` at zero by `count` entries of the step (central, sixth order)."""
    columns = []
    for k in range(count):
        step = np.zeros(count)
        step[k] = STEP
        first, second, third = (function(m * step) - function(-m * step) for m in (1, 2, 3))
        columns.append((45 * first - 9 * second + third) / (60 * STEP))
    return np.array(columns).T
