"""Continuum Stewart-Gough robot as data: rods fed through a base, clamped to a platform."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import cos, pi, sin
from typing import Any

import numpy as np

from pliant.elements.beam_fed import Feed
from pliant.errors import ModelError
from pliant.forces import Force, Gravity
from pliant.joints import Motion, Prismatic, Revolute, Weld
from pliant.model import Beam, Body, Ground, Material, Model, Section, checks

ROD_STEEL = Material("steel of the rods", youngs_modulus=207e9, poisson_ratio=0.305, density=7850.0)
UP = ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))  # columns: axes whose x is the ground's z


@dataclass(frozen=True)
class ContinuumStewart:
    """Six straight elastic rods that leave holes of the base along z and are clamped to a platform; each is fed by a
    carriage under the base (J. Till, D.C. Rucker, and C.E. Bryson, D.C. Rucker, ICRA 2014). Default values are that
    robot's.

    hole_radius   of the circle of holes, in base and platform (m)
    major_angle   between neighbouring holes that are far apart (rad); near ones are 120 degrees less that angle apart.
                  Holes of the platform are turned by 60 degrees, and every rod leads to the nearest one of a pair
    rod_radius    m, of solid rods
    height        of the platform as assembled (m)
    stock         of every rod behind the base then (m)
    platform_mass, platform_inertia, carriage_mass   kg, kg m^2, kg
    gravity       m/s^2 along the axes; None: none
    load_at       point of a load on the platform, in its axes (m): signals "load/x", "load/y", "load/z" (N)

    Rods turn freely about their axis in the base, so that none is twisted. Parts of the model: "platform", "rod 1",
    "carriage 1", "feed 1", ...; a motor's signal is the place of its carriage, "motor 1/x" (m): zero as assembled.

    >>> robot = ContinuumStewart()
    >>> robot.model()
    <Model "continuum Stewart-Gough robot": 7 rigid bodies, 6 beams, 24 joints, 7 forces>
    >>> robot.motors[0], round(float(robot.free_lengths()[0]), 4)
    ('motor 1/x', 0.4844)
    """

    _: KW_ONLY
    hole_radius: float = 0.087
    major_angle: float = 100 * pi / 180
    rod_radius: float = 0.65e-3
    material: Material = ROD_STEEL
    height: float = 0.48
    stock: float = 0.3
    platform_mass: float = 0.0
    platform_inertia: Any = (0.0, 0.0, 0.0)
    carriage_mass: float = 0.1
    gravity: tuple[float, float, float] | None = None
    load_at: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for key in ("hole_radius", "rod_radius", "height"):
            checks.positive("ContinuumStewart", key, getattr(self, key), hint="Give it in metres.")
        checks.not_negative("ContinuumStewart", "stock", self.stock)
        if not 0.0 < checks.number("ContinuumStewart", "major_angle", self.major_angle) < 2 * pi / 3:
            raise ModelError(
                f"ContinuumStewart: major_angle = {self.major_angle:g} rad; holes come in three pairs, so that it is "
                "between 0 and 2.094 (120 degrees)."
            )

    @property
    def motors(self) -> tuple[str, ...]:
        """Return the names of the signals of its motors."""
        return tuple(f"motor {k}/x" for k in range(1, 7))

    @property
    def limits(self) -> tuple[float, float]:
        """Return limits of its carriages (m), for `Kinetostatics`: half the shortest rod drawn in, all stock fed."""
        return -0.5 * float(np.min(self.free_lengths())), self.stock

    def section(self) -> Section:
        """Return the section of a rod."""
        return Section.circle(self.rod_radius, self.material)

    def holes(self) -> np.ndarray:
        """Return the (6, 3) holes of the base (m)."""
        return self._circle(0.0, 1.0)

    def anchors(self) -> np.ndarray:
        """Return the (6, 3) clamped ends of the rods, in the platform's axes (m)."""
        return self._circle(pi / 3.0, -1.0)

    def _circle(self, turn: float, side: float) -> np.ndarray:
        near = side * 0.5 * (2.0 * pi / 3.0 - self.major_angle)
        angles = [2.0 * pi / 3.0 * (k // 2) + (turn + near if k % 2 == 0 else -turn - near) for k in range(6)]
        return np.array([(self.hole_radius * cos(a), self.hole_radius * sin(a), 0.0) for a in angles])

    def free_lengths(self) -> np.ndarray:
        """Return the (6,) lengths of the rods as assembled (m), flat curves between two clamps: ``h + 3/5 d^2/h``."""
        aside = np.linalg.norm(self.anchors() - self.holes(), axis=1)
        found: np.ndarray = self.height + 0.6 * aside**2 / self.height
        return found

    def model(self) -> Model:
        """Make the mechanism."""
        m = Model("continuum Stewart-Gough robot", plane=None)
        ground = m.add(Ground())
        platform = m.add(
            Body(
                "platform",
                mass=self.platform_mass,
                inertia=self.platform_inertia,
                position=(0.0, 0.0, self.height),
                orientation=(0.0, 0.0, 0.0),
            )
        )
        for k, (hole, anchor, length) in enumerate(zip(self.holes(), self.anchors(), self.free_lengths(), strict=True)):
            self._add_rod(m, k + 1, ground.at(*hole, orientation=UP), platform.at(*anchor, orientation=UP), length)
        if self.gravity is not None:
            x, y, z = self.gravity
            m.add(Gravity(x=x, y=y, z=z))
        m.add(Force(platform.at(*self.load_at), name="load"))
        return m

    def _add_rod(self, m: Model, k: int, hole: Any, anchor: Any, length: float) -> None:
        at = hole.x, hole.y, hole.z
        rod = m.add(Beam(f"rod {k}", length=float(length), section=self.section(), position=at, orientation=UP))
        mass, size = self.carriage_mass, 0.5 * self.hole_radius
        inertia, below = (0.4 * mass * size**2,) * 3, (hole.x, hole.y, hole.z - self.stock)
        carriage = m.add(Body(f"carriage {k}", mass=mass, inertia=inertia, position=below, orientation=UP))
        zero = hole.body.at(*below, orientation=UP)  # of its displacement
        m.add(
            Revolute(hole, rod.at(s=0), axis="x", name=f"hole {k}"),
            Weld(rod.at(s=1), anchor, orientation=(0.0, 0.0, 0.0), name=f"clamp {k}"),
            Prismatic(zero, carriage.at(), name=f"slide {k}"),
            Motion(zero, carriage.at(), x=0.0, name=f"motor {k}"),
            Feed(f"feed {k}", rod, guide=hole, carriage=carriage.at(), stock=self.stock),
        )
