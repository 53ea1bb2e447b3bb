"""Modes that a mesh does not resolve: reported errors against closed forms, number of modes, failed checks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pliant as pl
import pliant_gallery as gallery
from pliant.analyses.modes import modal as analysis
from pliant.errors import PliantWarning
from pliant.model.damping import bending_root
from pliant.system.limits.short_waves import short_wave_share

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
STRIP_IN_SPACE = pl.Section.rectangle(0.02, 0.004, pl.STEEL)
STIFF_WAY = math.sqrt(STRIP.stiffness[4, 4] / STRIP.bending_stiffness)


def cantilever(elements: Any, *, plane: str | None = "xy", size: float = 1.0, angle: float = 0.0) -> Any:
    """Return a slender strip of one size or another, clamped at an angle."""
    model = pl.Model("strip", plane=plane)
    section = pl.Section.rectangle(0.02 * size, 0.002 * size, pl.STEEL)
    turned = {"angle": angle} if plane else {"orientation": (0.0, 0.0, angle)}
    ground, strip = model.add(pl.Ground(), pl.Beam("strip", length=size, section=section, **turned))
    model.add(pl.Weld(ground.at(*(0, 0, 0)[: 2 if plane else 3], **turned), strip.at(s=0)))
    return pl.compile(model, elements=elements)


def string(tension: float, elements: Any) -> Any:
    """Return a thin beam between two pins, of which tension pulls one."""
    model = pl.Model("string")
    thin = pl.Section(1e5, 1e5, 1e-3, 1e-3)
    ground, beam = model.add(pl.Ground(), pl.Beam("string", length=1.0, section=thin, angle=0.0))
    model.add(pl.Revolute(ground.at(0, 0), beam.at(s=0)), pl.Slider(ground.at(0, 0), beam.at(s=1)))
    model.add(pl.Force(beam.at(s=1), x=tension))
    return pl.compile(model, elements=elements)


def mesh_errors(system: Any, count: int, monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies (rad/s) and the relative error that the mesh is stated to make of each."""
    seen: list[np.ndarray] = []
    judge: Callable[..., np.ndarray] = analysis.too_short

    def spy(*given: Any) -> np.ndarray:
        seen.append(judge(*given))
        return seen[-1]

    monkeypatch.setattr(analysis, "too_short", spy)
    found = analysis.vibrations(system, modes=count).frequency_hz.values
    return 2.0 * np.pi * found, seen[-1]


def exact(count: int, stiffer: tuple[float, ...] = (1.0,)) -> np.ndarray:
    """Return angular frequencies of the clamped strip of 1 m, of bending about one axis or two."""
    unit = math.sqrt(STRIP.bending_stiffness / STRIP.mass_per_length)
    every = [way * unit * bending_root("clamped-free", n) ** 2 for way in stiffer for n in range(1, count + 1)]
    return np.sort(every)[:count]


