"""Tendon in a channel along a beam: tendon-driven continuum robots, fingers, catheters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from pliant.errors import ModelError
from pliant.forces.tendon.tensioned import Tensioned
from pliant.model import checks
from pliant.model.bodies.beams import Beam
from pliant.model.markers import Marker
from pliant.model.parts import Part

Offset = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""In the plane a number, or values along the channel; in space (y, z), or rows of these."""

SAME = 1e-9  # of a radius: lengths within this are equal
PLACES = 101  # along a channel that is not straight, at which its offset is checked
DIFFERENCE = 1e-3  # of s: step of the differences for the slope of a function, of order 4


@dataclass(frozen=True, eq=False)
class ChannelTendon(Tensioned):
    """Massless tendon in a channel of a beam, offset from its axis. It enters at `start`, is fixed at `end`, is pulled
    at its entry, and presses on the wall of the channel along its whole length.

    beam           the beam it runs in
    offset         of the channel from the axis, in the axes of the section (m): y in the plane, (y, z) in space; or
                   several of these at equally spaced places from start to end (two: linear, more: a cubic spline); or
                   a function of s in [0, 1] of the beam, which a file cannot hold
    start, end     where the channel begins and ends, as fractions of the beam's length
    disk_radius    of the disks or the wall that contain the channel (m): a larger offset is refused; None: not checked
    tension        T (N), may change in time: the force of an actuator
    stiffness      k (N/m) of the whole tendon, with one of rest_length (in the channel), force and shortening
    largest_force, slack_force  as in `Tendon`
    friction       Coulomb's coefficient at the wall, of a tendon with a given tension
    friction_speed  sliding at this speed (m/s) has tanh(1) = 76 % of the friction, faster has all of it
    sliding        assumed direction of sliding at rest, or slower than friction_speed: 1, pulled out at its entry, so
                   that the tension falls along the channel; -1, let in, so that it rises; 0, no sliding and no friction
                   at rest

    With the offset o(s) the channel's length is ``L = int |Gamma + kappa x o + o'| ds`` of the beam's strains, and f =
    k (L - l0) + T; the beam feels the force S along the channel and the moment o x S, that is the distributed load of a
    rod with tendons (D.C. Rucker, R.J. Webster, IEEE Trans. Robotics 27, 2011) and the force on its end. A straight
    channel bends a straight beam to an arc of curvature ``S y / EI``. The route of the tendon outside the entry does
    not matter if the entry is fixed; otherwise model it by a `Tendon`. Pulled out, friction makes it ``S = T
    exp(-friction theta)``, theta the angle by which the channel has turned from its entry on (theory/tendons.md).

    >>> from pliant.model import STEEL, Section
    >>> arm = Beam("arm", length=0.3, section=Section.circle(1e-3, STEEL))
    >>> ChannelTendon("pull", arm, offset=((0.01, 0.0), (0.004, 0.0)), tension=2.0).offset_at(0.5, True).tolist()
    [[0.007, 0.0], [-0.02, 0.0]]
    """

    between_nodes: ClassVar[bool] = True
    elsewhere: ClassVar[str] = "lead a Tendon through guides"
    units: ClassVar = {
        **Tensioned.units,
        "offset": "m",
        "start": "1",
        "end": "1",
        "disk_radius": "m",
        "friction": "1",
        "friction_speed": "m/s",
    }

    beam: Beam
    _: KW_ONLY
    offset: Offset | Callable[[float], Offset]
    start: float = 0.0
    end: float = 1.0
    disk_radius: float | None = None
    friction: float = 0.0
    friction_speed: float = 1e-3
    sliding: int = 1

    def __post_init__(self) -> None:
        checks.instance("ChannelTendon", "beam", self.beam, Beam, "Only beams have channels.")
        super().__post_init__()
        for key in ("start", "end"):
            self._set(**{key: checks.fraction(self.owner, key, getattr(self, key), hint="0 is the base, 1 the tip.")})
        if not self.start < self.end:
            raise checks.refuse(self.owner, "end", self.end, f"above start = {self.start:g}")
        if self.disk_radius is not None:
            self._set(disk_radius=checks.positive(self.owner, "disk_radius", self.disk_radius, hint="Give metres."))
        if not callable(self.offset):
            self._set(offset=self._numbers(self.offset))
        self._set(friction=checks.not_negative(self.owner, "friction", self.friction))
        self._set(friction_speed=checks.positive(self.owner, "friction_speed", self.friction_speed))
        if isinstance(self.sliding, bool) or self.sliding not in (-1, 0, 1):
            raise checks.refuse(
                self.owner, "sliding", self.sliding, "1 (pulled out at its entry), -1 (let in) or 0 (neither, at rest)"
            )
        if self.friction and self.stiffness:
            hint = "Give tension= alone, the force at its entry."
            raise checks.refuse(self.owner, "friction", self.friction, "0 where there is a stiffness", hint)

    @property
    def one_sided(self) -> str:  # type: ignore[override]
        """Return the effect of friction with an assumed direction of sliding on small motions, or ""."""
        if not (self.friction and self.sliding):
            return ""
        return "about to slide, its friction in the channel holds one side only. Give sliding=0, or friction=0."

    def _numbers(self, given: Any) -> Offset:
        given = given.tolist() if isinstance(given, np.ndarray) else given
        if isinstance(given, str) or not isinstance(given, Sequence):
            return checks.number(self.owner, "offset", given, hint="Give metres, in the axes of the section.")
        if any(isinstance(row, Sequence) and not isinstance(row, str) for row in given):
            rows = tuple(checks.numbers(self.owner, f"offset[{i}]", row, least=2) for i, row in enumerate(given))
            if len(rows) < 2 or any(len(row) != 2 for row in rows):
                raise checks.refuse(self.owner, "offset", given, "at least two rows of two, (y, z)")
            return rows
        return checks.numbers(self.owner, "offset", given, least=2)

    def enter(self, spatial: bool) -> None:
        super().enter(spatial)
        rows = isinstance(self.offset, tuple) and isinstance(self.offset[0], tuple)
        if spatial and not callable(self.offset) and not (rows or np.shape(self.offset) == (2,)):
            raise checks.refuse(self.owner, "offset", self.offset, "(y, z) or rows of these, in a spatial model")
        if not spatial and rows:
            raise checks.refuse(self.owner, "offset", self.offset, "a number or numbers, in a planar model")
        self._check_offset(spatial)

    def _check_offset(self, spatial: bool) -> None:
        """Refuse an offset that is not finite or has not one number per axis of the section."""
        straight = not callable(self.offset) and len(np.array(self.offset, float).reshape(-1, 1 + spatial)) <= 2
        for s in np.linspace(
            self.start, self.end, 2 if straight else PLACES
        ):  # a straight channel is farthest at an end
            found = self.offset_at(float(s), spatial)
            if found.shape != (2, 2 if spatial else 1) or not np.all(np.isfinite(found)):
                words = "(y, z)" if spatial else "a number y"
                raise checks.refuse(self.owner, f"offset at s = {s:g}", found[0].tolist(), f"{words}, finite (m)")
            aside = float(np.linalg.norm(found[0]))
            if self.disk_radius is not None and aside > self.disk_radius * (1.0 + SAME):
                raise checks.refuse(
                    self.owner, f"offset at s = {s:g}", found[0].tolist(),
                    f"within its disks of {self.disk_radius:g} m radius, and it is {aside:.6g} m off their middle",
                    "Lead it nearer to the axis, or give a larger disk_radius.",
                )  # fmt: skip
            if aside > self.beam.length:
                raise checks.refuse(
                    self.owner, f"offset at s = {s:g}", found[0].tolist(),
                    f"within the {self.beam.length:g} m that {self.beam.owner} is long",
                    'Give it in metres, or with units, "8 mm".',
                )  # fmt: skip

    def said_in_space(self) -> dict[str, object]:
        if callable(self.offset):
            flat = self.offset
            return {"offset": lambda s: (flat(s), 0.0)}
        offset = self._as_given("offset")
        values = offset if isinstance(self.offset, tuple) else (offset, offset)
        return {"offset": tuple((value, 0.0) for value in values)}

    def unscalable(self) -> str:
        return "its offset is a Python function. Give values along the channel." if callable(self.offset) else ""

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Entry and fixed end on the beam's axis, at ends of elements."""
        return self.beam.at(s=self.start), self.beam.at(s=self.end)

    @property
    def line(self) -> tuple[Marker, ...]:
        return self.markers

    def drawn(self, nodes: Callable[[Part], Sequence[float]], spatial: bool) -> tuple[Marker, ...]:
        found = []
        for s in nodes(self.beam):
            if self.start <= s <= self.end:
                y, z = (*self.offset_at(s, spatial)[0].tolist(), 0.0)[:2]
                found.append(self.beam.at(s=s, y=y, z=z))
        return tuple(found)

    def acts_on_directions(self, spatial: bool) -> bool:
        return True

    def offset_at(self, s: float, spatial: bool) -> np.ndarray:
        """Return (2, 1) or in space (2, 2): the offset at s of the beam (m), and its slope along the arc (1)."""
        if callable(self.offset):
            return self._differenced(self.offset, s)
        rows = np.array(self.offset, float)
        if rows.ndim == spatial:
            return np.stack((np.atleast_1d(rows), np.zeros(max(1, rows.size))))
        rows, span = rows.reshape(len(rows), -1), self.end - self.start
        x = (s - self.start) / span
        if len(rows) == 2:
            return np.stack((rows[0] + x * (rows[1] - rows[0]), (rows[1] - rows[0]) / (span * self.beam.length)))
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(np.linspace(0.0, 1.0, len(rows)), rows)
        return np.stack((spline(x), spline(x, 1) / (span * self.beam.length)))

    def bend_at(self, s: float, spatial: bool) -> np.ndarray:
        """Return (1,) or in space (2,): second derivative of the offset along the arc at s of the beam (1/m)."""
        h = DIFFERENCE * (self.end - self.start)
        a, b = max(self.start, s - h), min(self.end, s + h)
        found: np.ndarray = (self.offset_at(b, spatial)[1] - self.offset_at(a, spatial)[1]) / (b - a) / self.beam.length
        return found

    def _differenced(self, function: Callable[[float], Offset], s: float) -> np.ndarray:
        """Return the offset given by a function, and its slope by differences of order 4, within its channel."""
        h = DIFFERENCE * (self.end - self.start)
        middle = min(max(s, self.start + 2.0 * h), self.end - 2.0 * h)
        places = middle + h * np.arange(-2.0, 3.0)
        values = np.array([np.atleast_1d(self._called(function, place)) for place in places])
        fit = np.polynomial.polynomial.polyfit((places - middle) / h, values, 4)
        powers = np.polynomial.polynomial
        x = (s - middle) / h
        slope = powers.polyval(x, powers.polyder(fit)) / (h * self.beam.length)
        return np.stack((powers.polyval(x, fit), slope))

    def _called(self, function: Callable[[float], Offset], s: float) -> np.ndarray:
        name = getattr(function, "__qualname__", repr(function))
        try:
            return np.array(function(float(s)), float)
        except Exception as error:
            raise ModelError(
                f"{self.owner}: offset = {name} failed at s = {s:g}: {type(error).__name__}: {error}. Give a function "
                "of s in [0, 1] to y (m), in space to (y, z)."
            ) from error
