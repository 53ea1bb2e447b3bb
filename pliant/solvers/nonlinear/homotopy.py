"""Following an equilibrium under increasing loads, in steps that cannot leave its branch.

The start x0 = (q0, lambda0) is an equilibrium under signals u0 if forces h hold it. The signals move to the target and
the hold is released, both in proportion to t; dead loads change from old to new:

    H(x, t) = (r, g)(x, u0 + t (u1 - u0)) - (1 - t) h = 0,    0 <= t <= 1

From a point of this curve Newton's first increment for t + k is d. The next one must be small all along d: with A =
H_x, and mixed integration points (newton.py) where there are any,

    |A(x + s d)^-1 H(x + s d, t + s k)| <= s |d| / 4,    s = 1/4, 1/2, 1

which holds under Kantorovich's theorem (P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 2.1). Then
there is one equilibrium near x + s d for every s, and the curve leads through them. If not, the step is halved. A step
through a shape (`forces/collisions`), which is invisible at both its ends, is halved, too. Towards a limit point steps
become ever shorter. If Newton leaps from there, or fails, the curve turns back: the mechanism snaps.

Near a bifurcation with an imperfection of 1e-8, the curve turns aside within 1e-5 of the load, and one step may pass
it, onto an unstable branch that no loading reaches. So a path that ends unstable is followed once more, with steps that
keep the stability; only if the shortest ones cannot, as without any imperfection, stability is truly lost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

CONTRACTION = 0.25  # ratio of Newton's next increment to the present one
PARTS = (1.0, 0.5, 0.25)  # of an increment: points at which the contraction is checked
FIRST = 2.0**-40  # of the loads: if even this step fails, the start is neutral
SHORTEST = 2.0**-20  # of the loads so far
LEAP = 0.01  # of the whole way: largest motion of a shortest step
MOST_STEPS = 400
CORRECTIONS = 12
CORRECTED = 1e-8  # last increment, in lengths of the model and radians


class Followed(NamedTuple):
    """Last point of a followed start, and its share of the loads.

    1: the end. 0: no step, as from a start that is neutral or, though held, unstable.
    """

    q: np.ndarray
    lam: np.ndarray
    share: float


class Homotopy(ABC):
    """Curve H = 0 through a start (q, lam), held by ``hold``; all three move along it."""

    q: np.ndarray
    lam: np.ndarray
    hold: np.ndarray

    @abstractmethod
    def rests(self) -> bool:
        """Return whether the held start is stable: an unstable one has no branch."""

    @abstractmethod
    def moved(self, q: np.ndarray, lam: np.ndarray, step: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the point after an increment, with its mixed integration points; None: a zero increment."""

    @abstractmethod
    def increment(self, q: np.ndarray, lam: np.ndarray, t: float) -> np.ndarray | None:
        """Return Newton's increment; None if the matrix is singular."""

    @abstractmethod
    def size(self, step: np.ndarray) -> float:
        """Return the largest displacement of an increment, in lengths of the model and radians."""

    @abstractmethod
    def apart(self, q: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the increment from one configuration to another."""

    def held(self, q: np.ndarray) -> np.ndarray:
        """Return ``hold`` at a configuration near the present point."""
        return self.hold

    def leaps(self, q: np.ndarray) -> bool:
        """Return whether the step from the present point to another one passes through an obstacle."""
        return False

    def signs(self, t: float) -> object:
        """Return the number of unstable directions at the present point, or another value that changes with it."""
        return None

    def follow(self, far: float, watched: bool = False) -> Followed:
        """Follow the curve as far as possible. ``far``: distance of the equilibrium found otherwise, as `size`.
        ``watched``: no step but a shortest one may change the stability.
        """
        done, step = 0.0, 1.0
        rests = self.rests()
        signs = self.signs(0.0) if watched and rests else None
        for _ in range(MOST_STEPS if rests else 0):
            if done == 1.0:
                break
            step = min(step, 1.0 - done)
            shortest = step <= SHORTEST * done
            if not shortest and step < FIRST:
                break
            increment = self.increment(*self.moved(self.q, self.lam, None), done + step)
            if increment is None:
                break
            near, before = LEAP * far if shortest else 2.0 * self.size(increment), (self.q, self.lam, self.hold)
            if (shortest or self.contracts(done, step, increment)) and self.advance(done + step, increment, near):
                there = self.signs(done + step) if watched else None
                if shortest or there == signs:
                    done, step, signs = (done + step if step < 1.0 - done else 1.0), 2.0 * step, there
                else:
                    (self.q, self.lam, self.hold), step = before, max(0.5 * step, SHORTEST * done)
            elif shortest:
                break
            else:
                step = max(0.5 * step, SHORTEST * done)
        return Followed(self.q, self.lam, done)

    def contracts(self, t: float, step: float, increment: np.ndarray) -> bool:
        """Return whether Newton's next increment is small all along this one."""
        largest = CONTRACTION * self.size(increment)
        for part in PARTS:
            following = self.increment(*self.moved(self.q, self.lam, part * increment), t + part * step)
            if following is None or not self.size(following) <= max(part * largest, CORRECTED):
                return False
        return True

    def advance(self, t: float, increment: np.ndarray, near: float) -> bool:
        """Run Newton from the increment to the curve; False if that ends further away than ``near`` or fails."""
        q, lam = self.q, self.lam
        step: np.ndarray | None = increment
        for _ in range(CORRECTIONS):
            if step is None:
                return False
            q, lam = self.moved(q, lam, step)
            if self.size(step) <= CORRECTED:
                if self.size(self.apart(self.q, q)) > near or self.leaps(q):
                    return False
                self.q, self.lam, self.hold = q, lam, self.held(q)
                return True
            step = self.increment(q, lam, t)
        return False
