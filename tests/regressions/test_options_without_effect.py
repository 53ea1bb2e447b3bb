"""Options of `transient` that were silently ignored: contact="penalty" beside method="Moreau", which made
contacts rigid; every= beside times=; texts in the place of True and False, which were all True."""

from __future__ import annotations

from typing import Any

import pytest

import pliant as pl
from pliant.errors import OptionError


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"contact": "penalty", "method": "Moreau", "step": 1e-2}, "contact='penalty': not with the method Moreau"),
        ({"contact": "penalty", "method": pl.Moreau(), "step": 1e-2}, "contact='penalty': not with the method Moreau"),
        ({"every": 2, "times": [0.1], "step": 1e-2}, "every and times: give one of them"),
        ({"estimate": "no", "step": 1e-2}, "estimate='no': give True or False"),
        ({"partial": "yes", "step": 1e-2}, "partial='yes': give True or False"),
    ],
)
def test_what_has_no_effect_is_refused(options: dict[str, Any], told: str) -> None:
    m = pl.Model("ball")
    ground, ball = m.add(pl.Ground(), pl.Body("ball", mass=1.0, inertia=0.1, position=(0, 1), angle=0.0, free=True))
    m.add(pl.Gravity(), pl.Contact("floor", ground.at(0, 0), ball.at(), stiffness=1e4))
    with pytest.raises(OptionError, match=told):
        pl.transient(pl.compile(m), end_time=0.1, **options)
    assert pl.transient(pl.compile(m), end_time=0.1, step=1e-2, contact="penalty").outcome.ok
