"""Beams that taper: one section an element whatever its order, weight at the nodes and mass at the middles, `kinked`
that ignored the taper, and stiffness that was linear where the shape is.
"""

from __future__ import annotations

import warnings
from math import pi
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError, OptionError, PliantWarning
from pliant.model.files import io
from pliant_evidence.tapered_beam import theory
from pliant_evidence.tapered_beam.validate import along, cantilever

BASE = pl.Section.circle(0.02, pl.STEEL)
TIP = pl.Section.circle(0.02 * 19.0**-0.25, pl.STEEL)
LINEAR = pl.LinearStiffness((BASE, TIP))  # the words of before: taper=(TIP,)
CONE = pl.Circle(radius=(0.02, 0.02 * 19.0**-0.25), material=pl.STEEL)
STRAIGHT = pl.Circle(radius=(0.02, 0.02), material=pl.STEEL)
ROWS = [(LINEAR, "linear stiffness"), (CONE, "cone"), (lambda s: CONE.at(s), "function")]
PROFILES = [pytest.param(section, id=name) for section, name in ROWS]


def sinks(model: pl.Model, **options: Any) -> float:
    """Return how far the tip sinks under 1 mN, over the exact solution, less one."""
    section = model.beams[0].section
    exact = theory.tip_deflection(1.0, along(section, "bending_stiffness"), along(section, "shear_stiffness"), 1e-3)
    return -float(pl.statics(pl.compile(model, **options)).position.sel(marker="beam/tip", axis="y")) / exact - 1.0


@pytest.mark.parametrize("section", PROFILES)
@pytest.mark.parametrize("plane", ["xy", None])
def test_higher_orders_are_better(section: Any, plane: str | None) -> None:
    """Orders 2 to 4 were all 2.75 % off with 4 elements, 0.71 % with 8. From order 3 on a force at the tip is exact."""
    model = cantilever(section, plane=plane, y=-1e-3)
    errors = [abs(sinks(model, elements=pl.Exact(8, order=order))) for order in (2, 3, 4)]
    assert errors[0] < 1e-4
    assert max(errors[1:]) < 1e-10


@pytest.mark.parametrize("section", PROFILES)
@pytest.mark.parametrize("options", [{"elements": pl.Corotational(3)}, {"formulation": "shooting"}])
def test_flexibility_is_integrated(section: Any, options: dict[str, Any]) -> None:
    assert abs(sinks(cantilever(section, y=-1e-3), **options)) < 1e-8


@pytest.mark.parametrize("section", PROFILES)
@pytest.mark.parametrize("elements", [1, 3])
def test_kinked_beams_taper(section: Any, elements: int) -> None:
    """The taper was silently ignored: 30 % too little deflection."""
    model = cantilever(section, y=-1e-3)
    assert abs(sinks(model, formulation="kinked", elements=elements, shear=True)) < 1e-8
    assert abs(sinks(model, formulation="kinked", elements=elements)) < 2e-3  # without shear


@pytest.mark.parametrize("elements", [1, 2, 4])
def test_weight_and_mass_are_of_one_distribution(elements: int) -> None:
    """A stiff bar that swings: its frequency was 43, 12 and 3 % too low with 1, 2 and 4 elements."""
    hard = pl.Material("hard", youngs_modulus=30 * 210e9, density=7850.0)
    for section in (
        pl.Circle(radius=CONE.radius, material=hard),
        pl.LinearStiffness(tuple(pl.Section.circle(r, hard) for r in CONE.radius)),  # type: ignore[union-attr]
    ):
        m = pl.Model("pendulum")
        ground, bar = m.add(pl.Ground(), pl.Beam("bar", length=1.0, section=section, angle=-0.5 * pi))
        m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Gravity())
        line, rotary = along(section, "mass_per_length"), along(section, "rotary_inertia")
        exact = theory.pendulum(1.0, line, rotary, 9.81) / (2.0 * pi)
        for kind in (pl.Exact(elements), pl.Exact(elements, order=2), pl.Corotational(elements)):
            found = pl.modal(pl.compile(m, elements=kind), modes=1).frequency_hz.values[0]
            assert found == pytest.approx(exact, rel=2e-6)
        assert m.beams[0].mass == pytest.approx(theory.integral(line), rel=1e-13)


