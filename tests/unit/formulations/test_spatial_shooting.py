"""Shooting in space: two-ports against their own energy, statics, stability, paths and modes against exact solutions
and finite elements, refusals.
"""

from __future__ import annotations

import warnings
from math import cos, pi, sin

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CapabilityError, ConvergenceError, OptionError, PliantWarning
from pliant.formulations.shooting.spatial import equilibrium as spatial_equilibrium
from pliant.formulations.shooting.spatial import guess as spatial_guess
from pliant.formulations.shooting.spatial import stability as spatial_stability
from pliant.system.packing import fused
from pliant_gallery import bend_45, rod_platform

STRIP = pl.Section.rectangle(0.02, 0.004, pl.STEEL)


def clamped(section=STRIP, *loads, length: float = 1.0, curvature=0.0) -> pl.Model:
    """Build a cantilever along x, with loads made of its tip."""
    m = pl.Model("rod", plane=None)
    ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=length, section=section, curvature=curvature))
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)))
    for load in loads:
        m.add(load(rod))
    return m


def coupled(s: float = 0.0) -> pl.Section:
    """Return a section whose strains are all coupled, weaker towards the tip."""
    random = np.random.default_rng(3)
    scale = np.sqrt([4e5, 1e5, 1e5, 20.0, 30.0, 60.0])
    matrix = np.eye(6) + 0.15 * (lambda a: a + a.T)(random.standard_normal((6, 6)))
    return pl.Section.general(
        stiffness=(1.0 - 0.4 * s) * matrix * np.outer(scale, scale), mass_per_length=0.7 - 0.2 * s,
        rotary_inertia=2e-4, rotary_inertia_y=1e-4,
    )  # fmt: skip


WAVY = {"along": lambda s: sin(3.0 * s)}
LOADS = {
    "wavy": (lambda rod: pl.DistributedLoad(rod, y=9.0, z=5.0, **WAVY),),
    "wavy follower": (lambda rod: pl.DistributedLoad(rod, y=9.0, z=4.0, follower=True, **WAVY),),
    "tip": (lambda rod: pl.Force(rod.at(s=1), x=-3.0, y=12.0, z=-7.0),),
    "weight": (lambda rod: pl.Gravity(x=3.0, y=2.0, z=-9.81), lambda rod: pl.Force(rod.at(s=1), y=5.0)),
    "along": (lambda rod: pl.DistributedLoad(rod, x=2.0, y=9.0, z=5.0), lambda rod: pl.Gravity()),
    "follower": (lambda rod: pl.DistributedLoad(rod, y=9.0, z=4.0, follower=True),),
}


def moved(system, amount: float) -> np.ndarray:
    """Return a configuration with all nodes displaced."""
    random = np.random.default_rng(7)
    size = np.where(system.angular, 1.0, 0.05 * system.length_scale)
    return system.moved(system.initial, amount * random.standard_normal(system.freedoms) * size)


@pytest.mark.parametrize("loads", ["tip", "along", "wavy"])
def test_forces_and_tangent_are_derivatives_of_the_energy(loads: str) -> None:
    model = clamped(coupled, *LOADS[loads], curvature=(0.4, -0.3, 0.8))
    system = pl.compile(model, formulation="shooting", subintervals=2, step=0.1)
    q, u, still = moved(system, 0.05), system.signals(np.zeros(1))[0], np.zeros(system.size)
    force = system.unbalanced(q, still, still, u)
    stiffness = system.matrices(type(system.start())(q, still, still, np.zeros(system.constraints))).stiffness

    def energy(a: float) -> float:
        return fused.energy(system.equations.parts, system.moved(q, a * along), still, u)[1]

    for seed in range(3):
        size = np.where(system.angular, 1.0, 0.1)
        along = size * np.random.default_rng(seed).standard_normal(system.freedoms)
        h = 2e-4
        largest = 1e-8 * float(np.abs(force) @ np.abs(along))
        far, near = energy(2 * h) - energy(-2 * h), energy(h) - energy(-h)
        assert (8.0 * near - far) / (12.0 * h) == pytest.approx(force @ along, abs=largest)
        second = (16.0 * (energy(h) + energy(-h)) - energy(2 * h) - energy(-2 * h) - 30.0 * energy(0.0)) / (12 * h * h)
        assert second == pytest.approx(along @ stiffness @ along, rel=1e-6)


