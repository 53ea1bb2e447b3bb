"""What one forward and one inverse dynamics of a seven-joint arm cost, from compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

import pliant as pl
from pliant.benchmarking import Comparison, benchmark

CALLS = 10_000
PINOCCHIO = {"forward": 2.6e-6, "inverse": 1.3e-6}  # s a call, on a machine like ours (issue on speed)
SLOWER = 5.0  # times, at most
ROUNDS = 7


def arm() -> pl.Model:
    """Seven links in a row, with axes along and across them in turn."""
    m = pl.Model("seven joints", plane=None)
    end = m.add(pl.Ground()).at(0, 0, 0)
    for k in range(7):
        link = m.add(pl.Body(f"link {k}", mass=2.0 - 0.2 * k, inertia=(0.02, 0.02, 0.005)))
        m.add(pl.Revolute(end, link.at(0, 0, -0.15), axis="zy"[k % 2], name=f"joint {k}"))
        end = link.at(0, 0, 0.15)
    m.add(pl.Gravity(y=0.0, z=-9.81))
    return m


@benchmark("tree-dynamics")
def tree_dynamics() -> Iterator[Comparison]:
    """An arm of seven joints: 10,000 forward and inverse dynamics in a call, each within 5 times Pinocchio's."""
    system: Any = pl.compile(arm(), formulation="relative")
    q, v, forces = np.random.default_rng(0).standard_normal((3, CALLS, 7))
    a = pl.forward_dynamics(system, q, v, forces)
    jobs: dict[str, Callable[[], np.ndarray]] = {
        "forward": partial(pl.forward_dynamics, system, q, v, forces),
        "inverse": partial(pl.inverse_dynamics, system, q, v, a),
    }
    best = {name: fastest(job) for name, job in jobs.items()}
    back = float(np.max(np.abs(jobs["inverse"]() - forces)) / np.max(np.abs(forces)))
    for name, seconds in PINOCCHIO.items():
        yield Comparison(
            f"tree dynamics, {name}",
            f"{CALLS} calls, processor time; error: inverse of forward, relative",
            best[name],
            peer="Pinocchio 4.1",
            peer_settings="2.6 and 1.3 µs a call, measured apart",
            peer_s=CALLS * seconds,
            pliant_error=back,
            required_ratio=1.0 / SLOWER,
        )


def fastest(job: Callable[[], object]) -> float:
    """Least processor time of some runs (s); the first compiles."""
    seconds = []
    for _ in range(1 + ROUNDS):
        start = process_time()
        job()
        seconds.append(process_time() - start)
    return min(seconds[1:])
