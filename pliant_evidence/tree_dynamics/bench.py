"""An arm of seven joints: forward and inverse dynamics beside Pinocchio, half a second of motion beside MuJoCo.

Pinocchio is called from Python, 10,000 times in a loop, which takes 0.2 microseconds a call by itself; pliant takes all
in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence import peers
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

CALLS = 10_000
END, ACCURACY, PEER_STEP = 0.5, 1e-7, 2.5e-3  # s, of a step, s: errors of the same size
SLOWER = 5.0  # times, at most
ROUNDS = 7


def arm(weight: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> pl.Model:
    """Build seven links in a row, with axes along and across them in turn."""
    m = pl.Model("seven joints", plane=None)
    end = m.add(pl.Ground()).at(0, 0, 0)
    for k in range(7):
        link = m.add(pl.Body(f"link {k}", mass=2.0 - 0.2 * k, inertia=(0.02, 0.02, 0.005)))
        m.add(pl.Revolute(end, link.at(0, 0, -0.15), axis="zy"[k % 2], name=f"joint {k}"))
        end = link.at(0, 0, 0.15)
    m.add(pl.Gravity(x=weight[0], y=weight[1], z=weight[2]))
    return m


@benchmark("tree-dynamics")
def tree_dynamics() -> Iterator[Comparison]:
    """An arm of seven joints: 10,000 forward and inverse dynamics, within 5 times Pinocchio's; 0.5 s of motion."""
    system: Any = pl.compile(arm(), formulation="relative")
    q, v, forces = np.random.default_rng(0).standard_normal((3, CALLS, 7))
    a = pl.forward_dynamics(system, q, v, forces)
    peer = peers.pinocchio()
    jobs: dict[str, tuple[Callable[[], np.ndarray], str, tuple[np.ndarray, ...]]] = {
        "forward": (partial(pl.forward_dynamics, system, q, v, forces), "aba", (q, v, forces)),
        "inverse": (partial(pl.inverse_dynamics, system, q, v, a), "rnea", (q, v, a)),
    }
    for name, (job, theirs, given) in jobs.items():
        there = None if peer is None else partial(in_pinocchio, peer.module, theirs, *given)
        apart = None if there is None else float(np.max(np.abs(job() - there())) / np.max(np.abs(job())))
        yield peers.compared(
            f"tree dynamics, {name}; error: difference, relative", f"{CALLS} calls", fastest(job), "Pinocchio", peer,
            settings=f"{theirs}, called from Python", peer_s=None if there is None else fastest(there),
            error=apart, required_ratio=1.0 / SLOWER,
        )  # fmt: skip
    yield motion()


def in_pinocchio(pinocchio: Any, function: str, *given: np.ndarray) -> np.ndarray:
    """Evaluate one of its functions at all rows."""
    model, last = pinocchio.Model(), 0
    for k in range(7):
        turns = pinocchio.JointModelRY() if k % 2 else pinocchio.JointModelRZ()
        place = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, 0.3 if k else 0.0]))
        last = model.addJoint(last, turns, place, f"joint {k}")
        solid = pinocchio.Inertia(2.0 - 0.2 * k, np.array([0.0, 0.0, 0.15]), np.diag([0.02, 0.02, 0.005]))
        model.appendBodyToJoint(last, solid, pinocchio.SE3.Identity())
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    call, data, found = getattr(pinocchio, function), model.createData(), np.empty_like(given[0])
    for k, row in enumerate(zip(*given, strict=True)):
        found[k] = call(model, data, *row)
    return found


def motion() -> Comparison:
    """Compare an arm let go upright where weight pulls aside; errors of the end angles, tolerances 1e-12 (rad)."""
    peer, system = peers.mujoco(), pl.compile(arm((-9.81, 0.0, 0.0)), formulation="relative")
    run = partial(pl.transient, system, end_time=END, times=[0.0, END], estimate=False)

    def angles(found: Any) -> np.ndarray:
        return system.coordinates(found.raw("state_q"))

    exact = angles(run(tolerances=(1e-12, 1e-12)))
    ways = {"pliant": Contender(partial(run, accuracy=ACCURACY))}
    if peer:
        ways["peer"] = Contender(partial(in_mujoco, peer.module, mujoco_arm(peer.module)))
    laps = race(ways, by=process_time)
    beside = laps.get("peer")
    return peers.compared(
        "tree dynamics, motion; error of angles at the end, rad", f"{END} s", laps["pliant"].seconds, "MuJoCo", peer,
        settings=f"RK4, {PEER_STEP} s", peer_s=beside.seconds if beside else None,
        error=float(np.max(np.abs(angles(laps["pliant"].value) - exact))),
        peer_error=float(np.max(np.abs(beside.value - exact))) if beside else None,
    )  # fmt: skip


def mujoco_arm(mujoco: Any) -> Any:
    """Build the arm in MuJoCo."""
    bodies = ""
    for k in range(7):
        solid = f'<inertial pos="0 0 0.15" mass="{2.0 - 0.2 * k}" diaginertia="0.02 0.02 0.005"/>'
        bodies += f'<body pos="0 0 {0.3 if k else 0}"><joint axis="{"0 1 0" if k % 2 else "0 0 1"}"/>{solid}'
    option = f'<option timestep="{PEER_STEP}" integrator="RK4" gravity="-9.81 0 0"/>'
    text = f"<mujoco>{option}<worldbody>{bodies}{'</body>' * 7}</worldbody></mujoco>"
    return mujoco.MjModel.from_xml_string(text)


def in_mujoco(mujoco: Any, model: Any) -> np.ndarray:
    """Return the angles at the end."""
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(END / PEER_STEP))
    return np.array(data.qpos)


def fastest(job: Callable[[], object]) -> float:
    """Return the least processor time of some runs (s); the first compiles."""
    seconds = []
    for _ in range(1 + ROUNDS):
        start = process_time()
        job()
        seconds.append(process_time() - start)
    return min(seconds[1:])
