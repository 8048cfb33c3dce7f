"""Unit quaternions (w, x, y, z): product, rotation matrix, exp and log.

Dynamics never normalises a quaternion; only ``normalized`` does.
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, atan2, sqrt
from knuckle.spatial.linear import Matrix, Vector, dot, neg, scale
from knuckle.spatial.so3 import exp_quaternion, log_quaternion, quaternion_of_rotation

IDENTITY: Vector = (1.0, 0.0, 0.0, 0.0)


def multiply(a: Sequence[Number], b: Sequence[Number]) -> Vector:
    """a b, so that R(a b) = R(a) R(b); 16m + 12a."""
    s, x, y, z = a
    t, u, v, w = b
    return (
        s * t - x * u - y * v - z * w,
        s * u + x * t + y * w - z * v,
        s * v + y * t + z * u - x * w,
        s * w + z * t + x * v - y * u,
    )


def conjugate(q: Sequence[Number]) -> Vector:
    """(w, -x, -y, -z), the inverse of a unit quaternion."""
    return (q[0], *neg(q[1:]))


def normalized(q: Sequence[Number]) -> Vector:
    """q / |q|."""
    return scale(1.0 / sqrt(dot(q, q)), q)


def to_rotation(q: Sequence[Number]) -> Matrix:
    """The rotation matrix of a unit quaternion, body to parent coordinates.

    Each diagonal entry is 1 - 2 (two squares): exact at the identity, a rotation only
    if |q| = 1.
    """
    w, x, y, z = q
    a, b, c = x + x, y + y, z + z
    xx, yy, zz = a * x, b * y, c * z
    xy, xz, yz = a * y, a * z, b * z
    wx, wy, wz = a * w, b * w, c * w
    return (
        (1.0 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1.0 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


def from_rotation(R: Matrix) -> Vector:
    """The unit quaternion of a rotation matrix with w >= 0, without branches."""
    return quaternion_of_rotation(R)


def exp(w: Sequence[Number]) -> Vector:
    """The unit quaternion of a rotation vector [rad], smooth at 0."""
    return exp_quaternion(w)


def log(q: Sequence[Number]) -> Vector:
    """The rotation vector of a unit quaternion, at most pi long [rad]."""
    return log_quaternion(q)


def rate(q: Sequence[Number], w: Sequence[Number]) -> Vector:
    """dq/dt = q (0, w) / 2 for the body angular velocity w [rad/s]; keeps |q|."""
    return scale(0.5, multiply(q, (0.0, *w)))


def from_axis_angle(axis: Sequence[Number], angle: Number) -> Vector:
    """The unit quaternion of a rotation by ``angle`` [rad] about a unit axis."""
    return exp_quaternion(scale(angle, axis))


def to_axis_angle(q: Sequence[Number]) -> tuple[Vector, Number]:
    """(axis, angle) with angle in [0, 2 pi]; the axis is undefined at q = 1."""
    length = sqrt(dot(q[1:], q[1:]))
    return scale(1.0 / length, q[1:]), 2.0 * atan2(length, q[0])
