"""A pair of which one has a small share, over the sizes of both: only the other was named, and the interval of this one
was wider than its size, silently.
"""

from __future__ import annotations

import numpy as np

from pliant_fit.identification.doubts import unknown


def test_both_are_named() -> None:
    """Stiffness and rest length of a spring under one load: the stiffness by 100 % and the length by 3 % cancel."""
    rows = np.outer(np.ones(9), [-0.03, 1.0]) * 1e4
    (found,) = unknown(rows, ["k", "l0"], 1.0, 2.0)
    assert set(found.parts) == {"k", "l0"}
    assert "k and l0 cannot be identified together" in found.words
    rows[:, 0] += np.linspace(0.0, 1e-3, 9) * 1e4  # other loads determine the length within its size, not the stiffness
    (found,) = unknown(rows, ["k", "l0"], 20.0, 2.0)
    assert set(found.parts) == {"k"}
