"""The rotation group: exp, log, and the derivatives of exp, smooth at zero.

Every coefficient is a Stumpff function of t = |w|^2, so there is no branch and no
small-angle case.  The inverse Jacobian is singular only at |w| = 2 pi.
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, Scalar, sqrt, stumpff, where
from knuckle.spatial.linear import (
    EYE3,
    Matrix,
    Vector,
    dot,
    matadd,
    matmul,
    matscale,
    scale,
    skew,
)


def exp_so3(w: Sequence[Number]) -> Matrix:
    """R = exp(w x) = 1 + c1 w x + c2 (w x)^2, w a rotation vector [rad].

    Sueda (1.10), Liu & Jain (53).
    """
    t = dot(w, w)
    return _polynomial(w, stumpff(1, t), stumpff(2, t))


def log_so3(R: Matrix) -> Vector:
    """The rotation vector w with exp(w x) = R and |w| <= pi [rad].

    Accurate at 0 and at pi; at exactly pi either of the two vectors.
    """
    return log_quaternion(quaternion_of_rotation(R))


def left_jacobian_so3(w: Sequence[Number]) -> Matrix:
    """J with dR R^T = (J dw) x for R = exp(w x): 1 + c2 w x + c3 (w x)^2.

    Liu & Jain (54): the angular velocity in the parent frame.
    """
    t = dot(w, w)
    return _polynomial(w, stumpff(2, t), stumpff(3, t))


def right_jacobian_so3(w: Sequence[Number]) -> Matrix:
    """J with R^T dR = (J dw) x for R = exp(w x): the body angular velocity."""
    t = dot(w, w)
    return _polynomial(w, -stumpff(2, t), stumpff(3, t))


def left_jacobian_inverse_so3(w: Sequence[Number]) -> Matrix:
    """1 - w x / 2 + e (w x)^2 with e = (c3 - 2 c4) / (2 c2); singular at 2 pi."""
    return _polynomial(w, -0.5, half_cot(dot(w, w)))


def right_jacobian_inverse_so3(w: Sequence[Number]) -> Matrix:
    """1 + w x / 2 + e (w x)^2 with e = (c3 - 2 c4) / (2 c2); singular at 2 pi."""
    return _polynomial(w, 0.5, half_cot(dot(w, w)))


def half_cot(t: Number) -> Number:
    """e(t) = (1 - (x / 2) cot(x / 2)) / x^2 with x = sqrt t; 1/12 at 0."""
    return (stumpff(3, t) - 2.0 * stumpff(4, t)) / (2.0 * stumpff(2, t))


def _polynomial(w: Sequence[Number], a: Number, b: Number) -> Matrix:
    """1 + a w x + b (w x)^2."""
    W = skew(w)
    return matadd(EYE3, matadd(matscale(a, W), matscale(b, matmul(W, W))))


def quaternion_of_rotation(R: Matrix) -> Vector:
    """The unit quaternion (w, x, y, z) of a rotation matrix, w >= 0.

    Columns of 4 q q^T are linear in R; the one with the largest diagonal entry is
    normalised, so the single square root has an argument of at least 1.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    columns = (
        (1.0 + (xx + yy + zz), zy - yz, xz - zx, yx - xy),
        (zy - yz, 1.0 + (xx - yy - zz), yx + xy, xz + zx),
        (xz - zx, yx + xy, 1.0 + (yy - xx - zz), zy + yz),
        (yx - xy, xz + zx, zy + yz, 1.0 + (zz - xx - yy)),
    )
    best, size = columns[0], columns[0][0]
    for k in (1, 2, 3):
        better = columns[k][k] > size
        best = tuple(where(better, x, y) for x, y in zip(columns[k], best, strict=True))
        size = where(better, columns[k][k], size)
    sign = where(best[0] < 0.0, -1.0, 1.0)
    return scale(sign * 0.5 / sqrt(size), best)


def exp_quaternion(w: Sequence[Number]) -> Vector:
    """The unit quaternion of a rotation vector: (cos |w|/2, sin(|w|/2) w / |w|)."""
    t = 0.25 * dot(w, w)
    return (stumpff(0, t), *scale(0.5 * stumpff(1, t), w))


def log_quaternion(q: Sequence[Number]) -> Vector:
    """The rotation vector of a unit quaternion, |w| <= pi [rad]; q and -q agree.

    4 atan(|a|) a / |a| with a = v / (1 + w), the tangent of the quarter angle.
    """
    s = where(q[0] < 0.0, -1.0, 1.0)
    r = s / (1.0 + s * q[0])
    a = scale(r, q[1:])
    return scale(4.0 * atanc(dot(a, a)), a)


def atanc(x: Number) -> Number:
    """atan(sqrt x) / sqrt x for 0 <= x <= 1, smooth at 0.

    Three halvings of the angle bring the tangent below 0.1, where the series
    converges by two digits a term; no branch, so every derivative exists.
    """
    gain: Number = 1.0
    for _ in range(3):
        half = 1.0 / (1.0 + sqrt(1.0 + x))
        gain, x = 2.0 * gain * half, x * half * half
    return gain * _series(x)


def _series(x: Number) -> Number:
    """sum_k (-x)^k / (2 k + 1) for 0 <= x <= 0.01, to the precision of x."""
    terms = 10 if isinstance(x, (float, int, Scalar)) else 6 + _digits(x) // 2
    total: Number = 0.0
    for k in reversed(range(terms)):
        total = (x * 0.0 + 1.0) / (2 * k + 1) - x * total
    return total


def _digits(x: Number) -> int:
    return int(getattr(getattr(x, "context", None), "dps", 30))
