"""Euler angles in all 24 orders, named as SciPy names them.

Upper case is intrinsic (about the axes of the turning body), lower case extrinsic
(about fixed axes): with angles (a, b, c), 'XYZ' is Rx(a) Ry(b) Rz(c) and 'xyz' is
Rz(c) Ry(b) Rx(a).
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, atan2, sqrt
from knuckle.spatial.linear import Matrix, Vector
from knuckle.spatial.se3 import SE3

Axes = tuple[int, int, int]


def euler_pose(order: str, angles: Sequence[Number]) -> SE3:
    """The rotation with these angles [rad], as a product of elementary rotations."""
    axes = _axes(order)
    turns = list(zip(axes, angles, strict=True))
    if order.islower():
        turns.reverse()
    return SE3.of_factors([("R" + "xyz"[k], angle) for k, angle in turns])


def to_rotation(order: str, angles: Sequence[Number]) -> Matrix:
    """The rotation matrix of these angles [rad] (Liu & Jain 52)."""
    return euler_pose(order, angles).R


def from_rotation(order: str, R: Matrix) -> Vector:
    """The angles [rad] of a rotation matrix.

    The middle one is in [0, pi] for a proper order (ZXZ), in [-pi/2, pi/2] otherwise.
    At the ends of that range (gimbal lock) only the sum or difference of the other two
    is defined, and they come from atan2(0, 0) or rounding.
    """
    axes = _axes(order)
    if order.islower():
        return from_rotation(order[::-1].upper(), R)[::-1]
    i, j, k = axes
    if i == k:
        return _proper(i, j, R)
    s = _parity(i, j)
    length = sqrt(R[i][i] * R[i][i] + R[i][j] * R[i][j])
    first = atan2(-s * R[j][k], R[k][k])
    third = atan2(-s * R[i][j], R[i][i])
    return first, atan2(s * R[i][k], length), third


def _proper(i: int, j: int, R: Matrix) -> Vector:
    k = 3 - i - j
    s = _parity(i, j)
    length = sqrt(R[i][j] * R[i][j] + R[i][k] * R[i][k])
    first = atan2(R[j][i], -s * R[k][i])
    third = atan2(R[i][j], s * R[i][k])
    return first, atan2(length, R[i][i]), third


def _parity(i: int, j: int) -> float:
    return 1.0 if (j - i) % 3 == 1 else -1.0


def _axes(order: str) -> Axes:
    letters = order.lower()
    legal = len(order) == 3 and set(letters) <= set("xyz")
    legal = legal and (order.islower() or order.isupper())
    if not legal or letters[0] == letters[1] or letters[1] == letters[2]:
        raise ValueError(
            f"Euler order {order!r}: expected three letters of one case, 'XYZ' "
            "(turning axes) or 'xyz' (fixed axes), no axis twice in a row"
        )
    i, j, k = ("xyz".index(c) for c in letters)
    return i, j, k
