"""Rayleigh's alpha braked rigid motion: a leaf alone as a pendulum had zeta = 0.10 at "1 %" (issue 16)."""

from __future__ import annotations

from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ModelError
from pliant.formulations.udwadia_kalaba.lumping import lump
from pliant_gallery.leg import LEG
from pliant_testing.contracts import _half_turns
from pliant_testing.parts import beam
from pliant_testing.probe import Kinematics, Probe, differences

PLANAR = (
    pl.Exact(3),
    pl.Exact(2, order=3),
    pl.Corotational(3),
    pl.Linear(3),
    pl.Linear(3, mass="hermite"),
    pl.Exact(4, mass="lumped"),
)
SPATIAL = (pl.Exact(3), pl.Exact(2, order=3), pl.Corotational(3))
CASES = [*(("xy", options) for options in PLANAR), *((None, options) for options in SPATIAL)]
ALPHA = 0.7


def pendulum(damping: pl.Rayleigh | None = None, angle: float = -0.5 * pi) -> pl.Model:
    """Build the leg's leaf, hung up at an end."""
    m = pl.Model("leaf")
    ground, leaf = m.add(
        pl.Ground(), pl.Beam("leaf", length=LEG.leaf_length, section=LEG.section, damping=damping, angle=angle)
    )
    m.add(pl.Revolute(ground.at(0, 0), leaf.at(s=0)), pl.Gravity(), leaf.at(s=1))
    return m


def flying(plane: str | None, options: object, **given: object) -> Probe:
    """Return a curved beam that flies, and the same without its damping."""
    models = [pl.Model("flying", plane=plane) for _ in range(2)]
    for model, damping in zip(models, (pl.Rayleigh(ALPHA, **given), None), strict=True):
        model.add(beam(plane is None, damping=damping))
    return Probe("damping", *models, elements=options)


def test_a_leaf_that_swings_is_damped_by_its_material_only() -> None:
    """zeta = beta w / 2 of a beam that hardly bends, and less; it was 0.10."""
    damping = pl.Rayleigh.of_modes(0.01)
    alpha, beta = damping.coefficients(pendulum(damping).beams[0])
    ratio = {}
    for name, given in (("relative", damping), ("ground", pl.Rayleigh(alpha, beta, relative_to="ground"))):
        system = pl.compile(pendulum(given), elements=8)
        modes = pl.modal(system, at=pl.statics(system), modes=2, damped=True)
        ratio[name] = modes.damping_ratio.values
    swing = sqrt(1.5 * 9.81 / LEG.leaf_length)
    assert ratio["ground"][0] == pytest.approx(0.5 * alpha / swing, rel=1e-3)  # 0.104
    assert 0.0 <= ratio["relative"][0] < 1e-6
    assert 0.002 < ratio["relative"][1] < ratio["ground"][1]


@pytest.mark.parametrize(("plane", "options"), CASES, ids=repr)
def test_the_force_has_no_resultant_no_moment_and_only_takes(plane: str | None, options: object) -> None:
    probe = flying(plane, options)
    at = probe.random(np.random.default_rng(1), 0.05)
    width, nodes = probe.system.space.width, probe.system.nodes
    force, place = probe.force(at).reshape(nodes, width), at.q[: width * nodes].reshape(nodes, width)
    axes = len(probe.system.space.axes)
    assert np.abs(force).max() > 0.01
    size = np.abs(
        probe.system.unbalanced(at.q, at.v, at.a, probe.u)
    ).max()  # with the elastic force, which is taken off
    assert np.abs(force[:, :axes].sum(axis=0)).max() < 1e-12 * size
    if plane:
        moment = place[:, 0] @ force[:, 1] - place[:, 1] @ force[:, 0] + force[:, 2].sum()
    else:
        frames = at.q[probe.system.space.frames(nodes) :].reshape(-1, 4)[:nodes]
        turned = pl.model.rotations.rotate(frames, force[:, 3:])
        moment = np.cross(place[:, :3], force[:, :3]).sum(axis=0) + turned.sum(axis=0)
    assert np.abs(moment).max() < 1e-12 * size
    supplied, dissipated = probe.power(at)
    assert supplied == 0.0
    assert 0.0 < dissipated == pytest.approx(force.ravel() @ at.v[: width * nodes], rel=1e-12)
    assert dissipated < flying(plane, options, relative_to="ground").power(at)[1]


@pytest.mark.parametrize(("plane", "options"), CASES, ids=repr)
def test_its_matrices_are_the_derivatives_of_the_force_in_motion(plane: str | None, options: object) -> None:
    probe = flying(plane, options)
    at = probe.random(np.random.default_rng(2), 0.05)
    system, n = probe.system, probe.system.freedoms
    K, C, _, _ = probe.matrices(at, np.zeros(0))
    by_place = differences(lambda step: probe.force(replace(at, q=system.moved(at.q, step))), n)
    if plane is None:
        by_place -= _half_turns(probe.force(at), system.layout.moving)
    by_speed = differences(lambda step: probe.force(replace(at, v=at.v + np.pad(step, (0, at.v.size - n)))), n)
    np.testing.assert_allclose(K, by_place, atol=1e-8 * np.abs(by_place).max())
    np.testing.assert_allclose(C, by_speed, atol=1e-8 * np.abs(by_speed).max())
    np.testing.assert_allclose(C, C.T, atol=1e-13)
    values = np.linalg.eigvalsh(C)
    rigid = 3 if plane else 6
    assert np.abs(values[:rigid]).max() < 1e-12 < values[rigid]


