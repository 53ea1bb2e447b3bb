"""Models whose parameters are identified: a spring, a pendulum, a mass that rings, a steel strip, the silicone arm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import pliant as pl
from pliant_evidence.tendon_robot.models import MEASURED, soft_arm

BELENDEZ = (
    (0.0, 0.089),
    (0.098, 0.149),
    (0.196, 0.195),
    (0.294, 0.227),
    (0.392, 0.251),
    (0.490, 0.268),
    (0.588, 0.281),
)
"""Load at the tip (N) and measured deflection (m) of a steel strip: T. Beléndez, C. Neipp, A. Beléndez, Int. J. Engng
Ed. 19(6), 885-892, 2003, table 1. The strip is 0.40 m long, 25 mm wide, 0.4 mm thick, and weighs 0.3032 N."""
BELENDEZ_MODULUS = 194.3e9
"""Pa: what its authors found, with ANSYS."""
BELENDEZ_COMPUTED = (0.0898, 0.1516, 0.1960, 0.2270, 0.2495, 0.2659, 0.2784)
"""m: deflections of their model with that modulus."""

ARM_MARKERS = {"p1": "link 1/p1", "p2": "link 1/p2", "p3": "link 1/p3", "p4": "link 2/p4"}
ARM_ELEMENTS = {"link 1": pl.Exact(4, order=2), "link 2": pl.Exact(2, order=2)}


def spring(stiffness: float = 80.0, mass: float = 2.0, damping: float = 1.0) -> pl.Model:
    """Build a mass on a spring with a damper, along x; "push/x" pushes it."""
    k = pl.Parameter("k", stiffness, low=1.0, high=1e4, unit="N/m")
    c = pl.Parameter("c", damping, low=0.0, high=1e3, unit="N s/m", scale=1.0)
    m = pl.Model("mass on a spring")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=mass, inertia=0.1, position=(1.0, 0.0)))
    m.add(
        pl.Prismatic(ground.at(0, 0), block.at()),
        pl.Spring("spring", ground.at(0, 0), block.at(), stiffness=k, rest_length=1.0, damping=c),
        pl.Force(block.at(), x=0.0, name="push"),
    )
    return m


def pendulum(stiffness: float = 3.0, arm: float = 0.4) -> pl.Model:
    """Build a link on a torsion spring, lifted by a force at its end: stiffness and length are unknown."""
    k = pl.Parameter("k", stiffness, low=0.1, high=100.0, unit="N m/rad")
    length = pl.Parameter("length", arm, low=0.05, high=2.0, unit="m")
    m = pl.Model("lifted link")
    ground, link = m.add(pl.Ground(), pl.Link("link", length=length, mass=0.5, angle=0.0))
    m.add(
        pl.Revolute(ground.at(0, 0), link.at(s=0), name="pivot"),
        pl.TorsionSpring("spring", ground.at(0, 0), link.at(s=0), stiffness=k),
        pl.Force(link.at(s=1), y=0.0, name="lift"),
    )
    return m


def strip(modulus: float = 210e9, *, weight: float = 0.3032) -> pl.Model:
    """Build the strip of Beléndez: clamped level, bent by its weight and a load at its tip."""
    length, width, height = 0.40, 0.025, 0.0004
    E = pl.Parameter("E", modulus, low=50e9, high=400e9, unit="Pa")
    density = weight / 9.81 / (length * width * height)
    steel = pl.Material("steel", youngs_modulus=E, poisson_ratio=0.3, density=density)
    m = pl.Model("steel strip")
    ground, beam = m.add(
        pl.Ground(), pl.Beam("strip", length=length, section=pl.Section.rectangle(width, height, steel))
    )
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)), pl.Gravity(), pl.Force(beam.at(s=1), y=0.0, name="load"))
    return m


def strip_measured() -> pl.Measurement:
    """Return what Beléndez and his colleagues measured."""
    loads, tips = np.array(BELENDEZ).T
    table = {"F [N]": loads, "deflection [m]": tips}
    quantities = {"position:strip/tip:y": "deflection*-1"}
    return pl.Measurement(table, quantities, signals={"load/y": "F*-1"}, name="Beléndez 2003")


def arm() -> pl.Model:
    """Build the silicone arm with its material unknown, from the authors' first guess."""
    E = pl.Parameter("E", 505e3, low=1e5, high=2e6, unit="Pa")
    rho = pl.Parameter("rho", 1500.0, low=500.0, high=3000.0, unit="kg/m^3")
    nu = pl.Parameter("nu", 0.45, low=0.2, high=0.499)
    return soft_arm(pl.Material("silicone", youngs_modulus=E, poisson_ratio=nu, density=rho))


