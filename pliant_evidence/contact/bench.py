"""A thousand steps of 1 ms with rigid contacts, beside MuJoCo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence import peers
from pliant_evidence.contact import in_mujoco, jobs
from pliant_evidence.contact.jobs import STEP, STEPS
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

TWICE = 0.5  # MuJoCo's time may be doubled
END = STEPS * STEP


@benchmark("contact")
def contact() -> Iterator[Comparison]:
    """A ball, 100 balls, 100 balls in a pile, a strip: 1,000 steps with rigid contacts, beside MuJoCo."""
    for count, name, ratio in ((1, "a ball on a floor", None), (100, "100 balls on a floor", TWICE)):
        centres, fast = jobs.places(count), jobs.speeds(count)
        exact = jobs.slid(count, END)
        push = {f"ball {k}": (speed, 0, 0, 0, 0, 0) for k, speed in enumerate(fast.tolist())}

        def late(x: np.ndarray, begin: np.ndarray = centres[:, 0], exact: np.ndarray = exact) -> float:
            return float(np.max(np.abs(x - begin - exact) / exact))

        yield row(
            f"contact: {name}; error of the way, sliding and rolling",
            jobs.balls(centres, collide=False),
            lambda run: late(run.position.values[-1, :, 0]),
            lambda data: late(data.qpos[0::7]),
            partial(in_mujoco.model, bodies=in_mujoco.balls(centres), collide=False),
            push=push, speeds=fast, required=ratio,
        )  # fmt: skip
    centres = jobs.pile(100)
    yield row(
        "contact: 100 balls on a floor and on each other; error: overlap in radii at the end",
        jobs.balls(centres, collide=True),
        lambda run: jobs.overlap(run.position.values[-1]),
        lambda data: jobs.overlap(data.qpos.reshape(-1, 7)[:, :3]),
        partial(in_mujoco.model, bodies=in_mujoco.balls(centres), collide=True),
    )  # fmt: skip
    yield row(
        "contact: a strip on a floor, 21 contacts (peer: steps of 0.1 ms); error: height at the end in thicknesses",
        jobs.strip(),
        lambda run: float(np.max(np.abs(run.position.values[-1, :, 1])) / jobs.THICK),
        lambda data: float(np.max(np.abs(data.geom_xpos[1:, 2])) / jobs.THICK),
        partial(in_mujoco.model, bodies=in_mujoco.strip(), collide=False, step=in_mujoco.STRIP),
    )


def row(
    name: str,
    model: pl.Model,
    error: Callable[[Any], float],
    peer_error: Callable[[Any], float],
    peer_model: Callable[..., Any],
    *,
    push: Any = None,
    speeds: np.ndarray | None = None,
    required: float | None = None,
) -> Comparison:
    """Measure one job, in turns; of MuJoCo's cones the quicker."""
    system, peer = pl.compile(model, elements=jobs.PIECES), peers.mujoco()
    motion: dict[str, Any] = {"end_time": END, "step": STEP, "every": STEPS, "contact": "complementarity", "push": push}
    motion["estimate"] = False  # nor does the peer estimate its error
    ways = {"pliant": Contender(lambda: pl.transient(system, **motion))}
    if peer:
        made = {cone: peer_model(peer.module, cone=cone) for cone in in_mujoco.CONES}
        ways |= {cone: Contender(partial(in_mujoco.run, peer.module, each, speeds)) for cone, each in made.items()}
    laps = race(ways, by=process_time)
    ours = laps.pop("pliant")
    best = min(laps, key=lambda cone: laps[cone].seconds, default=None)
    return peers.compared(
        name, STEPS, ours.seconds, "MuJoCo", peer,
        settings=f"{best} cone, contacts within two steps",
        peer_s=laps[best].seconds if best else None,
        error=error(ours.value),
        peer_error=peer_error(laps[best].value) if best else None,
        required_ratio=required,
    )  # fmt: skip
