"""Options of beam elements: what they refuse, and that they stay light."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pliant.elements._family import families, folders
from pliant.elements.beam_corotational import Corotational
from pliant.elements.beam_exact import Exact
from pliant.elements.beam_linear import Linear
from pliant.errors import OptionError


@pytest.mark.parametrize("kind", [Exact, Corotational, Linear])
@pytest.mark.parametrize("elements", [0, -3, 2.5, True, "8", None])
def test_elements_is_a_positive_whole_number(kind, elements):
    with pytest.raises(OptionError, match=f"{kind.__name__}: elements is .*whole number from 1"):
        kind(elements=elements)


def test_wrong_words_name_the_right_ones():
    with pytest.raises(OptionError, match=r"mass is 'lumpd'.*consistent, lumped.*Did you mean lumped"):
        Exact(mass="lumpd")
    with pytest.raises(OptionError, match=r"integration is 'selective'.*reduced, full, exact"):
        Linear(integration="selective")
    with pytest.raises(OptionError, match="order is 0"):
        Exact(order=0)
    with pytest.raises(OptionError, match="lumped mass is not positive for order 8"):
        Exact(order=8, mass="lumped")
    with pytest.raises(OptionError, match="axial_force is nan"):
        Linear(axial_force=float("nan"))
    with pytest.raises(OptionError, match="von_karman is 'yes'"):
        Corotational(von_karman="yes")


def test_options_are_values():
    assert Exact(order=2) == Exact(order=2) != Exact()
    assert len({Linear(), Linear(), Linear(integration="exact")}) == 2
    assert (Exact(order=3).order, Corotational().order, Linear().order) == (3, 1, 1)


def test_families_are_found_in_order():
    names = [family.__name__ for family in families()]
    assert names == sorted(names)
    assert {"pliant.elements.beam_exact.planar", "pliant.elements.beam_exact.planar_order"} <= set(names)
    others = {"pliant.elements.rod_ivp"}  # marched by formulation "shooting": not a sum over elements
    everywhere = [*names, *(family.__name__ for family in families(space="spatial"))]
    assert all(any(name.startswith(folder) for name in everywhere) for folder in folders() if folder not in others)
    assert families(space="no such space") == ()


def test_options_load_no_numba():
    program = (
        "import sys, pliant.elements.beam_exact, pliant.elements.beam_corotational, pliant.elements.beam_linear;"
        "print([name for name in ('numba', 'scipy') if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"
