"""Outputs of a system: section forces against statics by hand, points and their rates, energies, labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pliant as pl

SECTION = pl.Section(1e7, 4e6, 50.0, 2.0, 1e-3)
LIGHT = 1e-3  # a load so small that the beam stays where it was
OPTIONS = [
    pl.Linear(8, integration="exact"),
    pl.Linear(8),
    pl.Exact(8),
    pl.Exact(4, order=2),
    pl.Exact(4, order=3),
    pl.Corotational(8),
]
every_beam = pytest.mark.parametrize("options", OPTIONS, ids=repr)


def cantilever(*, angle: float = 0.0, length: float = 2.0) -> tuple[pl.Model, pl.Beam]:
    model = pl.Model("cantilever")
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=length, section=SECTION, angle=angle))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0), name="clamp"))
    return model, beam


def along(result: pl.Result, beam: str = "beam") -> tuple[np.ndarray, np.ndarray]:
    """Return stations, and N, V, M there."""
    mine = (result.beam == beam).values
    return result.section_s.values[mine], result.resultant.values[mine]


@every_beam
@pytest.mark.parametrize("angle", [0.0, 0.8])
def test_tip_force_along_a_cantilever(options: object, angle: float) -> None:
    """N and V are the force's parts along and across, M = V (l - x), positive bending to the left."""
    model, beam = cantilever(angle=angle)
    model.add(pl.Force(beam.at(s=1), x=3 * LIGHT, y=-5 * LIGHT))
    s, found = along(pl.statics(pl.compile(model, elements=options)))
    c, n = math.cos(angle), math.sin(angle)
    axial, shear = LIGHT * (3 * c - 5 * n), LIGHT * (-5 * c - 3 * n)
    expected = np.stack([np.full_like(s, axial), np.full_like(s, shear), shear * 2.0 * (1.0 - s)], axis=1)
    np.testing.assert_allclose(found, expected, atol=LIGHT * 2e-3)


@every_beam
def test_weight_along_a_cantilever(options: object) -> None:
    """M = -q (l - x)^2 / 2 and V = -q (l - x), to the load that one element carries."""
    model, _ = cantilever()
    model.add(pl.Gravity(y=-LIGHT))
    s, found = along(pl.statics(pl.compile(model, elements=options)))
    q, rest = 2.0 * LIGHT, 2.0 * (1.0 - s)
    share = q * 2.0 / options.elements
    np.testing.assert_allclose(found[:, 0], 0.0, atol=1e-3 * q)  # it hangs a little
    np.testing.assert_allclose(found[:, 1], -q * rest, atol=0.51 * share)
    np.testing.assert_allclose(found[:, 2], -q * rest**2 / 2, atol=0.51 * share * 2.0 / options.elements)


def test_end_moment_is_seen_everywhere() -> None:
    model, beam = cantilever()
    model.add(pl.Moment(beam.at(s=1), 20.0))  # a fifth of a turn
    for options in (pl.Exact(8), pl.Exact(4, order=3), pl.Corotational(8)):
        _, found = along(pl.statics(pl.compile(model, elements=options)))
        np.testing.assert_allclose(found[:, 2], 20.0, rtol=1e-7)
        np.testing.assert_allclose(found[:, :2], 0.0, atol=1e-5)


@every_beam
def test_portal_frame_against_slope_deflection(options: object) -> None:
    """Clamped columns of height 1, a beam of length 1, a side force at the corner: with equal EI the feet carry
    2/7 F h and the corners 3/14 F h; axial forces of the columns are 3/7 F h / l. (EA and GA are large.)
    """
    model = pl.Model("portal")
    ground = model.add(pl.Ground())
    stiff = pl.Section(1e9, 1e9, 50.0, 1.0, 1e-3)
    left = model.add(pl.Beam("left", length=1.0, section=stiff, angle=math.pi / 2))
    top = model.add(pl.Beam("top", length=1.0, section=stiff, angle=0.0))
    right = model.add(pl.Beam("right", length=1.0, section=stiff, angle=math.pi / 2))
    model.add(pl.Weld(ground.at(0, 0), left.at(s=0), name="left foot"), pl.Weld(left.at(s=1), top.at(s=0)))
    model.add(pl.Weld(ground.at(1, 0), right.at(s=0), name="right foot"), pl.Weld(right.at(s=1), top.at(s=1)))
    force = 0.1
    model.add(pl.Force(left.at(s=1), x=force))
    rest = pl.statics(pl.compile(model, elements=options))
    linear = getattr(options, "integration", "") == "reduced" or options == pl.Exact(8)
    rough = 2e-2 if linear else 1e-3  # two-node elements of constant curvature
    for foot in ("left foot", "right foot"):
        assert float(rest.reaction.sel(joint=foot, wrench="M")) == pytest.approx(force * 2 / 7, rel=rough)
        assert float(rest.reaction.sel(joint=foot, wrench="Fx")) == pytest.approx(-force / 2, rel=rough)
    s, found = along(rest, "left")
    np.testing.assert_allclose(found[:, 0], force * 3 / 7, rtol=rough)
    np.testing.assert_allclose(found[:, 2], force * (s / 2 - 2 / 7), atol=rough * force)


