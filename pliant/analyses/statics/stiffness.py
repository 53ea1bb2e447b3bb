"""How a mechanism gives way at a marker: compliance and stiffness matrices, their centre, principal axes and screws.

A wrench w on the marker moves it by ``C w`` with ``C = P S P^T``: S is the inverse of ``[K, G^T; G, 0]`` at an
equilibrium, with preload, joints and the stiffness of the joint forces, and P the motion of the marker with its node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant._libraries import sparse
from pliant.analyses.common import Start, require
from pliant.analyses.friction import small_motions
from pliant.analyses.operating_point import equilibrium
from pliant.analyses.poses.effector import Effector
from pliant.analyses.poses.pose import inverse, without_rounding
from pliant.analyses.spin import in_its_axes
from pliant.analyses.statics.statics import statics
from pliant.errors import OptionError, SingularError, UnstableEquilibrium, nearest, warn
from pliant.forces.state_force.callbacks import watched
from pliant.linalg import eigen
from pliant.model import Marker
from pliant.system.capabilities import Linearisable
from pliant.system.state import Matrices

NEGATIVE = 1e-9  # of the largest compliance: below is rounding
BALANCED = 1e-6  # of a force: what may be left unbalanced where a mechanism can carry it


class Principal(NamedTuple):
    """A direction in which a force through the centre (or a moment) moves (or turns) a body along itself only."""

    translations: np.ndarray  # N/m, softest first
    translation_axes: np.ndarray  # their directions, as columns
    rotations: np.ndarray  # N m/rad
    rotation_axes: np.ndarray


class Screws(NamedTuple):
    """Principal screws: a small rotation about one of them, with its translation along it, takes a force and a moment
    on the same one, ``force = stiffness * angle`` and ``moment = pitch * force``. Screws of positive pitch come first,
    then screws of negative pitch, both in order of stiffness.
    """

    stiffness: np.ndarray  # N/rad; three are positive, three negative
    pitch: np.ndarray  # m/rad; infinite: a pure translation
    axes: np.ndarray  # their directions, as columns
    points: np.ndarray  # of each that is nearest to the centre of compliance (m), as columns

    def __repr__(self) -> str:
        words = [f"{'N/rad':>10} {'pitch, m':>10}  axis{'':25} through, m"]
        for stiffness, pitch, axis, point in zip(*self[:2], self.axes.T, self.points.T, strict=True):
            way, place = (" ".join(f"{x:>9.4g}" for x in without_rounding(each)) for each in (axis, point))
            words.append(f"{stiffness:>10.4g} {pitch:>10.4g}  {way}  {place}")
        return "\n".join(words)


@dataclass(frozen=True)
class Stiffness:
    """Compliance and stiffness of a body at a point, in global axes: (x, y, angle) in the plane, three displacements
    and three rotations in space.

    marker      label of the marker: its body, and its point unless `at_point` moved it
    point       (m)
    compliance  motion of the point (m, rad) per unit force (N) and moment (N m) on it
    length      characteristic length of the model (m), used to compare radians with metres

    >>> import numpy as np
    >>> guided = Stiffness("stage", np.zeros(2), np.diag([1e-3, 1e-6, 1e-2]), 0.1)
    >>> guided.matrix.diagonal().round().tolist(), guided.at_point((0.0, 0.1)).compliance[0, 0].round(6).item()
    ([1000.0, 1000000.0, 100.0], 0.0011)
    """

    marker: str
    point: np.ndarray
    compliance: np.ndarray
    length: float

    def __getattr__(self, name: str) -> Any:
        known = [each for each in (*self.__dict__, *dir(type(self))) if not each.startswith("_")]
        hint = "It is called .matrix here." if name == "stiffness" else nearest(name, known)
        raise AttributeError(f"a Stiffness has no {name!r}. {hint}")

    @property
    def matrix(self) -> np.ndarray:
        """Return force and moment for a unit motion of the point: the inverse of the compliance."""
        return inverse(self.compliance, self.length, f"marker {self.marker!r}")

    @property
    def centre(self) -> np.ndarray:
        """Return the centre of compliance (m). In the plane a force through it causes no rotation; in space the
        coupling of forces and rotations is symmetric there, and as small as possible (J. Loncaric, IEEE J. Robotics
        Autom. 3, 1987).
        """
        points, c = self.point.size, self.compliance
        coupling, turns = c[:points, points:], c[points:, points:]
        if points == 2:
            if turns[0, 0] <= 0.0:
                raise self._without_centre()
            return np.asarray(self.point + np.array([-coupling[1, 0], coupling[0, 0]]) / turns[0, 0])
        skew = coupling - coupling.T
        try:
            way = np.linalg.solve(np.trace(turns) * np.eye(3) - turns, [skew[2, 1], skew[0, 2], skew[1, 0]])
        except np.linalg.LinAlgError as error:
            raise self._without_centre() from error
        return np.asarray(self.point + way)

    def _without_centre(self) -> SingularError:
        return SingularError(f"{self.marker!r} cannot turn: its compliance has no centre.")

    def at_point(self, point: ArrayLike) -> Stiffness:
        """Return the stiffness at another point of the same body (m, global axes)."""
        try:
            there = np.asarray(point, float)
        except (TypeError, ValueError):
            there = np.empty(0)
        if there.shape != self.point.shape or not np.all(np.isfinite(there)):
            raise OptionError(f"point={point!r}: give {self.point.size} coordinates (m).")
        way, motion = there - self.point, np.eye(len(self.compliance))
        if way.size == 2:
            motion[:2, 2] = -way[1], way[0]
        else:
            motion[:3, 3:] = np.cross(np.eye(3), way).T
        return replace(self, point=there, compliance=motion @ self.compliance @ motion.T)

    def principal(self) -> Principal:
        """Return the principal stiffnesses at the centre of compliance: for forces with rotations free, and for
        moments.
        """
        points, at = self.point.size, self.at_point(self.centre).compliance
        found = [np.linalg.eigh(0.5 * (block + block.T)) for block in (at[:points, :points], at[points:, points:])]
        with np.errstate(divide="ignore"):
            softest = [(1.0 / values[::-1], axes[:, ::-1]) for values, axes in found]
        return Principal(*softest[0], *softest[1])

    def screws(self) -> Screws:
        """Return the principal screws of a body in space: twists (v, ω) whose wrench lies on the same screw, (f, m) = λ
        (ω, v).

        They are eigenvectors of the compliance times the matrix that exchanges forces and moments, and do not depend on
        the point. If forces and rotations are not coupled, there are two on every principal axis, with ``λ = ± sqrt(k
        κ)`` and pitches ``± sqrt(κ / k)`` (T. Patterson, H. Lipkin, J. Mech. Design 115, 1993; S. Huang, J. Schimmels,
        IEEE Trans. Robot. Autom. 16, 2000, the eigenscrews).

        >>> import numpy as np
        >>> block = Stiffness("stage", np.zeros(3), np.diag([0.25, 0.04, 0.01, 1.0, 1.0, 1.0]), 1.0)
        >>> found = block.at_point((1.0, 2.0, 3.0)).screws()
        >>> found.stiffness.round(6).tolist(), found.pitch.round(6).tolist()
        ([2.0, 5.0, 10.0, -2.0, -5.0, -10.0], [0.5, 0.2, 0.1, -0.5, -0.2, -0.1])
        """
        if self.point.size == 2:
            raise OptionError(
                f"{self.marker!r} is in a plane: screws are of models in space, Model(..., plane=None). Here, "
                "principal() and centre say it all."
            )
        centre = self.centre
        unit = np.repeat([1.0 / self.length, 1.0], 3)
        at = unit[:, None] * self.at_point(centre).compliance * unit
        values, ways = np.linalg.eigh(0.5 * (at + at.T))
        if values[0] < -NEGATIVE * values[-1]:
            raise SingularError(f"{self.marker!r} moves against a force on it: an unstable equilibrium has no screws.")
        root = ways * np.sqrt(np.maximum(values, 0.0))
        softness, found = np.linalg.eigh(root.T @ np.roll(root, 3, axis=0))
        order = np.lexsort((-np.abs(softness), softness < 0.0))
        order = order[np.abs(softness[order]) > NEGATIVE * np.abs(softness).max()]
        v, turns = np.split((root @ found[:, order]) / unit[:, None], 2)
        sizes, straight = np.linalg.norm(turns, axis=0), np.linalg.norm(v, axis=0)
        turning = sizes > NEGATIVE * straight / self.length
        axes = np.where(turning, turns, v) / np.where(turning, sizes, straight)
        squares = np.where(turning, sizes, np.inf) ** 2
        pitch = np.where(turning, np.sum(v * turns, axis=0) / squares, np.inf)
        points = centre[:, None] + np.cross(turns, v, axis=0) / squares
        return Screws(1.0 / (self.length * softness[order]), pitch, axes, points)

    def __repr__(self) -> str:
        place = ", ".join(f"{x:.6g}" for x in without_rounding(self.point))
        try:
            shown, what = self.matrix, "matrix, N and N m for m and rad"
        except SingularError:
            shown, what = self.compliance, "compliance, m and rad for N and N m"
        rows = "\n".join("  " + " ".join(f"{x:>11.4g}" for x in row) for row in without_rounding(shown))
        return f"Stiffness(marker {self.marker!r} at ({place}) m; {what})\n{rows}"


@watched()
def stiffness(
    system: Linearisable, *, marker: Marker | str, at: Start = None, friction: str | None = None
) -> Stiffness:
    """Compute compliance and stiffness of a marker about an equilibrium, for a force and a moment on it, with drives
    held.

    marker  a marker, its label, or the name of a rigid body
    at      Result of statics, a point of a path, or transient that has come to rest, of this system; unless given, the
            equilibrium nearest to the assembly. Of a steady spin, the stiffness in axes that turn with it
    friction  of parts with dry friction (`Friction`, `PinFriction`, ...): "stuck" locks them, "free" leaves it out;
            needed where friction holds something

    `UnstableEquilibrium` warns of a negative compliance: the marker moves against the force.

    >>> import pliant as pl
    >>> m = pl.Model("cantilever")
    >>> strip = pl.Section.rectangle(20e-3, 1e-3, pl.STEEL)
    >>> ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=0.2, section=strip))
    >>> weld = m.add(pl.Weld(ground.at(0, 0), leaf.at(s=0)))
    >>> tip = pl.stiffness(pl.compile(m, elements=pl.Exact(2, order=3)), marker=leaf.at(s=1))
    >>> round(float(tip.compliance[1, 1]) * 1e3, 4), round(float(tip.centre[0]), 6)  # L^3 / 3 EI, and its middle
    (7.6192, 0.1)
    """
    require(system, Linearisable, "stiffness")
    at = statics(system) if at is None else at
    system = in_its_axes(system, at, "stiffness")
    seen: Any = system.observed
    found = seen.observer().find(marker, "marker")
    state = equilibrium(system, at)
    effector = Effector(seen, found, seen.space.width)
    if effector.freedoms.start >= seen.freedoms:
        raise OptionError(f"marker: {found.label!r} is on the ground, which does not move. Give one on a moving part.")
    loads = np.zeros((seen.freedoms, effector.width))
    pose, motion = effector.pose_and_map(state.q)
    loads[effector.freedoms] = motion.T
    unit = 1.0 / seen.weight
    matrices = small_motions(system, state, friction, "stiffness")
    motions = unit[:, None] * _answers(matrices.in_units(unit), unit[:, None] * loads, found.label)
    compliance = loads.T @ motions
    sizes = np.diag(seen.weight[effector.freedoms])
    values = np.linalg.eigvalsh(sizes @ (compliance + compliance.T) @ sizes)
    if values[0] < -NEGATIVE * np.max(np.abs(values)):
        warn(
            UnstableEquilibrium,
            f"{found.label!r} of {system.model.name!r} moves against a force on it: the equilibrium is unstable. Take "
            "one on the side you want (statics with start=, or a path).",
        )
    return Stiffness(found.label, pose.position, compliance, seen.length_scale)


def _answers(plain: Matrices, loads: np.ndarray, marker: str) -> np.ndarray:
    """Solve ``K x + G^T l = b``, ``G x = 0`` for the columns b; refuse loads that no stiffness carries."""
    if loads.shape[0] <= eigen.DENSE_LIMIT:
        basis = eigen.null_space(plain.jacobian)
        form, pushes = basis.T @ (plain.stiffness @ basis), basis.T @ loads
        found = np.linalg.lstsq(form, pushes, rcond=len(form) * np.finfo(float).eps)[0]
        left, answers = form @ found - pushes, basis @ found
    else:
        try:
            solve = eigen.saddle_solver(sparse.csc_matrix(plain.stiffness), eigen.independent_rows(plain.ties))
        except RuntimeError as error:  # of SuperLU: exactly singular
            raise _free(marker) from error
        answers = np.column_stack([solve(load) for load in loads.T])
        again = np.column_stack([solve(plain.stiffness @ x) for x in answers.T])
        left = (again - answers) / np.linalg.norm(answers, axis=0) * np.linalg.norm(loads, axis=0)
    if not np.all(np.linalg.norm(left, axis=0) <= BALANCED * np.linalg.norm(loads, axis=0)):
        raise _free(marker)
    return answers


def _free(marker: str) -> SingularError:
    return SingularError(
        f"{marker!r} can move without any force changing: it has no stiffness. Hold the mechanism (a Motion, a spring, "
        "a further joint), or take a marker that is held."
    )
