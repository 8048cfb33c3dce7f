"""Joints that turn about or slide along an axis, and plain rotations about it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

from knuckle.scalar import Trace
from knuckle.spatial.linear import EYE3, Matrix, Vector, is_unit, is_zero

ROUNDING = 1e-14
"""Entries of products of rotations below this are meant to be zero."""


class Axis(NamedTuple):
    """The coordinate axis of a joint's core; `sign` where the core is a rotation by
    +-q, else 0."""

    k: int
    sign: float


@lru_cache(maxsize=1024)
def axis_of(joint: Any) -> Axis | None:
    """The axis about and along which a joint's core commutes with every screw."""
    trace = Trace()
    q = trace.inputs("q", joint.nq)
    R, p = joint.core_pose(q, trace.input("t") if joint.timed else None)
    for k in range(3):
        others = [j for j in range(3) if j != k]
        turns = all(is_zero(R[j][k]) for j in others) and is_unit(R[k][k])
        if turns and R[k][k] == 1.0 and all(is_zero(p[j]) for j in others):
            return Axis(k, _sign(joint, k) if is_zero(p[k]) else 0.0)
    return None


def _sign(joint: Any, k: int) -> float:
    """+-1 where the core is the rotation by +-q about axis k, else 0."""
    if joint.nq == joint.nv == 1 and not joint.timed and not joint.custom:
        R, _ = joint.core_pose((0.5,))
        for sign in (1.0, -1.0):
            other = rotation(k, 0.5 * sign)
            if all(math.dist(a, b) < 1e-15 for a, b in zip(R, other, strict=True)):
                return sign
    return 0.0


def rotation(k: int, angle: float) -> Matrix:
    """The rotation about coordinate axis k."""
    if not angle:
        return EYE3
    c, s = math.cos(angle), math.sin(angle)
    i, j = (k + 1) % 3, (k + 2) % 3
    rows = [[1.0 if a == b else 0.0 for b in range(3)] for a in range(3)]
    rows[i][i], rows[i][j], rows[j][i], rows[j][j] = c, -s, s, c
    return tuple(map(tuple, rows))


def entries_of(R: Matrix) -> int:
    """How many entries are neither 0 nor +-1: none, 4 about an axis, 8 or 9."""
    return sum(x not in (0.0, 1.0, -1.0) for row in R for x in row)


def snapped(R: Matrix) -> Matrix:
    """A rotation with what rounding keeps from 0 or +-1 made so."""
    return tuple(tuple(near(x) for x in row) for row in R)


def near(x: float) -> float:
    """x, or the whole number that it is but for rounding."""
    whole = float(round(x))
    return whole + 0.0 if abs(x - whole) < ROUNDING else x


def cleared(p: Vector) -> Vector:
    """A vector with entries that are rounding beside the others made zero."""
    least = ROUNDING * max(map(abs, p))
    return tuple(x if abs(x) > least else 0.0 for x in p)
