"""Derivatives by parameters: of everything in a result, of modes, by parameters in all kinds of parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError

STRIP = pl.Section.rectangle(0.02, 2e-3, pl.STEEL)


def strip(plane: str | None) -> tuple[pl.Model, pl.Ground, pl.Beam]:
    """Return a clamped strip under a force that bends it far."""
    m = pl.Model("strip", plane=plane)
    section = pl.Section.rectangle(0.02, pl.Parameter("h", 2e-3, unit="m"), pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section, damping=pl.Rayleigh(0.1, 1e-4)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"), pl.Force(beam.at(s=1), y=-8.0, name="load"))
    return m, ground, beam


def apart(system: Any, of: Mapping[str, Any], to: Sequence[str]) -> dict[str, float]:
    """Return relative errors of derivatives against equilibria solved again, by name."""
    rest, names = pl.statics(system), list(of)
    found, again = (pl.sensitivity(system, rest, of=each, to=to, modes=2) for each in (names, of))
    assert max(found.error.values()) < (1e-7 if "frequency_hz" in of else 1e-9)  # rounding of stiff axes shows there
    worst = {}
    for name in names:
        least = 1e-3 * np.max(np.abs(found.value[name].values))  # of what hardly changes with the parameter
        one, two = found.derivative[name].values, again.derivative[name].values
        sizes = [np.max(np.abs(b)) + least / found.parameters[to[k]].value for k, b in enumerate(two)]
        worst[name] = max(float(np.max(np.abs(a - b)) / size) for a, b, size in zip(one, two, sizes, strict=True))
    return worst


PARAMETERS = {"arm": 0.2, "mass": 0.5, "rest": 0.1, "anchor": 0.3, "guide": 0.5, "drag": 0.2, "pull": 9.0}


@pytest.mark.parametrize("plane", ["xy", None])
def test_parameters_of_several_kinds_of_parts(plane: str | None) -> None:
    m, ground, beam = strip(plane)
    p = {name: pl.Parameter(name, value) for name, value in PARAMETERS.items()}
    arm = m.add(pl.Link("arm", length=p["arm"], mass=p["mass"]))
    m.add(pl.Revolute(beam.at(s=1), arm.at(s=0)), pl.Gravity(), pl.Dashpot("air", arm.at(s=1), x=p["drag"]))
    m.add(pl.TorsionSpring("hinge", beam.at(s=1), arm.at(s=0), 2.0, rest_angle=p["rest"], damping=1e-3))
    m.add(pl.Spring("spring", arm.at(s=1, y=0.02), ground.at(0.7, p["anchor"]), 40.0, 0.1, damping=0.1))
    given = {"guides": (beam.at(p["guide"]),), "stiffness": 200.0, "force": p["pull"]}
    m.add(pl.Tendon("tendon", ground.at(0, 0.1), arm.at(s=1), **given))
    system = pl.compile(m, elements=2)
    names = {name: lambda _, found, name=name: getattr(found, name) for name in ("position", "reaction", "tension")}
    places = apart(system, names, ["arm", "rest", "anchor", "guide", "pull"])
    modes = {
        "frequency_hz": lambda of, found: pl.modal(of, at=found, modes=2).frequency_hz,
        "eigenvalue": lambda of, found: pl.modal(of, at=found, modes=2, damped=True).eigenvalue,
    }
    assert max((places | apart(system, modes, ["h", "mass", "drag"])).values()) < 1e-6


def test_relative_derivatives_and_their_table() -> None:
    m = pl.Model("slide")
    k, force = pl.Parameter("k", 50.0), pl.Parameter("F", 2.0)
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=1.0, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.0))
    m.add(pl.Force(slide.at(), x=force))
    system = pl.compile(m)
    found = pl.sensitivity(system, pl.statics(system), of=["position"], to=["F", "k"])
    place = {"marker": "slide(0, 0)", "axis": "x"}
    assert found.derivative.position.sel(place).values == pytest.approx([1 / 50.0, -2.0 / 50.0**2], rel=1e-9)
    table = found.table("position", **place)
    assert table.relative.to_dict() == pytest.approx({"F": 0.04 / 1.04, "k": -0.04 / 1.04}, rel=1e-9)
    stiff = {"stiffness": lambda of, rest: pl.stiffness(of, marker="slide(0, 0)", at=rest).compliance[0, 0]}
    again = pl.sensitivity(system, pl.statics(system), of=stiff, to=["k"])
    assert again.relative.stiffness.item() == pytest.approx(-1.0, rel=1e-6)
    assert "stiffness = 0.02" in repr(again)


def test_a_repeated_frequency_is_told() -> None:
    m = pl.Model("bob", plane=None)
    length = pl.Parameter("L", 2.0)
    ground, bob = m.add(pl.Ground(), pl.Body("bob", mass=1.0, inertia=0.0, position=(0.0, 0.0, -length)))
    m.add(pl.Universal(ground.at(0, 0, 0), bob.at(0, 0, length)), pl.Gravity())
    system = pl.compile(m)
    found = pl.sensitivity(system, pl.statics(system), of=["frequency_hz"], modes=2)
    assert found.relative.frequency_hz.values.ravel() == pytest.approx([-0.5, -0.5], rel=1e-8)
    assert "modes 1, 2 are repeated" in found.notes[0]


def test_formulations_without_residual_are_solved_again() -> None:
    m = pl.Model("crank")
    r = pl.Parameter("r", 0.1)
    ground, crank, rod = m.add(
        pl.Ground(), pl.Link("crank", length=r, mass=0.2, angle=0.7), pl.Link("rod", length=0.3, mass=0.3, angle=-0.2)
    )
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)), pl.Gravity())
    m.add(pl.TorsionSpring("t", ground.at(0, 0), crank.at(s=0), 3.0), pl.Slider(ground.at(0, 0), rod.at(s=1)))
    exact = pl.compile(m)
    mine = pl.sensitivity(exact, pl.statics(exact), of=["position"]).derivative.position.values
    for formulation in ("relative",):
        other = pl.compile(m, formulation=formulation)
        found = pl.sensitivity(other, pl.statics(other), of=["position"]).derivative.position.values
        assert np.max(np.abs(found - mine)) < 1e-6 * np.max(np.abs(mine))


def test_a_contact_about_to_touch_has_no_derivative() -> None:
    m = pl.Model("floor")
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=1.0, position=(0.0, 0.1), angle=0.0))
    drop = pl.Parameter("drop", 0.1)
    m.add(pl.Prismatic(ground.at(0, 0, angle=np.pi / 2), ball.at(angle=np.pi / 2)))
    m.add(pl.Spring("s", ground.at(0, 1.0), ball.at(), 50.0, 1.0 - drop))
    m.add(pl.Contact("c", ground.at(0, 0), ball.at(), radius=0.1, stiffness=1e3, exponent=1.0))
    system = pl.compile(m)
    rest = pl.statics(system)
    with pytest.raises(OptionError, match="kink here, seen along 'drop'"):
        pl.sensitivity(system, rest, of=["position"])


def test_what_is_wrong_is_refused_by_name() -> None:
    m, _, beam = strip("xy")
    system = pl.compile(m, elements=2)
    rest = pl.statics(system)
    for options, words in (
        ({"of": ["positon"]}, "positon.*position"),
        ({"of": ["position"], "to": ["thick"]}, "no parameter 'thick'"),
        ({"of": ["position"], "to": "h"}, "give a list of names"),
    ):
        with pytest.raises(OptionError, match=words):
            pl.sensitivity(system, rest, **options)
    with pytest.raises(OptionError, match="is no equilibrium: give a Result of statics"):
        pl.sensitivity(system, pl.sensitivity(system, rest, of=["position"]), of=["position"])
    plain = pl.compile(number_only())
    with pytest.raises(OptionError, match="has no parameters"):
        pl.sensitivity(plain, rest, of=["position"])
    m.add(beam.at(s=pl.Parameter("s", 1.0), name="end"))
    edge = pl.compile(m, elements=2)
    with pytest.raises(OptionError, match=r"beside its value, at 1.0.*no such model"):
        pl.sensitivity(edge, pl.statics(edge), of=["position"], to=["s"])
    m.add(pl.Force(beam.at(s=0.5), x=pl.Parameter("push", 0.0)))
    zero = pl.compile(m, elements=2)
    with pytest.raises(OptionError, match="Give it a scale"):
        pl.sensitivity(zero, pl.statics(zero), of=["position"], to=["push"])


def number_only() -> pl.Model:
    """Build a model without parameters."""
    m = pl.Model("plain")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    return m


def test_a_neutral_equilibrium_is_refused() -> None:
    m = pl.Model("wheel")
    ground, wheel = m.add(pl.Ground(), pl.Body("wheel", mass=pl.Parameter("m", 1.0), inertia=1.0, position=(0, 0)))
    m.add(pl.Revolute(ground.at(0, 0), wheel.at()), pl.Gravity())
    system = pl.compile(m)
    with pytest.warns(pl.errors.NeutralEquilibrium):
        rest = pl.statics(system)
    with pytest.raises(OptionError, match="neutral"):
        pl.sensitivity(system, rest, of=["position"])


def test_an_imperfection_has_no_derivative_at_a_bifurcation() -> None:
    m = pl.Model("column")
    section = pl.Section.rectangle(0.02, pl.Parameter("h", 2e-3), pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section))
    point = beam.at(s=1, y=pl.Parameter("shift", 0.0, scale=0.01))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(point, x=-1.0, name="load"))
    system = pl.compile(m, elements=pl.Exact(2, order=3))
    path = pl.path(system, "load/x", to=-35.0)
    found = pl.sensitivity(system, path, of=["event_parameter"])
    assert found.relative.event_parameter.sel(parameter="h").item() == pytest.approx(
        3.0, rel=1e-4
    )  # Euler's, with shear
    assert np.isnan(found.derivative.event_parameter.sel(parameter="shift").item())
    with pytest.raises(OptionError, match="no limit point"):
        pl.sensitivity(system, pl.path(system, "load/x", to=-5.0), of=["event_parameter"])


def test_rods_that_buckle_between_nodes_that_stay() -> None:
    m = pl.Model("column", plane=None)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=pl.Parameter("L", 0.5), section=STRIP))
    m.add(pl.Weld(ground.at(0, 0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-1.0, name="load"))
    system = pl.compile(m, formulation="shooting")
    found = pl.sensitivity(system, pl.path(system, "load/x", to=-35.0), of=["event_parameter"])
    assert found.relative.event_parameter.values == pytest.approx(-2.0, rel=1e-4)  # Euler's, with shear
    m.add(pl.Gravity(y=-9.81, z=0.0))
    system = pl.compile(m, formulation="shooting")
    found = pl.sensitivity(system, pl.statics(system), of=["position"])
    assert found.relative.position.sel(marker="beam/tip", axis="y").item() == pytest.approx(4.0, rel=0.02)  # L^4
    assert 0.0 < found.error["L"] < 1e-4


def test_a_tornado() -> None:
    m, _, _ = strip("xy")
    system = pl.compile(m, elements=2)
    found = pl.sensitivity(system, pl.statics(system), of=["position"])
    axes = pl.plot_sensitivity(found, "position", marker="beam/tip", axis="y")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["h"]
    with pytest.raises(OptionError, match="say which axis"):
        pl.plot_sensitivity(found, "position", marker="beam/tip")


def test_a_parameter_that_nothing_depends_on_is_named() -> None:
    m = pl.Model("slide")
    ground, slide = m.add(pl.Ground(), pl.Body("slide", mass=2.0, inertia=1.0, position=(1.0, 0.0), angle=0.0))
    k, c = pl.Parameter("k", 50.0), pl.Parameter("c", 3.0)
    m.add(pl.Prismatic(ground.at(0, 0), slide.at()), pl.Spring("s", ground.at(0, 0), slide.at(), k, 1.1, damping=c))
    m.add(pl.Force(slide.at(), x=2.0, name="load"))
    system = pl.compile(m)
    found = pl.sensitivity(system, pl.statics(system), of=["position"])
    assert found.notes == ("none of the quantities depends on c",)
    run = pl.transient(system, end_time=0.05, step=1e-2)
    assert pl.sensitivity(system, run, of=["position"]).notes == ()


def test_poles_of_a_linear_model_as_eigenvalues() -> None:
    m, _, _ = strip("xy")
    system = pl.compile(m, elements=2)

    def pole(system: Any, rest: Any) -> complex:
        model = pl.linearise(system, at=rest, inputs=["load/y"], outputs=["position:beam/tip:y"])
        return complex(next(each for each in model.poles() if each.imag > 0.0))

    found = pl.sensitivity(system, pl.statics(system), of={"pole": pole, "eigenvalue": "eigenvalue"}, modes=1)
    exact = complex(found.derivative.eigenvalue.values[0, 0])
    assert abs(complex(found.derivative.pole.values[0]) - exact) < 1e-5 * abs(exact)


@pytest.mark.parametrize("slope", [0.0, 1e-4])
def test_forces_that_grow_as_the_square_have_no_kink(slope: float) -> None:
    """The slope is small beside the curvature at zero, which a pair of systems cannot separate from a kink."""
    a, m = pl.Parameter("a", 0.0, scale=1.0), pl.Model("body on springs")
    ground, body = m.add(pl.Ground(), pl.Body("body", mass=1.0, inertia=0.1, position=(0, 0), angle=0.0, free=True))
    for k, (x, y) in enumerate([(1.0, 0.0), (-1.0, 0.2), (0.3, -1.0)]):
        m.add(pl.Spring(f"spring {k}", ground.at(x, y), body.at(0.1 * x, 0.1 * y), 100.0, 0.5))
    m.add(pl.Force(body.at(0.1, 0.0), y=100.0 * a * a + slope * a))
    system = pl.compile(m)
    rest = pl.statics(system)
    of = {"told": "position", "again": lambda system, rest: rest.position}
    found = pl.sensitivity(system, rest, of=of).derivative
    np.testing.assert_allclose(found.told, found.again, atol=1e-12)
    assert (float(np.max(np.abs(found.told))) > 1e-8) == (slope > 0.0)
