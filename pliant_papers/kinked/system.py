"""Kinked: an arm of beams, links and rotary joints in relative coordinates Q."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pliant.errors import OptionError, nearest
from pliant.model import Model
from pliant.model.signals.base import SignalLike
from pliant.solvers.stepping.methods import BDF, DOP853, LSODA, RK23, RK45, SDIRK4, TRBDF2, Kinds, Radau
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.system.state import Matrices, State
from pliant.system.system import System
from pliant_papers.kinked import inertia, recursion, strain, view
from pliant_papers.kinked import tree as trees

FORMS = {"force": (1 / 2, 1 / 3, 1 / 3), "energy": (1 / 3, 1 / 6, 1 / 6), "tangent": (1.0, 1.0, 1.0)}


@dataclass(frozen=True, repr=False)
class Kinked:
    """An arm with coordinates Q (formulation "kinked"): joint angles and, for every element, u, w, phi at its end.

    observed  nodes, joints and signals of the arm: states are in its coordinates, and results show it
    tree      frames, nodes, elements, lumps and loads as flat arrays
    names     of the coordinates Q: "shoulder" (a joint's angle), "upper:1:w" (of node 1 of beam "upper")
    turning   place in Q of the angle of a rotary joint, by its name
    nodes     node of the tree, and place on its section, of every node of ``observed``
    carriers  frame that a joint carries, and 1 or -1 if it is on the side of its marker a, by the joint's name
    bases     observed node at the last rotary joint before a beam, None for the ground, by the beam's name
    driven    place in Q and signal of the joints that are driven
    settings  options of the formulation
    """

    methods: ClassVar[Kinds] = (SDIRK4, TRBDF2, DOP853, RK45, RK23, Radau, BDF, LSODA)

    observed: System
    tree: trees.Tree
    names: tuple[str, ...]
    turning: Mapping[str, int]
    nodes: view.Nodes
    carriers: Mapping[str, tuple[int, float]]
    bases: Mapping[str, int | None]
    driven: tuple[tuple[int, int], ...]
    settings: Mapping[str, Any]
    formulation: str = field(init=False, default="kinked")

    @property
    def model(self) -> Model:
        """The original model."""
        return self.observed.model

    @property
    def freedoms(self) -> int:
        """Number of coordinates Q."""
        return len(self.names)

    @property
    def signal_names(self) -> list[str]:
        """Names of the functions of time that drive the arm."""
        return self.observed.signal_names

    def __repr__(self) -> str:
        joints, elements = len(self.turning), self.tree.length.size
        return (
            f"Kinked({self.model.name!r}: {self.freedoms} coordinates, {joints} rotary joint{'s' * (joints != 1)}, "
            f"{elements} element{'s' * (elements != 1)}, formulation {self.formulation!r})"
        )

    def with_signals(self, signals: Mapping[str, SignalLike]) -> Kinked:
        """Return the arm with some signals replaced, by the names in ``signal_names``."""
        observed = self.observed.with_signals(signals)
        return replace(self, observed=observed, settings={**self.settings, "signals": observed.settings["signals"]})

    def with_parameters(self, **values: float | str) -> Kinked:
        """Return the arm with other parameters; see `System.with_parameters`."""
        from pliant.system.compile import with_parameters

        found: Kinked = with_parameters(self, **values)
        return found

    @cached_property
    def initial(self) -> np.ndarray:
        """Q of the assembled pose: joint angles, without bending."""
        return self.coordinates(self.observed.initial)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Return Q from the coordinates of the observed system."""
        found = np.zeros(self.freedoms + 3)
        view.relative(self.tree, self.nodes, q, trees.work(self.tree), found)
        return found[:-3]

    def mass_matrix(self, q: Any) -> np.ndarray:
        """Return M(Q) of eq. 9, (n, n)."""
        n, work = self.freedoms, trees.work(self.tree)
        still, m = np.zeros(n + 3), np.zeros((n + 3, n + 3))
        place = self.padded(q)
        recursion.outwards(self.tree, place, still, still, 0.0, 0.0, work, False)
        inertia.mass_matrix(self.tree, place, work, m)
        return m[:n, :n].copy()

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """Return h(Q, Q') of eq. 14: centrifugal and Coriolis terms."""
        return self.residual(q, v, np.zeros(self.freedoms), strained=False)

    def residual(
        self, q: Any, v: Any, a: Any, *, signals: np.ndarray | None = None, strained: bool = True
    ) -> np.ndarray:
        """Return ``M Q'' + h + V_Q - loads``, with these values of all signals (zero unless given). May be complex."""
        place, rate, second = (self.padded(x) for x in (q, v, a))
        kind = np.result_type(place, rate, second)
        place, rate, second = (x.astype(kind) for x in (place, rate, second))
        u = np.zeros(len(self.observed.layout.signals)) if signals is None else signals
        work, r = trees.work(self.tree, kind.type), np.zeros(place.size, kind)
        gx, gy = u[self.tree.gravity]
        recursion.outwards(self.tree, place, rate, second, gx, gy, work, False)
        recursion.inwards(self.tree, place, rate, second, u, work, r)
        if strained:
            strain.strain(self.tree, place, r, np.zeros((0, 0), kind), False)
            r += self.tree.spring[:, 2] * rate
        return r[:-3]

    def loads(self, q: Any, time: float = 0.0) -> np.ndarray:
        """Return generalised forces of motors, forces, moments and gravity at an instant."""
        still = np.zeros(self.freedoms)
        return -self.residual(q, still, still, signals=self.observed.signals(np.array([time]))[0], strained=False)

    def potential(self, q: Any) -> float:
        """Return the strain energy V(Q), springs at joints included (J)."""
        return self._strain(q)[0]

    def gradient(self, q: Any) -> np.ndarray:
        """Return V_Q."""
        return self._strain(q)[1]

    def hessian(self, q: Any) -> np.ndarray:
        """Return V_QQ, the tangent stiffness."""
        return self._strain(q)[2]

    def _strain(self, q: Any, tree: trees.Tree | None = None) -> tuple[float, np.ndarray, np.ndarray]:
        n = self.freedoms
        r, stiffness = np.zeros(n + 3), np.zeros((n + 3, n + 3))
        energy = strain.strain(tree or self.tree, self.padded(q), r, stiffness, True)
        return float(energy), r[:n].copy(), stiffness[:n, :n].copy()

    @property
    def stiffness(self) -> np.ndarray:
        """K of eq. 14: the conventional stiffness matrix, axial and bending, springs at joints included."""
        return self.hessian(np.zeros(self.freedoms))

    def geometric_stiffness(self, q: Any, form: str = "force") -> np.ndarray:
        """Return Delta K(Q): the terms of third and fourth order in K.

        form  "force": of eq. 14, ``V_Q = (K + Delta K) Q``, as in appendix A; "energy": of eq. 10,
              ``V = Q^T (K + Delta K) Q / 2``; "tangent": ``V_QQ = K + Delta K``. One matrix cannot be all three
        """
        if form not in FORMS:
            raise OptionError(f"form={form!r} is not known. {nearest(str(form), FORMS)}")
        order = self.tree.order * FORMS[form]  # the Hessian is linear in the factors of these terms
        return self._strain(q, self.tree._replace(order=order))[2] - self.stiffness

    @cached_property
    def units(self) -> np.ndarray:
        """Unit of every coordinate: the model's length for u and w, 1 for angles."""
        lengths = [":" in name and not name.endswith(":phi") for name in self.names]
        return np.where(lengths, self.observed.length_scale, 1.0)

    def padded(self, values: Any) -> np.ndarray:
        """Return values of all coordinates, with three zeros for nodes without freedoms."""
        array = np.asarray(values)
        if array.shape != (self.freedoms,):
            raise OptionError(f"Values of shape {array.shape}: give one for each of the {self.freedoms} coordinates.")
        return np.concatenate([array, np.zeros(3)])

    def observe(self, q: Any, v: Any = None, a: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return coordinates, velocities, accelerations of the observed system, with the ground's zeros at the end."""
        still = np.zeros(self.freedoms)
        place, rate, second = (self.padded(still if x is None else x) for x in (q, v, a))
        x, x1, x2 = np.zeros((3, self.observed.freedoms + 3))
        view.absolute(self.tree, self.nodes, place, rate, second, trees.work(self.tree), (x, x1, x2))
        return x, x1, x2

    def accelerations(self, q: Any, v: Any, time: float = 0.0) -> np.ndarray:
        """Return Q'' at an instant; driven joints follow their signals."""
        u, _, seconds = self.inputs(time)
        r, m, n = self.residual(q, v, np.zeros(self.freedoms), signals=u), self.mass_matrix(q), self.freedoms
        a = np.zeros(n)
        held = [j for j, _ in self.driven]
        a[held] = [seconds[signal] for _, signal in self.driven]
        free = np.setdiff1d(np.arange(n), held)
        a[free] = np.linalg.solve(m[np.ix_(free, free)], -(r + m @ a)[free])
        return a

    def inputs(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the signals at a time, and the first two derivatives of signals that drive joints."""
        at = np.array([time])
        rates, seconds = self.observed.signal_rates(at)
        return self.observed.signals(at)[0], rates[0], seconds[0]

    @property
    def conservative(self) -> bool:
        """True if the tangent at rest is symmetric: no force turns with a section."""
        return not np.any(self.tree.arm[:, 3])

    def unbalanced(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return ``V_Q - loads`` at rest in the pose q of the observed system, on its coordinates; v, a are unused."""
        from pliant_papers.kinked.linear import slopes

        place = self.coordinates(q)
        return slopes(self, q).T @ self.residual(place, 0.0 * place, 0.0 * place, signals=u)

    def balance(self, state: State) -> tuple[float, float, float]:
        """Return the largest unbalanced moment (N m) in a state, the largest acting moment, and the rounding limit."""
        q, u = self.coordinates(state.q), self.inputs(state.time)[0]
        still = 0.0 * q
        free = np.setdiff1d(np.arange(q.size), [joint for joint, _ in self.driven])
        left, loads = (self.residual(q, still, still, signals=u, strained=s)[free] for s in (True, False))
        unit = self.units[free]
        rounding = 1e-10 * float(np.max(np.abs(self.stiffness) * self.units * self.units[:, None]))
        at_work = max(float(np.max(np.abs(loads) * unit, initial=0.0)), self.applied(u))
        return float(np.max(np.abs(left) * unit, initial=0.0)), at_work, rounding

    def applied(self, u: np.ndarray) -> float:
        """Return the largest load (N m) in the signals u, weight and forces times the length of the model. Loads on a
        coordinate may cancel, as the weight of a hanging arm does; these do not.
        """
        tree, length = self.tree, self.observed.length_scale
        weight = length * self.observed.equations.mass * float(np.hypot(*u[tree.gravity]))
        return max(weight, float(np.max(np.abs(u[tree.signal]) * (length, length, 1.0), initial=0.0)))

    def matrices(self, state: State, *, whole: bool = False) -> Matrices:
        """Return stiffness, damping, mass and joint Jacobian in observed coordinates, at rest in the state's pose."""
        from pliant_papers.kinked.linear import matrices

        return matrices(self, state)

    def natural_frequencies(self, run: Any, *, modes: int = 2, stiffness: str = "tangent") -> Any:
        """Return natural frequencies (Hz) at every instant of a motion, (time, mode), as in figures 8 to 10.

        They depend on mass and strain energy only, not on weight, loads or rotation; 0 if the stiffness is negative.

        stiffness  "tangent": V_QQ; "force", "energy": K + Delta K of eq. 14 or eq. 10; "linear": K alone
        """
        from pliant_papers.kinked.linear import natural_frequencies

        return natural_frequencies(self, run, modes=modes, stiffness=stiffness)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Any:
        """Find the equilibrium near a state; see equilibrium.py."""
        from pliant_papers.kinked.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    def own_variables(self, state: State) -> Mapping[str, Any]:
        """Return coordinates, resultants, reactions and energies at rest in the state's pose."""
        from pliant_papers.kinked.equilibrium import variables_at_rest

        return variables_at_rest(self, self.coordinates(state.q), state.time)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Compute the motion in time; see motion.py."""
        from pliant_papers.kinked.motion import move

        return move(self, begin, plan)
