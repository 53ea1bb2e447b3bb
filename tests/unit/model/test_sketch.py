"""Pictures of models and systems before anything is solved, and of rigid bodies through all their markers."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pliant as pl
from pliant.errors import AssemblyError, LabelError, OptionError
from pliant.results.drawing.parts import parts
from pliant.results.drawing.pictured import result_to_draw


def four_bar(base: float = 0.3) -> pl.Model:
    """Build crank, ternary coupler and rocker; a coupler point carries a link that is welded to it."""
    m = pl.Model("four-bar", plane="xy")
    ground = m.add(pl.Ground())
    crank = m.add(pl.Link("crank", length=0.1, mass=0.1, angle=1.0))
    plate = m.add(pl.Body("plate", mass=0.3, inertia=1e-3))
    rocker = m.add(pl.Link("rocker", length=0.25, mass=0.2))
    foot = m.add(pl.Link("foot", length=0.2, mass=0.2))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), plate.at(0, 0)))
    m.add(pl.Revolute(plate.at(0.3, 0), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(base, 0), name="heel"))
    m.add(pl.Weld(plate.at(0.15, 0.12), foot.at(s=0)))
    return m


def test_a_body_is_drawn_around_its_joints() -> None:
    shown = four_bar().sketch()
    plate = next(part for part in parts(shown) if part.name == "plate")
    line = plate.line(shown.shape.values)
    corners = shown.position.sel(marker=["plate(0, 0)", "plate(0.3, 0)", "plate(0.15, 0.12)"]).values
    assert len(line) == 4
    np.testing.assert_allclose(line[0], line[-1])
    for corner in corners:
        assert np.min(np.linalg.norm(line - corner, axis=1)) < 1e-12


def test_a_marker_beside_a_link_belongs_to_its_outline() -> None:
    m = pl.Model("bell crank")
    ground, lever = m.add(pl.Ground(), pl.Link("lever", length=0.2, mass=0.1, angle=0.0))
    bob = m.add(pl.Link("bob", length=0.1, mass=0.1, angle=-1.0))
    m.add(pl.Revolute(ground.at(0, 0), lever.at(s=0)), pl.Revolute(lever.at(s=0.5, y=0.1), bob.at(s=0)))
    m.add(lever.at(s=0.25))  # on its line: nothing to add
    found = next(part for part in parts(m.sketch()) if part.name == "lever")
    assert (len(found.stations), len(found.weights)) == (3, 4)


def test_markers_inside_are_reached_from_the_nearest_corner() -> None:
    m = pl.Model("plate")
    ground, plate = m.add(pl.Ground(), pl.Body("plate", mass=1.0, inertia=1.0, position=(0, 0), angle=0.0))
    m.add(pl.Weld(ground.at(0, 0), plate.at(0, 0)))
    m.add(*(plate.at(x, y) for x, y in ((4, 0), (4, 3), (0, 3), (3.5, 2.5))))
    line = parts(m.sketch())[0].line(m.sketch().shape.values)
    inside = int(np.argmin(np.linalg.norm(line - (3.5, 2.5), axis=1)))
    np.testing.assert_allclose(line[[inside - 1, inside + 1]], [[4, 3], [4, 3]], atol=1e-12)


def test_models_and_systems_are_drawn_with_the_names_of_their_parts() -> None:
    model = four_bar()
    for thing in (model, pl.compile(model)):
        ax = pl.plots.plot_shape(thing)
        words = {text.get_text().strip() for text in ax.texts}
        assert {"crank", "plate", "rocker", "foot", "heel"} <= words
        plt.close(ax.figure)
    assert "<svg" in model._repr_svg_()


def test_a_joint_that_cannot_be_closed_is_red() -> None:
    with pytest.raises(AssemblyError):
        pl.compile(four_bar(base=1.0))
    shown = four_bar(base=1.0).sketch()
    assert not shown.outcome.ok
    assert shown.open_joint.values.tolist() == ["heel"]
    np.testing.assert_allclose(shown.open_ends.values[0, 1], [1.0, 0.0])
    assert np.linalg.norm(np.diff(shown.open_ends.values[0], axis=0)) > 0.3
    ax = pl.plots.plot_shape(shown)
    assert "heel is open" in {line.get_label() for line in ax.lines}
    plt.close(ax.figure)


def test_space_and_other_formulations_are_drawn_too() -> None:
    m = four_bar().promoted()
    assert m.sketch().outcome.ok
    plt.close(pl.plots.plot_shape(m).figure)
    assert result_to_draw(pl.compile(four_bar(), formulation="udwadia_kalaba")).kind == "sketch"


def test_what_cannot_be_drawn_is_named() -> None:
    with pytest.raises(OptionError, match="cannot be drawn"):
        pl.plots.plot_shape(3.0)  # type: ignore[arg-type]


def test_results_let_xarray_through() -> None:
    shown = four_bar().sketch()
    assert shown.sizes["body"] == 4
    np.testing.assert_allclose(shown.sel(marker="foot/base").position, shown.position.sel(marker="foot/base"))
    assert shown.isel(marker=0).position.dims == ("axis",)
    assert shown.to_dataframe("position").shape == (shown.sizes["marker"] * 2, 1)
    with pytest.raises(LabelError, match=r"this result has no marker 'foot/tpi'.*foot/tip"):
        shown.sel(marker="foot/tpi")
    assert list(shown.to_dataframe()["position:foot/base:x"]) == [shown.position.sel(marker="foot/base", axis="x")]
