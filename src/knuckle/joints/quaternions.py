"""Unit quaternions (w, x, y, z) as coordinates of joints."""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, sqrt
from knuckle.spatial.linear import Matrix, Vector, dot, scale

Quaternion = Sequence[Number]


def rotation(q: Quaternion) -> Matrix:
    """R(q), successor to predecessor coordinates (the transpose of Featherstone 4.12)."""
    w, x, y, z = q
    a, b, c = 2.0 * x, 2.0 * y, 2.0 * z
    xx, yy, zz = a * x, b * y, c * z
    xy, xz, yz = a * y, a * z, b * z
    wx, wy, wz = a * w, b * w, c * w
    return (
        (1.0 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1.0 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


def product(p: Quaternion, q: Quaternion) -> Vector:
    """p q, the rotation of p after that of q."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def conjugate(q: Quaternion) -> Vector:
    """The inverse of a unit quaternion."""
    w, x, y, z = q
    return w, -x, -y, -z


def unit(q: Quaternion) -> Vector:
    """q / |q|."""
    return scale(1.0 / sqrt(dot(q, q)), q)
