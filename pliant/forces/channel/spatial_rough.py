"""Channels along beams in space with friction: change of the tension along them with all coordinates they pass."""

import numpy as np

from pliant.forces.channel import fading, rows
from pliant.forces.channel.spatial import add_gradient, add_hessian, add_turning, along, travel
from pliant.forces.channel.sums import no_energy
from pliant.jit import kernel
from pliant.kernels.triples import cross, vector

Arrays, pack, energy, dry = rows.ElasticArrays, rows.pack_rough, no_energy, fading.dry
unsymmetric, rubbing = rows.unsymmetric, rows.rubbing


@kernel
def half_turns(dofs: np.ndarray, v: np.ndarray, factor: float, speeds: np.ndarray, out: np.ndarray) -> None:
    """Add factor spin x moment of every node to out: forces turn with their node, but spins are given in its axes."""
    for k in range(3, dofs.size, 6):
        x, y, z = cross(vector(v, dofs[k]), vector(speeds, k))
        out[k], out[k + 1], out[k + 2] = out[k] + factor * x, out[k + 1] + factor * y, out[k + 2] + factor * z


add = fading.fading_of(travel, along, (add_gradient, add_turning, add_hessian), half_turns)
