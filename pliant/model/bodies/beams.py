"""Flexible beams.

Shape of an unstressed beam from its curvature: ``theta' = kappa(s)``, ``(x', y') = (cos theta, sin theta)``.

In space: quaternions ``p' = p kappa / 2`` and points ``x' = R(p) e_x``, with the curvature kappa in the section's axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.errors import ModelError
from pliant.model import checks, rotations
from pliant.model.bodies.carriers import Movable
from pliant.model.damping import Damping
from pliant.model.markers import OFF_BODY, Marker
from pliant.model.rotations import Array, Orientation
from pliant.model.sections.profiles import as_profile
from pliant.model.sections.sections import Section

Curvature = float | tuple[float, ...] | tuple[tuple[float, ...], ...]

PANEL_TURN = 0.5  # rad; with 10 Gauss points a panel's error is below 1e-16 of its length
TERMS = 16  # terms of a quaternion's power series: 0.25^16 / 16! is below 1e-22


def rest_pose(length: float | Array, curvature: float | Array | tuple[float, ...], s: Array) -> Array:
    """Return (n, 3) of x, y, theta at the places s in [0, 1]; arcs may each have their own length and curvature."""
    if isinstance(curvature, tuple):
        return _clothoids(float(length), np.array(curvature), s)
    return _arc(length, curvature, s)


def _arc(length: float | Array, curvature: float | Array, s: Array) -> Array:
    """Follow a circle or line: chord ``l sinc(theta/2)`` at angle ``theta/2``, regular at zero curvature."""
    arc = length * s
    theta = curvature * arc
    chord = arc * np.sinc(theta / (2.0 * np.pi))
    return np.column_stack([chord * np.cos(theta / 2.0), chord * np.sin(theta / 2.0), theta])


def _clothoids(length: float, curvature: Array, s: Array) -> Array:
    """Integrate piecewise linear curvature: Gauss quadrature on panels that turn by at most half a radian."""
    pieces = len(curvature) - 1
    step = length / pieces
    start_angle = np.concatenate([[0.0], np.cumsum(step * (curvature[1:] + curvature[:-1]) / 2.0)])

    def theta(arc: Array) -> Array:
        piece = np.clip((arc / step).astype(int), 0, pieces - 1)
        along = arc - piece * step
        slope = (curvature[piece + 1] - curvature[piece]) / step
        return start_angle[piece] + along * (curvature[piece] + along * slope / 2.0)

    panels = 1 + int(step * np.max(np.abs(curvature)) / PANEL_TURN)  # in each interval
    points, weights = np.polynomial.legendre.leggauss(10)

    def integral(begin: Array, end: Array) -> Array:
        half = (end - begin)[:, None] / 2.0
        angle = theta((begin + end)[:, None] / 2.0 + half * points)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1) @ weights * half

    edges = length * np.linspace(0.0, 1.0, pieces * panels + 1)
    at_edges = np.vstack([np.zeros((1, 2)), np.cumsum(integral(edges[:-1], edges[1:]), axis=0)])
    arc = length * s
    panel = np.clip(np.searchsorted(edges, arc, side="right") - 1, 0, len(edges) - 2)
    return np.column_stack([at_edges[panel] + integral(edges[panel], arc), theta(arc)])


def rest_pose_in_space(length: float, curvature: Curvature, s: Array) -> tuple[Array, Array]:
    """Return points (n, 3) and quaternions (n, 4) at the places s in [0, 1]; exact for constant curvature."""
    kappa = np.array(curvature, float)
    if kappa.ndim == 2:
        return _series(length, kappa, s)
    return _helix(np.array([0.0, 0.0, kappa]) if kappa.ndim == 0 else kappa, length * s)


def _helix(kappa: Array, arc: Array) -> tuple[Array, Array]:
    """Compute the helix for axis k and t = |kappa| l: ``l (e + (1 - cos t)/t k x e + (1 - sin t/t) k x (k x e))``."""
    size = float(np.linalg.norm(kappa))
    axis = kappa / (size or 1.0)
    once = np.array([0.0, axis[2], -axis[1]])  # k x e
    twice = rotations.cross(axis, once)
    half = 0.5 * size * arc
    rise = np.sinc(half / np.pi) * np.sin(half)  # (1 - cos t) / t
    lag = 1.0 - np.sinc(2.0 * half / np.pi)
    points = arc[:, None] * (np.array([1.0, 0.0, 0.0]) + rise[:, None] * once + lag[:, None] * twice)
    return points, rotations.exponential(arc[:, None] * kappa)


def _series(length: float, kappa: Array, s: Array) -> tuple[Array, Array]:
    """Integrate piecewise linear curvature: power series of the quaternions, panel by panel."""
    pieces = len(kappa) - 1
    panels = 1 + int(length / pieces * np.max(np.linalg.norm(kappa, axis=1)) / PANEL_TURN)  # in each interval
    edges = np.linspace(0.0, 1.0, pieces * panels + 1)
    step = length / (pieces * panels)
    at_edges = np.column_stack([np.interp(edges, np.linspace(0.0, 1.0, pieces + 1), column) for column in kappa.T])
    panel = np.clip(np.searchsorted(edges, s, side="right") - 1, 0, len(edges) - 2)
    along = length * s - step * panel
    points, turns = np.empty((s.size, 3)), np.empty((s.size, 4))
    point, turn = np.zeros(3), rotations.IDENTITY
    for k in range(len(edges) - 1):
        mine = np.flatnonzero(panel == k)
        moved, turned = _panel(at_edges[k], (at_edges[k + 1] - at_edges[k]) / step, np.append(along[mine], step))
        moved, turned = point + rotations.rotate(turn, moved), rotations.product(turn, turned)
        points[mine], turns[mine] = moved[:-1], turned[:-1]
        point, turn = moved[-1], turned[-1]
    return points, turns


def _panel(kappa: Array, slope: Array, arc: Array) -> tuple[Array, Array]:
    """Integrate from a panel's start: ``(n + 1) p_(n+1) = (p_n kappa + p_(n-1) slope) / 2``; points by quadrature."""
    terms, before = [rotations.IDENTITY], np.zeros(4)
    for n in range(TERMS):
        grown = rotations.product(terms[-1], np.append(0.0, kappa)) + rotations.product(before, np.append(0.0, slope))
        before = terms[-1]
        terms.append(0.5 * grown / (n + 1.0))
    nodes, weights = np.polynomial.legendre.leggauss(10)

    def turns(places: Array) -> Array:
        p = np.polynomial.polynomial.polyval(places, np.array(terms))
        return np.moveaxis(p, 0, -1) / np.linalg.norm(p, axis=0)[..., None]

    half = 0.5 * arc[:, None]
    tangents = rotations.rotate(turns(half * (1.0 + nodes)), (1.0, 0.0, 0.0))
    return half * np.einsum("ijk,j->ik", tangents, weights), turns(arc)


