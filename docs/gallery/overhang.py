"""How far a stack of blocks leans out

Blocks may lean out over the edge of a table by half their length divided by 1, 2, 3, ... from the top down, and as far
as one likes in all. The tower on the left keeps 1 % of this back, and stands. The one on the right takes 1 % too much.
"""

import matplotlib.pyplot as plt

import pliant as pl

LENGTH, HEIGHT, ROUNDING, BLOCKS = 0.2, 0.04, 1e-3, 6


def tower(part: float) -> pl.Model:
    """Blocks that lean out by a part of what is possible; their edges touch where their rounding begins."""
    m = pl.Model("tower")
    table = m.add(pl.Ground())
    m.add(pl.Gravity())
    place, markers = -0.5 * LENGTH, [table.at(0, 0)]
    for k in range(BLOCKS):
        place += part * (0.5 * LENGTH - ROUNDING) / (BLOCKS - k)
        where = {"position": (place, (k + 0.5) * HEIGHT), "angle": 0.0, "free": True}
        block = m.add(pl.Body(f"block {k}", mass=1.0, inertia=(LENGTH**2 + HEIGHT**2) / 12.0, **where))
        markers.append(block.at())
    shapes = [pl.Box(0.5, 0.1, 0.2, position=(-0.25, -0.05)), *(pl.Box(LENGTH, HEIGHT, 0.2),) * BLOCKS]
    m.add(pl.Collisions("blocks", markers, shape=shapes, radius=ROUNDING, stiffness=1e6, friction=0.6))
    return m


figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
for part, ax in zip((0.99, 1.01), axes, strict=True):
    run = pl.transient(pl.compile(tower(part)), end_time=0.5, step=2e-4, contact="complementarity", estimate=False)
    fastest = float(abs(run.velocity[-1]).max())
    out = float(run.position.sel(marker=f"block {BLOCKS - 1}(0, 0)", axis="x")[0]) + 0.5 * LENGTH
    print(f"{part:.2f} of the limit: {out / LENGTH:.3f} lengths out, after 0.5 s at {fastest:.1g} m/s")
    pl.plots.plot_shape(run, times=[0.5], ax=ax)
    ax.set(xlim=(-0.3, 0.4), ylim=(-0.12, 0.3), adjustable="box", title=f"{part:.2f} of the limit")
