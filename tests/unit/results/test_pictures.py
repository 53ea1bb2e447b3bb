"""Pictures of mechanisms, drawn again and compared with those that were looked at (`pictures/*.png`).

``python -m tests.unit.results.test_pictures`` draws them anew: look at them before they are kept.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import pliant as pl

KEPT = Path(__file__).with_name("pictures")
BLOCK = 4  # pixels: text and lines may lie a little beside
ALIKE, FEW = 30.0, 0.001  # of 255, and of the blocks


def marks() -> pl.Model:
    """Build a plate, a disc, a weld, a slide with its stops, a wall with a ball."""
    m = pl.Model("marks")
    ground = m.add(pl.Ground())
    crank, rod = m.add(pl.Link("crank", length=0.1, mass=0.1, angle=0.9), pl.Link("rod", length=0.3, mass=0.2))
    piston = m.add(pl.Body("piston", mass=0.5, inertia=1e-3))
    leaf = m.add(pl.Beam("leaf", length=0.2, section=pl.Section.rectangle(0.02, 0.001, pl.STEEL)))
    corner = pl.Polygon([(-0.03, -0.02), (0.05, -0.02), (0.05, 0), (0, 0), (0, 0.04), (-0.03, 0.04)])
    bracket = m.add(pl.Body("bracket", mass=0.1, inertia=1e-4, angle=0.3, shape=[corner, pl.Cylinder(0.01, 0.01)]))
    m.add(pl.Revolute(ground.at(0, 0), crank.at(s=0)), pl.Revolute(crank.at(s=1), rod.at(s=0)))
    m.add(pl.Revolute(rod.at(s=1), piston.at()), pl.Weld(ground.at(0.1, 0.2), leaf.at(s=0)))
    slide = m.add(pl.Prismatic(ground.at(0, 0), piston.at(), name="slide"))
    hinge = m.add(pl.Revolute(ground.at(0.4, 0.2), bracket.at(0, 0), name="hinge"))
    m.add(pl.Stop(slide, lower=0.2, upper=0.39, stiffness=1e5), pl.Stop(hinge, lower=-0.5, upper=0.7, stiffness=10.0))
    m.add(pl.Contact("wall", ground.at(0.45, 0, angle=np.pi / 2), piston.at(), radius=0.02, stiffness=1e5))
    return m


def sections() -> pl.Model:
    """Build a leaf that tapers, a block, a tube, on a base."""
    m = pl.Model("sections", plane=None)
    ground = m.add(pl.Ground(shape=pl.Box(0.02, 0.15, 0.15, position=(-0.01, 0.0))))
    leaf = pl.Rectangle(width=(0.06, 0.02), height=0.002, material=pl.STEEL)
    blade = m.add(pl.Beam("blade", length=0.3, section=leaf))
    tube = m.add(pl.Beam("tube", length=0.3, section=pl.Section.tube(0.02, 0.015, pl.STEEL)))
    block = m.add(pl.Body("block", mass=1.0, inertia=(0.01,) * 3, shape=pl.Box(0.1, 0.08, 0.02)))
    m.add(pl.Weld(ground.at(0, 0, 0), blade.at(s=0)), pl.Weld(blade.at(s=1), block.at(-0.05, 0, 0)))
    m.add(pl.Weld(block.at(0.05, 0, 0), tube.at(s=0)), pl.Force(tube.at(s=1), z=-20.0, y=5.0, name="push"))
    return m


def pictures() -> dict[str, mpl.figure.Figure]:
    rest = pl.statics(pl.compile(sections()))
    drawn = {
        "marks": pl.plots.plot_shape(marks()),
        "sections": pl.plots.plot_shape(rest, ghost=sections()),
        "strain": pl.plots.plot_shape(rest, colour="strain", limit=8e-4, arrows="force"),
    }
    return {name: ax.figure for name, ax in drawn.items()}


def image(figure: mpl.figure.Figure) -> np.ndarray:
    figure.set_dpi(60)
    figure.canvas.draw()
    seen = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
    plt.close(figure)
    return seen


def blocks(seen: np.ndarray) -> np.ndarray:
    """Return means of blocks of pixels."""
    high, wide = (size // BLOCK * BLOCK for size in seen.shape[:2])
    return seen[:high, :wide].reshape(high // BLOCK, BLOCK, wide // BLOCK, BLOCK, 3).mean(axis=(1, 3))


@pytest.fixture(scope="module")
def drawn() -> dict[str, np.ndarray]:
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        return {name: image(figure) for name, figure in pictures().items()}


@pytest.mark.parametrize("name", ["marks", "sections", "strain"])
def test_pictures_are_those_that_were_looked_at(name: str, drawn: dict[str, np.ndarray]) -> None:
    kept = np.asarray(Image.open(KEPT / f"{name}.png").convert("RGB"))
    assert kept.shape == drawn[name].shape
    apart = np.abs(blocks(kept.astype(float)) - blocks(drawn[name].astype(float))).max(axis=-1)
    assert (apart > ALIKE).mean() < FEW


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for name, figure in pictures().items():
        Image.fromarray(image(figure)).quantize(256).save(KEPT / f"{name}.png")
