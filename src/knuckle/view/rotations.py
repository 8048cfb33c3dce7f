"""Rotations as viewers want them: arrays of unit quaternions w, x, y, z."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def quaternions(R: Array) -> Array:
    """Unit quaternions (..., 4) of rotations (..., 3, 3).

    4 q q^T has its largest diagonal entry in the column that is divided by the least
    rounding.
    """
    R = np.asarray(R, float)
    x, y, z = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = (R[..., i, j] - R[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    d, e, f = (R[..., i, j] + R[..., j, i] for i, j in ((1, 0), (2, 0), (2, 1)))
    outer = np.stack(
        [1 + x + y + z, a, b, c,
         a, 1 + x - y - z, d, e,
         b, d, 1 - x + y - z, f,
         c, e, f, 1 - x - y + z], axis=-1,
    ).reshape(*R.shape[:-2], 4, 4)  # fmt: skip
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def continuous(q: Array) -> Array:
    """The signs of (steps, ..., 4) chosen so that neighbours in time lie close."""
    turned = np.sum(q[1:] * q[:-1], axis=-1, keepdims=True) < 0.0
    signs = np.cumprod(np.where(turned, -1.0, 1.0), axis=0)
    return np.concatenate([q[:1], q[1:] * signs])


def towards(direction: Array) -> Array:
    """A rotation whose z axis is this direction."""
    z = np.asarray(direction, float) / np.linalg.norm(direction)
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)
