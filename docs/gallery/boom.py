"""A boom that is fed out of its hub

A thin tube leaves the hub of a spacecraft with an instrument on its tip. The longer it is, the more slowly it swings:
the motors must not feed it at its own beat. It is fed out, pushed a little on the way, and its frequency read along it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import pliant as pl
from pliant_gallery import boom


def exact(length: float) -> float:
    """First frequency of a cantilever with a point mass on its tip (Hz), without shear and rotary inertia."""
    ratio = boom.INSTRUMENT / (boom.TUBE.mass_per_length * length)
    c, s, ch, sh = np.cos, np.sin, np.cosh, np.sinh
    x = brentq(lambda x: 1 + c(x) * ch(x) + ratio * x * (c(x) * sh(x) - s(x) * ch(x)), 0.5, 1.9)
    return x**2 / (2 * np.pi * length**2) * np.sqrt(boom.TUBE.bending_stiffness / boom.TUBE.mass_per_length)


system = pl.compile(boom.model(), elements=pl.Exact(3, order=3))
figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.4), layout="constrained")
fed = np.linspace(0.0, 1.4, 8)
found = [float(pl.modal(system.with_signals({"motor/x": x})).frequency_hz[0]) for x in fed]
lengths = boom.STOWED + fed
for length, one in list(zip(lengths, found, strict=True))[::3]:
    print(f"{length:.2f} m long: {one:.4f} Hz, cantilever with a tip mass {exact(length):.4f} Hz")
left.semilogy(lengths, found, "o", label="fed boom")
left.semilogy(lengths, [exact(length) for length in lengths], label="cantilever with a tip mass")
left.set(xlabel="length, m", ylabel="first frequency, Hz")
left.legend()

deploying = pl.compile(boom.model(feed=pl.Ramp(0.0, 1.2, 0.0, 4.0)), elements=pl.Exact(3, order=3))
nudged = deploying.with_signals({"push/y": pl.Table([0.0, 0.1, 0.2, 5.0], [0.0, 0.2, 0.0, 0.0])})
motion = pl.transient(nudged, end_time=5.0, step=2.5e-3)
tip = motion.position.sel(marker="boom/tip")
right.plot(motion.time, 1e3 * tip.sel(axis="y"))
right.set(xlabel="time, s", ylabel="tip aside, mm", title="fed out by 1.2 m in 4 s after a push")
