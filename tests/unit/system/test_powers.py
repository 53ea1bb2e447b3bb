"""Numbers that are powers of a parameter: one system with another value gives all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.system.packing import perturbed as twins
from pliant.system.packing.along_derivative import OF_ROWS, Numbers
from pliant.system.packing.dependencies import dependents_of
from pliant.system.packing.perturbed import Powers
from pliant_evidence.sensitivities import models
from pliant_gallery import leg

OF_LEG = ("leaf.section.bending_stiffness", "leaf.length", "tendon.stiffness")
CASES = {
    "strip": (models.cantilever("xy", load=-8.0), {"h", "E", "F", "L"}),
    "strip in space": (models.cantilever(None, load=-8.0), {"E", "F", "L"}),  # it twists, by no power of h
    "leg": (models.named(leg.model(hold="q3"), *OF_LEG), {"leaf_EI", "leaf_length"}),  # the tendon has a slack by both
}


@pytest.mark.parametrize("name", CASES)
def test_the_others_are_those_that_are_packed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, of_powers = CASES[name]
    system = pl.compile(model, elements=3)
    ends, packed = twins._pack, list[str]()

    def counted(system: Any, reach: Any, layout: Any) -> Any:
        packed.append("once")
        return ends(system, reach, layout)

    monkeypatch.setattr(twins, "_pack", counted)
    for key, parameter in model.parameters.items():
        reach = dependents_of(system, key)
        assert reach is not None
        packed.clear()
        [found] = twins.twins(system, [(reach, [parameter.at(f * parameter.value) for f in (1.001, 0.999, 0.7)])])
        assert found is not None
        assert (len(packed) == 1) == (key in of_powers)
        for each, factor in zip(found[1:], (0.999, 0.7), strict=True):
            packed_there = twins._ends(system, [(reach, parameter.at(factor * parameter.value))])[0]
            assert packed_there is not None
            for mine, whole in zip(each.numbers, packed_there.numbers, strict=True):
                assert np.allclose(mine, whole, rtol=1e-12, atol=1e-14)


def numbers(*floats: float) -> Numbers:
    rest = {name: np.zeros(0) for name in OF_ROWS}
    return Numbers(floats=np.array(floats), signals=np.zeros(0), **rest)


def test_what_is_no_power_is_not_told() -> None:

    p, q, size = 2.0, 2.0002, numbers(*[10.0] * 6)

    def at(p: float) -> Numbers:
        return numbers(3.0 * p**3, p**-0.5, 5.0, p + 1e-6, p - 2.0, 1e-17 if p == 2.0 else -3e-17)

    found = Powers.of(at(p), at(q), size, q / p)
    assert found.unknown("floats").tolist() == [False, False, False, True, True, False]
    assert np.allclose(found.at(0.5, at(1.0)).floats[:5], at(1.0).floats[:5], rtol=1e-13)
    assert found.at(0.5, at(1.0)).floats[5] == 1e-17  # rounding: it stays
    assert not Powers.of(at(p), at(q), size, 0.0).all
