"""Reduced bodies: exact deflections and frequencies, motion beside a beam's, files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, ModelError, OptionError
from pliant_gallery import four_bar

LENGTH, SECTION = 0.5, pl.Section.rectangle(20e-3, 2e-3, pl.STEEL)
EI, RHO_A = SECTION.bending_stiffness, SECTION.mass_per_length


def strip(elements: int = 12, *, spatial: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return mass and stiffness of Euler-Bernoulli elements of a free strip (cubics, consistent mass)."""
    l, width = LENGTH / elements, 6 if spatial else 3
    size = width * (elements + 1)
    M, K = np.zeros((2, size, size))
    one, two = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
    k = np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l**2, -6 * l, 2 * l**2],
                  [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l**2, -6 * l, 4 * l**2]]) / l**3  # fmt: skip
    m = np.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * l**2, 13 * l, -3 * l**2],
                  [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l**2, -22 * l, 4 * l**2]]) * l / 420.0  # fmt: skip
    other = np.diag([1.0, -1.0, 1.0, -1.0])  # a turn about y lowers x times z

    def add(rows: list[int], stiff: np.ndarray, heavy: np.ndarray) -> None:
        K[np.ix_(rows, rows)] += stiff
        M[np.ix_(rows, rows)] += heavy

    for e in range(elements):
        a, b, last = width * e, width * (e + 1), width - 1
        add([a, b], SECTION.axial_stiffness / l * one, RHO_A * l * two)
        add([a + 1, a + last, b + 1, b + last], EI * k, RHO_A * m)
        if spatial:
            across = float(SECTION.bending_stiffness_y or 0.0)
            add([a + 2, a + 4, b + 2, b + 4], across * other @ k @ other, RHO_A * other @ m @ other)
            add([a + 3, b + 3], float(SECTION.torsional_stiffness or 0.0) / l * one, 1e-4 * RHO_A * l * two)
    return M, K


def arm(modes: int = 6, *, spatial: bool = False, **options: Any) -> pl.ReducedBody:
    """Return the strip with both ends as its interface."""
    M, K = strip(spatial=spatial)
    width = 6 if spatial else 3
    M, K = pl.craig_bampton(M, K, [*range(width), *range(12 * width, 13 * width)], modes)
    nodes = {"base": (0.0, 0.0, 0.0)[: 2 + spatial], "tip": (LENGTH, 0.0, 0.0)[: 2 + spatial]}
    return pl.reduced_body("arm", nodes, mass=M, stiffness=K, **options)


def clamped(body: pl.ReducedBody, *, turned: float = 0.0) -> pl.Model:
    """Build a cantilever, turned about z."""
    spatial = len(body.superelement.places[0]) == 3
    model = pl.Model("cantilever", plane=None if spatial else "xy")
    ground = model.add(pl.Ground())
    model.add(*body)
    kept: dict[str, Any] = {"orientation": (0.0, 0.0, 0.0)} if spatial else {"angle": 0.0}
    model.add(pl.Weld(ground.at(0.1, 0.2, angle=turned), body.at("base"), **kept))
    return model


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("turned", [0.0, 2.0])
def test_a_cantilever_bends_as_euler_says(spatial: bool, turned: float) -> None:
    load, body = 0.01, arm(spatial=spatial)
    model = clamped(body, turned=turned)
    model.add(pl.Force(body.at("tip"), x=load * np.sin(turned), y=-load * np.cos(turned), name="load"))
    rest = pl.statics(pl.compile(model))
    tip = rest.position.sel(marker=body.at("tip").label).values - np.array([0.1, 0.2, 0.0])[: 2 + spatial]
    down = tip[1] * np.cos(turned) - tip[0] * np.sin(turned)
    assert down == pytest.approx(-load * LENGTH**3 / (3.0 * EI), rel=1e-6)
    assert rest.outcome.ok
    assert rest.outcome.figures["stable"]


def test_frequencies_are_those_of_a_cantilever_from_above() -> None:
    exact = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613]) ** 2
    exact *= np.sqrt(EI / (RHO_A * LENGTH**4)) / (2.0 * np.pi)
    found = {k: pl.modal(pl.compile(clamped(arm(k))), modes=3).frequency_hz.values for k in (2, 4, 6)}
    errors = {k: values / exact - 1.0 for k, values in found.items()}
    assert np.all(errors[6] > 0.0)
    assert np.all(errors[6] < 5e-4)  # of the twelve elements and the modes left out
    assert np.all(errors[6] <= errors[4])
    assert np.all(errors[4] <= errors[2])
    across = pl.modal(pl.compile(clamped(arm(6, spatial=True))), modes=2).frequency_hz.values
    assert across[0] == pytest.approx(exact[0], rel=1e-4)


