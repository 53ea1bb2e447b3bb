"""One result shows the same numbers in the viewer, in exported HTML, in a notebook and in a plot."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import pliant as pl
from pliant_studio.viewer.film import films

COLOURS = ("bending moment", "speed")


@pytest.fixture(scope="module")
def run() -> pl.Result:
    """Return a cantilever that swings: its largest moment falls between the frames of a film."""
    m = pl.Model("leaf")
    leaf = pl.Section.rectangle(20e-3, 1e-3, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("leaf", length=0.3, section=leaf))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), name="load", y=-1.0))
    return pl.transient(pl.compile(m, elements=4), end_time=0.08, step=4e-4, estimate=False)


@pytest.fixture(scope="module")
def truth(run) -> dict[str, float]:
    """Read it straight from the labelled arrays; speed, of stations between markers too, from the film."""
    moment = run.resultant.sel(component="M")
    return {"bending moment": float(np.abs(moment).max()), "speed": films(run)[0].quantities["speed"].largest}


def of_page(page: str) -> dict:
    """Return the data that a player draws."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def test_colour_bars_end_at_the_same_numbers(run, truth, tmp_path):
    exported = of_page(pl.animate(run, tmp_path / "run.html").read_text())
    shown = of_page(pl.show(run).page)
    viewer = pl.view(run, port=0)
    try:
        for name in COLOURS:
            wanted = pytest.approx(truth[name], rel=1e-12)
            for data in (exported, shown):
                assert next(each["largest"] for each in data["quantities"] if each["name"] == name) == wanted
            viewer.theatre.colour.value = name
            viewer.theatre.draw()
            assert viewer.theatre.films[0].quantities[name].largest == wanted
            ends = re.findall(r"<span>(.*?)</span>", viewer.theatre.bars.content)
            assert ends[-1] == f"{truth[name]:.3g}"
            bar = pl.plots.plot_shape(run, colour=name).figure.axes[-1]
            assert bar.get_ylim()[1] == wanted
    finally:
        viewer.stop()
    between = films(run)[0].quantities["bending moment"].values
    assert np.nanmax(np.abs(between)) < 0.999 * truth["bending moment"]  # else it would prove nothing


def test_places_are_the_same_at_the_last_instant(run, tmp_path):
    tip = run.position.sel(marker="leaf/tip").isel(time=-1).values
    data = of_page(pl.animate(run, tmp_path / "run.html").read_text())
    for clip in (data["clips"][0], of_page(pl.show(run).page)["clips"][0]):
        stations = np.array(clip["frames"][-1]).reshape(-1, 2) * data["step"] + data["origin"]
        np.testing.assert_allclose(stations[-1], tip, atol=data["step"])
        assert clip["times"][-1] == pytest.approx(float(run.time[-1]))
    film = films(run)[0]
    np.testing.assert_allclose(film.frames[-1][-1], tip, atol=1e-15)
    assert film.captions[-1] == f"t = {float(run.time[-1]):.3f} s"
    drawn = [line.get_xydata() for line in pl.plots.plot_shape(run, times=[0.08]).lines]
    ends = [line[-1] for line in drawn if len(line)]
    assert min(np.linalg.norm(end - tip) for end in ends) < 1e-12
