"""What a controller cannot measure of rods that are marched."""

from __future__ import annotations

from collections.abc import Sequence

from pliant.errors import OptionError
from pliant.solvers.sensors import Reading

INSIDE = ("resultant", "strain")


def refuse_insides(names: Sequence[str], terms: Sequence[Reading]) -> None:
    """Refuse outputs that are forces or strains inside rods: in the time loop only their ends are at hand."""
    for name, term in zip(names, terms, strict=True):
        if term.variable in INSIDE:
            raise OptionError(
                f"controller: {name!r} is inside a beam, which is not measured in the formulation 'shooting'. Measure "
                "angles, positions, velocities, lengths and tensions, or compile with formulation='dae'."
            )
