"""A continuum robot of two segments, bent by tendons

A thin rod with disks carries six tendons in straight channels: three end at its middle, three at its tip. Pulling them
bends the rod; then the tensions are sought that bring the tip to a place.
"""

from math import cos, sin

import pliant as pl

m = pl.Model("tendon robot", plane=None)
ground = m.add(pl.Ground())
rod = m.add(pl.Beam("rod", length=0.4, section=pl.Section.circle(0.7e-3, pl.STEEL)))
m.add(pl.Weld(ground.at(0, 0, 0, orientation=pl.rotation(y=-90 * pl.DEG)), rod.at(s=0)), pl.Gravity(y=0.0, z=-9.81))
for segment, end in (("inner", 0.5), ("outer", 1.0)):
    for k in range(3):
        angle = (120 * k + (60 if segment == "outer" else 0)) * pl.DEG
        offset = (8e-3 * cos(angle), 8e-3 * sin(angle))
        m.add(pl.ChannelTendon(f"{segment} {k}", rod, offset=offset, end=end, tension=0.0))
m.add(rod.at(s=0.5, name="middle"))

system = pl.compile(m, elements=pl.Exact(8, order=3))
pulled = system.with_signals({"inner 0/tension": 30.0, "inner 1/tension": 10.0, "outer 1/tension": 15.0})
bent = pl.statics(pulled)
print("tip at", bent.position.sel(marker="rod/tip").values.round(4), "m")
print("stiffness against a force across, N/m:", pl.stiffness(pulled, at=bent, marker="rod/tip").matrix[1, 1].round(2))

wanted = (-0.10, 0.02, 0.37)
held = pl.inverse_statics(
    pulled, {"rod/tip": wanted}, signals=["inner 0/tension", "inner 1/tension", "outer 1/tension"], start=bent
)
print("tensions that reach", wanted, "m:", held.signal_value.values.round(3), "N")

ax = pl.plots.plot_shape(bent, view=(15.0, -60.0))
