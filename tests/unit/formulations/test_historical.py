"""The thesis's own models: derivatives, inertia, energy, and the properties that make them fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pliant.errors import OptionError
from pliant_evidence.historical.thesis_leg import DEFECTS, FirstModel, FullModel
from pliant_evidence.historical.thesis_leg.integrator import generalized_alpha
from pliant_evidence.historical.thesis_leg.mechanism import Mechanism
from pliant_gallery.leg import LEG
from pliant_testing.discovery import module_names

Array = np.ndarray
MODELS = {
    "first": lambda: FirstModel(elements=4, damping_ratio=0.0),
    "full": FullModel,
    "full, element tip": lambda: FullModel(tip="element"),
    "full, mended": lambda: FullModel(defects=()),
    "full, mended, element tip": lambda: FullModel(defects=(), tip="element"),
}
CONSERVATIVE = [name for name in MODELS if name not in ("full", "full, element tip")]  # listing 5.4 has no potential


def state(model: Mechanism, seed: int = 1) -> tuple[Array, Array]:
    """Return some configuration with displacements of centimetres, and some velocity."""
    random = np.random.default_rng(seed)
    q, v = 0.03 * random.normal(size=model.size), random.normal(size=model.size)
    q[:3] += -0.9, 2.5, 0.1
    still = np.setdiff1d(np.arange(model.size), model.active)
    q[still] = v[still] = 0.0
    return q, v


def slope(function: Callable[[Array], Array | float], x: Array, width: float = 1e-5) -> Array:
    """Return the derivative by central differences of fourth order."""

    def at(k: int, i: Array) -> Array:
        return np.asarray(function(x + k * width * i))

    columns = [(8 * (at(1, i) - at(-1, i)) - (at(2, i) - at(-2, i))) / (12 * width) for i in np.eye(len(x))]
    return np.array(columns).T


def close(found: Array, expected: Array, tolerance: float = 1e-7) -> None:
    """Check equality to a part of the largest entry."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_force_is_the_gradient_of_the_energy(name: str) -> None:
    model = MODELS[name]()
    q, v = state(model)
    close(model.operators(q, 0 * v)[1], slope(lambda x: model.energy(x, 0 * v), q))


