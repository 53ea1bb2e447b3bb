"""Modes: beams against their frequency equations, damping against Rayleigh's formula, preload, dense against sparse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import pliant as pl
from pliant.errors import ModelError, OptionError
from pliant.linalg import eigen
from pliant.model.damping import bending_root, moving_share

SLENDER = pl.Section(1e7, 1e8, 1.0, 1.0, 0.0)  # EI = rhoA = 1: omega = root^2 / l^2
HEAVY = pl.Section(1e5, 4e4, 1.0, 1.0, 1e-4)


def beam_on(supports: str, *, section: pl.Section = SLENDER, **options: object) -> tuple[pl.Model, pl.Beam]:
    """Return a beam of length 1 along x; a sliding support keeps its height (and slope)."""
    model = pl.Model("beam")
    ground = model.add(pl.Ground())
    left, right = supports.split("-")
    beam = model.add(pl.Beam("beam", length=1.0, section=section, angle=0.0, free=supports == "free-free", **options))
    if left != "free":
        model.add({"pinned": pl.Revolute, "clamped": pl.Weld}[left](ground.at(0, 0), beam.at(s=0)))
    if right != "free":
        model.add({"pinned": pl.Slider, "clamped": pl.Prismatic}[right](ground.at(0, 0), beam.at(s=1)))
    return model, beam


def omega(result: pl.Result) -> np.ndarray:
    return 2.0 * math.pi * result.frequency_hz.values


@pytest.mark.parametrize("supports", ["pinned-pinned", "clamped-free", "clamped-clamped", "clamped-pinned"])
def test_bending_frequencies(supports: str) -> None:
    model, _ = beam_on(supports)
    found = omega(pl.modal(pl.compile(model, elements=pl.Exact(16, order=3)), modes=4))
    expected = [bending_root(supports, n) ** 2 for n in range(1, 5)]
    np.testing.assert_allclose(found, expected, rtol=2e-5)


@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("slenderness", [1e2, 1e3, 1e4])
def test_slender_beams_keep_their_lowest_frequencies(slenderness: float, damped: bool) -> None:
    """The highest frequency of a strip with l / h = 1e4 is 1e8 times the lowest: rounding must not reach down to it."""
    section = pl.Section.rectangle(0.02, 1.0 / slenderness, pl.STEEL)
    model, _ = beam_on("clamped-free", section=section)
    found = omega(pl.modal(pl.compile(model, elements=pl.Exact(10, order=3)), modes=2, damped=damped))
    unit = math.sqrt(section.bending_stiffness / section.mass_per_length)
    shear = 10.0 / slenderness**2  # Timoshenko theory is that much softer, relative
    np.testing.assert_allclose(found, [unit * bending_root("clamped-free", n) ** 2 for n in (1, 2)], rtol=1e-5 + shear)


def test_free_beam_has_three_rigid_modes() -> None:
    model, _ = beam_on("free-free")
    modes = pl.modal(pl.compile(model, elements=pl.Exact(12, order=3)), modes=6)
    found = omega(modes)
    assert found[:3].max() < 1e-3 * found[3]
    np.testing.assert_allclose(found[3:], [bending_root("free-free", n) ** 2 for n in (1, 2, 3)], rtol=2e-5)
    assert modes.outcome.unstable_modes == 0


def test_axial_frequency() -> None:
    soft = pl.Section(100.0, 1e8, 1.0, 1.0, 0.0)
    model, _ = beam_on("clamped-free", section=soft)
    modes = pl.modal(pl.compile(model, elements=pl.Exact(10, order=3)), modes=3)
    axial = np.argmax(np.abs(modes.mode_position.sel(marker="beam/tip", axis="x").values))
    assert omega(modes)[axial] == pytest.approx(0.5 * math.pi * 10.0, rel=1e-8)


@pytest.mark.parametrize("tension", [-5.0, 0.0, 50.0, 2000.0])
def test_preload_stiffens_as_a_string(tension: float) -> None:
    """Pinned beam under tension T: omega_n^2 = (n pi)^4 + T (n pi)^2; softer under compression."""
    model, beam = beam_on("pinned-pinned", section=pl.Section(1e9, 1e9, 1.0, 1.0, 0.0))
    model.add(pl.Force(beam.at(s=1), x=tension))
    found = omega(pl.modal(pl.compile(model, elements=pl.Exact(12, order=3)), modes=3))
    k = math.pi * np.arange(1, 4)
    np.testing.assert_allclose(found, np.sqrt(k**4 + tension * k**2), rtol=1e-4)


def test_linear_element_feels_its_given_preload() -> None:
    model, _ = beam_on("pinned-pinned")
    found = omega(pl.modal(pl.compile(model, elements=pl.Linear(60, integration="exact", axial_force=50.0)), modes=2))
    k = math.pi * np.arange(1, 3)
    np.testing.assert_allclose(found, np.sqrt(k**4 + 50.0 * k**2), rtol=2e-3)


def test_string_frequency_of_a_link_chain_is_its_reactions_stiffness() -> None:
    """Two massless links with a bead, pulled tight: omega^2 = 2 T / (m a). All stiffness is in the joint forces."""
    model = pl.Model("bead")
    ground = model.add(pl.Ground())
    left, right = (model.add(pl.Link(name, length=0.5, mass=0.0, inertia=0.0, angle=0.0)) for name in ("left", "right"))
    model.add(pl.PointMass("bead", left.at(s=1), mass=0.2), pl.Revolute(ground.at(0, 0), left.at(s=0)))
    model.add(pl.Revolute(left.at(s=1), right.at(s=0)), pl.Slider(ground.at(0, 0), right.at(s=1)))
    model.add(pl.Force(right.at(s=1), x=30.0))
    found = omega(pl.modal(pl.compile(model), modes=1))
    assert found[0] == pytest.approx(math.sqrt(2.0 * 30.0 / (0.2 * 0.5)), rel=1e-9)


@pytest.mark.parametrize("options", [pl.Exact(8), pl.Exact(4, order=2), pl.Corotational(8), pl.Linear(8)], ids=repr)
def test_damping_ratios_follow_rayleigh(options: object) -> None:
    alpha, beta = 0.8, 2e-4
    damping = pl.Rayleigh(mass=alpha, stiffness=beta, relative_to="ground")
    model, _ = beam_on("clamped-free", section=HEAVY, damping=damping)
    system = pl.compile(model, elements=options)
    undamped, damped = pl.modal(system, modes=5), pl.modal(system, modes=5, damped=True)
    w = omega(undamped)
    np.testing.assert_allclose(omega(damped), w, rtol=1e-7)
    np.testing.assert_allclose(damped.damping_ratio, 0.5 * (alpha / w + beta * w), rtol=1e-6)
    np.testing.assert_allclose(
        damped.eigenvalue.values.imag, w * np.sqrt(1.0 - damped.damping_ratio.values**2), rtol=1e-6
    )


@pytest.mark.parametrize("supports", ["pinned-pinned", "clamped-free", "clamped-clamped", "clamped-pinned"])
def test_relative_damping_is_that_of_the_share_of_a_mode_that_is_not_rigid(supports: str) -> None:
    """zeta = (alpha eta / w + beta w) / 2, eta of Euler and Bernoulli's modes."""
    alpha, beta = 0.8, 2e-4
    model, _ = beam_on(supports, damping=pl.Rayleigh(mass=alpha, stiffness=beta))
    system = pl.compile(model, elements=pl.Exact(8, order=3))
    w, found = omega(pl.modal(system, modes=4)), pl.modal(system, modes=4, damped=True).damping_ratio
    eta = np.array([moving_share(supports, n) for n in (1, 2, 3, 4)])
    np.testing.assert_allclose(found, 0.5 * (alpha * eta / w + beta * w), rtol=2e-3)


