"""A sleeve that throws out its rod

A rod bent by a force at its tip is pushed out of the sleeve that holds it, by M²/2EI: nobody pushes along the sleeve.
First the rod is driven to several lengths and the push read off its drive; then its carriage is let go.
"""

import matplotlib.pyplot as plt
import numpy as np

import pliant as pl
from pliant_gallery import fed_rod

system = pl.compile(fed_rod.model(), elements=pl.Exact(4, order=3))
figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
for fed in (-0.4, 0.0, 0.4, 0.8):
    rest = pl.statics(system.with_signals({"motor/x": fed}))
    push = -float(rest.reaction.sel(joint="motor", wrench="Fx"))
    moment = float(rest.reaction.sel(joint="weld ground(0, 0) - rod/base", wrench="M"))
    print(f"free length {1 + fed:.1f} m: push {push:.6f} N, M^2/2EI {0.5 * moment**2:.6f} N")
    line = rest.shape.values[rest.part.values == "rod"]
    left.plot(line[:, 0], line[:, 1], label=f"{1 + fed:.1f} m, {push:.3f} N")
left.set(xlabel="x, m", ylabel="y, m", title="driven: free length and push", aspect="equal")
left.legend()

free = pl.compile(fed_rod.model(feed=None), elements=pl.Exact(4, order=3))
motion = pl.transient(free, start=pl.statics(system), end_time=1.5, step=2e-3)
length = 1.0 + np.asarray(motion.position.sel(marker="carriage(0, 0)", axis="x"))
right.plot(motion.time, length)
right.set(xlabel="time, s", ylabel="free length, m", title="let go")
