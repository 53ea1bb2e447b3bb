"""Random mechanisms of every kind, and what must be the same of each whichever way it is computed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from math import pi
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.errors import OtherBranch, PliantError
from pliant.model.bodies.rigid import Carrier
from tests.properties.mechanisms import Mechanism, Placing, Pose, Turn

SIZES = {"mm": 1e-3, "um": 1e-6, "km": 1e3}
CLOSE = 1e-6  # of the size: closing loops leaves the root of rounding in directions that joints leave free
UNRESOLVED = 1.0  # local error of a step, in sizes of the model: rounding decides what comes of such a motion
STEP, END = 5e-4, 5e-3  # s


class Varied(Mechanism):
    """A chain or loop of bodies and beams with springs, loads and drives, and besides, each in a part of all: joints
    that say the same twice, a tendon over a guide, a floor, a force that a controller feeds back, a joint that rubs,
    and a tendon in a channel of a beam.
    """

    def __init__(self, seed: int, *, spatial: bool, placing: Placing | None = None, noise: float = 0.02) -> None:
        self.noise = noise
        self.extra = np.random.default_rng([seed, 1])
        self.chosen = {word for word in ("redundant", "tendon", "contact", "controller") if self.extra.random() < 0.3}
        self.later = np.random.default_rng([seed, 6])
        self.chosen |= {word for word in ("friction", "channel") if self.later.random() < 0.3}
        super().__init__(seed, spatial=spatial, placing=placing)

    def _load(self, last: Pose, hook: np.ndarray) -> None:
        super()._load(last, hook)
        if "redundant" in self.chosen:
            first = self.model.part("joint 0")
            kind = type(first).__name__
            self.model.add(getattr(pl, kind)(first.a, first.b, name="joint 0 again", **self._kept(kind)))
        if "tendon" in self.chosen:
            far, over = (hook + self._vector_between(low, high) for low, high in ((0.8, 1.2), (0.3, 0.6)))
            rest = 0.97 * float(np.linalg.norm(far - over) + np.linalg.norm(over - hook))
            ends = self._marker(self.ground, far), self._marker(last, hook)
            guides = (self._marker(self.ground, over),)
            pulled = {"stiffness": 200.0, "rest_length": rest, "damping": 1.0, "slack_force": 1.0}
            self.model.add(pl.Tendon("cable", *ends, guides=guides, **pulled))  # type: ignore[arg-type]
        if "contact" in self.chosen:
            floor = hook - np.array([0.0, self.extra.uniform(0.05, 0.3), 0.0])
            up = Turn(Rotation.from_rotvec([-0.5 * pi, 0.0, 0.0])) if self.spatial else Turn()
            ends = self._marker(self.ground, floor, up), self._marker(last, hook)
            self.model.add(pl.Contact("floor", *ends, stiffness=1e4, damping=10.0, radius=0.06))
        if "controller" in self.chosen:
            self.model.add(pl.Force(self._marker(last, hook), x=0.0, name="actuator"))
        self._rub()
        self._lead_through_a_beam()

    def _rub(self) -> None:
        """Add friction of the first joint, if it has a surface that rubs."""
        joint = self.model.part("joint 0")
        surface = {"Revolute": {"radius": 0.02}, "Spherical": {"radius": 0.02}, "Prismatic": {"length": 0.2}}
        if type(joint).__name__ not in surface:
            self.chosen.discard("friction")
        if "friction" in self.chosen:
            coefficient = self.later.uniform(0.05, 0.3)
            self.model.add(pl.Friction(joint, coefficient, speed=0.05, **surface[type(joint).__name__]))

    def _lead_through_a_beam(self) -> None:
        """Lead a tendon through a channel of the first beam, if any: straight, or nearer to its axis at the tip."""
        if not self.model.beams:
            self.chosen.discard("channel")
        if "channel" in self.chosen:
            offsets = [(y, z) if self.spatial else y for y, z in self.later.uniform(-0.02, 0.02, (2, 2)).tolist()]
            tension = self.later.uniform(1.0, 10.0)
            self.model.add(pl.ChannelTendon("pull", self.model.beams[0], offset=tuple(offsets), tension=tension))

    def _vector_between(self, low: float, high: float) -> np.ndarray:
        v = self.extra.normal(size=3) * (1.0, 1.0, float(self.spatial))
        return np.asarray(v / np.linalg.norm(v) * self.extra.uniform(low, high))

    def controller(self) -> pl.Controller | None:
        """Return the velocity feedback of the force, if there is one."""
        if "controller" not in self.chosen:
            return None
        end = self.model.part("actuator").marker.label
        gain = np.array([[-2.0]])
        return pl.Controller(inputs=("actuator/x",), outputs=(f"velocity:{end}:x",), sample_time=1e-3, Dy=gain)


class Spun(Mechanism):
    """A chain or loop on a table that turns, without weight and loads that would stand still."""

    def _load(self, last: Pose, hook: np.ndarray) -> None:
        """Add no load."""


Positions = dict[str, np.ndarray]


def positions(model: pl.Model, *, time: float = 1.0) -> tuple[Positions, pl.Result]:
    """Return places of all markers (assembled, at rest and in motion) and the motion."""
    system = pl.compile(model, elements=2)
    motion = pl.transient(system, end_time=END * time, step=STEP * time, estimate=False)
    rest = pl.statics(system)
    resolved = motion.outcome.figures["local_error"] < UNRESOLVED
    found = {"assembled": motion.position.values[0], "rest": rest.position.values}
    return found | ({"motion": motion.position.values} if resolved else {}), motion


@lru_cache(1)
def fitting(seed: int, spatial: bool) -> tuple[Varied, Positions, pl.Result]:
    """Return the mechanism with guesses that fit, and its positions: several checks begin there."""
    mechanism = Varied(seed, spatial=spatial, noise=0.0)
    return mechanism, *positions(mechanism.model)


def moving(model: pl.Model, step: float) -> np.ndarray:
    """Return places of all markers in a motion of other steps."""
    system = pl.compile(model, elements=2)
    return pl.transient(system, end_time=END, step=step, estimate=False).position.values


class Explained(str):
    """A difference that pliant does not cause."""


def apart(one: Positions, other: Positions, motions: tuple[pl.Result, ...] = ()) -> str:
    """Return the first thing in which two answers differ; nothing if they agree.

    Of two motions that are not ok rounding may decide how often steps are cut back: they differ by what steps make.
    """
    steps = {motion.outcome.figures["steps"] for motion in motions if not motion.outcome.ok}
    for what, here in one.items():
        if what in other and not np.max(np.abs(other[what] - here)) <= CLOSE:
            fault = f"{what} differs by {np.max(np.abs(other[what] - here)):.2g} m"
            return Explained(f"{fault}, not ok and of other steps") if what == "motion" and len(steps) == 2 else fault
    return ""


def in_other_units(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str:
    """Compare with a model in another unit of length, and as heavy or as dense."""
    rng = np.random.default_rng([seed, 2])
    size, time = SIZES[str(rng.choice(sorted(SIZES)))], float(rng.choice([1e-3, 1.0, 60.0]))
    scales = pl.Scales(length=1.0 / size, mass=float(rng.choice([1.0, 1.0 / size**3])), time=1.0 / time)
    there, other = positions(Varied(seed, spatial=spatial).model.scaled(scales), time=time)
    return apart(here, {what: values / size for what, values in there.items()}, (motion, other))


def elsewhere(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str | None:
    """Compare with a model turned and shifted."""
    placing = Placing.random(np.random.default_rng([seed, 3]), spatial)
    if "controller" in Varied(seed, spatial=spatial).chosen:
        return None  # its force is along an axis of the world
    there, other = positions(Varied(seed, spatial=spatial, placing=placing).model)
    return apart({what: placed(placing, values) for what, values in here.items()}, there, (motion, other))


def placed(placing: Placing, values: np.ndarray) -> np.ndarray:
    """Return points of the plane or of space where a placing puts them."""
    flat = np.zeros((*values.shape[:-1], 3))
    flat[..., : values.shape[-1]] = values
    return placing.point(flat.reshape(-1, 3)).reshape(flat.shape)[..., : values.shape[-1]]


def in_another_order(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str | None:
    """Compare with parts added in another order; with guesses that fit, since of others the last one yields first."""
    if _driven(Varied(seed, spatial=spatial).model):
        return None  # a drive moves what was guessed
    mechanism, here, motion = fitting(seed, spatial)
    model, rng = mechanism.model, np.random.default_rng([seed, 4])
    twin = pl.Model(model.name, plane=None if spatial else "xy")
    bodies, others = ([part for part in model if isinstance(part, Carrier) is kind] for kind in (True, False))
    for parts in (bodies, others):
        for number in rng.permutation(len(parts)):
            twin.add(parts[number])
    there, other = positions(twin)
    order = [other.position.marker.values.tolist().index(name) for name in motion.position.marker.values]
    return apart(here, {what: values[..., order, :] for what, values in there.items()}, (motion, other))


def with_half_the_step(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str:
    """Check that a motion that says ok is off by few percent of its range, and energies add up as the outcome says."""
    energy = motion.energy.values
    balance = energy[:, 0] + energy[:, 1] - energy[:, 2] + energy[:, 3]
    if np.max(np.abs(balance - balance[0])) > 1.01 * motion.outcome.energy_error + 1e-12:
        return "energies of the result are off by more than the outcome says"
    if "motion" not in here or not motion.outcome.ok:
        return ""
    there = moving(Varied(seed, spatial=spatial).model, 0.5 * STEP)
    span = float(np.ptp(here["motion"], axis=0).max())
    off = float(np.max(np.abs(there[::2] - here["motion"])))
    return f"ok, but half the step differs by {off / span:.2g} of the range" if off > 0.03 * span + CLOSE else ""


def by_another_formulation(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str | None:
    """Compare explicit accelerations of rigid bodies in the plane; rods marched in place of finite elements. Guesses
    that fit: the parts of a chain come in another order.
    """
    if spatial:
        return None
    mechanism, here, motion = fitting(seed, spatial)
    model = mechanism.model
    if model.beams:
        elements = pl.compile(model, elements=8)
        rest = pl.statics(elements)
        rods = pl.statics(pl.compile(model, formulation="shooting", subintervals=8), start=rest)
        off = float(np.max(np.abs(rods.position.values - rest.position.values)))
        return f"shooting rests {off:.2g} m from finite elements" if off > 0.01 else ""
    if not motion.outcome.ok or "motion" not in here:
        return None
    explicit = pl.transient(pl.compile(model, formulation="udwadia_kalaba"), end_time=END, times=[END], accuracy=1e-10)
    fine = moving(model, 0.25 * STEP)[-1]
    error = float(np.max(np.abs(fine - here["motion"][-1])))
    off = float(np.max(np.abs(explicit.position.values[-1] - fine)))
    return f"udwadia_kalaba ends {off:.2g} m away, where steps make {error:.2g}" if off > error + CLOSE else ""


def in_relative_coordinates(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str | None:
    """Open trees without multipliers: the same equilibrium, from the same pose if it is not said to be another branch,
    and the same motion to what the steps of the other make.
    """
    mechanism = Varied(seed, spatial=spatial)
    if _loops(mechanism) or mechanism.chosen & {"redundant", "controller"}:
        return None
    mechanism, here, motion = fitting(seed, spatial)
    system = pl.compile(mechanism.model, elements=2, formulation="relative")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rest = pl.statics(system)
    if any(issubclass(each.category, OtherBranch) for each in told):
        rest = pl.statics(system, start=pl.statics(pl.compile(mechanism.model, elements=2)))
    if fault := apart({"rest": here["rest"]}, {"rest": rest.position.values}):
        return f"relative: {fault}"
    if not motion.outcome.ok or "motion" not in here:
        return ""
    tree = pl.transient(system, end_time=END, times=[END], accuracy=1e-8)
    fine = moving(mechanism.model, 0.25 * STEP)[-1]
    error = float(np.max(np.abs(fine - here["motion"][-1])))
    off = float(np.max(np.abs(tree.position.values[-1] - fine)))
    return f"relative ends {off:.2g} m away, where steps make {error:.2g}" if off > error + CLOSE else ""


def turning(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str | None:
    """Compare rests on a table that turns: also the other way round, and with table, axis and centre elsewhere."""
    rng = np.random.default_rng([seed, 7])
    rate, placing = float(rng.uniform(0.5, 3.0)), Placing.random(rng, spatial)
    axis = Turn.random(rng, True).apply((0.0, 0.0, 1.0)) if spatial else np.array([0.0, 0.0, 1.0])
    about = rng.uniform(-0.3, 0.3, 3) * (1.0, 1.0, float(spatial))
    model = Spun(seed, spatial=spatial).model
    if _driven(model):
        return None  # what moves is not at rest on the table
    system = pl.compile(model, elements=2)
    still = pl.statics(system, spin=pl.Spin(rate, tuple(axis), tuple(about))).position.values
    back = pl.statics(system, spin=pl.Spin(-rate, tuple(axis), tuple(about))).position.values
    if fault := apart({"rest": still}, {"rest": back}):
        return f"the other way round {fault}"
    moved = pl.compile(Spun(seed, spatial=spatial, placing=placing).model, elements=2)
    spin = pl.Spin(rate, tuple(placing.turn.apply(axis)), tuple(placing.point(about)))
    return apart({"rest": placed(placing, still)}, {"rest": pl.statics(moved, spin=spin).position.values})


def in_a_loop(seed: int, spatial: bool, here: Positions, motion: pl.Result) -> str | None:
    """Close a loop by a controller: it ends, and a loop that says ok has not left the world."""
    mechanism = Varied(seed, spatial=spatial)
    controller = mechanism.controller()
    if controller is None:
        return None
    run = pl.transient(
        pl.compile(mechanism.model, elements=2), end_time=END, step=STEP, controller=controller, estimate=False
    )
    return "" if np.all(np.isfinite(run.position.values)) or not run.outcome.ok else "ok, but not finite"


Check = Callable[[int, bool, Positions, pl.Result], str | None]  # what differs; None: it does not apply
CHECKS: dict[str, Check] = {
    "units": in_other_units,
    "frames": elsewhere,
    "order of parts": in_another_order,
    "energy and steps": with_half_the_step,
    "formulations": by_another_formulation,
    "controllers": in_a_loop,
    "relative": in_relative_coordinates,
    "spins": turning,
}


def soak(seed: int, checks: Any = tuple(CHECKS)) -> dict[str, Any]:
    """Return the findings about a mechanism: its kinds, what was refused (by name), and faults."""
    spatial = bool(np.random.default_rng([seed, 5]).random() < 0.5)
    mechanism = Varied(seed, spatial=spatial)
    kinds = ["space" if spatial else "plane", *sorted(mechanism.chosen)]
    kinds += [word for word, there in (("beams", mechanism.model.beams), ("loops", _loops(mechanism))) if there]
    kinds += ["drives"] if _driven(mechanism.model) else []
    found: dict[str, Any] = {"seed": seed, "kinds": kinds, "refused": {}, "explained": {}, "faults": {}, "done": []}
    try:
        here, motion = positions(mechanism.model)
    except PliantError as refusal:
        found["refused"]["itself"] = f"{type(refusal).__name__}: {refusal}"[:160]
        return found
    for name in checks:
        try:
            fault = CHECKS[name](seed, spatial, here, motion)
        except PliantError as refusal:
            found["refused"][name] = f"{type(refusal).__name__}: {refusal}"[:160]
            continue
        if fault is not None:
            found["done"].append(name)
        if fault:
            found["explained" if isinstance(fault, Explained) else "faults"][name] = fault
    return found


def _loops(mechanism: Mechanism) -> bool:
    return any(part.name == "closing" for part in mechanism.model.joints)


def _driven(model: pl.Model) -> bool:
    return any(part.name.startswith("drive") for part in model.joints)
