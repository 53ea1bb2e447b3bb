"""Meshes of one beam, as families of elements are packed from."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


def places_of_nodes(order, elements, uneven):
    """Return places s of the nodes of a beam, and the node numbers of every element."""
    end = np.linspace(0, 1, elements + 1)
    if uneven:
        end += 0.1 * end * (1 - end)
    inner = [a + (b - a) * np.arange(order) / order for a, b in zip(end, end[1:], strict=False)]
    return np.concatenate([*inner, [1.0]]), order * np.arange(elements)[:, None] + np.arange(order + 1)


def as_packed(slots):
    """Return slots as a system has them, in C order: kernels are compiled anew for arrays in another."""
    return np.ascontiguousarray(slots, np.uint32)


def stand_in(options, length, section, s, damping, **more):
    """Return a mesh of a beam that is no part of a model."""
    section.hyperelastic, section.uniform = False, True
    beam = SimpleNamespace(length=length, section=section, section_at=lambda s: section, name="beam")
    return SimpleNamespace(beam=beam, options=options, s=s, alpha=damping[0], beta=damping[1], **more)
