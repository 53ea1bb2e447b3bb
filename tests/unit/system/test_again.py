"""A system with other numbers is packed again, not compiled, and is the one that compiling gives."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant.model.copies import with_parameters
from pliant.solvers.derivatives import implicit
from pliant.system.observation.labels import labels_of
from pliant.system.packing.along_derivative import Perturbed, nearby_systems
from pliant.system.packing.dependencies import dependents_of
from pliant.system.packing.perturbed import twins
from pliant.system.packing.repack import again
from pliant_evidence.sensitivities import models
from pliant_gallery import leg


def bow() -> pl.Model:
    """Build a curved beam between a clamp and a slide, with a load aside of its tip: length."""
    m = pl.Model("bow")
    strip = pl.Section.rectangle(0.02, 2e-3, pl.STEEL)
    beam = pl.Beam("beam", length=pl.Parameter("length", 0.5), section=strip, curvature=1.0, angle=0.3)
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=1.0, inertia=1e-3))
    m.add(beam, pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Revolute(beam.at(s=1, y=0.01), slide.at(0, 0)))
    m.add(pl.Force(beam.at(s=1, y=0.02), y=-1.0), pl.Gravity())
    return m


MODELS = {
    "cantilever": models.cantilever("xy"),
    "cantilever in space": models.cantilever(None),
    "pendulum in space": models.pendulum(None),
    "slider-crank": models.slider_crank(),
    "truss": models.truss(),
    "leg": models.named(leg.model(hold="q3"), "leaf.section.bending_stiffness", "leaf.length"),
    "bow": bow(),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_is_what_compiling_gives(name: str) -> None:
    model = MODELS[name]
    system = pl.compile(model, elements=4)
    for key, parameter in model.parameters.items():
        other = model.with_parameters(**{key: 1.01 * parameter.value})
        packed, compiled = again(system, other), pl.compile(other, elements=4)
        assert packed is not None
        for field in ("floats", "indices", "header"):
            assert np.array_equal(getattr(packed.equations.parts, field), getattr(compiled.equations.parts, field))
        for mine, fresh in zip(packed.equations.rows, compiled.equations.rows, strict=True):
            assert np.array_equal(mine, fresh)
        for field in ("weight", "gamma", "mass"):
            assert np.array_equal(getattr(packed.equations, field), getattr(compiled.equations, field))
        assert np.allclose(packed.initial, compiled.initial, rtol=0.0, atol=1e-13)  # loops are closed from this pose
        assert packed.layout.signals == compiled.layout.signals
        assert packed.length_scale == compiled.length_scale
        assert packed.equations.pattern is system.equations.pattern


STANDING = {
    "cantilever": {"h", "E", "F"},
    "cantilever in space": {"h", "E", "F"},
    "pendulum in space": {"g"},
    "slider-crank": set[str](),
    "truss": {"k", "H"},
    "leg": {"leaf_EI"},
    "bow": set[str](),
}
MOVING = {
    "cantilever": {"L"},
    "cantilever in space": {"L"},
    "pendulum in space": {"L"},
    "slider-crank": {"r", "l", "angle"},
    "truss": {"a"},
    "leg": {"leaf_length"},
    "bow": {"length"},
}
PARTING = {"slider-crank": {"r", "l"}, "pendulum in space": {"L"}}  # markers that are elsewhere on their bodies


@pytest.mark.parametrize("name", MODELS)
def test_twins_have_the_numbers_of_what_is_packed_again(name: str) -> None:
    model = MODELS[name]
    system = pl.compile(model, elements=4)
    reached = {key: each for key in model.parameters if (each := dependents_of(system, key))}
    assert {key for key, each in reached.items() if not each.moving} == STANDING[name]
    assert {key for key, each in reached.items() if each.moving} == MOVING[name]
    others = {
        key: [model.parameters[key].beyond(f * model.parameters[key].value) for f in (0.99, 1.01)] for key in reached
    }
    found = twins(system, [(reached[key], others[key]) for key in reached])
    for key, pair in zip(reached, found, strict=True):
        assert pair is not None
        for other, twin in zip(others[key], [each.made for each in pair], strict=True):
            packed = again(system, with_parameters(model, {key: other}))
            assert packed is not None
            assert np.allclose(twin.equations.parts.floats, packed.equations.parts.floats, rtol=1e-13, atol=1e-13)
            for field in ("factor", "offsets", "direction", "offset", "period"):
                mine, whole = getattr(twin.equations.rows, field), getattr(packed.equations.rows, field)
                assert np.allclose(mine, whole, rtol=1e-13, atol=1e-13)
            assert np.allclose((twin.mass, twin.equations.gamma), (packed.mass, packed.equations.gamma), rtol=1e-14)
            assert twin.layout.signals == packed.layout.signals
            places = [labels_of(system).beside(each).places for each in (twin, packed)]
            same = all(np.array_equal(each.offset, labels_of(system).places.offset) for each in places)
            assert same == (key not in PARTING.get(name, ()))
            assert same or reached[key].shifts
            if not reached[key].moving:
                assert np.array_equal(twin.residual(system.start()), packed.residual(system.start()))


@pytest.mark.parametrize("name", MODELS)
def test_drawn_systems_have_the_derivatives_of_whole_ones(name: str) -> None:
    model = MODELS[name]
    system = pl.compile(model, elements=4)
    state = system.start()
    for key, parameter in model.parameters.items():
        step = 1e-3 * parameter.size
        whole = [system.with_parameters(**{key: parameter.value + k * step}).residual(state) for k in implicit.PLACES]
        pair = [system.with_parameters(**{key: parameter.value + k * 0.01 * step}) for k in implicit.PAIR]
        found = nearby_systems(system, [Perturbed.of(system, each) for each in pair], 0.01 * step)
        assert found is not None
        mine = [each.residual(state) for each in found.by(implicit.PLACES, step)]
        assert np.allclose(
            implicit.slope(mine, step), implicit.slope(whole, step), rtol=1e-8, atol=1e-8 * np.max(np.abs(whole)) / step
        )
        for each, other in zip(found.both(), pair, strict=True):
            assert np.array_equal(each.residual(state), other.residual(state))


@pytest.mark.parametrize("sign", [1.0, -1.0])  # below k = 1 the second is a power of k: k itself
def test_a_kink_of_numbers_is_seen_by_frequencies(sign: float) -> None:
    k = pl.Parameter("k", 1.0)
    m = pl.Model("oscillator")
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=1.0))
    stiffness = 100.0 * (1.0 + sign * abs(k - 1.0))
    m.add(
        pl.Prismatic(ground.at(0, 0), bob.at(0, 0)),
        pl.Spring("left", ground.at(-1.0, 0), bob.at(0, 0), stiffness=stiffness, rest_length=0.5),
        pl.Spring("right", ground.at(1.0, 0), bob.at(0, 0), stiffness=100.0, rest_length=0.5),
    )
    system = pl.compile(m)
    with pytest.raises(OptionError, match="kink"):
        pl.sensitivity(system, pl.statics(system), of=["frequency_hz"], modes=1)


def test_a_twin_keeps_signals_that_were_replaced() -> None:
    model = models.cantilever("xy")
    system = pl.compile(model, elements=2).with_signals({"force beam/tip/y": 3.0})
    force, reach = model.parameters["F"], dependents_of(system, "F")
    assert reach is not None
    [found] = twins(system, [(reach, [force.at(-5.0), force.at(-6.0)])])
    assert found is not None
    made = [each.made for each in found]
    assert [each.named(each.signals(np.zeros(1))[0])["force beam/tip/y"] for each in made] == [3.0, 3.0]


def test_a_part_that_comes_with_a_number_is_compiled() -> None:
    shift = pl.Parameter("shift", 0.0, scale=0.01)
    m = pl.Model("column")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=pl.Section.circle(0.01, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1, y=shift), x=-1.0, name="load"))
    system = pl.compile(m)
    assert again(system, m.with_parameters(shift=0.01)) is None  # a force at an arm is another than one at a node
    assert system.with_parameters(shift=0.01).model.parameters["shift"].value == 0.01


def test_a_part_added_since_is_compiled() -> None:
    m = models.oscillator()
    system = pl.compile(m)
    m.add(pl.Gravity())
    heavier = system.with_parameters(m=3.0)
    assert any(isinstance(part, pl.Gravity) for part in heavier.layout.parts)


def test_replaced_signals_stay() -> None:
    system = pl.compile(models.cantilever("xy"), elements=2).with_signals({"force beam/tip/y": -0.5})
    other = system.with_parameters(h=3e-3)
    assert other.named(other.signals(np.zeros(1))[0]) == {"force beam/tip/x": 0.0, "force beam/tip/y": -0.5}
