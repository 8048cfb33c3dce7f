"""Euler angles that change their chart before they become singular.

``reparameterize(q, v)`` returns other coordinates of the same pose and the rates that
mean the same twist; integrators apply it between steps. It is a pure function, so rows
of a batch change on their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
QUARTER = 0.5 * math.pi
FLAT = 0.5
"""Sine of the angle between the outer Euler axes below which the chart is changed."""


def SphericalEulerCharts(order: str = "zyx", **physical: Any) -> Joint:
    """R = C_k R_a(q0) R_b(q1) R_c(q2) [rad]; q3 = k is the chart, 0 or 1; v = qdot.

    C_0 is the identity, C_1 a quarter turn about the axis b, which carries the
    singular orientations of one chart to the best ones of the other. The chart is
    changed by ``reparameterize`` alone; it costs nothing in S.
    """
    SphericalEuler(order)  # checks the letters
    charts = _Charts(order)
    return Joint(
        lambda q: SE3(charts.base(q[3])) * charts.rotation(q),
        4,
        3,
        lambda q, v, dt: (*(x + dt * rate for x, rate in zip(q[:3], v)), q[3]),
        difference=charts.difference,
        neutral=(0.0, -QUARTER, 0.0, 1.0) if charts.proper else (0.0,) * 4,
        normalize=lambda q: (*q[:3], where(q[3] < 0.5, 0.0, 1.0)),
        reparameterize=charts.reparameterize,
        **{"name": "SphericalEulerCharts", **physical},
    )


@dataclass(frozen=True)
class _Charts:
    """Two charts of Euler angles in one order."""

    order: str

    @property
    def proper(self) -> bool:
        """Whether the outer axes are the same, so that they align at q1 = 0."""
        return self.order[0] == self.order[2]

    def base(self, k: Number) -> Matrix:
        """C_k."""
        table = [[x for row in R for x in row] for R in (EYE3, self._quarter_turn())]
        row = lookup(table, k)
        return row[0:3], row[3:6], row[6:9]

    def _quarter_turn(self) -> Matrix:
        """The rotation by 90 degrees about the middle axis, exactly."""
        R = ROTATE[self.order[1]](QUARTER).R
        return tuple(tuple(float(round(x)) for x in row) for row in R)

    def rotation(self, q: Numbers) -> SE3:
        """The product of the three turns."""
        pose = SE3()
        for letter, angle in zip(self.order, q[:3], strict=True):
            pose = pose * ROTATE[letter](angle)
        return pose

    def axes(self, q: Numbers) -> tuple[Vector, Vector, Vector]:
        """The axes of the three rates in the successor frame: the columns of S."""
        a, b, c = (AXES[letter] for letter in self.order)
        last = ROTATE[self.order[2]](q[2])
        return (
            matTvec((ROTATE[self.order[1]](q[1]) * last).R, a),
            matTvec(last.R, b),
            c,
        )

    def angles(self, q: Numbers, k: Number) -> Vector:
        """The angles in chart k of the rotation at q."""
        R = mul_rotations(self.base(q[3]), self.rotation(q).R)
        back = transpose(self.base(k))
        return from_rotation(self.order.upper(), mul_rotations(back, R))

    def difference(self, q0: Numbers, q1: Numbers) -> Vector:
        """The way from q0 to q1 in the chart of q0."""
        other = q0[3] != q1[3]
        there = zip(self.angles(q1, q0[3]), q1[:3], strict=True)
        return sub([where(other, x, y) for x, y in there], q0[:3])

    def reparameterize(self, q: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
        """The other chart where this one is flat; v = S'^-1 S v."""
        flat = absolute(sin(q[1]) if self.proper else cos(q[1])) < FLAT
        k = 1.0 - q[3]
        moved = self.angles(q, k)
        rates = solve(self.axes(moved), matvec(transpose(self.axes(q)), v))
        places = zip((*moved, k), q, strict=True)
        speeds = zip(rates, v, strict=True)
        return (
            [where(flat, x, y) for x, y in places],
            [where(flat, x, y) for x, y in speeds],
        )


def solve(columns: Sequence[Vector], w: Vector) -> Vector:
    """v with columns v = w, by Cramer's rule."""
    a, b, c = columns
    normals = cross3(b, c), cross3(c, a), cross3(a, b)
    factor = 1.0 / dot(a, normals[0])
    return tuple(factor * dot(n, w) for n in normals)
