"""Kernels of the plane or of space, called by their addresses: a planar model compiles nothing of space."""

from __future__ import annotations

import numpy as np
from numba.core import types

from pliant._jit.address import address, caller
from pliant.joints.rows import planar, spatial
from pliant.joints.rows.data import Rows

_F1, _F2 = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_U1, _U2 = types.Array(types.uint32, 1, "C"), types.Array(types.uint32, 2, "C")
_OF_TERMS = (_U1, _U1, _F1, _U2, _U2, _F2, _F2, _U1, _U2, _U2)
_OF_ROWS = (_F1, _F1, _U1, _F1, _F1, _F1, _U1)
_ROWS = types.NamedTuple([*_OF_TERMS, *_OF_ROWS, _U2, _U2, types.Array(types.int64, 1, "C")], Rows)  # type: ignore[no-untyped-call]

SIGNATURES = {
    "add": types.void(_ROWS, _F1, _F1, _F1, types.float64, types.float64, _F1, _F1, _F1),
    "residual": types.void(_ROWS, _F1, _F1, _F1),
    "velocity": types.void(_ROWS, _F1, _F1, _F1, _F1, _F1),
    "bias": types.void(_ROWS, _F1, _F1, _F1, _F1, _F1),
}
ADD, RESIDUAL, VELOCITY, BIAS = range(len(SIGNATURES))
call_add, call_residual, call_velocity, call_bias = (caller(name, each) for name, each in SIGNATURES.items())


def addresses(in_space: bool) -> np.ndarray:
    """Where these kernels are in this process, compiled or loaded if need be."""
    home = spatial if in_space else planar
    return np.array([address(getattr(home, name), signature) for name, signature in SIGNATURES.items()], np.int64)