@pytest.mark.parametrize("elements", [pl.Exact(3), pl.Exact(2, order=3), pl.Corotational(3)])
def test_matrices_of_a_cone_are_those_of_its_kernels(elements: Any) -> None:
    """Matrices in space and in the plane have one mass, of ends that differ: kinetic energy of a moving beam."""
    flat = cantilever(CONE, y=-1e-3)
    plane, space = (pl.compile(m, elements=elements) for m in (flat, flat.promoted()))
    one, two = (pl.modal(system, modes=3).frequency_hz.values for system in (plane, space))
    lateral = [float(two[np.argmin(np.abs(two - f))]) for f in one[:1]]
    assert lateral == pytest.approx(one[:1].tolist(), rel=2e-4)  # rotary inertia is lumped in space
    for system in (plane, space):
        mass = system.matrices(system.start()).mass
        along_x = np.zeros(mass.shape[0])
        along_x[:: 3 if system is plane else 6] = 1.0
        assert along_x @ (mass @ along_x) == pytest.approx(flat.beams[0].mass, rel=1e-12)


def test_a_modulus_is_found_again() -> None:
    """A cone of 369 kPa treated as linear in stiffness was found to have less than half of it, with a good fit."""
    soft = pl.Material("silicone", youngs_modulus=369e3, poisson_ratio=0.49, density=1100.0)
    cone = pl.Circle(radius=(0.02, 0.005), material=soft)
    exact = theory.tip_deflection(0.2, along(cone, "bending_stiffness"), along(cone, "shear_stiffness"), 1e-6)
    found = {}
    for name, section in (("shape", cone), ("stiffness", pl.LinearStiffness((cone.at(0.0), cone.at(1.0))))):
        model = cantilever(section, length=0.2, y=-1e-6)
        rest = pl.statics(pl.compile(model, elements=pl.Exact(12, order=3)))
        found[name] = 369e3 * -float(rest.position.sel(marker="beam/tip", axis="y")) / exact
    assert found["shape"] == pytest.approx(369e3, rel=1e-5)
    assert found["stiffness"] < 0.5 * 369e3


def test_thick_kinked_beams_shear_or_are_named() -> None:
    """The second mode was 20 % high at L/h = 5, silently."""
    thick = cantilever(pl.Section.rectangle(0.1, 0.2, pl.STEEL))
    exact = pl.modal(pl.compile(thick, elements=pl.Exact(8, order=4)), modes=2).frequency_hz.values
    with pytest.warns(PliantWarning, match=r'Beam "beam" is thick: .*by about 6.8 %.*shear=True'):
        pl.compile(thick, formulation="kinked", elements=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        slender = pl.compile(thick, formulation="kinked", elements=8, shear=False)
        right = pl.compile(thick, formulation="kinked", elements=16, shear=True)
    assert pl.modal(slender, modes=2).frequency_hz.values[1] / exact[1] == pytest.approx(1.2, abs=0.01)
    assert pl.modal(right, modes=2).frequency_hz.values == pytest.approx(exact, rel=1e-3)
    with pytest.raises(OptionError, match="shear='yes'"):
        pl.compile(thick, formulation="kinked", shear="yes")


def test_kinked_arms_with_shear_move_as_exact_ones() -> None:
    """Rotary inertia and shear in motion: a thick tapered arm that falls, and its energy."""
    m = pl.Model("arm")
    section = pl.Rectangle(
        width=0.02, height=(0.04, 0.02), material=pl.Material("soft", youngs_modulus=5e6, density=900.0)
    )
    ground, bar = m.add(pl.Ground(), pl.Beam("bar", length=0.3, section=section, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)), pl.Gravity())
    times = np.linspace(0.0, 0.2, 5)
    kinked = pl.transient(pl.compile(m, formulation="kinked", elements=6, shear=True), end_time=0.2, times=times)
    exact = pl.transient(pl.compile(m, elements=pl.Exact(6, order=3)), end_time=0.2, times=times)
    one, two = (run.position.sel(marker="bar/tip").values for run in (kinked, exact))
    assert np.abs(one - two).max() < 1e-3 * 0.3
    assert np.abs(kinked.energy.sel(energy_kind="balance").values).max() < 1e-6 * np.abs(kinked.energy.values).max()


@pytest.mark.parametrize("options", [{"elements": pl.Exact(3)}, {"elements": pl.Exact(2, order=2)}])
def test_a_taper_that_does_not_is_uniform(options: dict[str, Any]) -> None:
    """A straight taper is uniform to the last bit: nothing remains of the integrals."""
    models = cantilever(STRAIGHT, y=-1.0), cantilever(BASE, y=-1.0)
    one, two = (pl.statics(pl.compile(model, **options)) for model in models)
    assert np.array_equal(one.position.values, two.position.values)
    assert models[0].beams[0].section.uniform


