"""Alignment of a measurement with computed values: time shift by cross-correlation, frame by Procrustes rotation."""

from __future__ import annotations

import numpy as np

GRID = 800  # largest number of instants at which courses are correlated
COMMON = 0.5  # of the shorter course: least overlap of two courses
LIKELY, MOST = 0.6, 4  # of the highest peak: other candidates, and their number
TIE = 1e-6  # cost of a whole length of lag: of equal peaks, as in a steady oscillation, the nearest is taken


def delay(times: np.ndarray, measured: np.ndarray, at: np.ndarray, computed: np.ndarray) -> float:
    """Return the delay (s) of a measured course to a computed one, where their cross-correlation is largest.

    At every lag the overlap is compared, without its means, by ``2 cov / (var + var)``, which is 1 for equal courses
    and less for similar ones; the maximum between steps follows from a parabola.

    >>> t = np.linspace(0.0, 4.0, 400)
    >>> late = np.exp(-np.clip(t - 0.3, 0, None)) * np.where(t > 0.3, np.sin(9 * (t - 0.3)), 0.0)
    >>> round(delay(t, late, t, np.exp(-t) * np.sin(9 * t)), 3)
    0.3
    """
    return delays(times, measured, at, computed)[0]


def delays(times: np.ndarray, measured: np.ndarray, at: np.ndarray, computed: np.ndarray) -> list[float]:
    """Return all candidates for the delay, most likely first: peaks of the correlation not far below the highest, as
    for a vibration with unknown damping.
    """
    known = np.isfinite(measured)
    times, measured = times[known], measured[known]
    step = max(np.ptp(times), np.ptp(at)) / GRID
    step = max(step, min(np.min(np.diff(times)), np.min(np.diff(at))))
    theirs = np.interp(np.arange(times[0], times[-1] + 0.5 * step, step), times, measured)
    ours = np.interp(np.arange(at[0], at[-1] + 0.5 * step, step), at, computed)
    least = max(4, int(COMMON * min(theirs.size, ours.size)))
    lags = np.arange(least - ours.size, theirs.size - least + 1)
    score = np.array([_likeness(theirs, ours, int(lag)) for lag in lags])
    score = score - TIE * np.abs(lags * step + times[0] - at[0]) / (step * GRID)
    inner = np.flatnonzero((score[1:-1] >= score[:-2]) & (score[1:-1] >= score[2:])) + 1
    peaks = sorted({int(np.argmax(score)), *inner.tolist()}, key=lambda k: -score[k])
    likely = [k for k in peaks if score[k] >= LIKELY * score[peaks[0]]][:MOST]
    return [float((lags[k] + _between(score, k)) * step + times[0] - at[0]) for k in likely]


def _between(score: np.ndarray, k: int) -> float:
    """Return the top of the parabola through a peak and its neighbours, in steps from it."""
    if not 0 < k < score.size - 1:
        return 0.0
    below, here, above = score[k - 1 : k + 2]
    bend = below - 2.0 * here + above
    return float(0.5 * (below - above) / bend) if bend < 0.0 else 0.0


def _likeness(theirs: np.ndarray, ours: np.ndarray, lag: int) -> float:
    """Return the likeness of the overlap, the second course moved by ``lag`` steps."""
    begin, end = max(0, lag), min(theirs.size, ours.size + lag)
    a, b = theirs[begin:end], ours[begin - lag : end - lag]
    together = float(a.var() + b.var())
    return float(2.0 * np.mean((a - a.mean()) * (b - b.mean())) / together) if together > 0.0 else -1.0


def rigid(theirs: np.ndarray, ours: np.ndarray) -> np.ndarray:
    """Return the homogeneous matrix of the rigid motion that brings points (n, d) nearest to others: Kabsch, Acta
    Cryst. A32, 1976. Unknown points (NaN) are left out.

    >>> turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> rigid(points, points @ turn.T + [3.0, 4.0]).round(12).tolist()
    [[0.0, -1.0, 3.0], [1.0, 0.0, 4.0], [0.0, 0.0, 1.0]]
    """
    known = np.all(np.isfinite(theirs) & np.isfinite(ours), axis=1)
    a, b = theirs[known], ours[known]
    middle, target = a.mean(axis=0), b.mean(axis=0)
    u, _, vt = np.linalg.svd((b - target).T @ (a - middle))
    flip = np.ones(a.shape[1])
    flip[-1] = np.sign(np.linalg.det(u @ vt))
    turn = u @ np.diag(flip) @ vt
    found = np.eye(a.shape[1] + 1)
    found[:-1, :-1], found[:-1, -1] = turn, target - turn @ middle
    return found


def moved_by(numbers: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the homogeneous matrix of displacements and a rotation vector (in the plane dx, dy, angle).

    >>> moved_by(np.array([1.0, 2.0, np.pi / 2]), 2).round(12).tolist()
    [[0.0, -1.0, 1.0], [1.0, 0.0, 2.0], [0.0, 0.0, 1.0]]
    """
    found = np.eye(dimensions + 1)
    if dimensions == 2:
        c, s = np.cos(numbers[2]), np.sin(numbers[2])
        found[:2, :2] = [[c, -s], [s, c]]
    else:
        from scipy.spatial.transform import Rotation

        found[:3, :3] = Rotation.from_rotvec(numbers[3:]).as_matrix()
    found[:-1, -1] = numbers[:dimensions]
    return found


def numbers_of(matrix: np.ndarray) -> np.ndarray:
    """Return displacements and rotation vector (angle) of a homogeneous matrix.

    >>> numbers_of(moved_by(np.array([1.0, 2.0, 0.5]), 2)).tolist()
    [1.0, 2.0, 0.5]
    """
    if len(matrix) == 3:
        return np.append(matrix[:2, 2], np.arctan2(matrix[1, 0], matrix[0, 0]))
    from scipy.spatial.transform import Rotation

    return np.concatenate([matrix[:3, 3], Rotation.from_matrix(matrix[:3, :3]).as_rotvec()])
