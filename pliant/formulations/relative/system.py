"""Relative: a tree of nodes in relative coordinates Q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pliant.errors import ModelError, SingularError
from pliant.forces.state_force import callbacks
from pliant.formulations.relative import dynamics, reading
from pliant.formulations.relative.loops import DEAD_CENTRE, FINE, NO_MASS, Loops, closure
from pliant.formulations.relative.recursion import jacobians, spread
from pliant.formulations.relative.tree import Tree
from pliant.formulations.relative.tree import work as room_of
from pliant.joints import rows as joints
from pliant.kernels import so3
from pliant.model import Joint, Marker
from pliant.solvers.nonlinear import equilibrium
from pliant.solvers.nonlinear.loaded import Loaded
from pliant.solvers.paths.continuation import Follower
from pliant.solvers.paths.parameter import PathParameter
from pliant.solvers.stepping import instant_state
from pliant.solvers.stepping.methods import DOP853, RK23, RK45, SDIRK4, TRBDF2, Kinds
from pliant.solvers.stepping.motion import Plan, TimeHistory
from pliant.solvers.stepping.sampling import Sensors
from pliant.solvers.stepping.sensors import Reading, sensors
from pliant.system.assembly import dependent_rows
from pliant.system.state import Equilibrium, State

NOTHING = 1e-300  # factor of K: negligible, not zero
REGULAR = 1e-5  # last pivot of A without units; below, a pose is a dead centre
SHARE = 0.2  # share of a row in a dependence, relative to the largest, above which its joint is named
PROBES, SAME = 3, 1e-8  # poses at which a driven quantity is compared with coordinates; largest difference if equal


class Drive(NamedTuple):
    """A driven coordinate: Q = gain signal + shift."""

    coordinate: int
    signal: int
    gain: float
    shift: float
    row: int


@dataclass(frozen=True, repr=False)
class Relative(Loaded):
    """Rigid bodies and beams on a spanning tree, whose joints need no conditions (formulation "relative"); joints at
    which loops are cut keep their conditions.

    States hold the coordinates of the nodes, as in formulation "dae"; computations use relative coordinates.

    tree    which node hangs on which
    names   of the coordinates Q: "elbow" (of a joint with one), "hip:rx" (of one with several), "arm:3:x" (of node 3 of
            a beam against its neighbour)
    angles  whether each coordinate is an angle
    ties    joint of every pair; None between neighbours on a beam, and for free parts
    """

    in_space: ClassVar[bool] = True

    tree: Tree = field(default=None)  # type: ignore[assignment]  # a field after others with defaults needs one
    names: tuple[str, ...] = ()
    angles: tuple[bool, ...] = ()
    ties: tuple[Joint | None, ...] = ()

    def __repr__(self) -> str:
        return f"Relative({self.model.name!r}: {self.degrees} freedoms, formulation {self.formulation!r})"

    @property
    def methods(self) -> Kinds:
        """Return the time-stepping methods, implicit ones first for beams, which are stiff."""
        explicit, implicit = (DOP853, RK45, RK23), (SDIRK4, TRBDF2)
        return (*implicit, *explicit) if self.layout.beams else (*explicit, *implicit)

    @property
    def degrees(self) -> int:
        """Return the number of free coordinates less the conditions of loops."""
        return int(self.compiled.free - self.loops.rank)

    @property
    def balls(self) -> int:
        """Return the number of pairs that turn about three axes."""
        return int(np.count_nonzero(self.tree.ball))

    @property
    def coordinate_size(self) -> int:
        """Return the length of Q, with quaternions."""
        return len(self.names) + 4 * self.balls

    @cached_property
    def units(self) -> np.ndarray:
        """Return the unit of each coordinate, for comparisons: the model's length, or 1 for angles."""
        return np.where(self.angles, 1.0, self.length_scale)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Return Q at a configuration of the nodes, with the quaternions of pairs that turn about three axes."""
        return reading.coordinates(self, self.tree, q, self.coordinate_size)

    def rates(self, state: State) -> np.ndarray:
        """Return Q' at a state of the nodes."""
        return reading.rates(self, self.tree, state, self.coordinate_size)

    def displaced(self, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return Q after an increment of the coordinates."""
        found, n = q.copy(), len(self.names)
        found[:n] += change[:n]
        if self.balls:
            so3.take_up(found, n, self.balls)
        return found

    def nodes_at(self, q: np.ndarray) -> np.ndarray:
        """Return the configuration of the nodes at Q."""
        room, width, found = room_of(self.tree, self.nodes), self.space.width, self.initial.copy()
        dynamics.poses(self.tree, q, room, width)
        dynamics.show(
            self.tree, room, width, int(self.equations.frames), found, np.zeros(self.size), np.zeros(self.size)
        )
        return found

    @cached_property
    def drives(self) -> tuple[Drive, ...]:
        """Return the coordinates that signals drive; a row that drives another quantity is kept among the loops."""
        rows, found = self.equations.rows, dict[int, Drive]()
        for row in np.flatnonzero(rows.gain != 0.0):
            drive = self._drive(int(row))
            if drive is not None:
                found.setdefault(drive.coordinate, drive)
        return tuple(found.values())

    def _drive(self, row: int) -> Drive | None:
        """Return the coordinate that always equals a row's quantity up to sign and a constant, as a drive, or None."""
        generator, n = np.random.default_rng(0), len(self.names)
        start, moved = self.coordinates(self.initial), np.zeros((PROBES, n))
        values, nothing, gap = np.zeros(PROBES), np.zeros(len(self.layout.signals)), np.zeros(self.constraints)
        for k in range(PROBES):
            step = 0.3 * k * generator.standard_normal(n) * self.units
            step[self._locked] = 0.0
            pose = self.displaced(start, step)
            joints.residual(self.equations.rows, self.nodes_at(pose), nothing, gap)
            moved[k], values[k] = pose[:n], gap[row]
        turning = bool(joints.angular(self.equations.rows)[row])
        for c in range(6 * self.balls, n):
            for sign in (1.0, -1.0):
                off = values - sign * moved[:, c]
                apart = off - off[0]
                if turning:
                    apart -= 2.0 * np.pi * np.round(apart / (2.0 * np.pi))
                if self.angles[c] == turning and np.max(np.abs(apart)) < SAME * self.units[c]:
                    return Drive(c, int(self.equations.rows.signal[row]), sign, -sign * off[0], row)
        return None

    @cached_property
    def _own(self) -> dict[Joint | None, range]:
        """Return the rows of every joint."""
        return {each.joint: range(each.first, each.first + each.count) for each in self.joints}

    @cached_property
    def loops(self) -> Loops:
        """Return the rows of joints that are cut or no pairs, and of drives that drive no coordinate."""
        in_tree = {drive.row for drive in self.drives}
        in_tree |= {row for tie in self.ties for row in self._own.get(tie, ())}
        number = np.setdiff1d(np.arange(self.constraints), list(in_tree))
        rows = joints.chosen(self.equations.rows, number)
        free = len(self.names) - self._locked.size - len(self.drives)
        rank = free - dependent_rows.degrees(self) if number.size else 0
        return Loops(
            rows=rows._replace(softness=np.zeros(number.size)),
            number=number,
            widths=np.where(joints.angular(rows), 1.0, self.length_scale),
            rank=rank,
            regular=REGULAR,
        )

    def shifts(self, q: np.ndarray, time: float) -> np.ndarray:
        """Return the shifts of the drives at a time, with whole turns that bring driven angles nearest to Q."""
        return self.shifts_at(q, self.signals(np.array([time]))[0])

    def shifts_at(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the shifts of the drives under signals u, with whole turns that bring driven angles nearest to Q."""
        found = []
        for drive in self.drives:
            off = q[drive.coordinate] - drive.gain * u[drive.signal] - drive.shift
            turns = np.round(off / (2.0 * np.pi)) if self.angles[drive.coordinate] else 0.0
            found.append(drive.shift + 2.0 * np.pi * turns)
        return np.array(found)

    def openness(self, q: np.ndarray, times: np.ndarray) -> float:
        """Return the largest gap of a loop at instants; ``q``: configurations of the nodes."""
        gap, worst = np.zeros(self.loops.number.size), 0.0
        places = np.pad(q, ((0, 0), (0, self.size - q.shape[1])))
        for place, u in zip(places, self.signals(times), strict=True):
            joints.residual(self.loops.rows, place, u, gap)
            worst = max(worst, float(np.max(np.abs(gap), initial=0.0)))
        return worst

    def labelled(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> dict[str, Any]:
        """Return the scalar relative coordinates of joints over time, as entries of a result."""
        beams = tuple(f"{mesh.beam.name}:" for mesh in self.layout.beams)
        own = range(6 * self.balls, len(self.names) - self.layout.stretches)
        shown = [c for c in own if not self.names[c].startswith(beams or ("\0",))]
        if not shown:
            return {}
        units = ["rad" if self.angles[c] else "m" for c in shown]
        found: dict[str, Any] = {"coordinate": ("coordinate", [self.names[c] for c in shown])}
        for name, values, per in (
            ("coordinates", q, ""),
            ("coordinate_rates", v, "/s"),
            ("coordinate_accelerations", a, "/s²"),
        ):
            words = {"units": ", ".join(unit + per for unit in units)}
            found[name] = (("time", "coordinate"), values[:, shown], words)
        return found

    @cached_property
    def _locked(self) -> np.ndarray:
        """Return the coordinates that belong to no freedom: translations of pairs that only turn."""
        return np.setdiff1d(np.arange(len(self.names)), [*self.tree.coordinate, *self.tree.apart[:, 0]])

    @cached_property
    def compiled(self) -> dynamics.Mechanism:
        """Return the mechanism for compiled code."""
        tree, n = self.tree, len(self.names)
        driven = [drive.coordinate for drive in self.drives]
        free = np.setdiff1d(np.arange(n), [*self._locked, *driven])
        active = np.concatenate([free, driven]).astype(np.int64)
        owner = np.full(n, -1)
        owner[tree.coordinate] = np.repeat(np.arange(tree.node.size), np.diff(tree.first))
        rank = np.full(n, -1)
        rank[active] = np.arange(active.size)
        held, rows = self._rows_of_pairs(owner)
        units = self.units
        idle = [] if self.model.spatial else list(self.layout.spinless())
        return dynamics.Mechanism(
            equations=self.equations,
            tree=tree,
            width=self.space.width,
            free=int(free.size),
            active=active,
            pair=owner[active],
            rank=rank,
            signal=np.array([drive.signal for drive in self.drives], np.int64),
            gain=np.array([drive.gain for drive in self.drives], float),
            shift=np.array([drive.shift for drive in self.drives], float),
            held=held,
            rows=rows,
            massless=np.array(idle, np.int64),
            powers=self.powered_parts,
            units=units,
            scales=units[active],
            nothing=NOTHING if getattr(self.layout, "idle", ()) else 0.0,
            loops=self.loops,
        )

    def _rows_of_pairs(self, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where the rows of every pair begin, and these rows: of its joint, and of drives of its coordinates."""
        lists = [list(self._own.get(tie, ())) for tie in self.ties]
        for drive in self.drives:
            lists[owner[drive.coordinate]].append(drive.row)
        held = np.cumsum([0, *(len(each) for each in lists)])
        return held.astype(np.int64), np.array([row for each in lists for row in each], np.int64)

    def room(self) -> dynamics.Room:
        """Return fresh working arrays."""
        active = self.compiled.active.size
        return dynamics.Room(
            scratch=self.scratch(),
            work=room_of(self.tree, self.nodes),
            q=self.initial.copy(),
            v=np.zeros(self.size),
            a=np.zeros(self.size),
            column=np.zeros(self.size),
            pushed=np.zeros(self.size),
            out=np.zeros(len(self.names)),
            matrix=np.zeros((active, active)),
            implicit=np.zeros((active, active)),
            right=np.zeros(max(active, 6)),
            jacobian=np.zeros((self.constraints, self.size)),
            block=np.zeros((6, 6)),
            inertia=np.zeros(active),
            lam=np.zeros(self.constraints),
            closure=closure(self.loops, active, self.compiled.free, (self.size, self.coordinate_size)),
        )

    def inputs(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return signals at a time, and the first two derivatives of signals that drive joints."""
        at = np.array([time])
        rates, seconds = self.signal_rates(at)
        return self.signals(at)[0], rates[0], seconds[0]

    def accelerated(self, state: State) -> State:
        """Return the state with loops closed, velocities that the joints allow, accelerations and reactions."""
        u, rate, second = self.inputs(state.time)
        q, v, a = self.coordinates(state.q), self.rates(state), np.zeros(self.coordinate_size)
        for drive in self.drives:
            v[drive.coordinate] = drive.gain * rate[drive.signal]
        room, mechanism = self.room(), self.compiled
        fine = not self.loops.rank or dynamics.choose(mechanism, room, q, u)
        fine = fine and dynamics.accelerate(mechanism, room, q, v, a, u, rate, second)
        callbacks.reraise()
        if not (fine and np.all(np.isfinite(a))):
            raise SingularError(self.undetermined(q, state.time, int(room.closure.why[0])))
        dynamics.place(mechanism, room, q, v, a)
        dynamics.react(mechanism, room, u)
        return replace(state, q=room.q, v=room.v, a=room.a, lam=room.lam, abar=room.a.copy())

    def held(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return joint forces lambda of M a + f + G^T lambda = 0, of least norm without units."""
        rows, weight, jacobian = self.equations.rows, self.weight, np.zeros((self.constraints, self.size))
        joints.jacobian_dense(rows, q, u, jacobian)
        widths = np.where(joints.angular(rows), 1.0, self.length_scale)
        scaled = jacobian[:, : self.freedoms] / weight / widths[:, None]
        force = self.unbalanced(q, v, a, u) / weight
        return np.asarray(np.linalg.lstsq(scaled.T, -force, rcond=1e-12)[0] / widths)

    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, forces: np.ndarray, *, time: float = 0.0) -> np.ndarray:
        """Return Q'' under additional forces on the coordinates, row by row; drives are left out."""
        self._refuse_loops("forward_dynamics")
        a = np.zeros(v.shape)
        fine = dynamics.forward(self.compiled, self.room(), q, v, forces, self.signals(np.array([time]))[0], a)
        callbacks.reraise()
        if not (fine and np.all(np.isfinite(a))):
            raise SingularError(self.undetermined(q[0], time, NO_MASS))
        return a

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, *, time: float = 0.0) -> np.ndarray:
        """Return the additional forces on the coordinates that accelerations require, row by row."""
        self._refuse_loops("inverse_dynamics")
        forces = np.zeros(v.shape)
        dynamics.inverse(self.compiled, self.room(), q, v, a, self.signals(np.array([time]))[0], forces)
        callbacks.reraise()
        return forces

    def jacobian(self, q: np.ndarray, marker: Marker) -> np.ndarray:
        """Return the derivative of a marker's velocities by Q', row by row: (rows, freedoms of a node, coordinates)."""
        last = int(np.flatnonzero(self.tree.node == self.layout.node(marker))[0])
        arm = np.zeros(3)
        arm[: len(self.layout.arm(marker))] = self.layout.arm(marker)
        found = np.zeros((len(q), self.space.width, len(self.names)))
        jacobians(self.tree, room_of(self.tree, self.nodes), q, last, arm, self.space.width, found)
        return found

    def _refuse_loops(self, question: str) -> None:
        """Refuse loops: forces on coordinates that depend on each other are not determined by the motion."""
        if self.loops.rank:
            joint = self.row_owner(int(self.loops.number[0]))
            raise ModelError(
                f"{question}: {joint.owner} closes a loop, so that coordinates of {self.model.name!r} depend on each "
                "other. Ask it of a tree; of a loop, give motions to its motors and read their reactions (transient)."
            )

    def undetermined(self, q: np.ndarray, time: float, why: int = DEAD_CENTRE) -> str:
        """Return the message that accelerations are not determined at Q."""
        found = f"The motion of {self.model.name!r} is not determined at t = {time:.6g} s: "
        if why == NO_MASS:
            return f"{found}no mass moves with some coordinate, or a force is not a number. Give what moves mass."
        if why == FINE:
            return f"{found}a force is not a number."
        return (
            f"{found}the conditions of {', '.join(self.dependence(self.nodes_at(q))) or 'its joints'} depend on each "
            "other (a dead centre), and it can go on in more than one way. Start from a slightly different pose, or "
            "compile with formulation='dae'."
        )

    def dependence(self, q: np.ndarray) -> list[str]:
        """Return names of the joints whose conditions come nearest to depending on each other at a pose."""
        rank = self.freedoms - self.degrees
        if not rank:
            return []
        rows = self.equations.rows
        jacobian = dependent_rows.scaled_jacobian(rows, q, self.length_scale, self.space, self.freedoms)
        share = np.abs(np.linalg.svd(jacobian.toarray())[0][:, rank - 1])
        taking = share > SHARE * np.max(share)
        return [each.joint.name for each in self.joints if np.any(taking[each.first : each.first + each.count])]

    def basis(self, room: dynamics.Room) -> np.ndarray:
        """Return N: displacements of the nodes for units of the free coordinates, at the present pose."""
        mechanism = self.compiled
        found = np.zeros((mechanism.free, self.size))
        for column, c, j in zip(found, mechanism.active, mechanism.pair, strict=False):
            spread(self.tree, room.work, j, c, self.space.width, column)
        return found[:, : self.freedoms].T

    def balance(self, state: State) -> tuple[float, float, float]:
        """Return the largest unbalanced moment (N m) in a state, the largest at work, and the bound of rounding."""
        return equilibrium.balance(self, state)

    def turning(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Return G' and G'' along a motion."""
        return instant_state.turning(self, state)

    def sensors(self, names: Sequence[str], terms: Sequence[Reading]) -> Sensors:
        """Return the sensors from which a controller reads outputs within the time loop."""
        return sensors(self, names, terms)

    def find_equilibrium(self, start: State, *, time: float = 0.0, load_steps: int = 1) -> Equilibrium:
        """Find the equilibrium near a state; see equilibrium.py."""
        from pliant.formulations.relative.equilibrium import find_equilibrium

        return find_equilibrium(self, start, time=time, load_steps=load_steps)

    def continuation(self, parameter: PathParameter, q: np.ndarray, lam: np.ndarray, p: float) -> Follower:
        """Return Newton's equations along a path that passes near an equilibrium; see continuation.py."""
        from pliant.formulations.relative.continuation import RelativeContinuation

        return RelativeContinuation(parameter)

    def move(self, begin: State, plan: Plan) -> TimeHistory:
        """Integrate the motion in time; see motion.py."""
        from pliant.formulations.relative.motion import move

        return move(self, begin, plan)