@pytest.mark.parametrize("name", MODELS)
def test_inertia_obeys_lagrange(name: str) -> None:
    """h(q, v) - h(q, 0) = (dM/dt) v - d(v M v / 2)/dq."""
    model = MODELS[name]()
    q, v = state(model)
    mass = slope(lambda x: model.inertia(x, v)[0], q).T  # mass[i, j, k] = dM_jk/dq_i
    expected = np.einsum("i,ijk,k", v, mass, v) - 0.5 * np.einsum("j,ijk,k", v, mass, v)
    close(model.inertia(q, v)[1] - model.inertia(q, 0 * v)[1], expected)
    kinetic = model.energy(q, v) - model.energy(q, 0 * v)
    assert 0.5 * v @ model.inertia(q, v)[0] @ v == pytest.approx(kinetic, rel=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_tangents_are_derivatives(name: str) -> None:
    """All tangents are derivatives at rest, in motion the inertia's: listing 5.4's stiffness fits a tendon at rest."""
    model = MODELS[name]()
    q, v = state(model)
    if name not in ("full", "full, element tip"):  # (5.48) leaves the geometric part out
        close(model.operators(q, 0 * v)[2], slope(lambda x: model.operators(x, 0 * v)[1], q), 1e-6)
    close(model.inertia(q, v)[2], slope(lambda x: model.inertia(x, v)[1], q))
    close(model.inertia(q, v)[3], slope(lambda x: model.inertia(q, x)[1], v))
    close(model.closure_jacobian(q), slope(model.closure, q))
    multipliers = np.arange(1.0, 1.0 + len(model.closure(q)))
    close(model.closure_stiffness(q, multipliers), slope(lambda x: model.closure_jacobian(x).T @ multipliers, q), 1e-6)


@pytest.mark.parametrize("name", ["full", "full, mended"])
def test_strain_energy_has_gradient_and_hessian(name: str) -> None:
    model = MODELS[name]()
    q, _ = state(model)
    _, gradient, hessian = model.strain_energy(q)
    close(gradient, slope(lambda x: model.strain_energy(x)[0], q), 1e-6)
    close(hessian, slope(lambda x: model.strain_energy(x)[1], q), 1e-6)


def test_first_closure_knows_no_node() -> None:
    model = FirstModel()
    q, _ = state(model)
    assert not model.closure_jacobian(q)[:, 3:].any()
    assert np.linalg.norm(model.closure(model.start)) < 1e-15


def test_shortening_an_upright_leaf_costs_nothing_as_written() -> None:
    """u = -c^2 s / 2, v = -c s, theta = -c: von Karman's rigid turn, but here every element is shorter by a fifth."""
    full, c = FullModel(), 0.2
    q = full.straight(level="q3")
    s = full.spacing * np.arange(full.elements + 1)
    q[3::3], q[4::3], q[5::3] = -0.5 * c**2 * s, -c * s, -c
    assert full.strain_energy(q)[0] == pytest.approx(0.0, abs=1e-20)
    assert np.all(full.nodal_strain(q) < -0.19)
    assert FullModel(defects=DEFECTS - {"strain"}).strain_energy(q)[0] > 1e4


def test_turning_the_mended_leaf_costs_nothing() -> None:
    """Mended, the energy does not feel by how much the baseline and all displacements turn together."""
    model = FullModel(defects=())
    q, _ = state(model)
    turned, angle = q.copy(), 0.7
    turned[1] += angle
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned[3:] = np.column_stack([q[3:].reshape(-1, 3)[:, :2] @ turn.T, q[5::3]]).ravel()
    assert model.strain_energy(turned)[0] == pytest.approx(model.strain_energy(q)[0], rel=1e-10)
    assert FullModel().strain_energy(turned)[0] != pytest.approx(FullModel().strain_energy(q)[0], rel=0.1)


def test_q2_has_no_mass_of_its_own() -> None:
    """Turn the baseline, turn the nodes back: nothing moves. Chapter 5's mass matrix is not positive definite."""
    full, first = FullModel(), FirstModel()
    mass = full.inertia(*state(full))[0][np.ix_(full.active, full.active)]
    assert np.linalg.matrix_rank(mass) == len(full.active) - 1
    mass = first.inertia(*state(first))[0][np.ix_(first.active, first.active)]
    assert np.linalg.eigvalsh(mass)[0] > 0.0


def test_projection_moves_the_last_node_only() -> None:
    full = FullModel()
    start = full.straight(level="q3", chord=0.42)
    moved = np.flatnonzero(full.shortened(0.42) - start)
    assert set(moved) <= {1, full.size - 3, full.size - 2}
    assert np.linalg.norm(full.closure(full.shortened(0.42))) < 1e-12


def test_tip_in_element_axes_gives_the_straight_leaf_its_stiffness() -> None:
    full = FullModel(tip="element")
    stiffness = LEG.section.axial_stiffness / LEG.leaf_length
    assert full.chord_stiffness(full.straight(level="q3")) == pytest.approx(stiffness, rel=1e-9)


@pytest.mark.parametrize("name", ["first", "full, mended"])
def test_energy_is_kept_in_motion(name: str) -> None:
    """Better with smaller steps. Closed at the weighted state (5.51) the loop takes energy at any step."""
    errors = []
    for step in (1e-3, 5e-4):
        model: Mechanism
        if name == "first":
            model, start = FirstModel(elements=4, damping_ratio=0.0), FirstModel(elements=4).start
        else:
            model = FullModel(replace(LEG, tendon_damping=0.0), defects=())
            start = model.pretension(imperfection=0.05).q
        run = generalized_alpha(model, start, end_time=0.06, step=step, spectral_radius=0.8)
        energies = np.array([model.energy(q, v) for q, v in zip(run.q, run.v, strict=True)])
        kinetic = max(0.5 * v @ model.inertia(q, v)[0] @ v for q, v in zip(run.q, run.v, strict=True))
        errors.append(np.abs(energies - energies[0]).max() / kinetic)
        assert run.ended
    assert errors[1] < 1e-3
    assert errors[1] < 0.6 * errors[0]


def test_a_lost_loop_ends_the_run_without_nan() -> None:
    full = FullModel()
    for start in (full.straight(level="q3"), full.shortened(0.4)):
        run = full.fall(start, end_time=0.1)
        assert not run.ended
        assert len(run.time) < 100
        assert np.isfinite(run.q).all()


def test_unknown_defects_and_tips_are_refused() -> None:
    with pytest.raises(OptionError, match="choose some of"):
        FullModel(defects={"mass"})
    with pytest.raises(OptionError, match="global"):
        FullModel(tip="local")


def test_cases_of_historical_models_are_found() -> None:
    assert "pliant_evidence.historical.thesis_leg.validate" in module_names("validate.py")
