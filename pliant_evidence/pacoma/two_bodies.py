"""The docking as ordinary differential equations of two rigid bodies, for leaves without mass.

Satellite and platform have six freedoms each. A leg pushes along its chord c with ``P(c) - T``: P of the elastica, and
``T = max(0, k (c - l0) + c_d c')`` of tendon and damper (rounded off as the tendon is). Points of the ring push along
the normal of the satellite's surface with ``k d max(0, 1 + c d')`` at the depth d, and rub. Shares nothing with the
elements; turns of the platform, some degrees, are small rotations.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import root
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import OptionError
from pliant_evidence.pacoma import theory
from pliant_gallery import pacoma
from pliant_gallery.docking import Docking
from pliant_gallery.leg.theory import elastica
from pliant_gallery.robots import LeafLeg, Robot

Array = np.ndarray
CHORDS = np.linspace(0.3, 0.49, 200)
GEAR_SPEED = 1e-2  # rad/s: w of the gear box's efficiency, as GearedMotor has it


def strike(robot: Robot, target: Docking, end_time: float, samples: int) -> tuple[float, float, float]:
    """Return the peak (N) and impulse (N s) of the force on the ring, and energy that goes into the dampers (J)."""
    return _Bodies(robot, target).strike(end_time, samples)


class _Bodies:
    """Right-hand side: places and turns of platform and satellite, their velocities, impulse, energy of the dampers."""

    def __init__(self, robot: Robot, target: Docking) -> None:
        kind = robot.legs[0].kind
        if not isinstance(kind, LeafLeg):
            raise OptionError(f"kind={kind!r}: these equations are of leaf legs.")
        self.kind, self.target = kind, target
        chords = theory.chords(robot)
        self.tips, self.balls = np.array([c.tip for c in chords]), np.array([c.ball for c in chords])
        self.centre = np.array(robot.platform.position)
        self.thrust = CubicSpline(CHORDS, [elastica(chord).load for chord in CHORDS])
        self.inertia = np.array(robot.platform.inertia), np.full(3, target.satellite_inertia)
        self.mass = robot.platform.mass, target.satellite_mass
        self.weight = self.mass[0] * np.array(robot.gravity or (0.0, 0.0, 0.0))  # a rope carries the satellite's
        turns = 2.0 * pi / target.ring_points * np.arange(target.ring_points)
        ring = target.ring_radius * np.column_stack([np.cos(turns), np.sin(turns), np.zeros(turns.size)])
        self.ring = ring + (0.0, 0.0, target.ring_height)
        place, tilt = target.satellite
        self.satellite, self.tilt = np.array(place), Rotation.from_rotvec(tilt)
        self.sharp = 1e-6 * kind.tendon_damping * kind.tendon_rest_length + 1e-9

    def slope(self, time: float, state: Array) -> Array:
        platform, damping, _ = self._legs(state, self.tips, np.zeros((6, 3)))
        return self._moved(state, platform, damping)

    def _moved(self, state: Array, platform: Array, damping: float) -> Array:
        """Return rates of both bodies under what the legs do to the platform."""
        a = state[3:6]
        pushed, on_platform, on_satellite = self._contact(state)
        own = Rotation.from_rotvec(a)
        turning = own.apply(own.inv().apply(platform[3:] + on_platform[3:]) / self.inertia[0])
        return np.concatenate(
            [
                state[12:24],
                (platform[:3] + on_platform[:3]) / self.mass[0],
                turning,
                on_satellite[:3] / self.mass[1],
                on_satellite[3:] / self.inertia[1],
                [pushed.sum(), damping],
            ]
        )

    def _legs(self, state: Array, tips: Array, moving: Array) -> tuple[Array, float, Array]:
        """Return wrench on the platform about its centre, power of dampers, forces; cranks at tips that move so."""
        (p, a, _, _), (v, w, _, _) = state[:12].reshape(4, 3), state[12:24].reshape(4, 3)
        arms = Rotation.from_rotvec(a).apply(self.balls - self.centre)
        way = self.centre + p + arms - tips
        chord = np.linalg.norm(way, axis=1)
        along = way / chord[:, None]
        rate = np.sum(along * (v + np.cross(w, arms) - moving), axis=1)
        elastic = self.kind.tendon_stiffness * (chord - self.kind.tendon_rest_length)
        f = elastic + self.kind.tendon_damping * rate
        tension = 0.5 * (f + np.sqrt(f**2 + self.sharp**2))
        force = (self.thrust(chord) - tension)[:, None] * along
        wrench = np.concatenate([force.sum(axis=0) + self.weight, np.cross(arms, force).sum(axis=0)])
        return wrench, float(np.sum((tension - elastic) * rate)), force

    def _contact(self, state: Array) -> tuple[Array, Array, Array]:
        """Return normal parts, and wrenches on platform and satellite about their centres."""
        (p, a, s, b), (v, w, u, o) = state[:12].reshape(4, 3), state[12:24].reshape(4, 3)
        target = self.target
        reach = Rotation.from_rotvec(a).apply(self.ring)
        arm = self.centre + p + reach - self.satellite - s
        out = (Rotation.from_rotvec(b) * self.tilt).apply([0.0, 0.0, 1.0])
        depth = 0.5 * target.satellite_size + arm @ out
        slip = u - v + np.cross(o, arm) - np.cross(w, reach)
        rate = slip @ out
        slip = slip - rate[:, None] * out
        speed = np.linalg.norm(slip, axis=1)
        pushed = target.stiffness * np.maximum(depth, 0.0) * np.maximum(0.0, 1.0 - target.damping * rate)
        rubbed = target.friction * pushed * np.tanh(speed / target.friction_speed) / np.maximum(speed, 1e-30)
        force = pushed[:, None] * out - rubbed[:, None] * slip
        total = force.sum(axis=0)
        here, there = np.cross(arm, force).sum(axis=0), np.cross(reach, force).sum(axis=0)
        return pushed, -np.concatenate([total, there]), np.concatenate([total, here])

    def sunk(self) -> Array:
        """Return (6,) place and turn of the platform at rest under its weight, from where it is without."""

        def unbalance(pose: Array) -> Array:
            return self._legs(np.concatenate([pose, np.zeros(20)]), self.tips, np.zeros((6, 3)))[0]

        return np.asarray(root(unbalance, np.zeros(6), tol=1e-12).x)

    def strike(self, end_time: float, samples: int) -> tuple[float, float, float]:
        start = np.zeros(26)
        start[:6], start[20] = self.sunk(), -self.target.speed
        times = np.linspace(0.0, end_time, samples)
        found = solve_ivp(self.slope, (0.0, end_time), start, "RK45", times, rtol=1e-7, atol=1e-9, max_step=5e-4)
        states = found.y.T
        peak = max(self._contact(y)[0].sum() for y in states)
        return float(peak), float(states[-1, 24]), float(states[-1, 25])


class Driven(_Bodies):
    """Two bodies on cranks that turn, uniform bars under sampled torques ``-stiff (q - home) - calm q'``.

    Geared motors (`Robot.gear`) add ``n^2 J`` and their shaft's inertia to a crank; of the torque T the gear box passes
    on ``T eta^tanh(q' / w)``, where T drives, and ``T eta^-tanh(q' / w)``, where it is driven.

    State: the bodies', then six angles and their rates. A crank's tip is at ``foot + length (0, cos q, sin q)``
    in its motor's axes, and the leg's force does ``-F . d tip / dq`` on it.
    """

    def __init__(self, robot: Robot, target: Docking, *, stiff: float, calm: float, sample_time: float) -> None:
        super().__init__(robot, target)
        self.feet, self.turns = np.array([leg.foot for leg in robot.legs]), np.array([leg.turn for leg in robot.legs])
        self.home = np.array([leg.angle for leg in robot.legs])
        self.gains, self.sample_time, self.torques = (stiff, calm), sample_time, np.zeros(6)
        self.crank = crank_inertia(robot)
        self.efficiency = 1.0 if robot.gear is None else robot.gear.efficiency

    def slope(self, time: float, state: Array) -> Array:
        q, rate = state[26:32], state[32:38]
        out = np.column_stack([-np.sin(self.turns), np.cos(self.turns), np.zeros(6)])  # y of the motors' axes
        up = np.array([0.0, 0.0, 1.0])
        c, s, length = np.cos(q)[:, None], np.sin(q)[:, None], self.kind.crank_length
        tips, turning = self.feet + length * (c * out + s * up), length * (c * up - s * out)
        platform, damping, force = self._legs(state, tips, rate[:, None] * turning)
        passed = self.torques * self.efficiency ** np.tanh(np.sign(self.torques) * rate / GEAR_SPEED)
        spin = (passed - np.sum(force * turning, axis=1)) / self.crank
        return np.concatenate([self._moved(state[:26], platform, damping), rate, spin])

    def strike(self, end_time: float, samples: int) -> tuple[float, float, float]:
        state = np.zeros(38)
        state[20], state[26:32] = -self.target.speed, self.home
        peak, every = 0.0, max(1, round(samples * self.sample_time / end_time))
        for k in range(round(end_time / self.sample_time)):
            self.torques = -self.gains[0] * (state[26:32] - self.home) - self.gains[1] * state[32:38]
            span = k * self.sample_time, (k + 1) * self.sample_time
            times = np.linspace(*span, every + 1)
            found = solve_ivp(self.slope, span, state, "RK45", times, rtol=1e-7, atol=1e-9, max_step=5e-4)
            peak = max(peak, *(float(self._contact(y)[0].sum()) for y in found.y.T))
            state = found.y[:, -1]
        return peak, float(state[24]), float(state[25])


def crank_inertia(robot: Robot) -> float:
    """Return the inertia of a crank about its pivot (kg m^2): ``m (L^2/3 + r^2/4)``, and what its motor adds."""
    kind, gear = robot.legs[0].kind, robot.gear
    bar = kind.crank_mass * (kind.crank_length**2 / 3.0 + 0.25 * kind.crank_radius**2)
    if gear is None:
        return bar
    return bar + gear.ratio**2 * gear.rotor_inertia + 0.5 * gear.shaft_mass * gear.shaft_radius**2


def without_mass(kind: LeafLeg = pacoma.LEAF) -> LeafLeg:
    """Return the leaf a thousand times lighter, and without damping of its own."""
    given = kind.material
    light = pl.Material(
        "light", youngs_modulus=given.youngs_modulus, poisson_ratio=given.poisson_ratio, density=1e-3 * given.density
    )
    return replace(kind, material=light, damping=0.0)