@pytest.mark.parametrize(
    ("elements", "count"),
    [
        (pl.Exact(12), 5),
        (pl.Exact(24), 7),
        (pl.Exact(5, order=2), 4),
        (pl.Exact(3, order=3), 4),
        (pl.Exact(2, order=4), 4),
        (pl.Ancf(5), 5),
    ],
)
def test_errors_are_those_of_the_mesh(elements: Any, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found, errors = mesh_errors(cantilever(elements), count, monkeypatch)
    true = np.abs(found / exact(count) - 1.0)
    large = true > 1e-3  # below, shear matters as well
    assert np.sum(large) >= 2
    assert np.all(errors[large] > 0.8 * true[large])
    assert np.all(errors[large] < 6.0 * true[large])


def test_in_space_each_axis_has_its_own_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first mode about the stiff axis is resolved, though that about the soft one at its frequency is not."""
    found, errors = mesh_errors(cantilever(pl.Exact(6), plane=None), 4, monkeypatch)
    expected = exact(4, (1.0, STIFF_WAY))
    stiff = int(np.argmin(np.abs(expected - STIFF_WAY * exact(1)[0])))
    true = np.abs(found / expected - 1.0)
    assert errors[stiff] < 0.02 < 0.1 < errors[stiff + 1]
    assert np.all(errors > 0.8 * true - 2e-3)


def test_twist_and_stretch_are_waves_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round bar has waves at c k with c = sqrt(E / rho), sqrt(G / rho); elements of order 1 are x^2 / 24 too fast."""
    model = pl.Model("bar", plane=None)
    stub = pl.Section.circle(0.2, pl.STEEL)
    ground, bar = model.add(pl.Ground(), pl.Beam("bar", length=1.0, section=stub))
    model.add(pl.Weld(ground.at(0, 0, 0), bar.at(s=0)))
    found, errors = mesh_errors(pl.compile(model, elements=pl.Exact(3)), 6, monkeypatch)
    table, mass, rotary = stub.stiffness, stub.mass_per_length, stub.rotary
    for speed in (math.sqrt(table[0, 0] / mass), math.sqrt(table[3, 3] / rotary[0, 0])):
        wanted = 0.5 * math.pi * speed
        k = int(np.argmin(np.abs(found - wanted)))
        true = found[k] / wanted - 1.0
        assert true == pytest.approx((0.5 * math.pi / 3.0) ** 2 / 24.0, rel=0.05)
        assert errors[k] == pytest.approx(true, rel=0.15)


def test_tension_makes_waves_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """omega = k pi sqrt(T / m): without bending a string has far longer waves than a beam of its frequency."""
    found, errors = mesh_errors(string(100.0, pl.Exact(6, order=3)), 5, monkeypatch)
    np.testing.assert_allclose(found, np.arange(1, 6) * np.pi * math.sqrt(100.0 / 1e-3), rtol=5e-3)
    assert np.all(errors < 0.05)
    slack = mesh_errors(string(0.0, pl.Exact(6, order=3)), 12, monkeypatch)[1]
    assert slack[-1] > 0.1  # without it they are beams


@pytest.mark.parametrize(("plane", "size", "angle"), [("xy", 1e-3, 0.0), ("xy", 1.0, 2.0), (None, 1e3, 2.0)])
def test_sizes_and_frames_change_nothing(
    plane: str | None, size: float, angle: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = mesh_errors(cantilever(pl.Exact(5), plane=plane), 5, monkeypatch)[1]
    there = mesh_errors(cantilever(pl.Exact(5), plane=plane, size=size, angle=angle), 5, monkeypatch)[1]
    np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-8)


def test_as_many_modes_as_the_mesh_resolves() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        found = pl.modal(cantilever(pl.Exact(3, order=3)))
    wanted = exact(found.mode.size + 1)
    assert found.outcome.ok
    assert found.outcome.message == "4 modes, of the lowest 10 those that the mesh resolves"
    pendulum = pl.compile(gallery.model("pendulum"))
    assert pl.modal(pendulum, at=pl.statics(pendulum)).outcome.message == "1 mode"
    assert found.mode.size == 4
    np.testing.assert_allclose(2.0 * np.pi * found.frequency_hz.values, wanted[:-1], rtol=0.05)
    assert found.mode_shape.sizes["mode"] == found.mode.size == found.provenance.settings["modes"]


def test_more_modes_than_the_mesh_resolves_are_not_ok() -> None:
    with pytest.warns(PliantWarning, match=r"waves too short .*modes=4"):
        found = pl.modal(cantilever(pl.Exact(3, order=3)), modes=8)
    assert found.mode.size == 8
    [check] = found.outcome.failed
    assert check.value > 0.5
    true = 2.0 * np.pi * found.frequency_hz.values / exact(8) - 1.0
    assert true[-1] > 1.0  # twice as fast as it should be


@pytest.mark.parametrize("rate", [0.0, 400.0, 2000.0])
def test_what_whirls_is_looked_at_from_axes_that_stand_still(rate: float) -> None:
    """A round shaft between two bearings bends in the same waves at any rate, however fast the axes turn."""
    model = pl.Model("shaft", plane=None)
    rod = pl.Section.circle(5e-3, pl.STEEL)
    ground, shaft = model.add(pl.Ground(), pl.Beam("shaft", length=1.0, section=rod))
    model.add(pl.Revolute(ground.at(0, 0, 0), shaft.at(s=0), axis="x"))
    model.add(pl.Cylindrical(ground.at(1, 0, 0), shaft.at(s=1), axis="x"))
    system = pl.compile(model, elements=pl.Exact(4, order=2))
    found = pl.campbell(system, rates=[rate, rate + 1.0], spin=pl.Spin(0.0, axis="x"), modes=2)
    assert next(each for each in found.outcome.checks if each.name.startswith("waves")).passed


def test_a_rigid_part_on_a_beam_does_not_count() -> None:
    """Kinetic energy outside of beams is resolved: a heavy platform on a short stiff leg."""
    model = pl.Model("platform")
    ground, leg = model.add(pl.Ground(), pl.Beam("leg", length=1.0, section=STRIP))
    plate = model.add(pl.Body("plate", mass=50.0, inertia=1.0, position=(1.0, 0.0)))
    model.add(pl.Weld(ground.at(0, 0), leg.at(s=0)), pl.Weld(leg.at(s=1), plate.at(0, 0)))
    assert pl.modal(pl.compile(model, elements=pl.Exact(2, order=2)), modes=2).outcome.ok


def test_a_mode_beyond_one_that_may_be_slower_is_left_out() -> None:
    """Six two-node elements of an arc have the seventh mode before the sixth, which they make 48 % too fast."""
    model = pl.Model("arc", plane=None)
    ground, arc = model.add(pl.Ground(), pl.Beam("arc", length=1.0, section=STRIP_IN_SPACE, curvature=3.0))
    model.add(pl.Weld(ground.at(0, 0, 0), arc.at(s=0)))
    coarse, fine = (pl.modal(pl.compile(model, elements=each)) for each in (pl.Exact(6), pl.Exact(24, order=3)))
    count = coarse.mode.size
    assert coarse.outcome.ok
    assert count == 5
    np.testing.assert_allclose(coarse.frequency_hz, fine.frequency_hz[:count], rtol=0.25)


def test_a_first_mode_that_is_not_resolved_is_found_and_not_ok() -> None:
    with pytest.warns(PliantWarning, match="Take more elements"):
        found = pl.modal(cantilever(1))
    assert found.mode.size == 1
    assert not found.outcome.ok


def struck(width: float, elements: Any) -> tuple[pl.Result, list[str]]:
    """Return a strip struck by a pulse of so many seconds, and what it warned of."""
    model = pl.Model("strip")
    ground, strip = model.add(pl.Ground(), pl.Beam("strip", length=0.5, section=STRIP))
    pulse = pl.Expression(f"{0.02 / width}*exp(-((t - {3 * width})/{width})**2)")
    model.add(pl.Weld(ground.at(0, 0), strip.at(s=0)), pl.Force(strip.at(s=0.6), y=pulse))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = pl.transient(pl.compile(model, elements=elements), end_time=0.05, times=np.linspace(0.0, 0.05, 41))
    return run, [str(each.message) for each in caught]


def test_a_blow_shorter_than_the_mesh_carries_is_told() -> None:
    coarse, told_of = struck(3e-4, pl.Exact(3, order=3))
    assert len(told_of) == 1
    assert "beam 'strip' moves in waves too short for its mesh" in told_of[0]
    assert coarse.outcome.warnings == ("UnresolvedFrequency",)
    fine, nothing = struck(3e-4, pl.Exact(12, order=3))
    assert not nothing
    apart = np.abs(coarse.position - fine.position).sel(marker="strip/tip").max()
    assert apart > 0.01 * np.ptp(fine.position.sel(marker="strip/tip", axis="y").values)
    assert not struck(1e-2, pl.Exact(3, order=3))[1]


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("elements", [pl.Exact(8), pl.Exact(3, order=3)])
def test_waves_that_a_mesh_carries_are_none_that_are_short(plane: str | None, elements: Any) -> None:
    system = cantilever(elements, plane=plane)
    [mesh] = system.layout.beams
    places = system.space.width * mesh.nodes
    v = np.zeros((2, system.size))

    def share(across: np.ndarray) -> float:
        v[:, places + 1] = across
        return short_wave_share(system, v)[0]

    smooth = 1.0 + mesh.s + np.cos(2.0 * np.pi * mesh.s)
    rough = np.cos(np.pi * np.arange(mesh.s.size))
    assert share(smooth) < 1e-6  # a root of rounding
    assert share(rough) > 0.5
    both = np.linalg.norm(0.1 * rough) / np.linalg.norm(smooth + 0.1 * rough)
    assert share(smooth + 0.1 * rough) == pytest.approx(both, rel=0.4)
    v[:, places] = 100.0  # along the beam: what moves fast as a whole hides what trembles
    assert share(rough) < 0.01


def test_long_beams_are_looked_at_in_pieces() -> None:
    """Functions grow as the pieces, not as elements squared; a wave that one piece alone has is found."""
    system = cantilever(1000)
    [mesh] = system.layout.beams
    v = np.zeros((1, system.size))
    v[0, 3 * mesh.nodes + 1] = mesh.s**2 + 0.1 * np.cos(100.0 * mesh.s)
    assert short_wave_share(system, v)[0] < 1e-3
    assert max(each.carried.size for each in vars(system)["_alike"]) < 1000
    v[0, 3 * mesh.nodes[500:520] + 1] += 0.5 * (-1.0) ** np.arange(20)
    assert short_wave_share(system, v)[0] > 0.2
