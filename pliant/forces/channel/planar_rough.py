"""Channels along beams in the plane with friction: change of the tension along them with all coordinates they pass."""

import numpy as np

from pliant.forces.channel import fading, rows
from pliant.forces.channel.planar import add_gradient, add_hessian, add_turning, along, travel
from pliant.forces.channel.sums import no_energy
from pliant.jit import kernel

Arrays, pack, energy, dry = rows.ElasticArrays, rows.pack_rough, no_energy, fading.dry
unsymmetric, rubbing = rows.unsymmetric, rows.rubbing


@kernel
def half_turns(dofs: np.ndarray, v: np.ndarray, factor: float, speeds: np.ndarray, out: np.ndarray) -> None:
    """Do nothing: the plane has no half turns."""


add = fading.fading_of(travel, along, (add_gradient, add_turning, add_hessian), half_turns)
