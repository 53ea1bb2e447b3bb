"""Compliance at a marker, against closed forms, against loads that are applied, and in both spaces."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError, SingularError, UnstableEquilibrium

L, B, H = 0.2, 20e-3, 1e-3
STRIP = pl.Section.rectangle(B, H, pl.STEEL)
EI = 210e9 * B * H**3 / 12


def cantilever(plane: str | None = "xy") -> pl.Model:
    m = pl.Model("cantilever", plane=plane)
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=L, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), leaf.at(s=0)))
    return m


def crossed(apart: float) -> pl.Model:
    """Build a stage on two leaves that stand side by side."""
    m = pl.Model("stage", plane="xy")
    ground = m.add(pl.Ground())
    stage = m.add(pl.Body("stage", mass=1.0, inertia=1e-3, position=(0, L), angle=0.0))
    for name, x in (("left", -apart / 2), ("right", apart / 2)):
        leaf = m.add(pl.Beam(name, length=L, section=STRIP, position=(x, 0), angle=90 * pl.DEG))
        m.add(pl.Weld(ground.at(x, 0, angle=90 * pl.DEG), leaf.at(s=0)))
        m.add(pl.Weld(leaf.at(s=1), stage.at(x, 0, angle=90 * pl.DEG)))
    return m


def test_cantilever_in_the_plane_is_that_of_timoshenko() -> None:
    found = pl.stiffness(pl.compile(cantilever(), elements=pl.Exact(2, order=3)), marker="leaf/tip")
    shear = L / STRIP.shear_stiffness
    exact = [
        [L / STRIP.axial_stiffness, 0, 0],
        [0, L**3 / (3 * EI) + shear, L**2 / (2 * EI)],
        [0, L**2 / (2 * EI), L / EI],
    ]
    np.testing.assert_allclose(found.compliance, exact, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found.matrix @ found.compliance, np.eye(3), atol=1e-7)
    np.testing.assert_allclose(found.centre, [L / 2, 0], atol=1e-12)
    middle = found.at_point(found.centre).compliance
    np.testing.assert_allclose(middle[2], [0, 0, L / EI], atol=1e-12)
    assert found.principal().translations[0] == pytest.approx(1 / (L**3 / (12 * EI) + shear), rel=1e-9)


def test_space_agrees_with_the_plane_and_knows_torsion() -> None:
    plane = pl.stiffness(pl.compile(cantilever(), elements=pl.Exact(2, order=3)), marker="leaf/tip").compliance
    found = pl.stiffness(pl.compile(cantilever(None), elements=pl.Exact(2, order=3)), marker="leaf/tip")
    c = found.compliance
    np.testing.assert_allclose(c[np.ix_([0, 1, 5], [0, 1, 5])], plane, rtol=1e-8, atol=1e-14)
    assert c[3, 3] == pytest.approx(L / STRIP.torsional_stiffness, rel=1e-9)
    np.testing.assert_allclose(c, c.T, atol=1e-9 * np.max(np.abs(c)))
    np.testing.assert_allclose(found.centre, [L / 2, 0, 0], atol=1e-9)
    coupling = found.at_point(found.centre).compliance[:3, 3:]
    np.testing.assert_allclose(coupling, coupling.T, atol=1e-12)


def test_a_parallel_stage_has_the_stiffness_of_guided_leaves() -> None:
    found = pl.stiffness(pl.compile(crossed(0.1), elements=pl.Exact(2, order=3)), marker="stage")
    leaf = 1 / (L**3 / (12 * EI) + L / STRIP.shear_stiffness)
    assert found.matrix[0, 0] == pytest.approx(2 * leaf, rel=1e-6)  # of guided leaves, the stage kept from turning
    assert found.matrix[1, 1] == pytest.approx(2 * STRIP.axial_stiffness / L, rel=1e-6)


def test_preload_counts_and_loads_agree() -> None:
    """A small further load moves the marker by the compliance of the loaded cantilever."""

    def tip(extra: float) -> tuple[pl.Stiffness, np.ndarray]:
        m = cantilever()
        m.add(pl.Force(m.part("leaf").at(s=1), x=-3.0, y=1.0 + extra))
        system = pl.compile(m, elements=pl.Exact(4, order=3))
        rest = pl.statics(system)
        return pl.stiffness(system, marker="leaf/tip", at=rest), rest.position.sel(marker="leaf/tip").values

    step = 1e-3
    (found, _), (_, more), (_, less) = tip(0.0), tip(step), tip(-step)
    np.testing.assert_allclose(found.compliance[:2, 1], (more - less) / (2 * step), rtol=1e-5)


def test_sparse_and_dense_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    system = pl.compile(crossed(0.1), elements=8)
    dense = pl.stiffness(system, marker="stage").compliance
    monkeypatch.setattr("pliant.linalg.eigen.DENSE_LIMIT", 0)
    np.testing.assert_allclose(pl.stiffness(system, marker="stage").compliance, dense, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("limit", [700, 0])
def test_what_is_free_is_refused(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pliant.linalg.eigen.DENSE_LIMIT", limit)
    m = pl.Model("pendulum")
    ground, bar = m.add(pl.Ground(), pl.Link("bar", length=1.0, mass=1.0))
    m.add(pl.Revolute(ground.at(0, 0), bar.at(s=0)))
    with pytest.raises(SingularError, match="no stiffness"):
        pl.stiffness(pl.compile(m), marker="bar/tip")


def test_bad_input_is_named() -> None:
    system = pl.compile(cantilever(), elements=2)
    with pytest.raises(OptionError, match="no marker"):
        pl.stiffness(system, marker="leaf/top")
    found = pl.stiffness(system, marker="leaf/tip")
    with pytest.raises(OptionError, match="2 coordinates"):
        found.at_point((0.0, 0.0, 1.0))
    rigid = pl.Stiffness("block", np.zeros(2), np.diag([1e-3, 0.0, 0.0]), 1.0)
    with pytest.raises(SingularError, match="rigid in some direction"):
        _ = rigid.matrix
    with pytest.raises(SingularError, match="cannot turn"):
        _ = rigid.centre


@pytest.mark.parametrize("size", [1.0, 1e-6])
@pytest.mark.parametrize(("formulation", "off"), [("dae", 1e-8), ("shooting", 1e-8), ("udwadia_kalaba", 2e-3)])
def test_every_formulation_in_any_unit(formulation: str, off: float, size: float) -> None:
    section = pl.Section.rectangle(B * size, H * size, pl.STEEL)
    m = pl.Model("cantilever", plane=None)
    ground, leaf = m.add(pl.Ground(), pl.Beam("leaf", length=L * size, section=section))
    m.add(pl.Weld(ground.at(0, 0, 0), leaf.at(s=0)))
    options = {"elements": pl.Exact(2, order=3)} if formulation == "dae" else {}
    tip = pl.stiffness(pl.compile(m, formulation=formulation, **options), marker="leaf/tip").compliance
    exact = (L * size) ** 3 / (3 * section.bending_stiffness) + L * size / section.shear_stiffness
    assert tip[1, 1] == pytest.approx(exact, rel=off)


def test_an_unstable_equilibrium_is_said() -> None:
    m = pl.Model("inverted")
    ground, rod = m.add(pl.Ground(), pl.Link("rod", length=1.0, mass=1.0, angle=90 * pl.DEG))
    m.add(pl.Revolute(ground.at(0, 0), rod.at(s=0)), pl.Gravity())
    m.add(pl.TorsionSpring("spring", ground.at(0, 0), rod.at(s=0), 1.0, rest_angle=90 * pl.DEG))
    system = pl.compile(m)
    with pytest.warns(UnstableEquilibrium):
        rest = pl.statics(system)
    with pytest.warns(UnstableEquilibrium, match="against a force"):
        tip = pl.stiffness(system, marker="rod/tip", at=rest)
    assert 1 / tip.compliance[2, 2] == pytest.approx(1.0 - 9.81 / 2, rel=1e-9)  # k - m g l / 2


def test_a_spin_stiffens() -> None:
    """A rigid arm on a hinge off the axis: k + m w^2 r l / 2, of a rod that the spin holds out."""
    m = pl.Model("rotor")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=0.3, mass=0.2, angle=0.0))
    m.add(pl.Revolute(ground.at(0.1, 0), arm.at(s=0)))
    m.add(pl.TorsionSpring("spring", ground.at(0.1, 0), arm.at(s=0), 2.0))
    system = pl.compile(m)
    found = pl.stiffness(system, marker="arm/tip", at=pl.statics(system, spin=30.0))
    assert 1 / found.compliance[2, 2] == pytest.approx(2.0 + 0.2 * 30.0**2 * 0.1 * 0.15, rel=1e-9)


def test_compliance_is_drawn_as_an_ellipsoid_about_its_point() -> None:
    """Half axes are principal compliances, the largest a quarter of the model's length; turned with the matrix."""
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    compliance = np.zeros((6, 6))
    compliance[:3, :3] = turn @ np.diag([4e-3, 2e-3, 1e-3]) @ turn.T
    point = np.array([0.1, 0.2, 0.3])
    axes = pl.plot_compliance(pl.Stiffness("hand", point, compliance, 2.0))
    halves = [np.diff(np.array(line.get_data_3d()), axis=1).ravel() for line in axes.lines[3:0:-1]]
    np.testing.assert_allclose(np.abs(halves), [[0.0, 0.0, 0.125], [0.25, 0.0, 0.0], [0.0, 0.5, 0.0]], atol=1e-12)
    box = [axes.xy_dataLim.intervalx, axes.xy_dataLim.intervaly, axes.zz_dataLim.intervalx]  # of the surface
    np.testing.assert_allclose(np.transpose(box) - point, [[-0.25, -0.5, -0.125], [0.25, 0.5, 0.125]], atol=2e-3)
    with pytest.raises(SingularError, match="'hand' does not move under any force"):
        pl.plot_compliance(pl.Stiffness("hand", point, np.zeros((6, 6)), 2.0))


