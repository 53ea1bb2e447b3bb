"""Drawing a mechanism without a page: what clicks make, what moves with what, mistakes and where they are reported."""

from __future__ import annotations

import numpy as np
import pytest

import pliant as pl
import pliant_gallery as gallery
from pliant.errors import OptionError
from pliant.model.files.io import dumps, tables
from pliant_studio.page.draw_page import fields_of, value_of
from pliant_studio.page.page import _begin
from pliant_studio.session.any_model import of_model
from pliant_studio.session.session import Session
from pliant_studio.sheet.drawing import Drawing
from pliant_studio.sheet.part_at import part_at
from pliant_studio.sheet.sheet import Sheet, read

CRANK, HIP, KNEE, FOOT = (0.0, 0.0), (0.0, 0.1), (0.3, 0.2), (0.3, 0.0)


def four_bar() -> Drawing:
    """Return a crank, a flexible coupler, a rocker, two supports and a drive, as a beginner clicks them."""
    drawing = Drawing(Sheet())
    drawing.bar("Link", drawing.spot(CRANK), drawing.spot(HIP))
    drawing.bar("Beam", drawing.spot((0.003, 0.102)), drawing.spot(KNEE))  # near enough to the crank's tip
    drawing.bar("Link", drawing.spot(KNEE), drawing.spot(FOOT))
    drawing.support(drawing.spot(CRANK), "pin")
    drawing.support(drawing.spot(FOOT), "pin")
    drawing.drive(drawing.spot(CRANK))
    return drawing


def program(sheet: Sheet) -> pl.Model:
    """Build the model of the Python that stands beside the drawing."""
    names: dict[str, pl.Model] = {}
    exec(sheet.python(), names)
    return names["m"]


def test_a_four_bar_is_drawn_and_computed():
    drawing = four_bar()
    seen = drawing.sheet.seen()
    assert seen.ready
    kinds = [type(part).__name__ for part in seen.model]
    assert kinds == ["Link", "Beam", "Link", "Ground", *["Revolute"] * 4, "Motion"]
    beam = seen.model.part("beam")
    assert beam.length == pytest.approx(np.hypot(0.3, 0.1), rel=1e-11)
    drawing.load("Force", drawing.spot((0.15, 0.15)))
    rest = pl.statics(pl.compile(drawing.sheet.seen().model))
    assert rest.outcome.ok
    # a pinned beam under a force in its middle: F cos(a) L^3 / 48 EI
    middle = rest.position.sel(marker="beam@0.5").values - (0.15, 0.15)
    stiffness = beam.section_at(0.5).bending_stiffness
    sunk = beam.length**3 * np.cos(np.arctan2(0.1, 0.3)) / (48.0 * stiffness)
    assert np.hypot(*middle) == pytest.approx(sunk, rel=0.02)


def test_the_python_beside_it_is_the_model():
    sheet = four_bar().sheet
    assert tables(program(sheet)) == tables(sheet.seen().model)


def test_every_model_of_the_gallery_is_python_and_a_sheet():
    for name in gallery.names():
        model = gallery.model(name)
        names: dict[str, pl.Model] = {}
        exec(model.as_python(), names)
        assert dumps(names["m"]) == dumps(model), name
        again, _, errors = read(Sheet(model))
        assert not errors, name
        assert dumps(again) == dumps(model), name


def test_a_moved_end_takes_bars_drive_and_spring_along():
    drawing = four_bar()
    drawing.line_between("Spring", drawing.spot(HIP), drawing.spot((0.1, 0.0)))
    drawing.move(drawing.spot(HIP), (0.1, 0.1))
    model = drawing.sheet.seen().model
    assert drawing.sheet.seen().ready
    assert model.part("link").length == pytest.approx(np.hypot(0.1, 0.1))
    assert model.part("beam").length == pytest.approx(np.hypot(0.2, 0.1))
    assert model.part("drive").angle.value == pytest.approx(np.pi / 4)
    assert model.part("spring").rest_length == pytest.approx(0.1)  # unstressed still
    drawing.move(drawing.spot(FOOT), (0.4, -0.1))  # a support
    assert (model := drawing.sheet.seen().model).part("support 2").a.x == 0.4
    assert model.part("link 2").length == pytest.approx(np.hypot(0.1, 0.3))
    drawing.sheet.undo()
    drawing.sheet.undo()
    assert drawing.sheet.seen().model.part("link").length == pytest.approx(0.1)