def test_its_weight_bends_it_as_a_load_along_it() -> None:
    model, body = clamped(arm(4)), None
    model.add(pl.Gravity(y=-0.1))
    rest = pl.statics(pl.compile(model))
    body = model.part("arm tip")
    sag = float(rest.position.sel(marker=body.at().label, axis="y")) - 0.2
    assert sag == pytest.approx(-RHO_A * 0.1 * LENGTH**4 / (8.0 * EI), rel=1e-5)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_lump_inside_weighs_where_it_is(spatial: bool) -> None:
    """A mass at one third of the strip: the pin feels its moment, though the interface has none of it."""
    M, K = strip(spatial=spatial)
    width, lump = 6 if spatial else 3, 0.3
    for axis in range(2 + spatial):
        M[4 * width + axis, 4 * width + axis] += lump
    M, K = pl.craig_bampton(M, K, [*range(width), *range(12 * width, 13 * width)], 2)
    nodes = {"base": (0.0, 0.0, 0.0)[: 2 + spatial], "tip": (LENGTH, 0.0, 0.0)[: 2 + spatial]}
    body = pl.reduced_body("arm", nodes, mass=M, stiffness=K, orientation=(0.0, 0.0, 0.7) if spatial else 0.7)
    model = pl.Model("held", plane=None if spatial else "xy")
    ground = model.add(pl.Ground())
    model.add(*body)
    kept: dict[str, Any] = {"orientation": (0.0, 0.0, 0.7)} if spatial else {"angle": 0.7}
    model.add(pl.Weld(ground.at(0, 0), body.at("base"), **kept, name="clamp"))
    model.add(pl.Gravity(y=-9.81e-3, **({"z": 0.0} if spatial else {})))  # little, so that it hardly bends
    wrench = pl.statics(pl.compile(model)).reaction.sel(joint="clamp")
    arm_length = np.cos(0.7) * (RHO_A * LENGTH**2 / 2.0 + lump * LENGTH / 3.0)
    moment = float(wrench.sel(wrench="Mz" if spatial else "M"))
    assert moment == pytest.approx(9.81e-3 * arm_length, rel=1e-4)


@pytest.mark.parametrize("spatial", [False, True])
def test_it_swings_like_the_beam_it_was_made_from(spatial: bool) -> None:
    """A pendulum falls from upright through half a turn, its strains small. The beam knows shear and rotary inertia."""

    def swing(body: pl.ReducedBody | None) -> np.ndarray:
        model = pl.Model("pendulum", plane=None if spatial else "xy")
        ground = model.add(pl.Ground())
        if body is None:
            beam = model.add(pl.Beam("arm", length=LENGTH, section=SECTION, angle=0.0))
            base, tip = beam.at(s=0), beam.at(s=1)
        else:
            model.add(*body)
            base, tip = body.at("base"), body.at("tip")
        model.add(pl.Revolute(ground.at(0, 0), base), pl.Gravity(y=-9.81, **({"z": 0.0} if spatial else {})))
        run = pl.transient(pl.compile(model, **({"elements": 6} if body is None else {})), end_time=0.6, step=2e-3)
        assert run.outcome.ok
        energy = run.energy.sel(energy_kind="balance").values
        assert np.max(np.abs(energy)) < 1e-3 * np.max(run.energy.sel(energy_kind="kinetic").values)
        return run.position.sel(marker=tip.label).values

    apart = swing(arm(4, spatial=spatial)) - swing(None)
    assert np.max(np.abs(apart)) < 2e-3 * LENGTH


def test_a_file_of_matrices(tmp_path: Path) -> None:
    from scipy.io import savemat

    part = arm(2).superelement
    np.savez(tmp_path / "arm.npz", M=part.mass, K=part.stiffness, nodes=part.places)
    savemat(tmp_path / "arm.mat", {"mass": np.array(part.mass), "stiffness": np.array(part.stiffness)})
    one = pl.load_reduced(tmp_path / "arm.npz", "arm")
    two = pl.load_reduced(tmp_path / "arm.mat", "arm", {"1": (0.0, 0.0), "2": (LENGTH, 0.0)})
    assert one.superelement.stiffness == two.superelement.stiffness == part.stiffness
    assert [*one.bodies] == ["1", "2"]
    for name, why in (("arm.csv", r"read from \.npz, \.mat, \.op2, \.op4"), ("missing.npz", "not read")):
        with pytest.raises(FileError, match=why):
            pl.load_reduced(tmp_path / name, "arm")
    np.savez(tmp_path / "half.npz", M=part.mass)
    with pytest.raises(FileError, match="no stiffness matrix"):
        pl.load_reduced(tmp_path / "half.npz", "arm")


