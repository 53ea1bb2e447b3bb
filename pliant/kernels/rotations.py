"""Rotations in numpy, any number at once: unit quaternions (w, x, y, z), matrices, rotation vectors."""

from __future__ import annotations

import numpy as np


def product(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """R(p) R(r)."""
    p, r = np.asarray(p, float), np.asarray(r, float)
    w = p[..., :1] * r[..., :1] - np.sum(p[..., 1:] * r[..., 1:], axis=-1, keepdims=True)
    v = p[..., :1] * r[..., 1:] + r[..., :1] * p[..., 1:] + np.cross(p[..., 1:], r[..., 1:])
    return np.concatenate(np.broadcast_arrays(w, v[..., :1], v[..., 1:2], v[..., 2:]), axis=-1)


def inverse(p: np.ndarray) -> np.ndarray:
    """R(p)^T."""
    return np.asarray(p, float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(p: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(p) v."""
    p = np.asarray(p, float)
    across = 2.0 * np.cross(p[..., 1:], v)
    return np.asarray(v + p[..., :1] * across + np.cross(p[..., 1:], across))


def exponential(v: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors."""
    v = np.asarray(v, float)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * v], axis=-1)


def logarithm(p: np.ndarray) -> np.ndarray:
    """Rotation vectors, at most half a turn long."""
    p = np.asarray(p, float)
    p = np.where(p[..., :1] < 0.0, -p, p)
    size = np.linalg.norm(p[..., 1:], axis=-1, keepdims=True)
    small = size < 1e-8
    factor = np.where(small, 2.0, 2.0 * np.arctan2(size, p[..., :1]) / np.where(small, 1.0, size))
    return np.asarray(factor * p[..., 1:])


def matrix(p: np.ndarray) -> np.ndarray:
    """Rotation matrices, (..., 3, 3)."""
    return np.stack([rotate(p, axis) for axis in np.eye(3)], axis=-1)


def quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternion, w >= 0, of one rotation matrix: the eigenvector that fits it best (Bar-Itzhack 2000)."""
    R = np.asarray(R, float)
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = skew
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    p = np.linalg.eigh(K)[1][:, -1]
    return np.asarray(p if p[0] >= 0.0 else -p)
