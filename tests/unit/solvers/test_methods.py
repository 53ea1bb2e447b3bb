"""Methods of time stepping as objects, and the words that stand for them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import OptionError
from pliant.solvers.stepping import methods
from pliant.solvers.stepping.methods import choose

DAE = (pl.GeneralizedAlpha, pl.Newmark, pl.Momentum, pl.Moreau)
UK = (pl.DOP853, pl.RK45, pl.BDF)

MEANT: list[tuple[dict[str, Any], methods.Method]] = [
    ({}, pl.GeneralizedAlpha()),
    ({"spectral_radius": 0.5}, pl.GeneralizedAlpha(0.5)),
    ({"constraints": "projection"}, pl.GeneralizedAlpha(constraints="projection")),
    ({"newmark": (0.3, 0.6)}, pl.Newmark(0.3, 0.6)),
    (
        {"newmark": (0.25, 0.5), "constraints": "baumgarte", "baumgarte": (100.0, 1.0)},
        pl.Newmark(constraints="baumgarte", baumgarte=(100.0, 1.0)),
    ),
    ({"scheme": "momentum"}, pl.Momentum()),
    ({"scheme": "generalized-alpha"}, pl.GeneralizedAlpha()),
    ({"contact": "complementarity"}, pl.Moreau()),
    ({"contact": "penalty"}, pl.GeneralizedAlpha()),
    ({"method": "Newmark"}, pl.Newmark()),
    ({"method": pl.Newmark}, pl.Newmark()),
    ({"method": pl.Newmark(0.3, 0.6), "contact": "penalty"}, pl.Newmark(0.3, 0.6)),
]


@pytest.mark.parametrize(("words", "method"), MEANT)
def test_words_mean_methods(words: dict[str, Any], method: methods.Method) -> None:
    assert choose(words, DAE, "dae") == method


WRONG: list[tuple[dict[str, Any], tuple[type, ...], str]] = [
    ({"method": pl.RK45()}, DAE, r"method=RK45: not an option of the formulation 'mine', .*Momentum, Moreau"),
    ({"method": pl.Newmark()}, UK, r"method=Newmark: .* DOP853, RK45, BDF"),
    ({"scheme": "generalized-alpha"}, UK, "spectral_radius: not an option"),
    ({"method": "Euler"}, UK, "method='Euler' is not known. Known are: BDF, DOP853, RK45"),
    ({"method": pl.Newmark(), "spectral_radius": 0.5}, DAE, "spectral_radius and method=Newmark"),
    ({"method": "Momentum", "constraints": "projection"}, DAE, "constraints: not an option of the method Momentum"),
    ({"method": "BDF", "constraints": "projection"}, UK, "cannot be moved"),
    ({"method": "RK45", "constraints": "position"}, UK, "constraints='position' is not known"),
    ({"spectral_radius": 0.5, "newmark": (0.25, 0.5)}, DAE, "spectral_radius and newmark: give one"),
    ({"contact": "complementarity", "constraints": "position"}, DAE, "constraints: not with contact='complementarity'"),
]


@pytest.mark.parametrize(("words", "kinds", "message"), WRONG)
def test_words_that_do_not_fit_are_refused_by_name(words: dict[str, Any], kinds: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        choose(words, kinds, "mine")


@pytest.mark.parametrize("kind", methods.KNOWN.values())
def test_method_says_what_it_is_and_is_found_by_its_name(kind: type[methods.Method]) -> None:
    assert kind().settings()["method"] == kind.__name__
    assert getattr(pl, kind.__name__) is kind
    assert choose({"method": kind.__name__}, [kind], "mine") == kind()
    assert hash(kind()) == hash(kind())


def test_methods_are_light() -> None:
    program = "import sys, pliant; pliant.GeneralizedAlpha(0.8); print('numba' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"


@pytest.mark.parametrize(
    ("object_", "words"),
    [
        (pl.GeneralizedAlpha(0.8, constraints="projection"), {"spectral_radius": 0.8, "constraints": "projection"}),
        (pl.Newmark(), {"newmark": (0.25, 0.5)}),
        (pl.Momentum(), {"scheme": "momentum"}),
    ],
)
def test_object_and_words_give_the_same_motion(object_: methods.Method, words: dict[str, Any]) -> None:
    m = pl.Model("pendulum")
    ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0, angle=0.3))
    m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
    system = pl.compile(m)
    one = pl.transient(system, end_time=0.2, step=0.01, method=object_)
    other = pl.transient(system, end_time=0.2, step=0.01, **words)
    np.testing.assert_array_equal(one.angle, other.angle)
    assert one.provenance.settings == other.provenance.settings
    assert one.provenance.settings["method"] == type(object_).__name__
    with pytest.raises(OptionError, match=r"spectral_radios: not an option of a motion\. Did you mean spectral_radius"):
        pl.transient(system, end_time=0.2, step=0.01, spectral_radios=0.5)