def test_coefficients_fitted_with_shares_give_the_ratios_asked_for() -> None:
    shares = [moving_share("pinned-pinned", n) for n in (1, 2)]
    plain, _ = beam_on("pinned-pinned")
    frequencies = pl.modal(pl.compile(plain, elements=pl.Exact(8, order=3)), modes=2).frequency_hz
    damping = pl.Rayleigh.fit(frequencies, [0.02, 0.02], shares=shares)
    model, _ = beam_on("pinned-pinned", damping=damping)
    modes = pl.modal(pl.compile(model, elements=pl.Exact(8, order=3)), modes=2, damped=True)
    np.testing.assert_allclose(modes.damping_ratio, 0.02, rtol=2e-3)


def test_rayleigh_of_modes_gives_its_ratio_at_both() -> None:
    damping = pl.Rayleigh.of_modes(0.03, supports="clamped-free", modes=(1, 3), relative_to="ground")
    model, _ = beam_on("clamped-free", damping=damping)
    ratio = pl.modal(pl.compile(model, elements=pl.Exact(10, order=3)), modes=4, damped=True).damping_ratio.values
    np.testing.assert_allclose(ratio[[0, 2]], 0.03, rtol=1e-3)
    assert ratio[1] < 0.03 < ratio[3]


def test_damped_oscillator() -> None:
    """A block on a spring and damper: omega^2 = k / m, zeta = c / (2 m omega); a torsion damper likewise."""
    model = pl.Model("block")
    ground, block = model.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, position=(0.5, 0.0)))
    model.add(pl.Prismatic(ground.at(0, 0), block.at()))
    model.add(pl.Spring("spring", ground.at(0, 0), block.at(), stiffness=50.0, rest_length=0.5, damping=4.0))
    modes = pl.modal(pl.compile(model), modes=1, damped=True)
    assert omega(modes)[0] == pytest.approx(5.0, rel=1e-12)
    assert float(modes.damping_ratio[0]) == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("unsymmetric", [False, True])
