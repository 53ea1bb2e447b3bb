"""Messages and prints that one had to read twice, found by building mechanisms that are not in the gallery."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import pliant as pl
from pliant.errors import FarFromGuess, FileError, ModelError, OptionError
from pliant_cli import main
from pliant_studio.session.any_model import of_model
from pliant_studio.session.feedback import OTHER, Weights, close
from pliant_studio.session.script import script
from pliant_studio.session.session import Session


def pushed() -> pl.Model:
    """Build a block on a rail along x, held by a spring, with a load."""
    m = pl.Model("carriage", plane=None)
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, position=(0.2, 0, 0)))
    m.add(pl.Prismatic(ground.at(0, 0, 0), block.at(0, 0, 0), name="rail"), pl.Gravity())
    m.add(pl.Spring("spring", ground.at(0, 0, 0), block.at(0.1, 0, 0), stiffness=300.0, rest_length=0.25, damping=2.0))
    m.add(pl.Force(block.at(0, 0, 0), x=1.0, name="load"))
    return m


def test_a_parameter_named_as_the_time_is_told_why():
    with pytest.raises(ModelError, match=r"Formulas use t already \(t is the time\)"):
        pl.Parameter("t", 1e-3)


def test_a_push_in_space_says_what_the_numbers_are():
    system = pl.compile(pushed())
    with pytest.raises(OptionError, match=r"\(vx, vy, vz, wx, wy, wz\) in space"):
        pl.transient(system, end_time=0.01, push={"block": (0.0, 0.0, 1.0)})


def test_a_print_of_a_model_in_space_has_all_components():
    assert "x=1, y=0, z=0" in str(pushed())
    assert "z=" not in str(pl.Model("flat"))


def test_units_of_components_are_printed_once():
    m = pl.Model("two")
    ground, one = m.add(pl.Ground(), pl.Link("one", length=1.0, mass=1.0, angle=0.0))
    m.add(pl.Revolute(ground.at(0, 0), one.at(s=0), name="pin"), pl.Gravity())
    m.add(pl.Motion(ground.at(0, 0), one.at(s=0), angle=0.0, name="drive"))
    printed = next(line for line in repr(pl.statics(pl.compile(m))).splitlines() if "drive_effort" in line)
    assert printed.split()[1:] == ["N", "m"]


def test_an_animation_replaces_a_file_unless_told_not_to(tmp_path):
    page = pl.animate(pushed(), tmp_path / "carriage.html")
    assert pl.animate(pushed(), page) == page
    with pytest.raises(FileError, match="exists already"):
        pl.animate(pushed(), page, overwrite=False)


def test_every_plot_of_results_is_among_the_plots():
    missing = [name for name in dir(pl) if name.startswith("plot_") and not hasattr(pl.plots, name)]
    assert missing == ["plot_correlation", "plot_fit", "plot_measurement", "plot_residuals"]  # of identification


def test_an_input_that_moves_nothing_is_named_in_the_studio():
    session = Session(of_model(pushed()))
    place = next(each for each in session.reads if each.output.startswith("position") and each.output.endswith(":x"))
    with pytest.raises(OptionError, match="load/y does not move the"):
        close(session, "load/y", place, Weights(0, 0), push=(OTHER, 0.1), seconds=0.5)
    assert np.isfinite(close(session, "load/x", place, Weights(0, 0), push=(OTHER, 0.1), seconds=0.5).gain.poles).all()


def test_a_mechanism_that_holds_nothing_can_be_moved_in_the_studio():
    m = pushed()
    session = Session(of_model(m))
    assert session.choices == ["without load/x", "start as assembled", "go on as it is"]
    moved = [
        float(np.ptp(session.release(0.1, choice=each).position.values, axis=0).max()) for each in session.choices[1:]
    ]
    assert moved[0] > moved[1] + 1e-6  # it begins beside its equilibrium
    names: dict[str, Any] = {}
    exec(script(session, choice="start as assembled", end_time=0.1), names)
    assert names["motion"].outcome.ok


def test_a_link_pinned_along_its_own_length_is_told_how_to_fold():
    m = pl.Model("hinge", plane=None)
    ground, plate = m.add(pl.Ground(), pl.Link("plate", length=0.1, mass=0.1, orientation=pl.rotation(y=np.pi - 0.5)))
    m.add(pl.Revolute(ground.at(0, 0, 0), plate.at(s=0), axis="x"))
    with pytest.warns(FarFromGuess, match="turn the other marker"):
        pl.compile(m)


def test_the_command_line_names_the_line_of_a_file_and_the_parameters_of_a_model(tmp_path, capsys):
    broken, good = tmp_path / "broken.py", tmp_path / "good.py"
    broken.write_text("import pliant as pl\n\nm = pl.Model('no / name')\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        main(["list", str(broken)])
    assert "broken.py, line 3: failed when run: ModelError" in " ".join(capsys.readouterr().err.split())
    head = "import pliant as pl\n\n\ndef model(rate=pl.Parameter('rate', 200.0, unit='N/m')):\n"
    body = (
        "    m = pl.Model('m')\n    g, a = m.add(pl.Ground(), pl.Link('a', length=1.0, mass=1.0))\n"
        "    m.add(pl.Revolute(g.at(0, 0), a.at(s=0)))\n"
        "    m.add(pl.Spring('s', a.at(s=1), g.at(0, 2), stiffness=rate, rest_length=1.0))\n"
    )
    good.write_text(head + body + "    return m\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(["list", str(good)])
    assert "parameter rate" in capsys.readouterr().out
