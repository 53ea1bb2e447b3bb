"""Model -> Constrained: beams become chains of links, joints become A and b."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pliant.formulations.dae.build import build as build_dae
from pliant.formulations.dae.system import System
from pliant.formulations.udwadia_kalaba.friction import Friction
from pliant.formulations.udwadia_kalaba.lumping import Lumping
from pliant.formulations.udwadia_kalaba.system import Constrained
from pliant.model import Model


def build(model: Model, *, elements: Any = 20, friction: Mapping[str, Friction] | None = None) -> Constrained:
    """Explicit accelerations of rigid bodies and of beams lumped into links.

    elements  number of links of every beam, "auto", ``Lumped(...)``, or a mapping from beam names to any of these
    friction  ``Friction(...)`` of some joints, by their names
    """
    lumping = Lumping(model, elements)
    lumping.model.check()
    dae = build_dae(lumping.model)
    known = {f.name: getattr(dae, f.name) for f in fields(System)}
    counts = {name: chain.mass.size for name, chain in lumping.chains.items()}
    known |= {"formulation": "udwadia_kalaba", "settings": {"formulation": "udwadia_kalaba", "elements": counts}}
    system = Constrained(**known, original=model, shares=lumping.shares, friction=dict(friction or {}))
    _ = system.compiled  # refuses friction where there can be none
    return system