@pytest.mark.parametrize("section, loads", [*((STRIP, loads) for loads in LOADS), (coupled, "along")])
def test_statics_are_those_of_very_fine_elements(section, loads: str) -> None:
    model = clamped(section, *LOADS[loads], curvature=((0.0, 0.5, 1.0), (2.0, 0.0, -1.0)))
    shot = pl.statics(pl.compile(model, formulation="shooting"))
    fine = pl.statics(pl.compile(model, elements=pl.Exact(16, order=4)))
    assert shot.outcome.ok
    assert shot.outcome.stable == fine.outcome.stable
    for name, scale in (("position", 1.0), ("marker_orientation", 1.0), ("reaction", 30.0)):
        found, known = shot.data[name].values, fine.data[name].values
        np.testing.assert_allclose(np.abs(found), np.abs(known), rtol=0.0, atol=2e-9 * scale)
    np.testing.assert_allclose(shot.energy.values, fine.energy.values, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("subintervals, shift", [(1, 1e-7), (4, 1e-10)])
def test_an_end_moment_makes_an_arc(subintervals: int, shift: float) -> None:
    moment = 0.5 * STRIP.bending_stiffness  # N m: curvature 0.5 / m
    model = clamped(STRIP, lambda rod: pl.Moment(rod.at(s=1), z=moment))
    rest = pl.statics(pl.compile(model, formulation="shooting", subintervals=subintervals, tolerance=1e-6))
    np.testing.assert_allclose(rest.position.sel(marker="rod/tip"), [2 * sin(0.5), 2 * (1 - cos(0.5)), 0.0], atol=shift)


def test_resultants_are_known_along_a_rod_and_in_balance() -> None:
    model = clamped(STRIP, lambda rod: pl.Gravity(), lambda rod: pl.Force(rod.at(s=1), y=4.0))
    rest = pl.statics(pl.compile(model, formulation="shooting", subintervals=4, step=1 / 12))
    where = rest.data["section_s"].values
    np.testing.assert_allclose(np.unique(where.round(12)), np.arange(25) / 24, atol=1e-12)
    values, weight = rest.data["resultant"].values, 9.81 * STRIP.mass_per_length
    rounding = 1e-14 * STRIP.axial_stiffness
    np.testing.assert_allclose(values[0, :3], [0.0, 4.0, -weight], atol=rounding)
    np.testing.assert_allclose(np.linalg.norm(values[:, :3], axis=1), np.hypot(4.0, weight * (1 - where)), rtol=1e-8)
    np.testing.assert_allclose(values[-1, 3:], 0.0, atol=rounding)
    assert values[0, 5] == pytest.approx(4.0 * float(rest.position.sel(marker="rod/tip", axis="x")), rel=1e-8)


def test_rods_are_known_between_their_nodes() -> None:
    """Places and section forces inside two long subintervals are those at the nodes of eight short ones."""
    model = clamped(STRIP, *LOADS["wavy"], curvature=(0.5, 0.0, 1.0))
    few, many = (
        pl.statics(pl.compile(model, formulation="shooting", subintervals=n, step=0.125)) for n in (2, 8)
    )  # fmt: skip
    lines = [rest.shape.values[rest.part_kind.values == "beam"] for rest in (few, many)]
    assert len(lines[0]) == 17
    np.testing.assert_allclose(lines[0], lines[1][::2], rtol=0.0, atol=1e-9)
    once = [np.unique(rest.section_s.values.round(12), return_index=True)[1] for rest in (few, many)]
    np.testing.assert_allclose(few.resultant.values[once[0]], many.resultant.values[once[1]][::2], rtol=0.0, atol=1e-5)
    system = pl.compile(model, formulation="shooting", subintervals=8)
    found = [pl.modal(each, at=pl.statics(each), modes=2) for each in (system, pl.refine(system))]
    modes = [each.mode_shape.values[:, each.part_kind.values == "beam"] for each in found]
    np.testing.assert_allclose(np.abs(modes[0]), np.abs(modes[1][:, ::2]), atol=2e-4)


def test_a_tendon_pulls_a_rod_through_guides_between_its_ends() -> None:
    model = clamped(STRIP, lambda rod: pl.Gravity(), curvature=(0.5, 0.0, 1.0))
    rod, ground = model.beams[0], model.part("ground")
    *guides, end = (rod.at(s=s, y=0.01, z=0.005) for s in (0.25, 0.5, 0.75, 1.0))
    model.add(pl.Tendon("pull", ground.at(0, 0.01, 0.005), end, guides=guides, stiffness=2e3, force=4.0))
    shot = pl.statics(pl.compile(model, formulation="shooting", subintervals=4, step=0.125))
    fine = pl.statics(pl.compile(model, elements=pl.Exact(8, order=4)))
    np.testing.assert_allclose(shot.position.values, fine.position.values, atol=1e-8)
    np.testing.assert_allclose(shot.tension.values, fine.tension.values, rtol=1e-7)


def test_the_energy_of_the_weight_is_that_of_its_places() -> None:
    stiff = pl.Section.rectangle(0.2, 0.2, pl.STEEL)
    heights = []
    for lift in (0.0, 2.0):
        m = pl.Model("shelf", plane=None)
        ground, rod = m.add(pl.Ground(), pl.Beam("rod", length=1.0, section=stiff))
        m.add(pl.Weld(ground.at(0, 0, lift), rod.at(s=0)), pl.Gravity())
        rest = pl.statics(pl.compile(m, formulation="shooting", subintervals=3))
        heights.append(float(rest.energy.sel(energy_kind="potential")))
    assert heights[1] - heights[0] == pytest.approx(2.0 * 9.81 * stiff.mass_per_length, rel=1e-12)


def column(load: float) -> pl.Model:
    return clamped(STRIP, lambda rod: pl.Force(rod.at(s=1), x=-load))


CRITICAL = pi**2 * STRIP.bending_stiffness / 4.0


def test_stability_is_told_by_inertia_and_never_guessed() -> None:
    weak = min(STRIP.bending_stiffness, STRIP.bending_stiffness_y)
    critical = pi**2 * weak / 4.0
    told = []
    for part in (0.99, 1.01, 9.5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PliantWarning)
            system = pl.compile(column(part * critical), formulation="shooting")
            state = system.start()
            found = system.assess(
                spatial_equilibrium.corrected(system, state, system.signals(np.zeros(1))[0])[0],
                system.signals(np.zeros(1))[0], 0, 0,
            )  # fmt: skip
        told.append(found.unstable_directions)
    assert told == [0, 1, 2]
    coarse = pl.compile(column(20.0 * critical), formulation="shooting", subintervals=1, tolerance=1e-3)
    u = coarse.signals(np.zeros(1))[0]
    state, _ = spatial_equilibrium.corrected(coarse, coarse.start(), u)
    assert coarse.assess(state, u, 0, 0).unstable_directions is None
    assert spatial_stability.may_hide(coarse, state.q, u) == "rod"


def test_a_path_finds_the_loads_at_which_a_column_buckles() -> None:
    model = column(1.0)
    with pytest.warns(pl.errors.Buckled):
        path = pl.path(pl.compile(model, formulation="shooting"), "force rod/tip/x", to=-1.2 * CRITICAL)
    with pytest.warns(pl.errors.Buckled):
        fine = pl.path(pl.compile(model, elements=pl.Exact(20, order=3)), "force rod/tip/x", to=-1.2 * CRITICAL)
    assert path.outcome.ok
    np.testing.assert_allclose(path.event_parameter, fine.event_parameter, rtol=1e-6)
    coarse = pl.compile(model, formulation="shooting", subintervals=1)
    with pytest.raises(ConvergenceError, match="'rod' is loaded so much that it may be unstable between two nodes"):
        pl.path(coarse, "force rod/tip/x", to=-6.0 * CRITICAL)


def test_a_path_passes_limit_points() -> None:
    m = pl.Model("arch", plane=None)
    section = pl.Section.rectangle(0.02, 0.02, pl.STEEL)
    ground, arch = m.add(pl.Ground(), pl.Beam("arch", length=1.0, section=section, curvature=-1.2))
    end = arch.rest_pose_in_space([1.0])[0][0]
    m.add(pl.Weld(ground.at(0, 0), arch.at(s=0)), pl.Weld(ground.at(*end, orientation=(0, 0, -1.2)), arch.at(s=1)))
    m.add(pl.Force(arch.at(s=0.5), y=-1.0, name="push"))
    found = []
    for options in ({"formulation": "shooting", "subintervals": 20}, {"elements": pl.Exact(12, order=4)}):
        path = pl.path(pl.compile(m, **options), "push/y", to=-2e5)
        assert path.outcome.ok
        found.append(path.event_parameter.values[path.event_kind.values == "limit point"])
    assert found[0].size == 2
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_modes_converge_with_the_fourth_power_of_subintervals() -> None:
    section = pl.Section.general(
        stiffness=np.diag([1e9, 1e9, 1e9, 3.0, 1.0, 2.0]), mass_per_length=1.0, rotary_inertia=1e-9,
        rotary_inertia_y=1e-9,
    )  # fmt: skip
    root = 1.8751040687119611**2 / (2.0 * pi)  # Euler-Bernoulli
    errors = []
    for n in (4, 8):
        system = pl.compile(clamped(section), formulation="shooting", subintervals=n)
        found = pl.modal(system, modes=2).frequency_hz.values
        errors.append(found / root / np.sqrt([1.0, 2.0]) - 1.0)
    np.testing.assert_allclose(errors[1], (1.8751 / 8) ** 4 / 1440, rtol=0.03)  # of cubic shapes, static ones here
    np.testing.assert_allclose(errors[0] / errors[1], 16.0, rtol=0.1)


def test_damped_modes_are_those_of_finite_elements() -> None:
    m = pl.Model("rod", plane=None)
    damping = pl.Rayleigh(0.3, 2e-3, relative_to="ground")
    bent = pl.Beam("rod", length=1.0, section=STRIP, damping=damping, curvature=(0.2, 0.0, 0.5))
    ground, rod = m.add(pl.Ground(), bent)
    m.add(pl.Weld(ground.at(0, 0), rod.at(s=0)), pl.Force(rod.at(s=1), y=5.0, z=3.0), pl.Gravity())
    ways = ({"formulation": "shooting", "subintervals": 16}, {"elements": pl.Exact(12, order=3)})
    systems = [pl.compile(m, **options) for options in ways]
    shot, fine = (pl.modal(system, at=pl.statics(system), modes=3, damped=True) for system in systems)
    np.testing.assert_allclose(shot.frequency_hz, fine.frequency_hz, rtol=1e-5)
    np.testing.assert_allclose(shot.damping_ratio, fine.damping_ratio, rtol=1e-5)


def test_a_linear_model_is_that_of_finite_elements() -> None:
    model = clamped(STRIP, lambda rod: pl.Force(rod.at(s=1), y=4.0, z=9.0, name="push"))
    ask = {"inputs": ["push/z"], "outputs": ["position:rod/tip:z"]}
    shot = pl.linearise(pl.compile(model, formulation="shooting"), **ask)
    fine = pl.linearise(pl.compile(model, elements=pl.Exact(10, order=4)), **ask)
    for w in (0.0, 5.0, 40.0):
        one, two = (plant.frequency_response(w).values.ravel() for plant in (shot, fine))
        np.testing.assert_allclose(one, two, rtol=2e-5)


def test_joints_and_bodies_come_from_the_model() -> None:
    model = rod_platform.model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        shot = pl.statics(pl.compile(model, formulation="shooting").with_signals({}))
        fine = pl.statics(pl.compile(model, elements=pl.Exact(6, order=4)))
    np.testing.assert_allclose(shot.position.values, fine.position.values, atol=1e-9)


def test_marches_that_are_too_coarse_are_refused_with_a_step_that_is_not() -> None:
    model = bend_45.model(load=3000.0)
    with pytest.raises(ConvergenceError, match=r"leave an error of .* Compile with step=0\.\d+") as refused:
        pl.statics(pl.compile(model, formulation="shooting", subintervals=3, step=0.5))
    with pytest.raises(ConvergenceError, match="leave an error"):
        pl.path(pl.compile(model, formulation="shooting", subintervals=3, step=0.5), "load/z", to=3000.0)
    step = float(str(refused.value).split("step=")[1].split()[0])
    assert pl.statics(pl.compile(model, formulation="shooting", subintervals=3, step=step)).outcome.ok


def test_finite_elements_and_rods_know_each_others_states() -> None:
    system = pl.compile(bend_45.model(), formulation="shooting", subintervals=3)
    q = moved(system, 0.02)
    still = np.zeros_like(q)
    there = spatial_guess.to_elements(system, type(system.start())(q, still, still, np.zeros(system.constraints)))
    back = spatial_guess.from_elements(system, there)
    assert np.max(np.abs(system.apart(q, back.q))) < 1e-12
    arc = spatial_guess.to_elements(system, system.start())
    assert np.max(np.abs(system.mesh.apart(system.mesh.initial, arc.q))) < 1e-12


def test_estimates_refine_subintervals() -> None:
    system = pl.compile(bend_45.model(), formulation="shooting", subintervals=5)
    assert len(pl.refine(system).layout.beams[0].connectivity) == 10
    assert pl.estimate(pl.statics, system).outcome.space_error < 1e-8


@pytest.mark.parametrize(
    "options, message",
    [
        ({"order": "4/5"}, "in space steps do not adapt"),
        ({"linear": True}, "linear=True of beam 'rod'"),
        ({"extensible": False}, "extensible=False of beam 'rod'"),
        ({"jacobian": "differences"}, "in space derivatives are exact"),
    ],
)
def test_options_of_the_plane_are_refused(options, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pl.compile(clamped(), formulation="shooting", **options)


def test_what_it_does_not_do_is_refused_by_name() -> None:
    system = pl.compile(clamped(), formulation="shooting")
    with pytest.raises(CapabilityError, match=r"HasSpin.*'shooting' does not.*'dae'"):
        pl.statics(system, spin=pl.Spin(1.0, axis="z"))
    with pytest.raises(CapabilityError, match="Bendable"):
        pl.imperfect(system, pl.statics(system), amplitude=1e-3)


def test_rods_without_shear_are_stiffer() -> None:
    section = pl.Section.rectangle(0.2, 0.2, pl.STEEL)
    short = clamped(section, lambda rod: pl.Force(rod.at(s=1), y=1.0))
    rests = [pl.statics(pl.compile(short, formulation="shooting", shear=shear)) for shear in (True, False)]
    sheared, bent = (float(rest.position.sel(marker="rod/tip", axis="y")) for rest in rests)
    assert bent == pytest.approx(1.0 / (3.0 * section.bending_stiffness), rel=1e-8)
    assert sheared - bent == pytest.approx(1.0 / section.shear_stiffness, rel=1e-6)
