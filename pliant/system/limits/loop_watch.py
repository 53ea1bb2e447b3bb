"""Quality of the joints of a motion: rank of their Jacobian, and the displacement that would close them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pliant.joints import rows as joints
from pliant.system.observation.lazy_arrays import CachedCall, Deferred
from pliant.system.samples import Samples

RANK = 1e-8  # of the largest singular value: smaller ones are zero


def loop_watch(system: Any, samples: Samples) -> Mapping[str, Any]:
    """Return variables of a motion, computed at the first use. With G of rows of length one, without units,

    joint_rank        number of independent joint conditions: singular values of G above 1e-8 of the largest
    joint_margin      ratio of the smallest to the largest singular value, without values that are always zero: near 0
                      a mechanism is near a dead centre, or another pose where its joints do not determine its motion
    joint_projection  largest entry of the least displacement that closes all joints, -G^+ g, in lengths of the model
                      and radians: the error of the time stepping
    """
    found = CachedCall(lambda: _found(system, samples))
    names = "joint_rank", "joint_margin", "joint_projection"
    return Deferred({name: lambda k=k: (("time",), found()[k], {"units": "1"}) for k, name in enumerate(names)})


def _found(system: Any, samples: Samples) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, scale, unit = system.equations.rows, system.length_scale, 1.0 / system.weight
    sizes = np.where(joints.angular(rows), 1.0, scale)
    u = system.signals(samples.time) if samples.signals is None else samples.signals
    values = np.zeros((samples.time.size, min(system.constraints, system.freedoms)))
    gap, projection = np.zeros(system.constraints), np.zeros(samples.time.size)
    for k, q in enumerate(samples.q):
        jacobian = system.row_gradients(q) * unit / sizes[:, None]
        jacobian = jacobian[:, jacobian.any(axis=0)]
        length = np.maximum(np.linalg.norm(jacobian, axis=1), 1e-300)
        left, singular, right = np.linalg.svd(jacobian / length[:, None], full_matrices=False)
        joints.residual(rows, q, u[k], gap)
        certain = singular > RANK * singular[0]
        move = right[certain].T @ (left[:, certain].T @ (gap / sizes / length) / singular[certain])
        values[k, : singular.size], projection[k] = singular, np.max(np.abs(move), initial=0.0)
    rank = np.sum(values > RANK * values[:, :1], axis=1)
    return rank, values[:, np.max(rank) - 1] / values[:, 0], projection
