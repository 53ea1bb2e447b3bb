"""Refusal of parts that no equation uses: they would be ignored."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from pliant.errors import ModelError
from pliant.forces._law import PointLaw
from pliant.model import Beam
from pliant.model.parts import Joint, Load, Part

WORDS = {"planar": "the plane", "spatial": "space"}


class UnusedPart(ModelError):
    """A part of the model that is in none of its equations."""


def check_used(layout: Any, meshed: Iterable[Part], joints: Iterable[Any]) -> None:
    """Refuse the first part that is neither ground, rigid body, meshed beam nor point mass, has no constraint rows
    (``joints``: `joint` and `count`), and that no family has packed.
    """
    model = layout.model
    used = {model.ground, *layout.rigid_bodies, *meshed, *model.point_masses}
    used |= layout.taken | {rows.joint for rows in joints if rows.count and _is_stated(rows.joint)}
    for part in model:
        if part not in used or _has_no_law(part):
            kind, space = type(part).__name__, "spatial" if model.spatial else "planar"
            elements = f" with elements {layout.mesh(part).options!r:.60}" if isinstance(part, Beam) else ""
            raise UnusedPart(
                f"{part.owner} would be ignored: nothing computes a {kind}{elements} in {WORDS[space]}. "
                f"{_advice(part, space)}"
            )


def _has_no_law(part: Part) -> bool:
    """Return whether a part's law leaves some of its fields unused; then no family may compute the part."""
    kind = part.computed_as
    return isinstance(part, PointLaw) and kind is not None and bool(kind.unused_fields())  # type: ignore[attr-defined]


def _is_stated(joint: Joint) -> bool:
    """Return whether the class as which a joint is computed defines rows, not a class that only adds fields."""
    kind = joint.computed_as
    return any(name in vars(kind) for name in joint.stated_by)


def _advice(part: Part, space: str) -> str:
    bases = [base for base in type(part).__mro__[1:] if getattr(base, "computed_as", None) is base]
    other = "planar" if space == "spatial" else "spatial"
    if isinstance(part, Beam):
        if part.section.hyperelastic:
            return "Its material is Hyperelastic, whose large strains only elements=pl.Exact(...) know."
        return f"Its elements have no kernels there: take others, or write {space}.py (docs/extending.md)."
    if not isinstance(part, Joint | Load):
        return "A part is a body, a beam, a point mass, a joint or a force: derive its class from one of them."
    if _has_kernels(part, other):
        return f"It has kernels for {WORDS[other]} only: write {space}.py beside them (docs/extending.md)."
    if bases and type(part).computed_as is type(part):
        known, kind = bases[0].__name__, type(part).__name__
        return (
            f"It adds fields to the fields of {known}, so that it is not computed as one. Write class {kind}({known}, "
            f"computed_as={known}) if it should be, or state equations of its own (docs/extending.md)."
        )
    if isinstance(part, Joint):
        return f"Its class states no rows for {WORDS[space]}: say what it locks there (docs/extending.md)."
    if isinstance(part, PointLaw):
        unused = ", ".join(type(part).unused_fields())
        return f"Its law does not use {unused}: name it in `numbers`, or in `inputs` if it is a signal."
    return "Give it a law: derive its class from PointLaw (docs/extending.md)."


def _has_kernels(part: Part, space: str) -> bool:
    """Return whether the folder of a force has kernels for the plane, or for space."""
    try:
        return find_spec(f"{type(part).__module__}.{space}") is not None
    except ModuleNotFoundError:  # a file, not a folder
        return False
