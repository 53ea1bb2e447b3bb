"""Twenty rigid loops that swing for ten seconds, beside MuJoCo, at errors by an exact motion.

Parallelograms that hang side by side move as one pendulum: 21 posts turn, 20 bars only shift.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import pliant as pl
from pliant_evidence import peers
from pliant_evidence.time_steps.bench import loops
from pliant_testing.benchmarking import Comparison, Contender, benchmark, race

COUNT, LEAN, END, G = 20, -0.6, 10.0, 9.81  # rad, s, m/s^2
TIMES = np.linspace(0.0, END, 101)
WAYS: dict[str, dict[str, Any]] = {
    "udwadia_kalaba": {"accuracy": 1e-6, "estimate": False},
    "dae": {"accuracy": 1e-4},
}
PEER_STEP = 0.02  # s: 4e-5 of the length by RK4


@benchmark("rigid-loops")
def rigid_loops() -> Iterator[Comparison]:
    """20 rigid loops, 10 s, within 1e-4 of their length, beside MuJoCo's RK4."""
    exact, peer, ways = tips(), peers.mujoco(), {}
    for name, options in WAYS.items():
        system = pl.compile(loops(COUNT, LEAN), formulation=name)
        ways[name] = Contender(partial(pl.transient, system, end_time=END, times=TIMES, **options))
    if peer:
        model = in_mujoco(peer.module)
        ways["peer"] = Contender(partial(swing, peer.module, model, 1))
    laps = race(ways, rounds=3, by=process_time)
    beside = laps.pop("peer", None)
    for name, lap in laps.items():
        found = lap.value.position.sel(marker=f"post {COUNT}/tip").values - (COUNT, 0.0)
        yield peers.compared(
            f"rigid-loops: {name}", COUNT, lap.seconds, "MuJoCo", peer,
            settings=f"RK4, {PEER_STEP} s, loops closed by `connect`",
            peer_s=beside.seconds if beside else None,
            error=float(np.max(np.abs(found - exact))),
            peer_error=float(np.max(np.abs(swing(peer.module, model, TIMES.size - 1) - exact))) if peer else None,
            required_ratio=1.0,
        )  # fmt: skip


def tips() -> np.ndarray:
    """Return where the end of a post is, from its base."""
    inertia, weight = (COUNT + 1) / 3 + COUNT, ((COUNT + 1) / 2 + COUNT) * G
    found = solve_ivp(
        lambda _, y: (y[1], -weight / inertia * np.cos(y[0])), (0.0, END), (LEAN, 0.0),
        method="DOP853", rtol=1e-12, atol=1e-12, t_eval=TIMES,
    )  # fmt: skip
    return np.column_stack([np.cos(found.y[0]), np.sin(found.y[0])])


def in_mujoco(mujoco: Any, step: float = PEER_STEP) -> Any:
    """Return posts with bars as a tree; a bar's end is tied to the next post."""
    across, up, solid = np.cos(LEAN), np.sin(LEAN), f'mass="1" diaginertia="{1 / 12} {1 / 12} {1 / 12}"'
    hinge, bodies, ties = '<joint type="hinge" axis="0 -1 0"/>', "", ""
    for k in range(COUNT + 1):
        bar = f'<body name="bar{k}" pos="{across} 0 {up}">{hinge}<inertial pos="0.5 0 0" {solid}/></body>'
        post = f'<inertial pos="{across / 2} 0 {up / 2}" {solid}/>{bar if k < COUNT else ""}'
        bodies += f'<body name="post{k}" pos="{k} 0 0">{hinge}{post}</body>'
        stiff = f'solref="{2 * step} 1" solimp="0.999 0.9999 0.001"'
        ties += f'<connect body1="bar{k}" body2="post{k + 1}" anchor="1 0 0" {stiff}/>' if k < COUNT else ""
    return mujoco.MjModel.from_xml_string(f"""
    <mujoco><option timestep="{step}" gravity="0 0 -{G}" integrator="RK4"/>
    <worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>""")


def swing(mujoco: Any, model: Any, looks: int) -> np.ndarray:
    """Return the ends of the first post at the start and at so many instants."""
    data, angles = mujoco.MjData(model), [LEAN]
    for _ in range(looks):
        mujoco.mj_step(model, data, round(END / looks / model.opt.timestep))
        angles.append(LEAN + data.qpos[0])
    return np.column_stack([np.cos(angles), np.sin(angles)])