def test_principal_screws_of_a_cantilever_are_those_of_its_middle() -> None:
    """Two on every axis through its middle: k and kappa along and about it are EA/L, GJ/L; 12 EI/L^3, EI/L."""
    found = pl.stiffness(pl.compile(cantilever(None), elements=pl.Exact(2, order=3)), marker="leaf/tip")
    screws, shear = found.screws(), L / STRIP.shear_stiffness
    stiff = 210e9 * H * B**3 / 12
    k = [L / STRIP.axial_stiffness, L**3 / (12 * EI) + shear, L**3 / (12 * stiff) + L / STRIP.shear_stiffness_z]
    turn = [L / STRIP.torsional_stiffness, L / stiff, L / EI]  # about x, y, z
    exact = sorted((a * b) ** -0.5 for a, b in zip(k, turn, strict=True))
    np.testing.assert_allclose(screws.stiffness, [*exact, *(-value for value in exact)], rtol=1e-7)
    np.testing.assert_allclose(screws.points, np.repeat([[L / 2], [0], [0]], 6, axis=1), atol=1e-6 * L)
    pitches = {round(abs(float(p)), 9) for p in screws.pitch}
    assert pitches == {round(float(np.sqrt(a / b)), 9) for a, b in zip(k, turn, strict=True)}


