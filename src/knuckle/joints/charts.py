"""Changing coordinates before they become singular, with the velocity carried over.

``reparameterize(q, v)`` returns other coordinates of the same pose and the rates that
mean the same twist; integrators apply it between steps. It is a pure function, so rows
of a batch change on their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from knuckle.joints.builtin import AXES, ROTATE, SphericalEuler
from knuckle.joints.joint import Joint
from knuckle.scalar import Number, absolute, cos, lookup, sin, where
from knuckle.spatial import SE3
from knuckle.spatial.euler import from_rotation
from knuckle.spatial.linear import (
    EYE3,
    Matrix,
    Vector,
    cross3,
    dot,
    matTvec,
    matvec,
    mul_rotations,
    sub,
    transpose,
)

Numbers = Sequence[Number]
Pair = tuple[Vector, Vector]
TURN = 2.0 * math.pi
FLAT = 0.5
"""Sine of the angle between the outer Euler axes below which the chart is changed."""


def SphericalEulerCharts(order: str = "zyx", **physical: Any) -> Joint:
    """R = C_k R_a(q0) R_b(q1) R_c(q2) [rad]; q3 = k is the chart, 0 or 1; v = qdot.

    C_0 is the identity, C_1 a quarter turn about the axis b, which carries the
    singular orientations of one chart to the best ones of the other. The chart is
    changed by ``reparameterize`` alone; it costs nothing in S.
    """
    SphericalEuler(order)  # checks the letters
    a, b, c = (ROTATE[letter] for letter in order)
    axis = [AXES[letter] for letter in order]
    proper = order[0] == order[2]
    table = [[x for row in R for x in row] for R in (EYE3, quarter_turn(order[1]))]

    def base(k: Number) -> tuple[Vector, ...]:
        row = lookup(table, k)
        return row[0:3], row[3:6], row[6:9]

    def rotation(q: Numbers) -> SE3:
        return a(q[0]) * b(q[1]) * c(q[2])

    def columns(q: Numbers) -> tuple[Vector, ...]:
        """The axes of the three rates in the successor frame."""
        after = b(q[1]) * c(q[2])
        return matTvec(after.R, axis[0]), matTvec(c(q[2]).R, axis[1]), axis[2]

    def angles(q: Numbers, k: Number) -> Vector:
        """The angles in chart k of the rotation at q."""
        back = tuple(zip(*base(k), strict=True))
        R = mul_rotations(base(q[3]), rotation(q).R)
        return from_rotation(order.upper(), mul_rotations(back, R))

    def difference(q0: Numbers, q1: Numbers) -> Vector:
        other = q0[3] != q1[3]
        there = zip(angles(q1, q0[3]), q1[:3], strict=True)
        return sub([where(other, x, y) for x, y in there], q0[:3])

    def reparameterize(q: Numbers, v: Numbers) -> Pair:
        flat = absolute(sin(q[1]) if proper else cos(q[1])) < FLAT
        k = 1.0 - q[3]
        moved = angles(q, k)
        rates = solve(columns(moved), matvec(transpose(columns(q)), v))
        place = [where(flat, x, y) for x, y in zip((*moved, k), q, strict=True)]
        return tuple(place), tuple(where(flat, x, y) for x, y in zip(rates, v))

    keywords = {"name": "SphericalEulerCharts", **physical}
    return Joint(
        lambda q: SE3(base(q[3])) * rotation(q),
        4,
        3,
        lambda q, v, dt: (*(x + dt * rate for x, rate in zip(q[:3], v)), q[3]),
        difference=difference,
        neutral=(0.0, -0.25 * TURN, 0.0, 1.0) if proper else (0.0,) * 4,
        normalize=lambda q: (*q[:3], where(q[3] < 0.5, 0.0, 1.0)),
        reparameterize=reparameterize,
        **keywords,
    )


def quarter_turn(letter: str) -> Matrix:
    """A rotation by 90 degrees about a coordinate axis, exactly."""
    R = ROTATE[letter](0.25 * TURN).R
    return tuple(tuple(float(round(x)) for x in row) for row in R)


def solve(columns: Sequence[Vector], w: Vector) -> Vector:
    """v with columns v = w, by Cramer's rule."""
    a, b, c = columns
    normals = cross3(b, c), cross3(c, a), cross3(a, b)
    factor = 1.0 / dot(a, normals[0])
    return tuple(factor * dot(n, w) for n in normals)
