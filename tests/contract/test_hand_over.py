"""The rest of any formulation starts any other, in the plane and in space; motions go on from and as chains."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import pliant as pl
from pliant.errors import CarriedOver

STRIP = pl.Section.rectangle(0.02, 0.002, pl.STEEL)
PLANE: dict[str, dict[str, Any]] = {
    "exact": {"elements": 12},
    "chain": {"formulation": "udwadia_kalaba", "elements": 12},
    "short chain": {"formulation": "udwadia_kalaba", "elements": 7},
    "shooting": {"formulation": "shooting", "subintervals": 5},
    "kinked": {"formulation": "kinked"},
}
SPACE = {name: PLANE[name] for name in ("exact", "chain", "shooting")}
TIP = {"marker": "beam/tip"}


@cache
def system(name: str, space: bool) -> Any:
    """Return a pressed and pulled cantilever."""
    m = pl.Model("column", plane=None if space else "xy")
    ground, beam = m.add(pl.Ground(), pl.Beam("beam", length=1.0, section=STRIP))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Force(beam.at(s=1), x=-2.0, y=0.3, name="load"))
    return pl.compile(m, **PLANE[name])


@cache
def rest(name: str, space: bool) -> pl.Result:
    return pl.statics(system(name, space))


def tip(found: pl.Result) -> np.ndarray:
    return np.asarray(found.position.sel(TIP).values)


@pytest.mark.parametrize(
    "spaces", [(False, False), (True, True), (False, True)], ids=["plane", "space", "plane to space"]
)
def test_a_rest_starts_every_other_formulation(spaces: tuple[bool, bool]) -> None:
    """The equilibrium equals the system's own, whatever it began with; each is handed over once and taken over once."""
    from_space, to_space = spaces
    names = list(SPACE if to_space else PLANE)
    for source, target in zip(names, [*names[1:], names[0]], strict=True):
        with pytest.warns(CarriedOver, match="may be off by"):
            found = pl.statics(system(target, to_space), start=rest(source, from_space))
        np.testing.assert_allclose(tip(found), tip(rest(target, to_space)), atol=1e-9)


def test_a_motion_goes_on_as_a_chain_and_back() -> None:
    links: dict[str, Any] = {"accuracy": 1e-4, "method": "SDIRK4"}
    plain = pl.transient(system("exact", False), end_time=0.05, step=1e-3, estimate=False)
    with pytest.warns(CarriedOver):
        chain = pl.transient(system("chain", False), start=plain, end_time=0.06, **links)
    with pytest.warns(CarriedOver):
        back = pl.transient(system("exact", False), start=chain, end_time=0.061, step=1e-3, estimate=False)
    for before, after in ((plain, chain), (chain, back)):
        assert float(after.time[0]) == float(before.time[-1])
        np.testing.assert_allclose(after.position.sel(TIP)[0], before.position.sel(TIP)[-1], atol=1e-4)
        speed = float(np.max(np.abs(before.velocity.sel(TIP)[-1])))
        np.testing.assert_allclose(after.velocity.sel(TIP)[0], before.velocity.sel(TIP)[-1], atol=0.01 * speed)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_relative_coordinates_and_arms_go_on_as_fast_as_a_chain_went() -> None:
    """Splines along the links give the clamped end a rate, by which everything was too fast or too slow (26 %)."""
    m = pl.Model("arm")
    ground, one, two = m.add(
        pl.Ground(), pl.Beam("one", length=0.5, section=STRIP), pl.Beam("two", length=0.4, section=STRIP)
    )
    m.add(pl.Weld(ground.at(0, 0), one.at(s=0)), pl.Weld(one.at(s=1), two.at(s=0)), pl.Gravity())
    run = pl.transient(
        pl.compile(m, formulation="udwadia_kalaba", elements=5),
        end_time=0.02,
        method="TRBDF2",
        accuracy=1e-4,
        estimate=False,
    )
    before = run.velocity.sel(marker=["one/tip", "two/tip"]).isel(time=-1).values
    for options in ({"formulation": "relative", "elements": 5}, {"formulation": "kinked"}, {"elements": 5}):
        step = {} if "formulation" in options else {"step": 1e-3}
        after = pl.transient(pl.compile(m, **options), start=run, end_time=0.021, estimate=False, **step)  # type: ignore[arg-type]
        found = after.velocity.sel(marker=["one/tip", "two/tip"]).isel(time=0).values
        np.testing.assert_allclose(found, before, atol=0.01 * np.max(np.abs(before)))
