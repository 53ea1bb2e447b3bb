"""Energy balance of a motion, checked at every step, recorded or not.

The balance ``T + V - W + D`` (kinetic and potential energy, work supplied, energy dissipated) is constant. Its error is
relative to the energy at work: the largest kinetic energy, range of the potential, work and dissipation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.jit import kernel

BALANCE = (  # fields of the counts of a motion
    "balance_begin",  # T + V at the start
    "energy_error",  # largest relative error of the balance
    "kinetic_least",
    "kinetic_most",
    "potential_least",
    "potential_most",
    "supplied_most",
    "dissipated_most",
)


ROUNDING = 1e-9  # of the potential energy


@kernel
def begin_balance(counts: Any, kinetic: float, potential: float) -> None:
    """Store the energies at the start."""
    counts.balance_begin = kinetic + potential
    counts.kinetic_least = kinetic
    counts.kinetic_most = kinetic
    counts.potential_least = potential
    counts.potential_most = potential


@kernel
def add_to_balance(counts: Any, kinetic: float, potential: float, work: np.ndarray) -> None:
    """Store the energies after a step, and the work since the start: supplied, dissipated."""
    off = kinetic + potential - work[0] + work[1] - counts.balance_begin
    counts.energy_error = max(counts.energy_error, abs(off))
    counts.kinetic_least = min(counts.kinetic_least, kinetic)
    counts.kinetic_most = max(counts.kinetic_most, kinetic)
    counts.potential_least = min(counts.potential_least, potential)
    counts.potential_most = max(counts.potential_most, potential)
    counts.supplied_most = max(counts.supplied_most, abs(work[0]))
    counts.dissipated_most = max(counts.dissipated_most, abs(work[1]))


@kernel
def energy_at_work(counts: Any) -> float:
    """Return the largest energy moved so far, at least the rounding of the potential."""
    least, most = counts.potential_least, counts.potential_most
    stored = max(counts.kinetic_most, most - least, ROUNDING * max(abs(most), abs(least)))
    return max(stored, counts.supplied_most, counts.dissipated_most)


@kernel
def honest_energy(counts: Any, stored: float, work: np.ndarray) -> float:
    """Return the energy at work without its spurious part so far."""
    gained = stored - work[0] + work[1] - counts.balance_begin
    return energy_at_work(counts) - max(0.0, gained)


def still_energy(mass: float, length: float, duration: float) -> float:
    """Return the kinetic energy of a negligible motion: a few 1e-5 of the model's size in the whole time."""
    return 1e-9 * mass * (length / duration) ** 2


def energy_summary(counts: Any) -> dict[str, Any]:
    """Return the energy balance and the opening of joints over all steps."""
    known = as_dict(counts)
    return {
        "opening": known["opening"],
        "energy_error": known["energy_error"],
        "energy_at_work": float(energy_at_work(counts)),
        "energy_range": max(
            known["kinetic_most"] - known["kinetic_least"], known["potential_most"] - known["potential_least"]
        ),
    }


def as_dict(record: Any) -> dict[str, Any]:
    """Return the numbers of a record by name: attributes of numpy's records are slow in Python.

    >>> as_dict(np.zeros(1, [("steps", int), ("size", float)])[0])
    {'steps': 0, 'size': 0.0}
    """
    return dict(zip(record.dtype.names, record.item(), strict=True))
