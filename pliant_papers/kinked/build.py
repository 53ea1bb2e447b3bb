"""Build Kinked from a model: an open arm of beams, links and rotary joints in relative coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pliant.elements.beam_exact import Exact
from pliant.errors import OptionError, nearest
from pliant.model import Carrier, Model
from pliant.solvers.nonlinear.loop_closure import build as assemble
from pliant.system.packing.build import by_beam
from pliant.system.system import System
from pliant.system.variants import Variant
from pliant_papers.kinked.arm import Arm
from pliant_papers.kinked.refusals import check, warn_of_thick
from pliant_papers.kinked.system import Kinked
from pliant_papers.kinked.view import Nodes

STRAINS = {
    "linear": (0.0, 0.0, 0.0),
    "third": (1.0, 0.0, 0.0),
    "fourth": (0.0, 1.0, 0.0),
    "nonlinear": (1.0, 1.0, 0.0),
    "mean": (1.0, 0.0, 1.0),
}
FRAMES = ("element", "link")
MODES = ("component", "system")
PINNED = ("pinned", "chord")  # reference conditions of section 3.3, footnote 1, that are not offered


@dataclass(frozen=True)
class Cubic(Exact, abstract=True):  # not used by compile
    """Nodes of beams with cubic elements, so that the error of frequencies falls with the fourth power of the element
    length.
    """

    convergence: ClassVar[float] = 4.0


def build(
    model: Model,
    *,
    elements: int | Mapping[str, int] = 2,
    strain: str = "mean",
    frames: str = "element",
    modes: str = "component",
    shear: bool | None = None,
) -> Kinked:
    """Build an arm in relative coordinates.

    elements  of every beam, or a mapping from beam names to numbers
    strain    "mean": von Karman with the mean axial strain of an element, which does not lock; "nonlinear": von Karman
              as in the paper; "third", "fourth": only that term of the energy; "linear": neither
    frames    "element": one for every element, along the tangent at its start (eq. 6); "link": one for every beam
              (eq. 23, the conventional model)
    modes     "component", or "system": joints beyond the first are locked for bending (section 4)
    shear     True: sections shear and have rotary inertia (Timoshenko); False: neither, as in the paper; None: neither,
              with a warning for a beam whose first frequency they would lower by more than 1 %
    """
    if frames in PINNED:
        raise OptionError(
            f"frames={frames!r}: elements of the formulation 'kinked' are clamped to their frames, along the tangent "
            "at their start; pinned reference conditions are not offered. Take frames='element' or 'link', or compile "
            "with formulation='relative', whose elements have no reference frame."
        )
    for name, value, known in (("strain", strain, STRAINS), ("frames", frames, FRAMES), ("modes", modes, MODES)):
        if value not in known:
            raise OptionError(f"{name}={value!r} is not known. {nearest(str(value), known)}")
    if shear not in (True, False, None):
        raise OptionError(f"shear={shear!r} is not known; it must be True, False or None.")
    check(model)
    if shear is None:
        warn_of_thick(model)
    counts = _counts(model, elements)
    observed = assemble(model, elements={name: Cubic(count) for name, count in counts.items()})
    arm = Arm(observed, frames, modes, bool(shear))
    driven = [*_driven(model, observed, arm)]
    chosen = {"strain": strain, "frames": frames, "modes": modes, "shear": bool(shear)}
    return Kinked(
        observed=observed,
        tree=arm.tree(STRAINS[strain]),
        names=tuple(arm.names),
        turning=arm.turning,
        nodes=_nodes(observed, arm),
        carriers=arm.carriers | {name: (frame, 1.0) for name, _, _, frame in driven},
        bases={name: None if body is None else observed.layout.node(body) for name, body in arm.bases.items()},
        driven=tuple((joint, signal) for _, joint, signal, _ in driven),
        settings={"formulation": "kinked", "elements": counts, **chosen},
    )


def _counts(model: Model, elements: Any) -> dict[str, int]:
    counts = by_beam(model, elements, 2)
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise OptionError(f"elements of beam {name!r}: got {count!r}; give a whole number of at least 1.")
    return {name: int(count) for name, count in counts.items()}


def _nodes(observed: System, arm: Arm) -> Nodes:
    """Return the correspondence of observed nodes and nodes of the tree."""
    layout, tree = observed.layout, arm.tree(STRAINS["linear"])
    carried: list[tuple[Carrier, int]] = [(body, 0) for body in layout.rigid_bodies]
    carried += [(mesh.beam, k) for mesh in layout.beams for k in range(mesh.nodes.size)]
    places = [arm.place[key] for key in carried]
    twin, back = np.full(tree.frame.size, -1), np.zeros((tree.frame.size, 2))
    for k, place in enumerate(places):
        twin[place.node], back[place.node] = k, (-place.x, -place.y)
    for node in np.flatnonzero(twin[1:] < 0) + 1:  # the origin of an element's frame: the section at its start
        start = tree.start[tree.frame[node]]
        twin[node], back[node] = twin[start], back[start]
    return Nodes(np.array([p.node for p in places]), np.array([p[1:] for p in places]).reshape(-1, 2), twin, back)


def _driven(model: Model, observed: System, arm: Arm) -> Iterator[tuple[str, int, int, int]]:
    """Yield name, freedom, signal and frame of every driven joint."""
    for motion in model.joints:
        if motion.coordinate:
            sense, joint, frame = arm.about(motion)
            if sense < 0 or motion.a.angle or motion.b.angle:
                raise OptionError(f"{motion.owner}: give the side nearer to the ground first, with markers not turned.")
            yield motion.name, joint, observed.layout.signal(motion.conditions(False)[0].signal, motion, "angle"), frame


def variants(model: Model) -> list[Variant]:
    """Return the variants of the paper, and with shear and rotary inertia."""
    if not model.beams:
        return [Variant("kinked")]
    thin = ("shear", "rotary inertia")
    return [
        Variant("kinked", "", lambda pieces: {"elements": pieces, "shear": False}, 2, None, thin),
        Variant("kinked", "shear", lambda pieces: {"elements": pieces, "shear": True}, 2),
    ]


def finer(model: Model, factor: int, *, elements: Any = 2, **others: Any) -> dict[str, Any]:
    """Return options of an arm with ``factor`` times as many elements."""
    return {"elements": {name: factor * count for name, count in _counts(model, elements).items()}, **others}
