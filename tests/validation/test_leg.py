"""The leg's cases, its stages and the demonstration."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import pliant as pl
from pliant_evidence.leg import validate
from pliant_gallery.leg import LEG, demo, model, theory
from pliant_gallery.leg.stages import INWARD, MIDDLE, REST_LENGTH, pretension, release
from pliant_testing import validation


@pytest.mark.parametrize("name", ["leg-buckling", "leg-pretension"])
def test_case_holds(name: str) -> None:
    report = validation.run(name)
    assert [row for row in report.rows if not row.ok] == []


def test_release_is_that_of_lagrange_and_keeps_its_energy() -> None:
    """Other meshes are left to `pliant validate leg-release`."""
    rows = [*validate.by_lagrange(), *validate.balances(4)]
    assert [row for row in rows if not row.ok] == []


def test_weight_prefers_inward_and_the_outward_side_is_chosen_all_the_same() -> None:
    held = pl.compile(model(), elements=10)
    natural = pl.path(held, REST_LENGTH, begin=LEG.leaf_length, to=LEG.tendon_rest_length).equilibrium(-1)
    outward, inward = pretension(held).rest, pretension(held, side=INWARD).rest
    places = [float(rest.position.sel(marker=MIDDLE, axis="x")) for rest in (natural, inward, outward)]
    assert places[0] == pytest.approx(places[1], abs=1e-7)
    assert places[2] - places[1] > 0.2
    assert all(rest.outcome.stable for rest in (natural, outward, inward))


def test_release_begins_where_the_hold_ended_and_the_torque_of_the_hold_is_gone() -> None:
    held, free = (pl.compile(model(hold=hold), elements=10) for hold in ("q3", None))
    rest = pretension(held).rest
    run = release(free, rest, end_time=0.02)
    np.testing.assert_allclose(run.position[0], rest.position, atol=1e-12)
    # The hold carried weights, and the leaf's thrust less the tendon's pull, about C.
    assert float(rest.reaction.sel(joint="hold", wrench="M")) > 0.5
    assert "hold" not in run.joint.values
    assert float(run.angle.sel(body="upper link")[-1]) < -1e-3  # it falls


def test_torque_of_the_hold_is_that_of_theory() -> None:
    held = pl.compile(model(), elements=pl.Exact(20, order=2))
    rest, exact = pretension(held).rest, theory.equilibrium()
    _, n_x, n_y, _ = exact.unknowns
    weight = LEG.gravity * LEG.section.mass_per_length * LEG.leaf_length
    a = np.array([LEG.lower_pivot[0] + LEG.lower_length * np.cos(exact.q1), LEG.lower_length * np.sin(exact.q1)])
    pull = exact.tension * (a - [0.19, 0.4]) / exact.chord
    load = pull - np.array([n_x, n_y + weight])  # at B, from tendon and leaf
    torque = 0.5 * LEG.upper_mass * LEG.gravity * LEG.upper_length - LEG.upper_length * load[1]
    assert float(rest.reaction.sel(joint="hold", wrench="M")) == pytest.approx(torque, rel=1e-5)


def test_demo_writes_what_it_says(tmp_path: Path) -> None:
    words = StringIO()
    files = demo.run(tmp_path / "demo", Console(file=words, width=200))
    assert all(path.is_file() and path.stat().st_size > 1000 for path in files.values())
    assert {path.suffix for path in files.values()} == {".nc", ".png", ".html", ".gif"}
    assert all(str(path) in words.getvalue() for path in files.values())
    assert pl.load_result(files["motion"]).outcome.ok
