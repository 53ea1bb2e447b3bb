"""Rows whose references pliant did not compute fail when its mechanics are broken on purpose."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant.model.damping import RayleighOfModes
from pliant.model.parts import Part
from pliant_evidence.four_bar import validate as four_bar
from pliant_evidence.leg import validate as leg


def scale(patch: pytest.MonkeyPatch, kind: type[Part], name: str, factor: float) -> None:
    """Scale a number of every part of a kind by a wrong factor."""
    made = kind.__post_init__

    def wrong(self: Part, *given: object) -> None:
        made(self, *given)
        self._set(**{name: factor * getattr(self, name)})

    patch.setattr(kind, "__post_init__", wrong)


def double_inertia(patch: pytest.MonkeyPatch) -> None:
    """Double the inertia of every link."""
    scale(patch, pl.Link, "inertia", 2.0)


def halve_tendon_damping(patch: pytest.MonkeyPatch) -> None:
    """Halve the damper of every tendon."""
    scale(patch, pl.Tendon, "damping", 0.5)


def triple_alpha(patch: pytest.MonkeyPatch) -> None:
    """Triple Rayleigh's mass term."""
    right = RayleighOfModes.coefficients

    def tripled(self: RayleighOfModes, beam: pl.Beam) -> tuple[float, float]:
        alpha, beta = right(self, beam)
        return 3.0 * alpha, beta

    patch.setattr(RayleighOfModes, "coefficients", tripled)


@pytest.mark.parametrize("fault", [double_inertia, halve_tendon_damping, triple_alpha])
def test_the_released_leg_notices(fault, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    fault(monkeypatch)
    off = [row for row in leg.by_lagrange() if not row.ok]
    assert off
    assert all(row.kind == "independent code" for row in off)


def test_the_four_bar_notices_inertia(monkeypatch: pytest.MonkeyPatch) -> None:
    double_inertia(monkeypatch)
    _, run = four_bar.by_reduction()
    assert four_bar.from_lagrange(run) > 0.1