def test_files_hold_shapes_and_name_what_they_cannot() -> None:
    m = cantilever(CONE)
    m.add(
        pl.Beam(
            "mast",
            length=1.0,
            section=pl.Tube(outer_radius=(0.03, 0.02, 0.02), inner_radius=0.01, material=pl.STEEL),
            free=True,
        )
    )
    m.add(
        pl.Beam(
            "leaf",
            length=1.0,
            section=pl.Rectangle(width=(0.02, 0.01), height=1e-3, material=pl.STEEL, shear_factor="cowper"),
            free=True,
        )
    )
    m.add(pl.Beam("lath", length=1.0, section=LINEAR, free=True))
    text = io.dumps(m)
    again = io.loads(text)
    assert io.dumps(again) == text
    assert [beam.section for beam in again.beams] == [beam.section for beam in m.beams]
    with pytest.raises(FileError, match=r'Beam "beam": section: function is a Python function.*Circle'):
        io.dumps(cantilever(lambda s: BASE))
    for wrong in ("taper = 2", 'taper = "thin"', "taper = []"):
        with pytest.raises(FileError, match="key 'taper' is not known"):
            io.loads(text.replace("length = 1.0\n", f"length = 1.0\n{wrong}\n", 1))
    for right, wrong in (("radius = [0.02, ", "radius = [-0.02, "), ("radius = [0.02, ", 'radius = ["wide", ')):
        with pytest.raises(FileError, match=r"Circle: radius\[0\]"):
            io.loads(text.replace(right, wrong, 1))


def test_shapes_scale_and_go_into_space() -> None:
    scales = pl.Scales(length=0.5, time=2.0, mass=3.0)
    m = cantilever(pl.Rectangle(width=(0.02, 0.01), height=1e-3, material=pl.STEEL), y=-1e-3)
    small, large = (pl.statics(pl.compile(model, elements=4)) for model in (m.scaled(scales), m))
    assert small.position.values * 0.5 == pytest.approx(large.position.values, abs=1e-12)
    with pytest.raises(ModelError, match="cannot be scaled: its section is a Python function"):
        cantilever(lambda s: BASE).scaled(scales)
    assert m.promoted().beams[0].section == m.beams[0].section


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pl.Circle(radius=(0.02, 0.0), material=pl.STEEL), r"Circle: radius\[1\] = 0.0 .*positive.*sharp tip"),
        (lambda: pl.Circle(radius=(0.02,), material=pl.STEEL), "Circle: radius = .*2 to 10000 of them"),
        (lambda: pl.Circle(radius="wide", material=pl.STEEL), "Circle: radius = 'wide' .*a number"),
        (lambda: pl.Circle(radius=0.02, material="steel"), "material = 'steel' .*a Material"),
        (lambda: pl.Tube(outer_radius=(0.03, 0.01), inner_radius=0.02, material=pl.STEEL), "below the outer radius"),
        (lambda: pl.Section.circle((0.02, 0.01), pl.STEEL), r"radius = \(0.02, 0.01\) .*Circle\(radius="),
        (lambda: pl.LinearStiffness((BASE,)), "LinearStiffness: sections = .*two or more"),
        (lambda: pl.LinearStiffness((BASE, 2)), r"LinearStiffness: sections\[1\] = 2 .*a Section"),
        (lambda: pl.Beam("b", length=1.0, section=lambda s: 3.0), 'Beam "b": section = .* is 3.0 at s = 0.25'),
        (lambda: pl.Beam("b", length=1.0, section=lambda: BASE), 'Beam "b": section = .* failed at s = 0.25: Type'),
        (lambda: pl.Beam("b", length=1.0, section=(BASE, TIP)), 'Beam "b": section = .*LinearStiffness'),
    ],
)  # fmt: skip
def test_wrong_sections_are_named(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("order", [1, 2, 5])
def test_lumped_masses_are_positive_and_whole(order: int) -> None:
    """Also where row sums are negative, at a sharp tip."""
    spike = pl.Circle(radius=(0.02, 1e-5), material=pl.STEEL)
    system = pl.compile(cantilever(spike), elements=pl.Exact(2, order=order, mass="lumped"))
    mass = system.matrices(system.start()).mass.diagonal()
    assert np.all(mass > 0.0)
    assert mass[::3].sum() == pytest.approx(system.model.beams[0].mass, rel=1e-12)