def arm_measured(rows: Sequence[int] | None = None, name: str = "one tendon") -> pl.Measurement:
    """Return poses with one tendon; the zero of the first marker's height is not known (10 mm off in all poses)."""
    quantities = {f"position:{where}:{a}": f"{mark}_{a}_m" for mark, where in ARM_MARKERS.items() for a in "xyz"}
    signals: dict[str, str | float] = {f"tendon {k}/tension": f"tension_{k}_N" for k in (1, 2)}
    free = ["position:link 1/p1:z"]
    return pl.Measurement(MEASURED, quantities, signals=signals, rows=rows, offset=free, name=name)


def tip_rms(found: pl.Agreement, marker: str = "link 2/p4") -> float:
    """Return the RMS distance (m) of a marker."""
    return float(np.sqrt(sum(found.rms[f"position:{marker}:{axis}"] ** 2 for axis in "xyz")))


STRIP = 0.5
"""m: length of a strip that is damped."""


def damped_strip(mass: float = 1.0, stiffness: float = 1e-5) -> pl.Model:
    """Build a steel strip with Rayleigh damping, clamped at one end: its coefficients a (1/s) and b (s) are unknown."""
    a = pl.Parameter("a", mass, low=0.0, high=100.0, unit="1/s", scale=1.0)
    b = pl.Parameter("b", stiffness, low=0.0, high=1e-2, unit="s", scale=1e-5)
    m = pl.Model("damped strip")
    section = pl.Section.rectangle(0.02, 1e-3, pl.STEEL)
    damping = pl.Rayleigh(mass=a, stiffness=b, relative_to="ground")
    ground, beam = m.add(pl.Ground(), pl.Beam("strip", length=STRIP, section=section, damping=damping))
    m.add(pl.Weld(ground.at(0, 0), beam.at(s=0)))
    return m


def slide(stiffness: float = 70.0, damping: float = 0.0, friction: float = 0.1) -> pl.Model:
    """Build a mass of 2 kg on a spring with a damper, along a dry rail; "push/x" holds it until it is let go."""
    k = pl.Parameter("k", stiffness, low=1.0, high=1e4, unit="N/m")
    c = pl.Parameter("c", damping, low=0.0, high=1e3, unit="N s/m", scale=1.0)
    rubs = pl.Parameter("F", friction, low=0.0, high=10.0, unit="N", scale=0.1)
    m = pl.Model("slide")
    ground, block = m.add(pl.Ground(), pl.Body("block", mass=2.0, inertia=0.1, position=(1.0, 0.0)))
    m.add(
        pl.Prismatic(ground.at(0, 0), block.at()),
        pl.Spring("spring", ground.at(0, 0), block.at(), stiffness=k, rest_length=1.0, damping=c),
        pl.SlideFriction("rail", ground.at(0, 0), block.at(), rubs, speed=1e-3),
        pl.Force(block.at(), x=0.0, name="push"),
    )
    return m


def rubbed(times: np.ndarray, stiffness: float, friction: float, begin: float, mass: float = 2.0) -> np.ndarray:
    """Return the place of a mass on a spring with Coulomb friction alone after its release: every half period, pi/w, it
    swings about F/k on the other side, so that each swing is shorter by 2 F/k; it stops within F/k of the middle.
    """
    w, middle = np.sqrt(stiffness / mass), friction / stiffness
    last = int(np.ceil(0.5 * (begin / middle - 1.0)))
    found = []
    for t in times:
        n = min(int(t * w / np.pi), last)
        swing = begin - 2.0 * middle * n
        side = -1.0 if n % 2 else 1.0
        turned = np.cos(w * t - np.pi * n) if n < last else 1.0
        found.append(side * ((swing - middle) * turned + middle))
    return np.array(found)
