"""Programs that a new user runs first."""

from __future__ import annotations

FOUR_BAR = """
import pliant as pl

m = pl.Model("four-bar", plane="xy")
ground = m.add(pl.Ground())
crank = m.add(pl.Link("crank", length=0.10, mass=0.2, angle=60 * pl.DEG))
coupler = m.add(pl.Beam("coupler", length=0.30, section=pl.Section.rectangle(10e-3, 1e-3, pl.STEEL)))
rocker = m.add(pl.Link("rocker", length=0.25, mass=0.3))
m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), coupler.at(s=0)))
m.add(pl.Revolute(coupler.at(s=1), rocker.at(s=1)), pl.Revolute(rocker.at(s=0), ground.at(0.3, 0)))
m.add(pl.Gravity(), pl.Spring("return", crank.at(s=1), ground.at(0, 0.3), stiffness=200.0, rest_length=0.1))
system = pl.compile(m, elements={"coupler": 8})
rest = pl.statics(system)
modes = pl.modal(system, at=rest)
run = pl.transient(system, start=rest, push={"crank": 1.0}, end_time=0.2)
"""

PENDULUM = """
import pliant as pl

m = pl.Model("pendulum", plane="xy")
ground = m.add(pl.Ground())
arm = m.add(pl.Link("arm", length=0.5, mass=0.2, angle=60 * pl.DEG))
m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
run = pl.transient(pl.compile(m), end_time=0.2, step=1e-3)
print(run.raw("position")[-1])
"""

MUJOCO = """
import mujoco

m = mujoco.MjModel.from_xml_string('''<mujoco><option timestep="1e-3" gravity="0 -9.81 0"/><worldbody>
<body euler="0 0 60"><joint axis="0 0 1"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.01" mass="0.2"/></body>
</worldbody></mujoco>''')
d = mujoco.MjData(m)
mujoco.mj_step(m, d, 200)
print(d.geom_xpos[-1])
"""

TOLD = """
import time

print(time.process_time(), float(rest.energy.sum()))
"""

STRANGER = """
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, eq=False)
class Magnet(pl.PointLaw):
    units: ClassVar = {"strength": "N m^2"}
    measures: ClassVar = ("distance",)
    numbers: ClassVar = ("strength",)

    name: str
    a: pl.Marker
    b: pl.Marker
    strength: float

    @staticmethod
    def resist(p, x, rate, u, f, f_x, f_rate):
        f[0] = p[0] / x[0] ** 2
        f_x[0, 0] = -2.0 * p[0] / x[0] ** 3

    @staticmethod
    def energy(p, x, u):
        return -p[0] / x[0]


m.add(Magnet("magnet", crank.at(s=0.5), ground.at(0.5, 0.5), strength=0.1))
pl.transient(pl.compile(m, elements={"coupler": 8}), end_time=0.2)
"""

LEG = """
import tempfile
from pathlib import Path

from rich.console import Console

from pliant_gallery.leg import demo

with tempfile.TemporaryDirectory() as folder:
    demo.run(Path(folder), Console(quiet=True))
"""