def test_sections_are_ordered_and_labelled_beam_by_beam() -> None:
    model = pl.Model("two")
    ground = model.add(pl.Ground())
    first = model.add(pl.Beam("first", length=1.0, section=SECTION))
    second = model.add(pl.Beam("second", length=1.0, section=SECTION, angle=0.5))
    model.add(pl.Weld(ground.at(0, 0), first.at(s=0)), pl.Weld(first.at(s=1), second.at(s=0)))
    model.add(pl.Force(second.at(s=1), y=LIGHT))
    rest = pl.statics(pl.compile(model, elements={"first": pl.Linear(3), "second": pl.Exact(2, order=2)}))
    for name in ("first", "second"):
        s, found = along(rest, name)
        assert np.all(np.diff(s) >= 0.0)
        assert s.min() >= 0.0
        assert np.isfinite(found).all()
    joint = math.cos(0.5) * LIGHT
    _, found = along(rest, "second")
    assert found[0, 2] == pytest.approx(joint, rel=0.3)


def moving() -> pl.Result:
    model = pl.Model("arm")
    ground = model.add(pl.Ground())
    crank = model.add(pl.Link("crank", length=0.4, mass=0.5, angle=0.2))
    soft = pl.Section(2e4, 8e3, 0.5, 0.6, 1e-5)
    beam = model.add(pl.Beam("beam", length=0.8, section=soft, angle=-0.4))
    model.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), beam.at(s=0)), pl.Gravity())
    model.add(crank.at(x=0.1, y=0.2, name="eye"), beam.at(s=0.5, y=0.05, name="flag"))
    return pl.transient(pl.compile(model, elements=4), end_time=0.2, step=2e-4)


@pytest.fixture(scope="module")
def run() -> pl.Result:
    return moving()


@pytest.mark.parametrize("marker", ["crank/tip", "crank/eye", "beam/tip", "beam/flag"])
def test_velocity_and_acceleration_are_derivatives_of_position(marker: str, run: pl.Result) -> None:
    t = run.time.values
    x, v, a = (getattr(run, name).sel(marker=marker).values for name in ("position", "velocity", "acceleration"))
    np.testing.assert_allclose(np.gradient(x, t, axis=0)[2:-2], v[2:-2], atol=2e-3 * np.abs(v).max())
    np.testing.assert_allclose(np.gradient(v, t, axis=0)[20:-2], a[20:-2], atol=2e-2 * np.abs(a).max())


def test_markers_that_coincide_move_together(run: pl.Result) -> None:
    np.testing.assert_allclose(run.position.sel(marker="crank/tip"), run.position.sel(marker="beam/base"), atol=1e-9)


def test_shape_holds_every_part_in_order(run: pl.Result) -> None:
    parts = run.part.values.tolist()
    assert parts == ["crank"] * 3 + ["beam"] * 5  # its ends, and what it carries beside its line
    np.testing.assert_allclose(run.s.values, [0.0, 1.0, 0.1 / 0.4, 0.0, 0.25, 0.5, 0.75, 1.0])
    assert run.part_kind.values.tolist() == ["rigid"] * 3 + ["beam"] * 5
    np.testing.assert_allclose(run.shape[:, 1], run.position.sel(marker="crank/tip"), atol=1e-14)
    np.testing.assert_allclose(run.shape[:, -1], run.position.sel(marker="beam/tip"), atol=1e-14)


def test_energies_add_up(run: pl.Result) -> None:
    energy = run.energy
    kinetic, potential, supplied, dissipated, balance = energy.values.T
    assert energy.energy_kind.values.tolist() == ["kinetic", "potential", "supplied", "dissipated", "balance"]
    assert kinetic[0] == 0.0
    assert balance[0] == 0.0
    np.testing.assert_allclose(supplied, 0.0)
    np.testing.assert_allclose(dissipated, 0.0)
    np.testing.assert_allclose(kinetic + potential - potential[0], balance, atol=1e-12)
    assert np.abs(balance).max() < 5e-3 * kinetic.max()


def test_every_variable_has_units_and_every_label_is_there(run: pl.Result) -> None:
    assert run.position.attrs["units"] == "m"
    assert run.reaction.attrs["units"] == "N, N, N m"
    assert run.reaction.wrench.values.tolist() == ["Fx", "Fy", "M"]
    assert run.resultant.component.values.tolist() == ["N", "V", "M"]
    assert set(run.marker.values) == {"crank/base", "crank/tip", "crank/eye", "beam/base", "beam/tip", "beam/flag"}
    assert run.body.values.tolist() == ["crank", "beam"]
    assert run.ground.values.tolist() == ["ground(0, 0)"]


def test_reaction_at_a_knee_is_the_rest_of_the_arm(run: pl.Result) -> None:
    """Newton's law for the beam: the knee's force is its mass times the acceleration of its centre, less its weight."""
    nodes = run.shape.sel(station=(run.part == "beam").values).values
    centre = np.einsum("tsk,s->tk", nodes, [0.125, 0.25, 0.25, 0.25, 0.125])
    step = float(run.time[1] - run.time[0])
    acceleration = (centre[2:] - 2.0 * centre[1:-1] + centre[:-2]) / step**2
    expected = 0.6 * 0.8 * (acceleration + np.array([0.0, 9.81]))
    found = run.reaction.isel(joint=1).values[1:-1, :2]
    np.testing.assert_allclose(found[20:], expected[20:], atol=0.01 * np.abs(expected).max())
