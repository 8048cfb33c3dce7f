"""Quaternions w, x, y, z and rotations over batches of NumPy arrays."""

from __future__ import annotations

import numpy as np

from knuckle.spatial.so3 import quaternion_of_rotation

Array = np.ndarray


def transposed(T: Array) -> Array:
    return np.swapaxes(T, -1, -2)


def skew(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def quaternion(R: Array) -> Array:
    q = [float(x) for x in quaternion_of_rotation(tuple(map(tuple, R.tolist())))]
    return np.array(q)


def conjugate(q: Array) -> Array:
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def times(a: Array, b: Array) -> Array:
    """The product of quaternions w, x, y, z."""
    w = a[..., 0] * b[..., 0] - np.sum(a[..., 1:] * b[..., 1:], axis=-1)
    crossed = np.cross(a[..., 1:], b[..., 1:])
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + crossed
    return np.concatenate([w[..., None], v], axis=-1)


def rotated(q: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", rotation(q), x)


def rotation(q: Array) -> Array:
    """The rotation of a unit quaternion, column by column."""
    w, v = q[..., :1], q[..., 1:]
    columns = [
        e + 2.0 * np.cross(v, np.cross(v, e) + w * e) for e in np.eye(3, dtype=q.dtype)
    ]
    return np.stack(columns, axis=-1)
