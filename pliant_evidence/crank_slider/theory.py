"""The crank-slider once more, in minimal coordinates and without any of pliant's parts.

Rigid, one angle: with equal lengths L and masses m the slider link leans by pi - theta, its middle is at
(3/2 L cos, 1/2 L sin) and the spring is level, of length L cos:

    m L^2 (2/3 + 2 sin^2) theta'' + 2 m L^2 sin cos theta'^2
        = F L cos - m g L cos + k (L cos - l0) L sin - c (L sin)^2 theta'

Flexible, one angle phi for each rigid element of the crank: the crank ends at (sum l cos phi, sum l sin phi), and the
slider link leans by psi with L2 sin psi = sum l sin phi. Joints have springs K_T and dampers on phi_(i+1) - phi_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import brentq, fsolve

from pliant_gallery.crank_slider import ELEMENTS, PAPER, START, CrankSliderParameters

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Push:
    """Force on the apex, ``amplitude sin(omega t)``."""

    amplitude: float = 0.0  # N
    omega: float = 1.3  # rad/s

    def __call__(self, time: float) -> float:
        return self.amplitude * sin(self.omega * time)


NO_PUSH = Push()


@dataclass(frozen=True)
class Rigid:
    """The rigid mechanism, links of equal length and mass, as one equation of the crank's angle."""

    given: CrankSliderParameters = PAPER

    def torque(self, angle: float) -> float:
        """Return the torque of weight and spring at rest (N m)."""
        given, L = self.given, self.given.crank_length
        stretch = L * cos(angle) - given.spring_rest_length
        return -given.crank_mass * given.gravity * L * cos(angle) + given.spring_stiffness * stretch * L * sin(angle)

    def acceleration(self, angle: float, rate: float, push: float) -> float:
        """Return theta''"""
        given, L = self.given, self.given.crank_length
        inertia = given.crank_mass * L**2
        force = self.torque(angle) + push * L * cos(angle) - given.dashpot * (L * sin(angle)) ** 2 * rate
        return (force - 2.0 * inertia * sin(angle) * cos(angle) * rate**2) / (inertia * (2 / 3 + 2 * sin(angle) ** 2))

    def eigenvalue(self) -> complex:
        """Return the eigenvalue of small motion about the start (1/s), no weight, spring at rest: K = k (L sin)^2."""
        given, turn = self.given, (self.given.crank_length * sin(START)) ** 2
        inertia = given.crank_mass * given.crank_length**2 * (2.0 / 3.0 + 2.0 * sin(START) ** 2)
        decay = 0.5 * given.dashpot * turn / inertia
        return complex(-decay, sqrt(given.spring_stiffness * turn / inertia - decay**2))

    def wells(self) -> tuple[float, float, float]:
        """Return the angles of rest: the lower pose, the crest between, the upper pose (rad)."""
        grid = np.linspace(-0.499 * pi, 0.499 * pi, 400).tolist()
        signs = [(a, b) for a, b in zip(grid, grid[1:], strict=False) if self.torque(a) * self.torque(b) < 0.0]
        lower, crest, upper = (float(brentq(self.torque, a, b, xtol=1e-14)) for a, b in signs)
        return lower, crest, upper

    def motion(self, times: Array, push: Push = NO_PUSH, *, angle: float = START, rate: float = 0.0) -> Array:
        """Return angle and its rate at the times, (2, times)."""
        found = odeint(
            lambda t, z: (z[1], self.acceleration(z[0], z[1], push(t))),
            (angle, rate),
            np.append(0.0, times),
            tfirst=True,
            rtol=1e-13,
            atol=1e-14,
            mxstep=100_000,
        )
        return np.asarray(found[1:].T)

    def steady(self, push: Push) -> float:
        """Return the highest angle of the motion with the period of the push near the start, by shooting (rad)."""
        instants = np.linspace(0.0, 2.0 * pi / push.omega, 201)

        def gap(start: Array) -> Array:
            return np.asarray(self.motion(instants[-1:], push, angle=start[0], rate=start[1])[:, -1] - start)

        found = fsolve(gap, (START, 0.0), xtol=1e-10)
        angle = self.motion(instants, push, angle=found[0], rate=found[1])[0]
        k = int(np.argmax(angle[1:-1])) + 1
        return float(
            angle[k] - (angle[k + 1] - angle[k - 1]) ** 2 / (8.0 * (angle[k - 1] - 2.0 * angle[k] + angle[k + 1]))
        )


