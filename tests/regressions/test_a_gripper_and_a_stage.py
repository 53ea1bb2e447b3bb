"""Findings of a new user who built a gripper finger and a stage on three legs."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.errors import FileError, OptionError, PliantWarning

UP = 90 * pl.DEG


def parallelogram(turned: float = 0.0) -> pl.Model:
    """Build a platform on two leaves without guesses of their own, one of which is clamped as the parts lie."""
    model = pl.Model("parallelogram")
    strip = pl.Section.rectangle(10e-3, 0.4e-3, pl.STEEL)
    ground, tip = model.add(
        pl.Ground(), pl.Body("tip", mass=0.02, inertia=2e-6, position=(0.006, 0.06 - turned), angle=turned)
    )
    for k, x in enumerate((0.0, 0.012)):
        leaf = model.add(pl.Beam(f"leaf {k}", length=0.06, section=strip))
        model.add(pl.Weld(ground.at(x, 0, angle=UP), leaf.at(s=0)))
        model.add(pl.Weld(leaf.at(s=1), tip.at(x - 0.006, 0, angle=UP)))
    return model


def test_clamps_that_are_laid_out_aligned_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pl.compile(parallelogram())
    with pytest.warns(PliantWarning, match="closes a loop, and its angle is not known"):
        pl.compile(parallelogram(turned=0.1))


def test_names_that_are_not_known_are_told_what_is() -> None:
    system = pl.compile(parallelogram())
    rest = pl.statics(system)
    with pytest.raises(TypeError, match=r"unexpected keyword argument .axis.*It is written plot_history"):
        pl.plots.plot_history(rest, "position", axis="x")
    with pytest.raises(OptionError, match=r"dt: not an option of a motion.*step"):
        pl.transient(system, end_time=0.1, dt=1e-3)


def test_a_result_is_not_saved_as_what_it_is_not(tmp_path: Path) -> None:
    rest = pl.statics(pl.compile(parallelogram()))
    with pytest.raises(FileError, match=re.escape("save writes netCDF: name it rest.nc, or write it by pl.export")):
        rest.save(tmp_path / "rest.mat")
    assert not (tmp_path / "rest.mat").exists()


def test_the_first_mode_that_a_mesh_does_not_resolve_is_named() -> None:
    model = pl.Model("cantilever")
    ground, beam = model.add(
        pl.Ground(), pl.Beam("beam", length=0.3, section=pl.Section.rectangle(20e-3, 1e-3, pl.STEEL))
    )
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    with pytest.warns(PliantWarning, match=r"of a frequency \(from mode 5 on\), more than 0.2"):
        found = pl.modal(pl.compile(model), modes=8)
    assert not found.outcome.ok
    assert found.frequency_hz.size == 8
    alone = pl.modal(pl.compile(model, elements=1))
    assert alone.outcome.message.startswith("1 mode, which the mesh does not resolve")


def test_modes_of_cubic_elements_are_not_refused() -> None:
    """Cubic elements were checked as two-node elements that shear: the second mode, 0.9 % off, counted as 72 % off."""
    model = pl.Model("cantilever")
    strip = pl.Section.rectangle(20e-3, 1e-3, pl.STEEL)
    ground, beam = model.add(pl.Ground(), pl.Beam("beam", length=0.3, section=strip))
    model.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    found = pl.modal(pl.compile(model, formulation="kinked"))
    roots = np.array([1.8751040687, 4.6940911330])
    exact = roots**2 * np.sqrt(strip.bending_stiffness / strip.mass_per_length) / (2.0 * np.pi * 0.3**2)
    assert np.allclose(found.frequency_hz, exact, rtol=0.01)


def test_force_of_a_contact_is_a_reading_of_the_studio() -> None:
    from pliant_studio.session.any_model import of_model
    from pliant_studio.session.session import Session

    model = parallelogram()
    tip = next(body for body in model.bodies if body.name == "tip")
    ball = model.ground.at(0.03, 0.06)
    model.add(pl.Contact("pad", tip.at(0.009, 0, angle=-UP), ball, radius=0.01, stiffness=2e5))
    model.add(pl.Force(tip.at(), x=20.0, name="pull"))
    session = Session(of_model(model))
    rest = pl.statics(pl.compile(model))
    assert np.isclose(session.readings()["normal force of pad"], float(rest.normal_force[0]), rtol=0.01)
