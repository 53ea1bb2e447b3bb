"""Six motions, each in pliant and in a peer, at settings from coarse to fine.

Errors are largest distances of one point from a much finer motion (of rigid loops: an exact one), at equal instants:
errors of the mesh, of the steps and of Newton's method together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence import peers
from pliant_evidence.ancf_cable import bench as cable
from pliant_evidence.exudyn_beams import VARIANTS, Beams, Plan, peer
from pliant_evidence.leg.bench import UNDAMPED, released
from pliant_evidence.precision import Way
from pliant_evidence.rigid_loops import bench as posts
from pliant_evidence.rod_platform.bench import PLAN as SWAY
from pliant_evidence.rod_platform.bench import stand
from pliant_evidence.slider_crank.bench import mechanism
from pliant_evidence.spinning_beam.bench import PLAN as SPIN
from pliant_evidence.spinning_beam.bench import arm
from pliant_gallery.leg import LEG
from pliant_gallery.leg import model as leg
from pliant_gallery.leg.stages import MIDDLE, pretension
from pliant_gallery.rod_platform import model as rod_platform
from pliant_gallery.slider_crank import CRANK
from pliant_gallery.slider_crank import model as slider_crank
from pliant_gallery.spinning_beam import model as spinning_beam
from pliant_testing.benchmarking import Peer

MESHES = (5, 10, 20, 40)  # two-node elements a beam, in both programs
HIGHER = (pl.Exact(2, order=3), pl.Exact(4, order=3), pl.Exact(8, order=3))
FINEST = pl.Exact(8, order=4)
NEWTON, TOLERANCES = VARIANTS[2], (1e-5, 1e-7)
"""The peer's Newton method, which was the quickest of its variants in all of these motions, and its tolerances."""
LOOPS = {  # required accuracies
    "udwadia_kalaba": (1e-3, 1e-4, 1e-5, 1e-6, 1e-8),
    "dae": (1e-3, 1e-4, 1e-5),
}
PEER_STEPS = (0.05, 0.02, 0.01, 0.005, 0.002)  # s


@dataclass(frozen=True)
class Job:
    """A motion: the ways to compute it here and there, the exact one, and the length that scales errors."""

    name: str
    ours: Callable[[], Iterator[Way]]
    theirs: Callable[[Any], Iterator[Way]]
    exact: Callable[[], np.ndarray]
    size: float = 1.0
    peer: Callable[[], Peer | None] = peer


@dataclass(frozen=True)
class Beamwork:
    """A motion of beams; ``plan`` says how long it is, where and when it is compared, with any number of steps."""

    plan: Plan
    steps: tuple[int, ...]
    compiled: Callable[[Any], tuple[Any, Any]]  # system of a mesh, and the state it starts from
    build: Callable[..., Beams]  # in Exudyn, with so many elements a beam
    meshes: tuple[int, ...] = MESHES

    def run(self, system: Any, start: Any, steps: int) -> np.ndarray:
        """Compute the motion by pliant."""
        plan = replace(self.plan, steps=steps, start=start)
        return plan.positions(plan.pliant(system))

    def ours(self) -> Iterator[Way]:
        """Yield both kinds of elements, every number of steps."""
        for mesh in (*(pl.Exact(n) for n in self.meshes), *HIGHER):
            system, start = self.compiled(mesh)
            for steps in self.steps:
                words = f"{mesh.elements} of order {mesh.order}, {steps} steps"
                yield words, partial(self.run, system, start, steps)

    def theirs(self, exudyn: Any) -> Iterator[Way]:
        """Yield the settings of Exudyn."""
        for elements in self.meshes:
            beams = self.build(exudyn, elements=elements)
            for steps, tolerance in product(self.steps, TOLERANCES):
                settings = beams.settings(replace(self.plan, steps=steps), NEWTON, tolerance)
                words = f"{elements} elements, {steps} steps, {NEWTON.name}, tolerance {tolerance:g}"
                yield words, partial(beams.solve, settings)

    def exact(self) -> np.ndarray:
        """Compute the motion with the finest mesh and an eighth of the shortest step."""
        return self.run(*self.compiled(FINEST), 8 * self.steps[-1])

    def job(self, name: str) -> Job:
        """Build the job of one of the six."""
        return Job(name, self.ours, self.theirs, self.exact, self.plan.size)


def at_rest(model: Callable[[], pl.Model], mesh: Any) -> tuple[Any, None]:
    """Return a system that starts as it is assembled."""
    return pl.compile(model(), elements=mesh), None


def bent(mesh: Any) -> tuple[Any, Any]:
    """Return the leg without the hold, and its equilibrium with it."""
    held, free = (pl.compile(leg(UNDAMPED, hold=hold), elements=mesh) for hold in ("q3", None))
    return free, pretension(held, UNDAMPED).rest


def loops() -> Iterator[Way]:
    """Yield twenty parallelograms by pliant."""
    for name, accuracies in LOOPS.items():
        system = pl.compile(posts.loops(posts.COUNT, posts.LEAN), formulation=name)
        for accuracy in accuracies:
            yield f"{name}, accuracy {accuracy:g}", partial(post_tip, system, accuracy)


def post_tip(system: Any, accuracy: float) -> np.ndarray:
    """Return the end of the last post, from its base."""
    run = pl.transient(system, end_time=posts.END, times=posts.TIMES, accuracy=accuracy, estimate=False)
    return np.asarray(run.position.sel(marker=f"post {posts.COUNT}/tip").values) - (posts.COUNT, 0.0)


def loops_in_mujoco(mujoco: Any) -> Iterator[Way]:
    """Yield the settings of MuJoCo's RK4."""
    for step in PEER_STEPS:
        model = posts.in_mujoco(mujoco, step)
        yield f"RK4, {step:g} s", partial(posts.swing, mujoco, model, posts.TIMES.size - 1)


BEAMS = {
    "spinning beam": Beamwork(SPIN, (1000, 2000, 4000, 8000), partial(at_rest, spinning_beam), arm),
    "slider-crank, aluminium": Beamwork(
        Plan(3.0, 600, report=0.025, marker="rod/base", size=2 * CRANK),
        (240, 600, 1200, 3000, 6000),
        partial(at_rest, slider_crank),
        partial(mechanism, material="aluminium"),
    ),
    "leg, released": Beamwork(
        Plan(3.0, 600, report=0.025, marker=MIDDLE, size=LEG.leaf_length), (600, 1200, 3000, 6000), bent, released,
        meshes=(10, 20, 40, 80),
    ),
    "six rods and a platform": Beamwork(SWAY, (80, 200, 400, 1000), partial(at_rest, rod_platform), stand, (5, 10, 20)),
}  # fmt: skip
JOBS = (
    *(work.job(name) for name, work in BEAMS.items()),
    Job("swinging cable", cable.ours, cable.theirs, cable.sharp),
    Job("20 rigid loops", loops, loops_in_mujoco, posts.tips, peer=peers.mujoco),
)
