"""Build Constrained from a model: beams become chains of links, joints become A and b."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.errors import OptionError
from pliant.formulations.udwadia_kalaba.chain import surface_strains
from pliant.formulations.udwadia_kalaba.lumped import Lumped
from pliant.formulations.udwadia_kalaba.lumping import lumping
from pliant.formulations.udwadia_kalaba.system import Constrained
from pliant.model import Model
from pliant.solvers.nonlinear.equilibrium import settle, slide, unloaded
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.system.packing.build import length_scale
from pliant.system.variants import Variant

COARSE = 10  # links


def build(model: Model, *, elements: Any = 20) -> Constrained:
    """Build the system with explicit accelerations of rigid bodies and of beams lumped into links.

    elements  number of links of every beam, "auto", ``Lumped(...)``, or a mapping from beam names to any of these
    """
    made_of = lumping(model, elements)
    _refuse_units(model, made_of.options)
    made_of.model.check()
    made = {name: repr(replace(made_of.options[name], elements=c.mass.size)) for name, c in made_of.chains.items()}
    links = [f"{beam.name}{word}" for beam in model.beams for word in (".", " pin ", " shear ")]
    settings = {"formulation": "udwadia_kalaba", "elements": made, "of_the_mesh": links}
    system = Constrained.made_from(
        assemble(made_of.model, rubs=True, length=length_scale(model)),
        formulation="udwadia_kalaba",
        settings=settings,
        original=model,
        shares=made_of.shares,
        centres={beam.name: made_of.chains[beam.name].places / beam.length for beam in model.beams},
        strains={beam.name: surface_strains(beam, made_of.options[beam.name]) for beam in model.beams},
    )
    if made_of.bent:
        system = replace(system, initial=relaxed(system))
    return system


def _refuse_units(model: Model, options: Mapping[str, Lumped]) -> None:
    """Refuse numbers with units for a model without units: it is unknown whether they were scaled."""
    given = [f"stiffness of {name!r}" for name, each in options.items() if each.stiffness is not None]
    given += [f"damping of {name!r}" for name, each in options.items() if each.damping != 0.0]
    if model.scales is not None and given:
        raise OptionError(
            f"{given[0]}: the model is in units of {model.scales}. Give parts and sections their "
            "numbers before it is scaled, or compile the one in SI units."
        )


def relaxed(system: Constrained) -> np.ndarray:
    """Return the shape of the chains without loads, if they must bend to close their loops."""
    scratch, start = system.scratch(), system.start()
    u = unloaded(system, start.q, system.signals(np.zeros(1))[0])
    found = slide(system, start.q.copy(), start.lam, u, 0.0, scratch)
    return start.q if found is None else settle(system, found, u, scratch).state.q


def variants(model: Model) -> list[Variant]:
    """Return the variants of chains of links, without and with shear in their joints; links are inextensible."""
    if not model.beams:
        return [Variant("udwadia_kalaba", in_space=True)]
    stiff = ("shear", "extension")
    plain = Variant("udwadia_kalaba", "", lambda pieces: {"elements": pieces}, COARSE, 2.0, stiff, in_space=True)
    sliding = Variant(
        "udwadia_kalaba",
        "shear",
        lambda pieces: {"elements": Lumped(pieces, shear=True)},
        COARSE,
        2.0,
        ("extension",),
        in_space=True,
    )
    return [plain, sliding]


def finer(model: Model, factor: int, *, elements: Any = 20, **others: Any) -> dict[str, Any]:
    """Return options of chains with ``factor`` times as many links, odd numbers remaining odd: the middle of a beam
    then is a link in both, or a pin in both, whose errors differ. A given stiffness belongs to the given links.
    """
    made_of = lumping(model, elements)
    for name, option in made_of.options.items():
        given = "stiffness" if option.stiffness is not None else option.by_link
        if given:
            raise OptionError(
                f"refine: the chain of beam {name!r} was given its {given} ({option!r}), which does not apply to "
                f"shorter links. Leave {given}= out."
            )
    counts = {name: factor * chain.mass.size for name, chain in made_of.chains.items()}
    counts = {name: count - (count - made_of.chains[name].mass.size) % 2 for name, count in counts.items()}
    return {"elements": {name: replace(made_of.options[name], elements=n) for name, n in counts.items()}, **others}
