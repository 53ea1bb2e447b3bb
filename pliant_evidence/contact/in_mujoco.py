"""Jobs in MuJoCo. Its contacts are soft: they give way as a critically damped spring does, within two steps at
least (`solref`), which is what it is allowed here; friction has a cone, pyramidal or elliptic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pliant as pl
from pliant_evidence.contact.jobs import (
    FRICTION,
    HEIGHT,
    LENGTH,
    MASS,
    PIECES,
    RADIUS,
    STEP,
    STEPS,
    THICK,
    TILT,
    WIDE,
    G,
)

CONES = ("pyramidal", "elliptic")
STRIP = 1e-4  # s: with 0.2 ms the springs of the strip's hinges, which are explicit by every integrator, are unstable


def model(mujoco: Any, bodies: str, cone: str, *, collide: bool, step: float = STEP) -> Any:
    """Return the bodies above a floor."""
    meet = f'contype="{int(collide)}" conaffinity="1" friction="{FRICTION} 0 0" solref="{2 * step} 1" condim="3"'
    return mujoco.MjModel.from_xml_string(f"""
    <mujoco><option timestep="{step}" gravity="0 0 -{G}" cone="{cone}"/><default><geom {meet}/></default>
    <worldbody><geom type="plane" size="0 0 1" contype="1"/>{bodies}</worldbody></mujoco>""")


def balls(centres: np.ndarray) -> str:
    """Return solid balls."""
    return "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}"/></body>'
        for x, y, z in centres.tolist()
    )


def strip() -> str:
    """Return rigid pieces, joined by hinges whose springs bend as the strip does, and meet the floor at their ends."""
    piece, section = LENGTH / PIECES, pl.Section.rectangle(WIDE, THICK, pl.STEEL)
    text = ""
    for k in range(PIECES):
        free = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 1 0"/>'
        bend = f'<joint type="hinge" axis="0 1 0" stiffness="{section.bending_stiffness / piece}"/>'
        at = f'pos="0 0 {HEIGHT}" euler="0 {-np.degrees(TILT)} 0"' if k == 0 else f'pos="{piece} 0 0"'
        solid = f'fromto="0 0 0 {piece} 0 0" type="capsule" size="1e-6" mass="{section.mass_per_length * piece}"'
        text += f"<body {at}>{free if k == 0 else bend}<geom {solid}/>"
    return text + "</body>" * PIECES


def run(mujoco: Any, made: Any, speeds: np.ndarray | None = None) -> Any:
    """Run all steps in one call."""
    data = mujoco.MjData(made)
    if speeds is not None:
        data.qvel[: 6 * speeds.size : 6] = speeds
    mujoco.mj_step(made, data, round(STEPS * STEP / made.opt.timestep))
    return data
