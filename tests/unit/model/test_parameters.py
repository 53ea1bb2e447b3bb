"""Parameters: named numbers of a model, formulas of them, models and systems made again with other values."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError, OptionError
from pliant.model import Joint, Load, copies, kinds
from pliant.model.files import io
from pliant.model.formulas import parameters_of, read


def cantilever(height: float | pl.Parameter, length: float | pl.Parameter, plane: str | None = "xy") -> pl.Model:
    """Build a beam with a bar at its tip, on a base that moves with its length."""
    m = pl.Model("cantilever", plane=plane)
    metal = pl.Material("metal", youngs_modulus=2e11 * length, density=7000.0)
    strip = pl.Section.rectangle(10 * height, height, metal)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=length, section=strip, damping=pl.Rayleigh(0.1, 1e-4)))
    arm = m.add(pl.Link("arm", length=0.3 * length, mass=1.0))
    m.add(pl.Weld(ground.at(0, 0.1 * length), beam.at(s=0)), pl.Weld(beam.at(s=1), arm.at(s=0)))
    m.add(pl.Force(arm.at(s=1, x=0.01), y=-0.1 * length**2), pl.PointMass("lump", arm.at(s=0.5), mass=0.1))
    m.add(pl.Force(arm.at(s=0), x=pl.Sine(amplitude=0.01 * length, frequency_hz=1.0)), beam.at(s=0.5, name="middle"))
    return m


def descriptions(model: pl.Model) -> list[str]:
    """Return parts by their numbers, in any order; default names may hold old places."""
    return sorted(repr(part).replace(repr(part.name), "") for part in model)


@pytest.mark.parametrize("plane", ["xy", None])
def test_a_model_with_other_values_is_the_model_made_of_them(plane: str | None) -> None:
    h, length = pl.Parameter("h", 2e-3, unit="m"), pl.Parameter("length", 1.0)
    m = cantilever(h, length, plane)
    assert descriptions(m) == descriptions(cantilever(2e-3, 1.0, plane))
    assert set(m.parameters) == {"h", "length"}
    assert m.parameters["h"] == h
    assert descriptions(m.with_parameters(h="3 mm", length=1.5)) == descriptions(cantilever(3e-3, 1.5, plane))
    assert m.with_parameters(h=3e-3).with_parameters(h=2e-3).parameters == m.parameters


def test_parts_that_depend_on_nothing_are_shared_and_names_are_kept() -> None:
    m = cantilever(2e-3, pl.Parameter("length", 1.0))
    other = m.with_parameters(length=2.0)
    assert other.part("ground") is m.part("ground")
    assert other.part("beam") is not m.part("beam")
    assert [part.name for part in other] == [part.name for part in m]
    assert m.with_parameters(length=1.0).part("beam").length == 1.0


def test_a_file_holds_parameters_and_formulas(tmp_path) -> None:
    m = cantilever(pl.Parameter("h", 2e-3, low=1e-3, unit="m"), pl.Parameter("length", 1.0, high=3.0, scale=0.5))
    m.save(tmp_path / "m.toml")
    again = pl.Model.load(tmp_path / "m.toml")
    assert again.parameters == m.parameters
    assert descriptions(again) == descriptions(m)
    assert descriptions(again.with_parameters(length=2.0)) == descriptions(cantilever(2e-3, 2.0))
    assert io.dumps(again) == io.dumps(m)
    assert descriptions(pickle.loads(pickle.dumps(m)).with_parameters(length=2.0)) == descriptions(
        cantilever(2e-3, 2.0)
    )


def test_a_planar_model_keeps_its_parameters_in_space() -> None:
    m = pl.Model("puck")
    x = pl.Parameter("x", 0.1)
    puck = m.add(pl.Body("puck", mass=1.0, inertia=0.1, position=(x, 2 * x)))
    m.add(pl.Moment(puck.at(), 3 * x))
    space = m.promoted().with_parameters(x=0.2)
    assert space.part("puck").position == (0.2, 0.4, 0.0)
    assert space.forces[0].z.value == pytest.approx(0.6)


def test_formulas() -> None:
    a, b = pl.Parameter("a", 2.0), pl.Parameter("b", 3.0)
    formulas = [
        (a + b, 5.0),
        (1 - a * b, -5.0),
        (np.float64(6.0) / b, 2.0),
        (-(a**2), -4.0),
        ((-a) ** 2, 4.0),
        (2**b, 8.0),
        (a - (b - a), 1.0),
        (a / (b / a), 4.0 / 3.0),
        ((a**b) ** 2, 64.0),
        (a ** (b**2), 512.0),
        (np.sqrt(a * b) * np.sin(a), math.sqrt(6.0) * math.sin(2.0)),
        (abs(a - b), 1.0),
        ((-2.0) * a, -4.0),
    ]
    for formula, value in formulas:
        assert formula.value == pytest.approx(value, rel=1e-15), formula
        assert read(f"= {formula}", {"a": a, "b": b}).value == formula.value, formula
    assert [each.value for each in np.array([1.0, 2.0]) * a] == [2.0, 4.0]
    assert (a + 1).changed({"b": b}).value == 3.0


REFUSED = [
    (lambda: pl.Parameter("not a name", 1.0), "name = 'not a name'"),
    (lambda: pl.Parameter("sin", 1.0), "Formulas use sin already"),
    (lambda: pl.Parameter("h", "1 mm"), "Give its unit too"),
    (lambda: pl.Parameter("h", 1.0, unit="mm"), "SI units"),
    (lambda: pl.Parameter("h", "1 kg", unit="m"), "measure something else"),
    (lambda: pl.Parameter("h", 1.0, low=2.0), "from 2.0 to inf"),
    (lambda: pl.Parameter("h", 1.0, low=2.0, high=1.0), "below high"),
    (lambda: pl.Parameter("h", 1.0, scale=0.0), "scale = 0.0"),
    (lambda: pl.Link("bar", length=1.0, mass=pl.Parameter("h", 1.0, unit="m")), 'Link "bar": mass.*in kg'),
    (lambda: pl.Link("bar", length=pl.Parameter("h", 1.0, unit="m") ** 2, mass=1.0), "length = h \\*\\* 2.*in m"),
    (lambda: pl.Link("bar", length=pl.Parameter("h", 0.0), mass=1.0), "length = 0.0"),
    (lambda: pl.Link("bar", length=1.0 / pl.Parameter("h", 0.0), mass=1.0), "has no value for h = 0"),
    (lambda: cantilever(2e-3, pl.Parameter("length", 1.0)).with_parameters(width=1.0), "no parameter 'width'"),
    (lambda: cantilever(2e-3, 1.0).with_parameters(width=1.0), "has no parameters"),
    (lambda: cantilever(2e-3, pl.Parameter("length", 1.0, high=2.0)).with_parameters(length=3.0), "its bounds"),
    (lambda: cantilever(pl.Parameter("x", 2e-3), pl.Parameter("x", 1.0)), "two of this name that differ"),
    (
        lambda: pl.Beam("b", length=1.0, section=lambda s: pl.Section.circle(pl.Parameter("r", 0.1), pl.STEEL)),
        "inside of a function",
    ),
]


@pytest.mark.parametrize(("make", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_wrong_is_refused_by_name(make, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_a_parameter_is_no_float() -> None:
    h = pl.Parameter("h", 1.0, unit="m")
    for use in (lambda: math.sin(h), lambda: float(h), lambda: np.arctan(h), lambda: bool(h > 0), lambda: bool(h)):
        with pytest.raises(TypeError):
            use()


def test_a_file_with_a_parameter_that_nothing_uses_or_another_function_is_refused() -> None:
    text = io.dumps(cantilever(pl.Parameter("h", 2e-3), 1.0))
    with pytest.raises(FileError, match="nothing depends on the parameter 'spare'"):
        io.loads(text.replace("[[body]]", '[[parameter]]\nname = "spare"\nvalue = 1.0\n\n[[body]]', 1))
    with pytest.raises(FileError, match="'h' is there twice"):
        io.loads(text.replace("[[body]]", '[[parameter]]\nname = "h"\nvalue = 1.0\n\n[[body]]', 1))
    with pytest.raises(FileError, match="'k' is not known"):
        io.loads(text.replace('"= 10 * h"', '"= 10 * k"'))
    with pytest.raises(FileError, match="is not allowed"):
        io.loads(text.replace('"= 10 * h"', '"= h.value"'))
    with pytest.raises(FileError, match="made = '__init_subclass__' is no constructor"):
        io.loads(text.replace('made = "rectangle"', 'made = "__init_subclass__"'))


def based(plane: str | None) -> pl.Model:
    """Build a leaf whose base can be moved, and an arm that closes a loop with it."""
    m = pl.Model("leaf", plane=plane)
    base, h = pl.Parameter("base", 0.0), pl.Parameter("h", 1e-3)
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=0.3, section=pl.Section.rectangle(0.02, h, pl.STEEL)))
    arm = m.add(pl.Link("arm", length=0.1, mass=1.0))
    m.add(pl.Weld(ground.at(base, 0), leaf.at(s=0)), pl.Revolute(leaf.at(s=1), arm.at(s=0)), pl.Gravity())
    m.add(pl.Revolute(arm.at(s=1), ground.at(0.35, 0.05)), pl.Force(leaf.at(s=0.5), y=1.0, name="push"))
    return m


@pytest.mark.parametrize("plane", ["xy", None])
def test_a_result_is_a_start_after_its_base_has_moved(plane: str | None) -> None:
    system = pl.compile(based(plane), elements=4).with_signals({"push/y": 0.3})
    rest = pl.statics(system)
    other = system.with_parameters(base=0.004, h=1.1e-3)
    assert other.settings["signals"] == {"push/y": 0.3}
    assert len(other.layout.beams[0].nodes) == 5
    moved, fresh = pl.statics(other, start=rest), pl.statics(other)
    assert moved.outcome.ok
    assert moved.provenance.settings["parameters"] == {"base": 0.004, "h": 1.1e-3}
    assert np.max(np.abs(moved.shape.values - fresh.shape.values)) < 1e-10
    with pytest.raises(OptionError, match=r"found for .*base = 0.*statics"):
        pl.transient(other, start=rest, end_time=0.01)


def test_systems_of_every_formulation_take_other_values() -> None:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=pl.Parameter("length", 1.0), mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0), name="pin"), pl.Gravity())
    for formulation in ("dae", "udwadia_kalaba", "kinked", "relative"):
        other = pl.compile(m, formulation=formulation).with_parameters(length=2.0)
        assert other.formulation == formulation
        assert other.model.part("arm").length == 2.0


def test_the_command_line_sets_parameters(tmp_path) -> None:
    from pliant_cli.source import source, split

    cantilever(2e-3, pl.Parameter("length", 1.0, high=3.0)).save(tmp_path / "m.toml")
    given = source(str(tmp_path / "m.toml"))
    own, signals = split(given, {"length": 2.0, "force arm/tip/y": 1.0})
    assert (own, list(signals)) == ({"length": 2.0}, ["force arm/tip/y"])
    assert given.model(own).part("beam").length == 2.0
    with pytest.raises(ModelError, match="its bounds"):
        given.model({"length": 4.0})


STRIP = pl.Section.rectangle(0.02, 0.001, pl.STEEL)
STIFF = np.diag([1e6, 4e5, 4e5, 5.0, 6.0, 7.0])
NUMBERS: dict[str, dict[str, Any]] = {
    "Beam": {"name": "b", "length": 0.3, "section": STRIP, "straight": 0.1, "angle": 0.2, "curvature": 0.5},
    "Body": {"name": "b", "mass": 1.0, "inertia": 0.1, "angle": 0.2},
    "Box": {"x": 0.1, "y": 0.2, "z": 0.3},
    "Circle": {"radius": 0.02, "material": pl.STEEL},
    "Constant": {"value": 0.3},
    "Cylinder": {"radius": 0.1, "length": 0.2},
    "FibreLaw": {"shape": "circle", "inner": 0.2, "mooney": 0.1},
    "Hyperelastic": {"name": "m", "youngs_modulus": 1e6, "density": 1e3, "mooney": 0.2},
    "Limited": {"signal": 1.0, "low": -2.0, "high": 2.0, "largest_rate": 3.0, "resolution": 1e-3},
    "Link": {"name": "b", "length": 0.3, "mass": 1.0, "centre": 0.4, "angle": 0.2},
    "Material": {"name": "m", "youngs_modulus": 1e9, "density": 2e3},
    "Material ": {"name": "m", "youngs_modulus": 1e9, "density": 2e3, "shear_modulus": 4e8},
    "PointMass": {"name": "p", "marker": pl.Ground().at(0.0, 0.0), "mass": 1.0, "inertia": 0.1},
    "Ramp": {"start": 0.1, "end": 0.2, "t0": 0.3, "t1": 0.4},
    "Rayleigh": {"mass": 0.1, "stiffness": 1e-4},
    "Rayleigh.at_frequencies": {"ratio": 0.01, "f1": 10.0, "f2": 50.0},
    "RayleighOfModes": {"ratio": 0.01},
    "Rectangle": {"width": 0.02, "height": 0.01, "material": pl.STEEL},
    "Rescaled": {"signal": 1.0, "value": 2.0, "time": 3.0},
    "Section": {key: getattr(STRIP, key) for key in pl.Section.units},
    "Section.circle": {"radius": 0.02, "material": pl.STEEL},
    "Section.general": {"stiffness": STIFF, "mass_per_length": 0.8, "height": 0.01},
    "Section.of_velocities": {"mass_per_length": 0.1, "axial": 4800.0, "flexural": 25.0, "length": 2.0},
    "Section.rectangle": {"width": 0.02, "height": 0.001, "material": pl.STEEL},
    "Section.tube": {"outer_radius": 0.02, "inner_radius": 0.01, "material": pl.STEEL},
    "Shaped": {"signal": 1.0, "omega": 3.0, "damping": 0.1},
    "Sine": {"amplitude": 0.1, "frequency_hz": 2.0, "phase": 0.3, "offset": 0.4},
    "Sphere": {"radius": 0.1, "length": 0.2},
    "Tube": {"outer_radius": 0.02, "inner_radius": 0.01, "material": pl.STEEL},
    "WhiteNoise": {"density": 0.1, "hold": 0.2, "offset": 0.3},
}
OTHERWISE = ("Expression", "Function", "Hull", "LinearStiffness", "Mesh", "Polygon", "SectionFunction", "Table")


def test_every_kind_with_numbers_is_replaced_below() -> None:
    """Joints and loads are in tests/contract/test_parts_of_pliant.py."""
    kinds.load_all()
    ours = [kind for kind in kinds.kinds_of(kinds.Kind) if kind.__module__.startswith("pliant.model")]
    with_numbers = {kind.__name__ for kind in ours if kind.units and not issubclass(kind, Joint | Load)}
    assert with_numbers - set(NUMBERS) <= set(OTHERWISE)


@pytest.mark.parametrize("name", NUMBERS)
def test_what_replaces_another_keeps_the_formulas_of_its_other_fields(name: str) -> None:
    kind, _, by = name.strip().partition(".")
    make: Callable[..., Any] = getattr(kinds.find(kind), by) if by else kinds.find(kind)
    given = NUMBERS[name]
    pairs = 0
    for key in [key for key, value in given.items() if isinstance(value, float)]:
        x = pl.Parameter("x", given[key], high=1.1 * given[key] if given[key] > 0.0 else 10.0)
        named, plain, changed = (make(**given | {key: value}) for value in (x, x.value, 1.01 * x.value))
        others = [f.name for f in fields(plain) if isinstance(getattr(plain, f.name), float | str) and f.name != key]
        for other in (each for each in others if each not in ("supports", "relative_to", "shape", "kind", "bow")):
            new = "new" if other == "name" else 0.99 * getattr(plain, other)
            try:
                wanted = replace(changed, **{other: new})
            except ModelError:  # such as a shear modulus that does not fit the others
                continue
            found = replace(replace(named, **{other: new}), **{other: new})
            assert repr(found) == repr(replace(plain, **{other: new})), (key, other)
            assert parameters_of(found) == {"x": x}, (key, other)
            again = copies._again(found, {"x": x.at(1.01 * x.value)}, {}, whole=True)
            assert repr(again) == repr(wanted), (key, other)
            pairs += 1
        if not by:
            assert not parameters_of(replace(named, **{key: x.value})), key
            assert parameters_of(replace(plain, **{key: x})) == {"x": x}, key
    assert pairs or name in ("Constant", "Circle", "Rectangle", "Tube", "RayleighOfModes")


def test_a_marker_that_replaces_another_keeps_its_formulas() -> None:
    x = pl.Parameter("x", 0.2)
    for body in (pl.Ground(), pl.Body("b", mass=1.0, inertia=0.1)):
        found = replace(body.at(x, 0.0), name="new", angle=0.3)
        assert (found.x, found.name, parameters_of(found)) == (0.2, "new", {"x": x})
    link = pl.Link("c", length=x, mass=1.0)
    assert parameters_of(replace(pl.Ground().at(x, 0.0), x=0.1)) == {}
    assert replace(link.at(s=0.5), name="new").made.arguments == {"s": 0.5, "name": "new"}
    moved = replace(link.at(s=x), body=pl.Link("d", length=2 * x, mass=1.0))
    assert (moved.x, parameters_of(moved)) == (0.2 * 0.2, {})  # x of the first link is no s of the other


@pytest.mark.parametrize(("unit", "stiffening"), [("Pa", 1.0), ("", 1.1)])
def test_a_crank_slider_of_a_parameter_is_that_of_its_number(unit: str, stiffening: float) -> None:
    from pliant_gallery.crank_slider import PAPER, model

    crank = replace(PAPER, stiffening=stiffening, torsional_damping=0.0 if unit else 0.05)
    m = model(replace(crank, youngs_modulus=pl.Parameter("E", 70e9, unit=unit)), flexible=True)
    half = model(replace(crank, youngs_modulus=35e9), flexible=True).part("crank")
    found = m.with_parameters(E=35e9).part("crank")
    assert repr(found.section) == repr(half.section)
    assert found.damping == half.damping or found.damping.stiffness == pytest.approx(half.damping.stiffness, rel=1e-15)


def test_a_file_and_a_program_hold_a_section_that_replaces_another(tmp_path) -> None:
    h = pl.Parameter("h", 2e-3)
    m = pl.Model("m")
    strip = replace(pl.Section.rectangle(10 * h, h, pl.STEEL), rotary_inertia=0.0, mass_per_length=100 * h)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=strip))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    m.save(tmp_path / "m.toml")
    names: dict[str, Any] = {}
    exec(m.as_python(), names)
    for again in (pl.Model.load(tmp_path / "m.toml"), names["m"]):
        assert descriptions(again) == descriptions(m)
        assert descriptions(again.with_parameters(h=3e-3)) == descriptions(m.with_parameters(h=3e-3))
    text = io.dumps(m)
    with pytest.raises(FileError, match="key 'weight' is not known"):
        io.loads(text.replace("rotary_inertia = 0.0", "weight = 0.0"))
    with pytest.raises(FileError, match=r"of = 1\.0 is not allowed; it must be a Section"):
        io.loads("\n".join("of = 1.0" if line.startswith("of = ") else line for line in text.splitlines()))


def test_a_file_refuses_a_formula_that_it_cannot_hold() -> None:
    m = pl.Model("m")
    m.add(pl.Ground(), replace(pl.Link("c", length=pl.Parameter("x", 0.2), mass=1.0, free=True), mass=2.0))
    with pytest.raises(FileError, match=r'Link "c": inertia was left out.*Give it as a number'):
        io.dumps(m)
