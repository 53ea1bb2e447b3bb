"""Tables of docs/pacoma.md: ``python -m pliant_evidence.pacoma.tables docking control ground margins`` prints them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import pliant as pl
from pliant.errors import PliantWarning
from pliant_evidence.pacoma import studies
from pliant_gallery import pacoma
from pliant_gallery.pacoma.docking import Encounter, Strike, on_ground, rigid_leg


def docking() -> None:
    """Print misalignments, with the prototype's legs, rigid ones and a light damper; motors hold."""
    for angle in (0.0, 5.0, 7.5, 10.0):
        legs = {"prototype": pacoma.LEAF, "rigid": rigid_leg()}
        for name, encounter in {k: studies.approach(angle, 0.05, kind) for k, kind in legs.items()}.items():
            _print(f"{angle:g}°, {name}", *studies.docked(encounter))
    _print("7.5°, 15 N s/m", *studies.docked(studies.damped(15.0)))


def control() -> None:
    """Print motors held, and under controllers: as built, then ideal ones."""
    _print("held", *studies.docked_under(None))
    built, ideal = studies.controlled(pacoma.GEARED), studies.controlled()
    for name, law in (("PD of every motor", built.single()), ("LQG", built.controller)):
        _print(f"{name}, geared motors", *studies.docked_under(law, gear=pacoma.GEARED))
    laws = ideal.controllers()
    for name in ("PD of every motor", "LQG", "H∞", "LQG, load estimated"):
        _print(name, *studies.docked_under(laws[name]))


def ground() -> None:
    """Print dockings on a chaser that floats, on one that does not move, and on the ground."""
    for name, encounter in (
        ("orbit", Encounter()),
        ("fixed, without weight", Encounter(chaser_mass=None)),
        ("ground", on_ground(Encounter())),
    ):
        _print(name, *studies.docked(encounter, end_time=0.2))


def margins() -> None:
    """Print margins of LQG and H-infinity at the motors, on the states they are designed with."""
    robot = studies.controlled()
    for name, law in (("LQG", robot.controller), ("H∞", robot.worst.controller)):
        _say(f"{name}: disk margin {pl.margins(law, robot.small).disk:.3f}")


def _print(name: str, run: pl.Result, found: Strike) -> None:
    """Print a row: N, N s, ms, mJ, mJ, mm, mm on the chaser, mm/s along z, of the satellite and on the platform."""
    speed = 1e3 * float(run.velocity.sel(marker="satellite(0, 0)", axis="z")[-1])
    floats = "base(0, 0)" in run.marker.values
    base = 1e3 * float(run.velocity.sel(marker="base(0, 0)", axis="z")[-1]) if floats else 0.0
    way = f", {1e3 * studies.yielded(run).max():.2f} mm on the chaser" if floats else ""
    _say(
        f"{name}: peak {found.peak:.1f} N, {found.impulse:.3f} N s in {1e3 * found.duration:.0f} ms, "
        f"lost {1e3 * found.lost:.1f} mJ, in dampers {1e3 * found.damper:.1f}, "
        f"way {1e3 * found.sway:.1f} mm{way}, satellite {speed:+.1f} mm/s, {speed - base:+.1f} from the base"
    )


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


TABLES: dict[str, Callable[[], None]] = {"docking": docking, "control": control, "ground": ground, "margins": margins}

if __name__ == "__main__":
    warnings.simplefilter("ignore", PliantWarning)  # neutral without a controller
    for wanted in sys.argv[1:] or TABLES:
        TABLES[wanted]()