def test_dense_and_sparse_solvers_agree(damped: bool, unsymmetric: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model, beam = beam_on("clamped-free", section=HEAVY, damping=pl.Rayleigh(mass=0.5, stiffness=1e-4))
    model.add(pl.Force(beam.at(s=1), x=-2.0, follower=unsymmetric), pl.PointMass("lump", beam.at(s=1), mass=0.3))
    system = pl.compile(model, elements=20)
    rest = pl.statics(system)
    dense = pl.modal(system, at=rest, modes=5, damped=damped)
    monkeypatch.setattr(eigen, "DENSE_LIMIT", 0)
    sparse = pl.modal(system, at=rest, modes=5, damped=damped)
    np.testing.assert_allclose(
        sparse.eigenvalue, dense.eigenvalue, rtol=1e-6, atol=1e-6 * abs(dense.eigenvalue.values[0])
    )
    np.testing.assert_allclose(sparse.modal_mass, dense.modal_mass, rtol=1e-5)


def test_sparse_solver_with_joints_between_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hanging chain of rigid links: all stiffness is in the reactions."""
    model = pl.Model("chain")
    ground = model.add(pl.Ground())
    before = ground.at(0, 0)
    for k in range(12):
        link = model.add(pl.Link(f"link {k}", length=0.1, mass=0.1, angle=-math.pi / 2))
        model.add(pl.Revolute(before, link.at(s=0)))
        before = link.at(s=1)
    model.add(pl.Gravity())
    system = pl.compile(model)
    dense = pl.modal(system, modes=4).frequency_hz
    monkeypatch.setattr(eigen, "DENSE_LIMIT", 0)
    np.testing.assert_allclose(pl.modal(system, modes=4).frequency_hz, dense, rtol=1e-7)
    first = 2.4048255577 / 2 * math.sqrt(9.81 / 1.2)  # a continuous chain, which twelve links come close to
    assert 2 * math.pi * float(dense[0]) == pytest.approx(first, rel=5e-3)


def test_modal_mass_and_shape_of_a_cantilever() -> None:
    """Scaled to 1 m at the tip, every bending mode of a uniform cantilever has a quarter of the mass."""
    model, _ = beam_on("clamped-free")
    modes = pl.modal(pl.compile(model, elements=pl.Exact(12, order=3)), modes=4)
    np.testing.assert_allclose(np.abs(modes.mode_position.sel(marker="beam/tip", axis="y")), 1.0, rtol=1e-5)
    np.testing.assert_allclose(modes.modal_mass, 0.25, rtol=1e-4)
    assert np.abs(modes.mode_shape).values.max() == pytest.approx(1.0, rel=1e-9)


def test_effective_masses_add_up_to_what_the_support_carries() -> None:
    """Over all modes they are the whole mass, less what is lumped at the clamped node."""
    model, _ = beam_on("clamped-free", section=HEAVY)
    system = pl.compile(model, elements=pl.Exact(10, mass="lumped"))
    effective = pl.modal(system, modes=60).data["effective_mass"].values.sum(axis=0)
    np.testing.assert_allclose(effective, [0.95, 0.95], rtol=1e-6)
    first = pl.modal(pl.compile(model, elements=pl.Exact(12, order=3)), modes=1).data["effective_mass"].values[0]
    np.testing.assert_allclose(first, [0.0, 0.6131], atol=1e-3)


def test_unstable_equilibrium_has_a_growing_mode() -> None:
    model = pl.Model("upside down")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=math.pi / 2))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    with pytest.warns(pl.errors.PliantWarning, match="unstable"):
        modes = pl.modal(pl.compile(model), modes=1)
    assert modes.outcome.unstable_modes == 1
    assert complex(modes.eigenvalue[0]).real == pytest.approx(math.sqrt(1.5 * 9.81), rel=1e-9)


def test_modes_about_the_end_of_a_motion() -> None:
    model, beam = beam_on("clamped-free", damping=pl.Rayleigh(mass=7.0, relative_to="ground"))
    model.add(pl.Force(beam.at(s=1), y=1.0))
    system = pl.compile(model, elements=6)
    run = pl.transient(system, end_time=8.0, step=0.005)
    np.testing.assert_allclose(
        pl.modal(system, at=run, modes=3).frequency_hz, pl.modal(system, modes=3).frequency_hz, rtol=1e-6
    )


def test_more_modes_than_there_are_gives_all() -> None:
    model = pl.Model("pendulum")
    ground, arm = model.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-math.pi / 2))
    model.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    assert pl.modal(pl.compile(model), modes=50).frequency_hz.size == 1


def test_modal_options_are_checked() -> None:
    model, _ = beam_on("clamped-free")
    system = pl.compile(model)
    for wrong in (0, -1, 2.5, "all", True):
        with pytest.raises(OptionError, match=r"modes=.*whole number of at least 1"):
            pl.modal(system, modes=wrong)
    with pytest.raises(OptionError, match="at='rest' is not a state"):
        pl.modal(system, at="rest")


def test_sparse_damped_solver_finds_growing_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    model, beam = beam_on("clamped-free", section=HEAVY, damping=pl.Rayleigh(mass=0.5))
    model.add(pl.Force(beam.at(s=1), x=-5.0))
    system = pl.compile(model, elements=20)
    with pytest.warns(pl.errors.PliantWarning, match="unstable in 1 direction"):
        rest = pl.statics(system)
    dense = pl.modal(system, at=rest, modes=4, damped=True)
    monkeypatch.setattr(eigen, "DENSE_LIMIT", 0)
    sparse = pl.modal(system, at=rest, modes=4, damped=True)
    assert dense.outcome.unstable_modes == sparse.outcome.unstable_modes == 1
    np.testing.assert_allclose(sparse.eigenvalue, dense.eigenvalue, rtol=1e-6)


def test_a_locked_model_has_no_modes() -> None:
    model = pl.Model("locked")
    ground, link = model.add(pl.Ground(), pl.Link("link", length=1.0, mass=1.0))
    model.add(pl.Weld(ground.at(0, 0), link.at(s=0)), pl.Gravity())
    for damped in (False, True):
        assert pl.modal(pl.compile(model), damped=damped).frequency_hz.size == 0


@pytest.mark.parametrize(
    "elements", [20, pl.Exact(8, order=3), pl.Corotational(20)], ids=["two nodes", "cubic", "corotational"]
)
@pytest.mark.parametrize("axial", [1e6, 1e8])
def test_a_taut_string_with_hardly_any_bending_stiffness(axial: float, elements: Any) -> None:
    """omega^2 = (EI (pi/L)^4 + T (pi/L)^2) / rho A. Rotations without inertia that hardly anything resists are no
    modes: they came out first, at 1e14 Hz.
    """
    tension, bending = 1e4, 1e-2
    m = pl.Model("string")
    section = pl.Section(axial, axial, bending, 1.0)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=section, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Slider(ground.at(0, 0), beam.at(s=1)))
    m.add(pl.Force(beam.at(s=1), x=tension))
    system = pl.compile(m, elements=elements)
    found = pl.modal(system, at=pl.statics(system), modes=2)
    waves = np.pi * np.array([1.0, 2.0]) / (1.0 + tension / axial)
    exact = np.sqrt((bending * waves**4 + tension * waves**2) * (1.0 + tension / axial)) / (2.0 * np.pi)
    assert found.outcome.ok
    assert found.frequency_hz.values == pytest.approx(exact, rel=6e-3)


def test_shapes_by_size_or_by_mass() -> None:
    """A pinned beam of mass 1 has sqrt(2) sin(pi s) for a modal mass of 1 kg."""
    model, _ = beam_on("pinned-pinned")
    system = pl.compile(model, elements=pl.Exact(16, order=3))
    plain, unit = pl.modal(system, modes=1), pl.modal(system, modes=1, normalise="mass")
    assert float(np.max(np.abs(plain.mode_shape))) == pytest.approx(1.0)
    assert float(np.max(np.abs(unit.mode_shape))) == pytest.approx(math.sqrt(2.0), rel=1e-5)
    assert float(unit.modal_mass[0]) == pytest.approx(1.0, rel=1e-9)
    with pytest.raises(OptionError, match="normalise='max'"):
        pl.modal(system, normalise="max")


def membrane(across: int, along: int, spread: float) -> tuple[Any, Any, np.ndarray]:
    """Return K, M and exact omega^2 of a net of springs with unit masses, each coordinate in units of its own."""
    rows = [sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)) for n in (across, along)]
    net = sparse.kron(rows[0], sparse.eye_array(along)) + sparse.kron(sparse.eye_array(across), rows[1])
    units = sparse.diags_array(10.0 ** np.random.default_rng(1).uniform(-spread, spread, across * along))
    stiff, heavy = (0.5 * (each + each.T) for each in (units @ net @ units, units @ units))
    squares = [2.0 - 2.0 * np.cos(np.arange(1, n + 1) * math.pi / (n + 1)) for n in (across, along)]
    return sparse.csc_array(stiff), sparse.csc_array(heavy), np.sort(np.add.outer(*squares).ravel())


def test_a_definite_matrix_is_factorised_without_filling_it() -> None:
    plain, _, _ = membrane(40, 31, 0.0)
    stiff, heavy, squares = membrane(40, 31, 2.0)
    nothing = sparse.csr_array((0, 40 * 31))
    least = eigen.factored(plain, symmetric=True).nnz
    assert eigen.factored(stiff, symmetric=True).nnz == least
    assert eigen.factored(stiff + 1j * heavy, symmetric=True).nnz == least
    assert sparse.linalg.splu(stiff, **eigen.PIVOTED).nnz > 3 * least
    values, _ = eigen.undamped(stiff, heavy, nothing, 6, True)
    np.testing.assert_allclose(values, squares[:6], rtol=1e-9)
    values, _ = eigen.damped(stiff, 0.01 * heavy, heavy, nothing, 3)
    np.testing.assert_allclose(values, -0.005 + 1j * np.sqrt(squares[:3] - 0.005**2), rtol=1e-7)


def test_a_matrix_that_is_not_definite_is_factorised_with_pivoting() -> None:
    stiff, heavy, squares = membrane(40, 31, 2.0)
    skew = sparse.csc_array(sparse.triu(stiff) + 0.5 * sparse.tril(stiff, -1))
    between = 0.5 * (squares[0] + squares[1])
    for matrix in (stiff - between * heavy, -stiff, skew, stiff - between * heavy + 0.1j * heavy):
        assert eigen._of_definite(matrix) is None
        b = np.random.default_rng(2).standard_normal(matrix.shape[0])
        x = eigen.saddle_solver(matrix, sparse.csr_array((0, b.size)))(b.astype(matrix.dtype))
        assert np.all(np.abs(matrix @ x - b) <= 1e-10 * (np.abs(matrix) @ np.abs(x)))
    assert eigen._of_definite(sparse.csc_array(np.diag([1.0, 0.0, 1.0]))) is None


@pytest.mark.parametrize("error", [MemoryError(), SystemError("gstrf was called with invalid arguments")])
def test_a_matrix_too_large_for_its_factors_is_refused_with_its_size(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    stiff, heavy, _ = membrane(40, 31, 0.0)
    monkeypatch.setattr(sparse.linalg, "splu", fail)
    with pytest.raises(ModelError, match=r"a matrix of 1,240 unknowns do not fit.*Take fewer elements"):
        eigen.undamped(stiff, heavy, sparse.csr_array((0, 1240)), 3, True)
