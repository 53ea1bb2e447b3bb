"""Variables along beams: the tension of a tendon in its channel, the angle of a sleeve about the beam."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from pliant.elements.sleeve import Sleeve
from pliant.forces.channel import ChannelTendon
from pliant.system.packing import catalogue, fused
from pliant.system.samples import Samples


def places(layout: Any) -> dict[str, Any]:
    """Return the coordinates of these variables: parts and positions along beams, for channels and sleeves, if any."""
    found: dict[str, Any] = {}
    for name, kind in (("channel", ChannelTendon), ("sleeve", Sleeve)):
        parts: Sequence[Any] = layout.forces(kind)
        rows = [_nodes(layout, part, ends=kind is ChannelTendon) for part in parts]
        if parts:
            owners = [part.name for part, s in zip(parts, rows, strict=True) for _ in s]
            found |= {name: (f"{name}_place", owners), f"{name}_s": (f"{name}_place", np.concatenate(rows))}
    return found


def _nodes(layout: Any, part: Any, *, ends: bool) -> np.ndarray:
    """Return the positions of the nodes of the beam within a part, or only of the ends of its elements."""
    mesh = layout.mesh(part.beam)
    s = np.asarray(mesh.s)[:: mesh.options.order if ends else 1]
    near = 0.25 * float(np.min(np.diff(s)))
    return np.asarray(s[(s > part.start - near) & (s < part.end + near)])


def variables(system: Any, samples: Samples, u: np.ndarray, lead: str) -> dict[str, Any]:
    """Return functions that compute the variables, by name."""
    layout, found = system.layout, {}
    if layout.forces(ChannelTendon):
        found["channel_tension"] = partial(_tensions, system, samples, u, lead)
    if layout.forces(Sleeve):
        found["sleeve_angle"] = partial(_angles, layout, samples, u, lead)
    return found


def _tensions(system: Any, samples: Samples, u: np.ndarray, lead: str) -> tuple[Any, ...]:
    out = np.zeros((samples.time.size, len(places(system.layout)["channel_s"][1])))
    layout = system.layout
    (name,) = (each for each in catalogue.having("profile", layout) if catalogue.of(each).lines(layout))
    catalogue.of(name).profile(fused.family(system.equations.parts, name), samples.q, samples.v, u, out)
    return (lead, "channel_place"), out


def _angles(layout: Any, samples: Samples, u: np.ndarray, lead: str) -> tuple[Any, ...]:
    columns: list[np.ndarray] = []
    for sleeve in layout.forces(Sleeve):
        held, own = np.zeros((len(u), 1)), samples.q[:, layout.own(sleeve)]
        along = np.hstack([held, own])[:, -_nodes(layout, sleeve, ends=False).size :]  # without its holder
        along[:, 0] += u[:, layout.signal(sleeve.angle, sleeve, "angle")]
        columns.append(along)
    return (lead, "sleeve_place"), np.hstack(columns)