@dataclass(frozen=True)
class Chain:
    """The mechanism with a crank of rigid elements, those at the ends of half length."""

    given: CrankSliderParameters = PAPER
    elements: int = ELEMENTS
    along_x: bool = False

    @cached_property
    def lengths(self) -> Array:
        """Return the lengths of the elements (m)."""
        shares = np.ones(self.elements)
        shares[[0, -1]] = 0.5
        return self.given.crank_length * shares / shares.sum()

    @cached_property
    def masses(self) -> Array:
        """Return the masses of the elements (kg)."""
        return self.given.section.mass_per_length * self.lengths

    @cached_property
    def inertias(self) -> Array:
        """Return the inertias of the elements about their centres, the section's included (kg m^2)."""
        return np.asarray(self.masses * self.lengths**2 / 12.0 + self.given.section.rotary_inertia * self.lengths)

    @cached_property
    def centres(self) -> Array:
        """(elements, elements): the centre of element i is at ``centres[i] @ (cos phi, sin phi)``."""
        return np.tril(np.tile(self.lengths, (self.elements, 1)), -1) + 0.5 * np.diag(self.lengths)

    @cached_property
    def middle(self) -> Array:
        """Return the weights of the angles in the place of the crank's middle, where the spring is."""
        before = np.concatenate([[0.0], np.cumsum(self.lengths)[:-1]])
        return np.clip(0.5 * self.given.crank_length - before, 0.0, self.lengths)

    @cached_property
    def bending(self) -> Array:
        """(elements, elements): the springs' moments are ``-K_T bending @ phi``."""
        turn = np.diff(np.eye(self.elements), axis=0)
        return np.asarray(turn.T @ turn)

    @cached_property
    def torsion_stiffness(self) -> float:
        """K_T = EI / l (N m/rad)."""
        return self.given.section.bending_stiffness * (self.elements - 1) / self.given.crank_length

    @cached_property
    def torsion_damping(self) -> float:
        """Return the joints' damping, proportional as for the 20 elements of the paper (N m s/rad)."""
        return self.given.torsional_damping * self.torsion_stiffness / self.given.torsion_stiffness

    @cached_property
    def spread(self) -> Array:
        """(elements, elements): the centres have the kinetic energy ``1/2 phi' (spread * cos(phi_i - phi_j)) phi'``."""
        return np.asarray(self.centres.T @ (self.masses[:, None] * self.centres))

    def lean(self, phi: Array) -> float:
        """Return the angle psi of the slider link."""
        return float(pi - np.arcsin(self.lengths @ np.sin(phi) / self.given.slider_length))

    def mass(self, phi: Array) -> Array:
        """Return the mass matrix of the angles."""
        across, up, turn = self._slopes(phi)
        m, inertia = self.given.slider_mass, self.given.slider_mass * self.given.slider_length**2 / 12.0
        crank = self.spread * np.cos(phi[:, None] - phi) + np.diag(self.inertias)
        return np.asarray(crank + m * (np.outer(across, across) + np.outer(up, up)) + inertia * np.outer(turn, turn))

    def acceleration(self, phi: Array, rate: Array, push: float) -> Array:
        """Return phi''"""
        return np.asarray(np.linalg.solve(self.mass(phi), self._forces(phi, rate, push) - self._bias(phi, rate)))

    def frequencies(self) -> Array:
        """Return |eigenvalue| / 2 pi of small motion, ascending (Hz)."""
        return np.asarray(np.abs(self.modes()[0]) / (2.0 * pi))

    def modes(self) -> tuple[Array, Array]:
        """Return eigenvalues of small motion with positive imaginary part, ascending by size, and their shapes,
        (angles, modes): straight at the start, no weight, with the dashpot.

        The spring is at rest there: ``K = K_T bending + k g g^T``, ``C = c_T bending + c g g^T``, g the slope of its
        length.
        """
        phi, n = np.full(self.elements, START), self.elements
        slope = self._slopes(phi)[0] + np.sin(phi) * self.middle
        stiffness = self.torsion_stiffness * self.bending + self.given.spring_stiffness * np.outer(slope, slope)
        damping = self.torsion_damping * self.bending + self.given.dashpot * np.outer(slope, slope)
        inverse = np.linalg.inv(self.mass(phi))
        jacobian = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ stiffness, -inverse @ damping]])
        values, vectors = np.linalg.eig(jacobian)
        chosen = np.flatnonzero(values.imag > 0.0)
        chosen = chosen[np.argsort(np.abs(values[chosen]))]
        return values[chosen], vectors[:n, chosen]

    def motion(self, times: Array, push: Push = NO_PUSH, *, accuracy: float = 1e-9) -> Array:
        """Return the angles of the elements from the start at rest, (elements, times)."""
        n = self.elements
        run = solve_ivp(
            lambda t, z: np.concatenate([z[n:], self.acceleration(z[:n], z[n:], push(t))]),
            (0.0, times[-1]),
            np.concatenate([np.full(n, START), np.zeros(n)]),
            method="DOP853",
            t_eval=times,
            rtol=accuracy,
            atol=accuracy,
        )
        return np.asarray(run.y[:n])

    def _slopes(self, phi: Array) -> tuple[Array, Array, Array]:
        """Return slopes by phi of the place (x, y) of the slider link's middle, and of its angle."""
        psi = self.lean(phi)
        up = 0.5 * self.lengths * np.cos(phi)
        turn = 2.0 * up / (self.given.slider_length * cos(psi))
        return -self.lengths * np.sin(phi) + 0.5 * self.given.slider_length * sin(psi) * turn, up, turn

    def _bias(self, phi: Array, rate: Array) -> Array:
        """Return inertia forces that the rates alone cause."""
        given, half, squares = self.given, 0.5 * self.given.slider_length, rate**2
        psi, (across, up, turn) = self.lean(phi), self._slopes(phi)
        lean_rate = float(turn @ rate)
        tip_x, tip_y = (-float(self.lengths @ (wave(phi) * squares)) for wave in (np.cos, np.sin))
        bend = (0.5 * tip_y / half + sin(psi) * lean_rate**2) / cos(psi)  # of psi''
        middle_x = tip_x + half * (cos(psi) * lean_rate**2 + sin(psi) * bend)
        crank = self.spread * np.sin(phi[:, None] - phi) @ squares
        slider = across * middle_x + up * 0.5 * tip_y + given.slider_length**2 / 12.0 * bend * turn
        return np.asarray(crank + given.slider_mass * slider)

    def _forces(self, phi: Array, rate: Array, push: float) -> Array:
        """Return the generalised forces of push, weight, spring, dashpot and joints."""
        given, c, s = self.given, np.cos(phi), np.sin(phi)
        across, up, _ = self._slopes(phi)
        middle_x = self.lengths @ c - 0.5 * given.slider_length * cos(self.lean(phi))
        apart = np.array([middle_x - self.middle @ c, 0.5 * self.lengths @ s - self.middle @ s])
        slopes = np.array([across + self.middle * s, up - self.middle * c])
        along = np.array([1.0, 0.0]) if self.along_x else apart / np.linalg.norm(apart)
        stretch = along @ apart - given.spring_rest_length
        pull = given.spring_stiffness * stretch + given.dashpot * (along @ slopes @ rate)
        weight = given.gravity * (self.masses @ self.centres * c + given.slider_mass * up)
        joints = self.bending @ (self.torsion_stiffness * phi + self.torsion_damping * rate)
        return np.asarray(push * self.lengths * c - weight - pull * (along @ slopes) - joints)