def test_principal_screws_take_a_wrench_on_themselves_wherever_they_are_asked_for() -> None:
    rng = np.random.default_rng(3)
    half = rng.normal(size=(6, 6))
    unit = np.repeat([0.1, 1.0], 3)
    found = pl.Stiffness("tool", rng.normal(size=3), unit[:, None] * (half @ half.T) * unit, 0.1)
    screws = found.screws()
    assert sorted(np.sign(screws.stiffness)) == [-1, -1, -1, 1, 1, 1]
    for stiffness, pitch, axis, point in zip(*screws[:2], screws.axes.T, screws.points.T, strict=True):
        twist = np.concatenate([pitch * axis + np.cross(axis, found.point - point), axis])
        np.testing.assert_allclose(found.matrix @ twist, stiffness * np.roll(twist, 3), rtol=1e-6)
        assert axis @ (point - found.centre) == pytest.approx(0.0, abs=1e-9)
    again = found.at_point((1.0, -2.0, 0.5)).screws()
    np.testing.assert_allclose(again.pitch, screws.pitch, rtol=1e-6)


def test_screws_are_of_space() -> None:
    flat = pl.Stiffness("tip", np.zeros(2), np.eye(3), 1.0)
    with pytest.raises(OptionError, match="screws are of models in space"):
        flat.screws()
    falling = pl.Stiffness("tip", np.zeros(3), np.diag([1.0, -1.0, 1.0, 1.0, 1.0, 1.0]), 1.0)
    with pytest.raises(SingularError, match="unstable equilibrium has no screws"):
        falling.screws()