@pytest.mark.parametrize(("plane", "options"), CASES, ids=repr)
def test_a_rigid_motion_feels_nothing(plane: str | None, options: object) -> None:
    probe = flying(plane, options)
    width, nodes = probe.system.space.width, probe.system.nodes
    q, v = probe.system.initial, np.zeros(probe.system.size)
    each, place = v[: width * nodes].reshape(nodes, width), q[: width * nodes].reshape(nodes, width)
    if plane:
        each[:, 0], each[:, 1], each[:, 2] = 0.3 - 2.0 * place[:, 1], -0.2 + 2.0 * place[:, 0], 2.0
    else:
        spin = np.array([0.4, -1.0, 2.0])
        each[:, :3] = np.array([0.3, -0.2, 0.1]) + np.cross(spin, place[:, :3])
        frames = q[probe.system.space.frames(nodes) :].reshape(-1, 4)[:nodes]
        each[:, 3:] = pl.model.rotations.rotate(pl.model.rotations.conjugate(frames), spin)
    still = np.zeros(probe.system.size)
    assert np.abs(probe.force(Kinematics(q, v, still))).max() < 1e-13


@pytest.mark.parametrize("plane", ["xy", None])
def test_a_damped_beam_in_free_flight_keeps_its_momenta(plane: str | None) -> None:
    """Linear and angular momentum to rounding by the midpoint rule in momentum form, while vibrations die."""
    m = pl.Model("flying", plane=plane)
    thrown = m.add(beam(plane is None, damping=pl.Rayleigh(3.0)))
    m.add(pl.Force(thrown.at(s=1), y=pl.Expression("where(t < 0.05, 4.0, 0.0)"), name="kick"))
    system = pl.compile(m, elements=4)
    run = pl.transient(system, end_time=1.0, step=1e-3, method="Momentum")
    after = run.momentum.values[np.asarray(run.time) > 0.06]
    assert run.outcome.ok
    assert np.abs(after[0]).max() > 0.05
    np.testing.assert_allclose(after, np.broadcast_to(after[0], after.shape), atol=1e-11)
    assert float(run.energy.sel(energy_kind="dissipated")[-1]) > 1e-3


def test_formulations_agree() -> None:
    """Finite elements, marched rods and a chain of links swing alike, and lose alike."""
    m = pendulum(pl.Rayleigh(20.0), angle=-0.5)
    runs = (
        pl.transient(pl.compile(m, elements=pl.Exact(6, order=2)), end_time=0.4, step=1e-3),
        pl.transient(pl.compile(m, formulation="shooting", subintervals=6), end_time=0.4, step=1e-3),
        pl.transient(pl.compile(m, formulation="udwadia_kalaba", elements=20), end_time=0.4, method="SDIRK4"),
    )
    tips = [run.position.sel(marker="leaf/tip").values[-1] for run in runs]
    np.testing.assert_allclose(tips[1:], [tips[0]] * 2, atol=3e-4 * LEG.leaf_length)
    absolute = pl.compile(pendulum(pl.Rayleigh(20.0, relative_to="ground"), angle=-0.5), elements=6)
    braked = pl.transient(absolute, end_time=0.4, step=1e-3).position.sel(marker="leaf/tip").values[-1]
    assert np.hypot(*(braked - tips[0])) > 0.3 * LEG.leaf_length
    for run in runs:
        assert run.outcome.energy_error < 1e-3 * run.outcome.energy_range


def test_modes_of_elements_and_chain_agree() -> None:
    damping = pl.Rayleigh.of_modes(0.02)
    ratios = []
    for given in ({"elements": pl.Exact(8, order=2)}, {"formulation": "udwadia_kalaba", "elements": 40}):
        system = pl.compile(pendulum(damping), **given)
        ratios.append(pl.modal(system, at=pl.statics(system), modes=4, damped=True).damping_ratio.values)
    np.testing.assert_allclose(ratios[1][1:], ratios[0][1:], rtol=1e-2)
    assert max(ratios[0][0], ratios[1][0]) < 1e-6


def test_the_absolute_form_has_a_name_and_links_dashpots() -> None:
    relative, absolute = (lump(pendulum(pl.Rayleigh(1.0, relative_to=name)), elements=5) for name in ("beam", "ground"))
    assert [type(force).__name__ for force in relative.forces].count("RelativeDamping") == 1
    assert [type(force).__name__ for force in absolute.forces].count("Dashpot") == 5
    with pytest.raises(ModelError, match=r"relative_to = 'air'.*beam, ground"):
        pl.Rayleigh(1.0, relative_to="air")
    leaf = pendulum().beams[0]
    with pytest.raises(ModelError, match=r"not a rigid body with mass.*Rayleigh"):
        pl.RelativeDamping("damping", leaf.at(s=0), leaf.at(s=1), rate=1.0)


def test_strong_damping_in_large_steps_is_right_or_cut_back() -> None:
    """Newton's matrix does not know of rigid motions: it converges slowly where alpha times the step is large."""
    tips = []
    for alpha in (10.0, 300.0, 1e4):
        system = pl.compile(pendulum(pl.Rayleigh(alpha), angle=-0.5), elements=4)
        run = pl.transient(system, end_time=0.2, step=5e-3)
        assert run.outcome.ok
        assert run.outcome.cut_backs == 0 or alpha > 100.0
        tips.append(run.position.sel(marker="leaf/tip").values[-1])
    np.testing.assert_allclose(tips[1:], [tips[0]] * 2, atol=1e-3 * LEG.leaf_length)  # a stiff leaf hardly bends
