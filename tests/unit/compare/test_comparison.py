"""One question in every way: made-up answers that must be assessed, and ways that are broken on purpose."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.analyses.workflow import Question
from pliant.errors import OptionError
from pliant.formulations.udwadia_kalaba.chain import Chain, cut
from pliant.system.compile import formulation_names, variants_of
from pliant.system.variants import Variant
from pliant_cli import main
from pliant_compare import neglect
from pliant_compare.compare import compare_results
from pliant_compare.courses import Course, apart, courses, scales
from pliant_compare.other_programs import Other
from pliant_compare.refinement import Ask, limit, refined
from pliant_compare.verdicts import Judged, verdict
from pliant_gallery import cantilever, four_bar

FREQUENCY = "frequency_hz:1"


def thick() -> pl.Model:
    """Build a cantilever five times as long as thick, loaded across."""
    m = pl.Model("thick cantilever")
    section = pl.Section.rectangle(0.02, 0.02, pl.STEEL)
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=0.1, section=section))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), y=-100.0))
    return m


def stiffen(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    """Break the chains of "udwadia_kalaba": joints that many times too stiff."""

    def wrong(*given: Any) -> Chain:
        chain = cut(*given)
        return chain._replace(stiffness=factor * chain.stiffness)

    monkeypatch.setattr("pliant.formulations.udwadia_kalaba.lumping.cut", wrong)


# the arithmetic of limits


@pytest.mark.parametrize("order", [1.0, 2.0, 4.0])
def test_the_limit_of_courses_that_converge_is_exact(order: float) -> None:
    exact, error = np.array([1.0, -2.0, 3.0]), np.array([0.1, 0.2, -0.3])
    found = limit([exact + error / 2.0 ** (order * k) for k in range(3)], order, 1e-12)
    assert found.order == pytest.approx(order, abs=1e-9)
    assert exact + error / 4.0**order + found.added == pytest.approx(exact, abs=1e-12)
    assert found.believed


def test_the_uncertainty_covers_what_is_left_of_other_orders() -> None:
    """The error of 1 / h + ... where the order is not the known one: nothing is added, and it is within."""
    found = limit([np.array([1.0 + 0.5**k]) for k in range(3)], 2.0, 1e-12)
    assert found.added == 0.0
    assert found.uncertainty >= 0.25


def test_changes_that_grow_are_not_believed() -> None:
    found = limit([np.array([x]) for x in (0.0, 1.0, 3.0)], 2.0, 1e-12)
    assert not found.believed
    assert found.uncertainty >= 3.0


def test_one_course_alone_has_no_limit() -> None:
    assert limit([np.ones(3)], 2.0, 1e-12).uncertainty == math.inf


def test_changes_below_what_solvers_leave_have_no_order() -> None:
    found = limit([np.array([1.0 + x]) for x in (1e-11, -1e-11, 1e-11)], 2.0, 1e-9)
    assert found.order is None
    assert found.believed


# verdicts


def test_a_difference_within_the_uncertainty_agrees() -> None:
    assert verdict(1e-3, 1.0, 2e-3).judged is Judged.AGREES


def test_a_difference_beyond_it_differs() -> None:
    found = verdict(3e-3, 1.0, 2e-3)
    assert found.judged is Judged.DIFFERS
    assert not found.ok


def test_agreement_within_anything_is_none() -> None:
    found = verdict(0.1, 1.0, 0.5)
    assert found.judged is Judged.OPEN
    assert not found.ok
    assert verdict(0.1, 1.0, math.inf).judged is Judged.OPEN


def test_causes_are_asked_in_order_and_only_for_differences() -> None:
    asked = list[str]()

    def cause(words: str | None) -> Callable[[], str | None]:
        def state_cause() -> str | None:
            asked.append(str(words))
            return words

        return state_cause

    assert verdict(1e-3, 1.0, 2e-3, evidence=[cause("never")]).judged is Judged.AGREES
    assert asked == []
    found = verdict(1e-2, 1.0, 2e-3, evidence=[cause(None), cause("it has no shear"), cause("never")])
    assert found.judged is Judged.EXPLAINED
    assert found.words.endswith("because it has no shear")
    assert asked == ["None", "it has no shear"]


def test_a_tolerance_is_enough() -> None:
    assert verdict(1e-2, 1.0, None, tolerance=2e-2).judged is Judged.AGREES
    assert verdict(1e-2, 1.0, None, tolerance=1e-3).judged is Judged.DIFFERS
    assert verdict(1e-2, 1.0, None).judged is Judged.NOT_JUDGED


# courses


def test_courses_of_other_instants_are_splined() -> None:
    x, y = np.linspace(0.0, 1.0, 101), np.linspace(0.2, 0.9, 17)
    at, between = apart(Course("m", x, np.sin(x)), Course("m", y, np.sin(y) + 0.1))
    assert at == pytest.approx(y)
    assert between == pytest.approx(0.1, abs=1e-8)


def test_angles_count_up_to_whole_turns() -> None:
    x = np.linspace(0.0, 1.0, 5)
    assert apart(Course("rad", x, x), Course("rad", x, x + 2.0 * np.pi))[1] == pytest.approx(0.0, abs=1e-12)
    assert apart(Course("m", x, x), Course("m", x, x + 2.0 * np.pi))[1] == pytest.approx(2.0 * np.pi)


def test_a_planar_model_in_space_has_the_names_of_the_plane() -> None:
    model = four_bar.model()
    plane, space = (pl.transient(pl.compile(m), end_time=0.05, step=5e-3) for m in (model, model.promoted()))
    there = courses(space, in_plane=True)
    assert set(there) <= set(courses(plane))
    assert "angle:crank" in there
    assert scales(there)["angle:crank"] > 0.0


# ways and what they leave out


def test_every_formulation_tells_its_ways() -> None:
    for formulation in formulation_names():
        ways = variants_of(formulation, thick())
        assert ways
        assert all(way.formulation == formulation for way in ways)
        assert all(word in neglect.SWITCHES or word == neglect.SMALL_ROTATIONS for way in ways for word in way.neglects)


def test_a_section_without_shear_bends_as_euler_and_bernoulli_say() -> None:
    stiff = neglect.without(thick(), ("shear",))
    section = pl.Section.rectangle(0.02, 0.02, pl.STEEL)
    exact = -100.0 * 0.1**3 / (3.0 * section.bending_stiffness)
    tips = [
        float(pl.statics(pl.compile(m, elements=pl.Exact(4, order=2))).position.sel(marker="beam/tip", axis="y"))
        for m in (stiff, thick())
    ]
    assert tips[0] == pytest.approx(exact, rel=1e-4)
    assert tips[1] == pytest.approx(exact - 100.0 * 0.1 / section.shear_stiffness, rel=1e-4)


def test_shear_and_rotary_inertia_are_found_to_be_the_cause() -> None:
    found = pl.compare(thick(), "modes", modes=1, formulations=["dae", "kinked"], in_space=False)
    row = found.row(FREQUENCY)
    by_name = dict(zip(found.names, row.verdicts, strict=True))
    kinked = by_name["kinked"]
    assert kinked is not None
    assert kinked.judged is Judged.EXPLAINED
    assert "no shear and no rotary inertia" in kinked.words
    assert by_name["kinked, shear"] is not None
    assert by_name["kinked, shear"].judged is Judged.AGREES
    assert found.ok


def test_a_stiffness_that_is_off_by_a_percent_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lumped chain with joints a percent too stiff: its frequency is half a percent off, which nothing explains."""
    options = {"modes": 1, "formulations": ["dae", "udwadia_kalaba"], "in_space": False}
    assert pl.compare(thick(), "modes", **options).ok  # type: ignore[arg-type]
    stiffen(monkeypatch, 1.01)
    found = pl.compare(thick(), "modes", **options)  # type: ignore[arg-type]
    judged = {name: each.judged for name, each in zip(found.names, found.row(FREQUENCY).verdicts, strict=True) if each}
    assert judged["udwadia_kalaba, shear"] is Judged.DIFFERS
    assert judged["dae, Corotational"] is Judged.AGREES
    assert not found.ok