BOWS = ("left", "right")


@dataclass(frozen=True, eq=False)
class Beam(Movable):
    """A flexible beam, straight or curved at rest.

    length       arc length at rest (m)
    section      stiffness and mass per length; in space its axes are x along the beam, y and z across. One that changes
                 along the beam is a `Circle`, `Rectangle` or `Tube` with dimensions from base to tip, `LinearStiffness`
                 or any function from s in [0, 1] to a `Section`
    curvature    of the unstressed beam (1/m), positive anticlockwise: a number, or values at equally spaced s from base
                 to tip, linear between. In space a number (about z), three (twist, about y, about z), or rows of three
    straight     length from the base up to which it is straight at rest (m); ``curvature`` applies beyond
    angle        guess of the tangent's direction at the base (rad), about z; None: found from the joints
    orientation  guess of the section's rotation at the base, in space
    position     guess of the base point (x, y) or (x, y, z) (m); None: found from the joints
    damping      Rayleigh(...) or None
    free         True for a body that is connected to nothing on purpose
    bow          "left" (y of its section) or "right": the side to which it bows if its joints compress it during
                 assembly

    >>> from pliant.model import STEEL, Section
    >>> leaf = Beam("leaf", length=0.5, section=Section.rectangle(0.02, 0.001, STEEL), curvature=(0.0, 2.0))
    >>> leaf.at(s=0.5)
    <Marker leaf@0.5>
    >>> leaf.rest_pose([0.0, 1.0]).round(4)
    array([[0.    , 0.    , 0.    ],
           [0.4876, 0.0819, 0.5   ]])
    >>> from pliant.model import Circle
    >>> cone = Beam("cone", length=0.5, section=Circle(radius=(4e-3, 2e-3), material=STEEL))
    >>> round(cone.mass, 6), round(cone.section_at(1.0).height, 6)
    (0.115087, 0.004)
    >>> coil = Beam("coil", length=0.5, section=Section.circle(0.001, STEEL), curvature=(6.0, 0.0, 8.0))
    >>> coil.rest_pose_in_space([1.0])[0].round(4)
    array([[0.1186, 0.0573, 0.286 ]])
    """

    units: ClassVar = {"length": "m", "curvature": "1/m", "straight": "m"}
    rigid: ClassVar[bool] = False

    name: str
    _: KW_ONLY
    length: float
    section: Any  # a Section, a varying one, or a function of s; kept as a Profile
    curvature: Curvature = 0.0
    angle: float | None = None
    position: tuple[float, ...] | None = None
    damping: Damping | None = None
    free: bool = False
    orientation: Orientation | None = None  # any form of a rotation; kept as a rotation vector
    bow: str = "left"
    straight: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(length=checks.positive(self.owner, "length", self.length, hint="Give it in metres."))
        self._set(section=as_profile(self.owner, self.section))
        self._set(curvature=self._curvature())
        self._set(straight=checks.not_negative(self.owner, "straight", self.straight, hint="Give it in metres."))
        if not self.straight < self.length:
            raise checks.refuse(self.owner, "straight", self.straight, f"below its length, {self.length:g}")
        if self.damping is not None:
            checks.instance(self.owner, "damping", self.damping, Damping, "Try Rayleigh.of_modes(0.01).")
        checks.choice(self.owner, "bow", self.bow, BOWS)
        self._check_guess()

    def _curvature(self) -> Curvature:
        given: Any = self.curvature.tolist() if isinstance(self.curvature, np.ndarray) else self.curvature
        if not isinstance(given, Sequence):
            return checks.number(self.owner, "curvature", given, hint="Give it in 1/m.")
        if not any(isinstance(row, Sequence) and not isinstance(row, str) for row in given):
            return checks.numbers(self.owner, "curvature", given, least=2)
        rows = tuple(checks.numbers(self.owner, f"curvature[{i}]", row) for i, row in enumerate(given))
        if len(rows) < 2 or any(len(row) != 3 for row in rows):
            raise checks.refuse(self.owner, "curvature", given, "rows of three (twist, about y, about z), at least two")
        return rows

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        rows = isinstance(self.curvature, tuple) and isinstance(self.curvature[0], tuple)
        if not spatial and rows:
            raise ModelError(
                f"{self.owner}: curvature has rows of three, but the model is planar. Give one number for each place."
            )
        if spatial and not rows and isinstance(self.curvature, tuple) and len(self.curvature) != 3:
            raise checks.refuse(
                self.owner,
                "curvature",
                self.curvature,
                "a number, or (twist, about y, about z), in a spatial model",
                "For values along the beam give rows of three.",
            )
        self.section.check_space(self.owner, spatial)

    def said_in_space(self) -> dict[str, object]:
        said = super().said_in_space()
        if isinstance(self.curvature, tuple):
            said["curvature"] = tuple((0.0, 0.0, kappa) for kappa in self._as_given("curvature"))
        return said

    def at(
        self,
        s: float,
        *,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        angle: float = 0.0,
        orientation: Orientation | None = None,
        name: str | None = None,
    ) -> Marker:
        """Return the marker on the section at fraction s of the length, offset by x, y, z in the section's axes (m)."""
        s = checks.fraction(f"Marker on {self.owner}", "s", s, hint=OFF_BODY)
        return Marker(self, x, y, angle, s, name, z, orientation)

    def _place(self, marker: Marker) -> dict[str, float]:
        offset = super()._place(marker) if marker.x or marker.y or marker.z else {}
        return {"s": marker.s or 0.0} | offset

    def section_at(self, s: float) -> Section:
        """Return the section at fraction s of the length."""
        found: Section = self.section.at(s)
        return found

    @property
    def mass(self) -> float:
        """Return the mass of the whole beam (kg)."""
        return self.length * float(self.section.mean_mass())

    def rest_pose(self, s: ArrayLike) -> NDArray[np.float64]:
        """Return the pose (x, y, theta) of unstressed sections at s; base at the origin, its tangent along x.

        ``theta' = curvature``, ``x' = cos theta``, ``y' = sin theta``. Shape (n, 3).
        """
        before, curved, beyond = self._parted(s)
        found = rest_pose(curved, self.curvature, beyond)  # type: ignore[arg-type]
        found[:, 0] += before
        return found

    def rest_pose_in_space(self, s: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return points (n, 3) and quaternions (n, 4) of unstressed sections at s; base at the origin along the axes.

        ``p' = p kappa / 2``, ``x' = R(p) e_x``, with the curvature kappa in the section's axes.
        """
        before, curved, beyond = self._parted(s)
        points, turns = rest_pose_in_space(curved, self.curvature, beyond)
        points[:, 0] += before
        return points, turns

    def _parted(self, s: ArrayLike) -> tuple[NDArray[np.float64], Any, NDArray[np.float64]]:
        return _parted(self.length, self.straight, self._places(s))

    def _places(self, s: ArrayLike) -> NDArray[np.float64]:
        if isinstance(s, np.ndarray) and s.ndim == 1 and s.dtype == float and np.all((s >= 0.0) & (s <= 1.0)):
            return s
        return np.array([checks.fraction(self.owner, "s", value) for value in np.atleast_1d(s)])


def _parted(length: Any, straight: Any, s: NDArray[np.float64]) -> tuple[NDArray[np.float64], Any, NDArray[np.float64]]:
    """Return straight lengths before the places s (m), the curved length (m), and the places along it."""
    arc, curved = length * s, length - straight
    return np.minimum(arc, straight), curved, np.maximum(arc - straight, 0.0) / curved


def rest_poses(beams: Sequence[Beam], places: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Evaluate `Beam.rest_pose` of many beams together, each at its own places; rows one below the other."""
    counts = [len(s) for s in places]  # type: ignore[arg-type]
    varied = [isinstance(beam.curvature, tuple) for beam in beams]
    arcs = [(one.length, one.straight, 0.0 if own else one.curvature) for one, own in zip(beams, varied, strict=True)]
    length, straight, curvature = np.repeat(np.array(arcs, float).reshape(-1, 3), counts, axis=0).T
    before, curved, beyond = _parted(length, straight, np.concatenate([np.empty(0), *places]))
    found = rest_pose(curved, curvature, beyond)
    found[:, 0] += before
    for k, end in enumerate(accumulate(counts)):
        if varied[k]:
            found[end - counts[k] : end] = beams[k].rest_pose(places[k])
    return found
