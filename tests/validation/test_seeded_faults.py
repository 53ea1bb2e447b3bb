"""Rows whose references pliant did not compute fail when its mechanics are broken on purpose."""

from __future__ import annotations

import pytest

import pliant as pl
from pliant.model.damping import RayleighOfModes
from pliant_evidence.four_bar import validate as four_bar
from pliant_evidence.leg import validate as leg


def double_inertia(patch: pytest.MonkeyPatch) -> None:
    """Every link has twice its inertia."""
    made = pl.Link.__post_init__

    def doubled(self: pl.Link) -> None:
        made(self)
        self._set(inertia=2.0 * self.inertia)

    patch.setattr(pl.Link, "__post_init__", doubled)


def halve_tendon_damping(patch: pytest.MonkeyPatch) -> None:
    """Every tendon has half its damper."""
    made = pl.Tendon.__post_init__

    def halved(self: pl.Tendon) -> None:
        made(self)
        self._set(damping=0.5 * self.damping)

    patch.setattr(pl.Tendon, "__post_init__", halved)


def triple_alpha(patch: pytest.MonkeyPatch) -> None:
    """Rayleigh's mass term is three times as large."""
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