def test_deleting_takes_along_what_refers_to_it():
    drawing = four_bar()
    drawing.load("Force", drawing.spot(KNEE))
    gone = drawing.sheet.delete(drawing.sheet.number("beam"))
    assert set(gone) == {"beam", "pin", "pin 2", "force"}
    assert 'no joint or spring connects Link "link 2"' not in drawing.sheet.seen().whole
    assert drawing.sheet.seen().ready  # two links on supports


def test_what_is_wrong_is_told_at_the_part():
    drawing = four_bar()
    sheet = drawing.sheet
    number = sheet.number("link 2")
    sheet.change(number, "length", -1)
    assert sheet.seen().errors[number].startswith('Link "link 2": length = -1')
    assert "pliant" in sheet.python()  # it is written all the same
    sheet.change(number, "length", "200 mm")
    assert sheet.seen().ready
    drawing.bar("Link", drawing.spot((0.0, -0.2)), drawing.spot((0.1, -0.2)))
    alone = sheet.number("link 3")
    assert "no joint or spring connects" in sheet.seen().errors[alone]
    assert list(sheet.seen().errors) == [alone]


def test_a_loop_that_does_not_close_is_told_at_its_joint():
    m = pl.Model("open")
    ground, a, b = m.add(pl.Ground(), *(pl.Link(name, length=0.1, mass=1.0) for name in "ab"))
    m.add(pl.Revolute(ground.at(0, 0), a.at(s=0)), pl.Revolute(a.at(s=1), b.at(s=0)))
    m.add(pl.Revolute(ground.at(1, 0), b.at(s=1), name="far"))
    begun = _begin(m, None)
    assert isinstance(begun, Sheet)
    assert any(begun.labels()[k] == "far" for k in begun.seen().errors)


def test_clicks_that_make_no_sense_are_refused_and_change_nothing():
    drawing = four_bar()
    before, undone = drawing.sheet.python(), len(drawing.sheet.past)
    for does in (
        lambda: drawing.bar("Link", drawing.spot(HIP), drawing.spot(HIP)),
        lambda: drawing.support(drawing.spot((0.2, -0.2)), "pin"),
        lambda: drawing.drive(drawing.spot((0.2, -0.2))),
        lambda: part_at(drawing, drawing.spot((0.2, -0.2))),
        lambda: drawing.sheet.change(0, "name", "beam"),
    ):
        with pytest.raises(OptionError):
            does()
        assert drawing.sheet.python() == before
        assert len(drawing.sheet.past) == undone


def test_a_name_is_changed_everywhere():
    sheet = four_bar().sheet
    sheet.change(sheet.number("link"), "name", "crank")
    assert sheet.seen().ready
    assert sheet.seen().model.part("support").b.body.name == "crank"


def test_what_a_click_means():
    drawing = four_bar()
    drawing.load("Force", drawing.spot(KNEE))
    assert part_at(drawing, drawing.spot(KNEE)) == "force"
    assert part_at(drawing, drawing.spot(HIP)) == "pin"
    assert part_at(drawing, drawing.spot((0.15, 0.15))) == "beam"


def test_the_sheet_of_a_model_with_parameters_keeps_them():
    thickness = pl.Parameter("thickness", 1e-3, low=5e-4, high=2e-3, unit="m")
    m = pl.Model("strip")
    section = pl.Section.rectangle(0.02, 2 * thickness, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.5, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    sheet = Sheet(m)
    assert "height=2 * thickness" in sheet.python()
    assert list(sheet.seen().model.parameters) == ["thickness"]
    assert Session(of_model(sheet.seen().model)).values["thickness"] == 1e-3


def test_numbers_that_are_typed():
    found = {key: word for key, word, _ in fields_of({"kind": "Spring", "name": "coil", "stiffness": 10.0})}
    assert found["stiffness"] == "stiffness [N/m]"
    assert value_of("__import__('os')") == "__import__('os')"  # text, and never run
    assert value_of("30 deg") == "30 deg"