def test_an_element_that_takes_rotations_as_small_is_said_to() -> None:
    found = pl.compare(cantilever.model(), "statics", formulations=["dae"], in_space=False)
    words = found.row("position:beam/tip:x").words(found.names)
    assert found.ok
    assert "dae, Linear differs" in words
    assert "takes rotations as small" in words


def test_what_does_not_apply_is_listed_with_its_words() -> None:
    found = pl.compare(four_bar.model(), "simulate", time=0.05, step=5e-3, in_space=False)
    why = {each.name: each.why for each in found.refused}
    assert "open arms only" in why["kinked"]
    assert "no beams" in why["shooting"]
    assert {"dae", "relative", "udwadia_kalaba"} <= set(found.names)
    assert found.ok


def test_steps_have_the_order_of_their_method() -> None:
    ask = Ask(four_bar.model(), Question(("simulate",), time=0.1, instants=11))
    found = refined(ask, Variant("dae"), name="dae", factor=1.0, levels=3, step=2e-3, patience=10.0)
    assert found.step("angle:crank").order == pytest.approx(2.0, abs=0.1)
    fine = refined(ask, Variant("dae"), name="dae", factor=1.0, levels=1, step=2e-5, patience=10.0)
    off = apart(fine.finest.courses["angle:crank"], found.estimate("angle:crank")[0])[1]
    assert np.max(np.abs(off)) <= found.estimate("angle:crank")[1]  # the truth is within the uncertainty