def test_what_is_refused() -> None:
    part = arm(1).superelement
    M, K = np.array(part.mass), np.array(part.stiffness)
    nodes = {"a": (0.0, 0.0), "b": (LENGTH, 0.0)}
    with pytest.raises(ModelError, match="resists a rigid motion, along x"):
        pl.reduced_body("arm", nodes, mass=M, stiffness=K + np.diag([1e5, *[0.0] * 6]))
    with pytest.raises(ModelError, match="resists a rigid motion, along rz"):
        pl.reduced_body("arm", {"a": (0.0, 0.0), "b": (1e3 * LENGTH, 0.0)}, mass=M, stiffness=K)
    with pytest.raises(ModelError, match="not symmetric"):
        pl.reduced_body("arm", nodes, mass=M + np.triu(np.ones((7, 7)), 1), stiffness=K)
    with pytest.raises(ModelError, match="the model is spatial"):
        pl.Model("space", plane=None).add(*arm(1))
    with pytest.raises(ModelError, match="do not fit"):
        pl.reduced_body("arm", nodes, mass=M[:5, :5], stiffness=K[:5, :5])
    with pytest.raises(ModelError, match=r"has no node 'tpi'\. Did you mean tip"):
        arm(1).at("tpi")
    bodies = [pl.Body(name, mass=0.1, inertia=1e-4, position=place) for name, place in nodes.items()]
    model = pl.Model("own")
    model.add(*bodies)
    model.add(pl.Superelement("s", [b.at() for b in bodies], tuple(nodes.values()), mass=M, stiffness=K))
    with pytest.raises(ModelError, match="equal share"):
        pl.compile(model)
    with pytest.raises(OptionError, match="modes = 99"):
        pl.craig_bampton(M, K, [0, 1, 2], 99)


@pytest.mark.parametrize("formulation", ["udwadia_kalaba", "relative"])
def test_other_formulations_agree(formulation: str) -> None:
    model = clamped(arm(2))
    right = pl.modal(pl.compile(model), modes=1).frequency_hz.values
    assert pl.modal(pl.compile(model, formulation=formulation), modes=1).frequency_hz.values == pytest.approx(right)


def pushed(*, spatial: bool) -> pl.Model:
    """Build a cantilever that a force and its weight bend."""
    model = clamped(arm(2, spatial=spatial), turned=0.4)
    model.add(pl.Force(model.part("arm tip").at(), y=-0.02), pl.Gravity(y=-0.1, **({"z": 0.0} if spatial else {})))
    return model


def carried() -> pl.Model:
    """Build a four-bar whose coupler carries a reduced body."""
    model, body = four_bar.model(), arm(2)
    model.add(*body)
    model.add(pl.Weld(model.part("coupler").at(s=1), body.at("base")), pl.Force(body.at("tip"), y=-0.02))
    return model


@pytest.mark.filterwarnings("ignore::pliant.errors.OtherBranch")
@pytest.mark.parametrize(
    "make", [lambda: pushed(spatial=False), lambda: pushed(spatial=True), carried], ids=["plane", "space", "loop"]
)
def test_its_modes_are_relative_coordinates_too(make: Any) -> None:
    """Equilibrium, reactions, frequencies and motion are those with multipliers; internal modes move in all of them."""
    model = make()
    dae, tree = pl.compile(model), pl.compile(model, formulation="relative")
    modes = dae.layout.own(model.part("arm"))
    assert tree.names[-2:] == ("arm:0", "arm:1")
    assert tree.degrees == (6 if make is carried else 8 if model.spatial else 5)
    rests = [pl.statics(system) for system in (dae, tree)]
    assert rests[1].outcome.ok
    amplitudes = [result.state["q"][modes] for result in rests]
    assert np.max(np.abs(amplitudes[0])) > 1e-7
    np.testing.assert_allclose(amplitudes[1], amplitudes[0], atol=1e-13)
    np.testing.assert_allclose(rests[1].position, rests[0].position, atol=1e-9)
    np.testing.assert_allclose(rests[1].reaction, rests[0].reaction, atol=1e-7)
    known, found = (pl.modal(dae, at=rests[0], modes=4), pl.modal(tree, at=rests[1], modes=4))
    np.testing.assert_allclose(found.frequency_hz, known.frequency_hz, rtol=1e-9)
    times = np.linspace(0.0, 0.02, 3)
    known = pl.transient(dae, end_time=0.02, times=times, step=4e-6, spectral_radius=1.0, estimate=False)
    found = pl.transient(tree, end_time=0.02, times=times, accuracy=1e-9, estimate=False)
    assert found.outcome.ok
    amplitudes = [result.state["q"][modes] for result in (known, found)]
    assert np.max(np.abs(amplitudes[0])) > 1e-7
    np.testing.assert_allclose(amplitudes[1], amplitudes[0], atol=1e-3 * np.max(np.abs(amplitudes[0])))
    np.testing.assert_allclose(found.position, known.position, atol=1e-7)


@pytest.mark.parametrize(("formulation", "why"), [("shooting", "no beams"), ("kinked", "arm")])
def test_or_refuse_it(formulation: str, why: str) -> None:
    with pytest.raises(ModelError, match=why):
        pl.compile(clamped(arm(2)), formulation=formulation)
