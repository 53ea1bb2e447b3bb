"""Campbell diagram: frequencies of a mechanism that spins, over the rate of the spin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pliant._libraries import xarray as xr
from pliant.analyses import checks as _checks
from pliant.analyses.common import Start, require, result, state_of, whole, with_warnings
from pliant.analyses.friction import small_motions
from pliant.analyses.modes.resolution import of_waves, too_short
from pliant.analyses.spin import turning
from pliant.errors import ConvergenceError, OptionError, PliantError
from pliant.forces.state_force.callbacks import watched
from pliant.linalg import eigen
from pliant.linalg import rounding as digits
from pliant.linalg.gyroscopic import gyroscopic
from pliant.linalg.mode_tracking import Tracked, follow
from pliant.model import Spin
from pliant.results import Result
from pliant.results.progress import progress
from pliant.results.records import Check, Unchecked, judged
from pliant.system.capabilities import HasSpin, Observed, Turning
from pliant.system.limits.mesh_resolution import Vibrations
from pliant.system.state import Equilibrium, State

MORE = 6  # additional modes, so that none is lost at a crossing
ROUND = 1e-6  # by which a whirl may differ from a circle
TOGETHER = 1e-6  # of a rate: the distance of rates that rounding may separate
SHARP = 1e-9  # of a critical rate: how far it is narrowed down


@with_warnings
@watched()
def campbell(
    system: HasSpin,
    *,
    rates: Sequence[float] | np.ndarray,
    spin: Spin | float | None = None,
    modes: int = 6,
    damped: bool = False,
    start: Start = None,
    load_steps: int = 1,
    friction: str | None = None,
) -> Result:
    """Compute eigenvalues about the relative equilibria of a spinning mechanism as functions of the spin rate; each
    mode is followed from rate to rate.

    rates       rad/s, increasing
    spin        axis and point of the spin (`Spin`; its own rate is not used); needed in space
    modes       how many modes are followed: the lowest at the first rate
    damped      True: with dampers, drag and Rayleigh damping, in turning axes
    start       Result or state near the first equilibrium; every other one starts from the one before
    load_steps  of the first equilibrium
    friction    of parts that rub, as of `modal`: "stuck" or "free"

    Result over (rate, mode): ``eigenvalue`` in axes that turn with the mechanism, whose imaginary part changes its sign
    where a frequency passes through zero; ``frequency_hz`` and ``damping_ratio``; ``whirl``, 1 where points go round in
    circles with the spin (forward), -1 against it, 0 to and fro; ``fixed_frequency_hz``, seen from axes that stand
    still, where that is one frequency. Over rate: ``stable``, ``growing_motions`` and ``falling_directions``, as of
    `statics`. ``outcome.critical_rates`` lists the rates at which a mode has zero frequency in turning axes.
    `plot_campbell` draws it.

    >>> import pliant as pl
    >>> m = pl.Model("Jeffcott rotor")
    >>> ground, disc = m.add(pl.Ground(), pl.Body("disc", mass=2.0, inertia=1.0))
    >>> shaft = m.add(pl.TorsionSpring("shaft", ground.at(0, 0), disc.at(), stiffness=1e3))
    >>> for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):  # k = 100 N/m along every direction
    ...     part = m.add(pl.Spring(f"at {x} {y}", ground.at(x, y), disc.at(), stiffness=50.0, rest_length=1.0))
    >>> found = pl.campbell(pl.compile(m), rates=[2.0, 5.0, 8.0], modes=2)
    >>> [round(rate, 3) for rate in found.outcome.critical_rates]  # sqrt(100/2)
    [7.071]
    """
    require(system, HasSpin, "campbell")
    whole("modes", modes)
    whole("load_steps", load_steps)
    given = _increasing(rates)
    seen = turning(system, 0.0 if spin is None else spin, "campbell", 0.0)
    study = _Study(seen, modes, damped, friction)
    state, rows = state_of(system.observed, start), list[_Row]()
    with progress(f"Campbell diagram of {system.model.name}", float(np.ptp(given))) as report:
        for rate in given:
            try:
                found = study.equilibrium(float(rate), state, load_steps)
            except PliantError as error:
                error.add_note(f"At {rate:g} rad/s.")
                raise
            state = found.state
            rows.append(study.row(float(rate), found, rows[-1] if rows else None))
            report(float(rate - given[0]))
    pairs = [pair for pair in zip(rows, rows[1:], strict=False) if pair[0].falling != pair[1].falling]
    critical = [rate for pair in pairs for rate in study.critical(*pair)]
    data = _dataset(seen, given, rows)
    growing = int(np.sum(~data["stable"].values))
    message = f"{modes} modes at {given.size} rates" + (f", motions grow at {growing} of them" if growing else "")
    figures = {"critical_rates": critical, "rates_unstable": growing}
    checks = [_worst(each) for each in zip(*(row.checks for row in rows), strict=True)]
    settings = {"modes": modes, "damped": damped, "load_steps": load_steps}
    return result(seen, "campbell", data, judged(message, figures, checks), settings)


class _Row(NamedTuple):
    """The results at one rate."""

    rate: float
    state: State
    tracked: Tracked
    whirl: np.ndarray  # (modes,)
    fixed: np.ndarray  # (modes,) rad/s, NaN where there is no such frequency
    growing: int | None
    falling: int | None
    checks: _checks.Checks


@dataclass(frozen=True)
class _Study:
    """A mechanism at several rates."""

    system: Turning
    modes: int
    damped: bool
    friction: str | None

    def equilibrium(self, rate: float, start: State, load_steps: int = 1) -> Equilibrium:
        return self.system.at_rate(rate).find_equilibrium(start, time=0.0, load_steps=load_steps)

    def row(self, rate: float, found: Equilibrium, before: _Row | None) -> _Row:
        """Compute the modes at a rate, in the order of the modes before."""
        system: Any = self.system.at_rate(rate)
        unit = 1.0 / system.weight
        matrices = small_motions(system, found.state, self.friction, "campbell").in_units(unit)
        coupling = matrices.damping if self.damped else 0.5 * (matrices.damping - matrices.damping.T)
        solve = eigen.damped if self.damped else gyroscopic
        pairs = solve(matrices.stiffness, coupling, matrices.mass, matrices.ties, self.modes + MORE)
        if before is None:
            tracked = Tracked(pairs[0][: self.modes], pairs[1][:, : self.modes], np.zeros(self.modes))
        else:
            tracked = follow(before.tracked, rate - before.rate, *pairs, matrices.mass)
        whirl, fixed = _whirl(system, found.state.q, tracked, matrices.mass)
        if before is None:  # circles slow down as the axes go with them
            tracked = tracked._replace(slopes=-1j * whirl)
        off = digits.rounding(matrices.stiffness, tracked.vectors)
        lost = digits.shares(off, coupling, matrices.mass, tracked.values, tracked.vectors)
        rounding = Check("rounding", np.max(lost, initial=0.0), digits.LIMIT, "of a frequency", digits.ADVICE)
        modes = Vibrations.of(matrices.mass, tracked.values, tracked.vectors)
        waves = of_waves(system, too_short(system, found.state, modes), tracked.values)
        checks = [*_checks.of_equilibrium(found, system.length_scale), rounding, *waves]
        return _Row(rate, found.state, tracked, whirl, fixed, found.unstable_directions, found.falling, checks)

    def critical(self, below: _Row, above: _Row) -> list[float]:
        """Return the rates at which the number of falling directions changes, one after the other: by halving."""
        low, state, falling, passed = below.rate, below.state, below.falling, list[tuple[float, int]]()
        while falling != above.falling and low < above.rate:
            high, beyond, next_state = above.rate, above.falling, above.state
            while high - low > SHARP * high:
                middle = 0.5 * (low + high)
                try:
                    found = self.equilibrium(middle, state)
                except ConvergenceError:  # out of balance, it is nowhere near at the critical rate itself
                    return [*_settled(passed), middle]
                if found.falling == falling:
                    low, state = middle, found.state
                else:
                    high, beyond, next_state = middle, found.falling, found.state
            passed.append((0.5 * (low + high), (beyond or 0) - (falling or 0)))
            low, falling, state = high, beyond, next_state
        return _settled(passed)


def _settled(passed: list[tuple[float, int]]) -> list[float]:
    """Return critical rates, from the rates at which a count of directions changes, and the changes: among rates so
    near that rounding changes the count to and fro, as many as the whole change.

    >>> _settled([(3.0, 1), (5.0, 1), (5.0 + 1e-7, -1), (5.0 + 2e-7, 1), (5.0 + 3e-7, 1)])
    [3.0, 5.0, 5.0000003]
    """
    groups: list[list[tuple[float, int]]] = []
    for rate, change in passed:
        if groups and rate - groups[-1][-1][0] <= TOGETHER * rate:
            groups[-1].append((rate, change))
        else:
            groups.append([(rate, change)])
    rates: list[float] = []
    for group in groups:
        count = min(len(group), abs(sum(change for _, change in group)))
        rates += [group[round(k)][0] for k in np.linspace(0, len(group) - 1, count)]
    return rates


def _whirl(system: Any, q: np.ndarray, tracked: Tracked, mass: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return how circular modes are, and their frequencies (rad/s) in axes that stand still.

    What is across the axis n, of displacements and of turns, is a sum of circles: ``(x - i n x x)/2`` goes round with
    the spin, ``(x + i n x x)/2`` against it. Seen from axes that stand still a circle turns faster or slower by the
    rate, and what is along the axis does not change; a mode that mixes these has no single frequency there.
    """
    n, values = np.asarray(system.spin.axis), tracked.values
    axes = system.axes(q)
    points, turns = axes.split(tracked.vectors)

    def weight(map_: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        columns = axes.join(map_(points), map_(turns))
        return np.asarray(np.sum(columns.conj() * (mass @ columns), axis=0).real)

    def across(x: np.ndarray) -> np.ndarray:
        return x - (x @ n)[..., None] * n

    def circle(way: complex) -> Callable[[np.ndarray], np.ndarray]:
        return lambda x: 0.5 * (across(x) + way * np.cross(n, x))

    forward, backward = weight(circle(-1j)), weight(circle(1j))
    lateral, axial = forward + backward, weight(lambda x: x - across(x))
    whirl = np.where(lateral > ROUND * axial, (forward - backward) / np.maximum(lateral, 1e-300), 0.0)
    fixed = np.where(lateral <= ROUND * axial, np.abs(values.imag), np.nan)
    circular = (np.abs(whirl) > 1.0 - ROUND) & (axial <= ROUND * lateral)
    return whirl, np.where(circular, np.abs(values.imag + np.sign(whirl) * system.spin.rate), fixed)


def _worst(checks: tuple[Check | Unchecked, ...]) -> Check | Unchecked:
    """Return the check that is nearest to its limit, or beyond."""
    made = (check for check in checks if isinstance(check, Check))
    return max(made, key=lambda check: check.value / max(check.limit, 1e-300), default=checks[0])


def _dataset(system: Observed, rates: np.ndarray, rows: list[_Row]) -> xr.Dataset:
    """Return all rates, labelled."""
    values = np.array([row.tracked.values for row in rows])
    sizes, over, hertz = np.abs(values), ("rate", "mode"), {"units": "Hz"}
    nan = {"nan_means": "not one frequency in axes that stand still"}
    counts = {
        "growing_motions": [-1 if row.growing is None else row.growing for row in rows],
        "falling_directions": [-1 if row.falling is None else row.falling for row in rows],
    }
    return xr.Dataset(
        {
            "eigenvalue": (over, values, {"units": "1/s"}),
            "frequency_hz": (over, sizes / (2.0 * np.pi), hertz),
            "damping_ratio": (over, -values.real / np.maximum(sizes, 1e-300), {"units": "1"}),
            "whirl": (over, np.array([row.whirl for row in rows]), {"units": "1"}),
            "fixed_frequency_hz": (over, np.array([row.fixed for row in rows]) / (2.0 * np.pi), hertz | nan),
            "stable": ("rate", np.array([row.growing == 0 for row in rows])),
            **{name: ("rate", np.array(count)) for name, count in counts.items()},
        },
        coords={"rate": ("rate", rates, {"units": "rad/s"}), "mode": np.arange(1, values.shape[1] + 1)},
    )


def _increasing(rates: Any) -> np.ndarray:
    array = np.atleast_1d(np.asarray(rates, float)) if np.ndim(rates) <= 1 else np.empty(0)
    if array.size < 2 or not np.all(np.isfinite(array)) or np.any(np.diff(array) <= 0.0):
        raise OptionError(f"rates={rates!r:.60}: give at least two rates (rad/s) that increase.")
    return array
