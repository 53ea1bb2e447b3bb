"""Arrows, ghosts, colours with a limit, several results in one picture, and where modes are seen from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.quiver import Quiver

import pliant as pl
from pliant.errors import OptionError
from pliant.results.drawing.overlays import BEYOND, arrows_of, viewing_angles, visible
from pliant_testing.results.planar import example_motion
from pliant_testing.results.spatial import spatial_motion


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def bent() -> tuple[pl.Model, pl.Result]:
    m = pl.Model("strip")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.3, section=pl.Section.rectangle(0.02, 1e-3, pl.STEEL)))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-1.0))
    return m, pl.statics(pl.compile(m, elements=4))


def legend(ax: plt.Axes) -> list[str]:
    return [entry.get_text() for entry in ax.get_legend().get_texts()]


def test_arrows_are_velocities_in_one_scale() -> None:
    run = example_motion()
    (found,) = arrows_of(run, "velocity")
    assert np.array_equal(found.vectors, run.velocity.values)
    ax = pl.plots.plot_shape(run, times=[0.0, float(run.time[-1])], arrows="velocity")
    (drawn,) = [each for each in ax.get_children() if isinstance(each, Quiver)]
    shown = np.stack([drawn.U, drawn.V], axis=-1).reshape(2, -1, 2)
    wanted = run.velocity.values[[0, -1]]
    factor = np.sum(shown * wanted) / np.sum(wanted**2)
    assert np.allclose(shown, factor * wanted)
    assert any(word.startswith("velocity, at most") for word in legend(ax))


def test_arrows_are_forces_of_joints(bent: tuple[pl.Model, pl.Result]) -> None:
    _, rest = bent
    (found,) = arrows_of(rest, ["force"])
    assert np.allclose(found.vectors[0, 0], [0.0, -1.0]) or np.allclose(found.vectors[0, 0], [0.0, 1.0])
    assert "force, at most 1 N" in legend(pl.plots.plot_shape(rest, arrows="force"))
    with pytest.raises(OptionError, match="Did you mean force"):
        pl.plots.plot_shape(rest, arrows="forces")


def test_what_is_above_the_limit_is_red(bent: tuple[pl.Model, pl.Result]) -> None:
    _, rest = bent
    largest = 1.0 * 0.3 * 0.5e-3 / pl.Section.rectangle(0.02, 1e-3, pl.STEEL).bending_stiffness  # F L h / 2 EI
    ax = pl.plots.plot_shape(rest, colour="strain", limit=0.5 * largest)
    (pieces,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    strain = np.asarray(pieces.get_array())
    assert strain.max() == pytest.approx(largest, rel=0.05)
    red = np.all(np.isclose(pieces.to_rgba(strain), plt.matplotlib.colors.to_rgba(BEYOND)), axis=1)
    assert np.array_equal(red, strain > 0.5 * largest)
    assert red.any()
    assert not red.all()
    assert any(word.startswith("above") for word in legend(ax))
    with pytest.raises(OptionError, match="give the quantity"):
        pl.plots.plot_shape(rest, limit=1.0)
    with pytest.raises(OptionError, match="bending moment"):
        pl.plots.plot_shape(rest, colour="stran")


def test_the_ghost_is_the_shape_before(bent: tuple[pl.Model, pl.Result], tmp_path: Path) -> None:
    model, rest = bent
    ax = pl.plots.plot_shape(rest, ghost=model)
    dashed = [line for line in ax.lines if line.get_linestyle() == "--" and len(line.get_xdata())]
    assert np.allclose(dashed[0].get_ydata(), 0.0)  # straight, where the equilibrium is bent
    assert "ghost" in legend(ax)
    with pytest.raises(OptionError, match="has no other shape"):
        pl.plots.plot_shape(rest, ghost=True)
    with pytest.raises(OptionError, match="planar and the other spatial"):
        pl.plots.plot_shape(rest, ghost=spatial_motion())
    run = example_motion()
    plain, behind = (pl.animate(run, tmp_path / f"{k}.html", ghost=k).read_text() for k in (False, True))
    assert '"traces":[]' in plain
    assert '"traces":[{"marker":""' in behind


def test_several_results_in_one_picture() -> None:
    run = example_motion()
    ax = pl.plots.plot_overlay({"one": run, "two": run}, time=0.0)
    assert legend(ax) == ["one", "two"]
    with pytest.raises(OptionError, match="one space"):
        pl.plots.plot_overlay({"one": run, "two": spatial_motion()})
    with pytest.raises(OptionError, match="nothing to draw"):
        pl.plots.plot_overlay({})


def test_models_stand_still_in_a_page(bent: tuple[pl.Model, pl.Result], tmp_path: Path) -> None:
    model, _ = bent
    assert "as assembled" in pl.animate(model, tmp_path / "model.html").read_text()
    with pytest.raises(OptionError, match=r"write \.html"):
        pl.animate(model, tmp_path / "model.gif")


def test_modes_are_seen_from_where_they_show() -> None:
    rng = np.random.default_rng(0)
    towards = np.array([np.cos(-58 * pl.DEG), np.sin(-58 * pl.DEG), 0.0])  # where one looks from, nearly
    hidden = np.outer(rng.standard_normal(5), towards)
    assert visible([hidden], towards) < 1e-12
    e, a = np.radians(viewing_angles([hidden], (0.0, -58.0)))
    eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    assert visible([hidden], eye) > 0.8
    assert viewing_angles([np.outer(np.ones(3), [0.0, 0.0, 1.0])], (22.0, -58.0)) == (22.0, -58.0)