def test_without_refinement_nothing_is_judged() -> None:
    found = pl.compare(cantilever.model(), "statics", formulations=["dae"], levels=1, in_space=False)
    assert not found.row("position:beam/tip:y").judged
    with pytest.raises(OptionError, match="levels"):
        pl.compare(cantilever.model(), "statics", levels=0)
    with pytest.raises(OptionError, match="say what to compute"):
        pl.compare(cantilever.model())


# reports


def test_the_report_is_one_page_without_script_and_names_are_escaped(tmp_path: Path) -> None:
    ground, arm = (m := pl.Model("pendulum")).add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=-1.0))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    x = np.linspace(0.0, 0.1, 5)
    hostile = Other("<script>alert(1)</script>.csv", {"angle:arm": Course("rad", x, -1.0 + 0.0 * x)})
    options = {"time": 0.1, "step": 1e-2, "formulations": ["dae", "udwadia_kalaba"], "in_space": False}
    found = pl.compare(m, "simulate", others=[hostile], tolerance=1.0, **options)  # type: ignore[arg-type]
    text = found.save(tmp_path / "a.html").read_text()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<svg" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    told = json.loads(found.save(tmp_path / "a.json").read_text())
    assert told["ok"] is True
    assert {each["name"] for each in told["answers"]} == {"dae", "udwadia_kalaba", hostile.name}
    assert all("mesh_order" in each["answers"][0] for each in told["quantities"])
    with pytest.raises(OSError, match="exists already"):
        found.save(tmp_path / "a.html")
    with pytest.raises(OSError, match="html or"):
        found.save(tmp_path / "a.pdf")


def test_results_are_compared_as_they_are() -> None:
    system = pl.compile(four_bar.model())
    runs = {f"{h}": pl.transient(system, end_time=0.05, step=h) for h in (1e-3, 2e-3)}
    assert compare_results(runs, tolerance=1e-2).ok
    assert not compare_results(runs, tolerance=1e-12).ok
    with pytest.raises(OptionError, match="two or more"):
        compare_results({"one": runs["0.001"]})
    with pytest.raises(OptionError, match="one kind"):
        compare_results({"one": runs["0.001"], "two": pl.modal(system, at=pl.statics(system))})


# the command


def test_the_command_tells_by_its_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> Any:
        with pytest.raises(SystemExit) as end:
            main(line.split())
        return end.value.code or 0

    line = "compare cantilever statics --formulation dae --formulation udwadia_kalaba --no-space --levels 2 --out told"
    assert call(line) == 0
    assert {path.name for path in Path("told").iterdir()} == {"report.html", "comparison.json"}
    assert call(line) == 2  # the folder is there
    stiffen(monkeypatch, 1.05)
    assert call(f"{line} --force") == 1
    assert "unexplained" in Path("told/report.html").read_text()
