"""Surfaces in space, each with a frame on its tangent plane: z along the normal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from knuckle.joints.bsplines import Weights, cubic, quartic, segment
from knuckle.joints.curves import Points, bernstein, blend, control_points, unit
from knuckle.joints.tracing import number
from knuckle.scalar import Number, Program, Trace, cos, lookup, sin, tangents
from knuckle.spatial import SE3, Ry, Rz, Tx, Ty, Tz
from knuckle.spatial.linear import Vector, cross3, transpose

Pair = tuple[float, float]
ANYWHERE = (-math.inf, -math.inf), (math.inf, math.inf)


@dataclass(frozen=True)
class Surface:
    """frame(u, v): x along dp/du, z along the normal dp/du x dp/dv, origin on it.

    ``lower`` and ``upper`` bound the parameters; beyond them the surface goes on.
    """

    frame: Callable[[Number, Number], SE3]
    lower: Pair = ANYWHERE[0]
    upper: Pair = ANYWHERE[1]

    def point(self, u: Number, v: Number) -> Vector:
        """The point at the parameters (u, v) [m]."""
        return self.frame(u, v).p


def surface(
    point: Callable[[Number, Number], Sequence[Number]],
    lower: Pair = ANYWHERE[0],
    upper: Pair = ANYWHERE[1],
) -> Surface:
    """Any surface point(u, v) [m]; tangents and normal are derived.

    The trap: no frame exists at a pole, where dp/du or dp/dv vanishes.
    """
    trace = Trace()
    u, v = trace.input("u"), trace.input("v")
    p = tuple(number(x) for x in point(u, v))
    flat = [*p, *tangents(p, {u: 1.0}), *tangents(p, {v: 1.0})]
    program = Program.of(flat, ["u", "v"])

    def frame(u: Number, v: Number) -> SE3:
        values = program(u, v)
        along, across = values[3:6], values[6:]
        return _frame(values[:3], along, cross3(along, across))

    return Surface(frame, lower, upper)


def _frame(p: Vector, along: Vector, normal: Vector) -> SE3:
    x, z = unit(along), unit(normal)
    return SE3(transpose((x, cross3(z, x), z)), p)


EAST_NORTH_OUT = SE3(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""From the axes (out, east, north) to a frame (east, north, out)."""


def plane() -> Surface:
    """The plane z = 0, by x and y [m]; its frame keeps its axes."""
    return Surface(lambda u, v: Tx(u) * Ty(v))


def sphere(radius: float) -> Surface:
    """By longitude u and latitude v [rad]; the normal points outwards.

    The trap: u and v do the same at the poles v = +-pi/2.
    """
    return Surface(lambda u, v: Rz(u) * Ry(-v) * Tx(radius) * EAST_NORTH_OUT)


def torus(major: float, minor: float) -> Surface:
    """By the angles u about z and v about the ring [rad]; the normal points out."""
    return Surface(lambda u, v: Rz(u) * Tx(major) * Ry(-v) * Tx(minor) * EAST_NORTH_OUT)


def cylinder(radius: float) -> Surface:
    """By the angle u about z [rad] and the height v [m]; the normal points out."""
    return Surface(lambda u, v: Rz(u) * Tz(v) * Tx(radius) * EAST_NORTH_OUT)


def ellipsoid(a: float, b: float, c: float) -> Surface:
    """(a cos v cos u, b cos v sin u, c sin v), semi-axes in [m]; the normal points out.

    The trap: u and v do the same at the poles v = +-pi/2.
    """

    def frame(u: Number, v: Number) -> SE3:
        p = (a * cos(v) * cos(u), b * cos(v) * sin(u), c * sin(v))
        normal = (cos(v) * cos(u) / a, cos(v) * sin(u) / b, sin(v) / c)
        return _frame(p, (-a * sin(u), b * cos(u), 0.0), normal)

    return Surface(frame)


def bezier(points: Points) -> Surface:
    """The Bezier surface of control points (n, m, 3), for u and v in [0, 1]."""
    rows = control_points("bezier", points, 3, 2)

    def point(u: Number, v: Number) -> Vector:
        across = bernstein(len(rows[0]) - 1, v)
        return blend(bernstein(len(rows) - 1, u), [blend(across, row) for row in rows])

    return surface(point, (0.0, 0.0), (1.0, 1.0))


def spline(points: Points) -> Surface:
    """The uniform biquartic B-spline of points (n, m, 3), n and m at least 5.

    u runs in [0, n - 4], v in [0, m - 4]; the twenty-five active points follow.
    Quartic, because a body on the tangent plane is twice differentiable then.
    """
    rows = control_points("spline", points, 3, 5)
    ends = len(rows) - 4.0, len(rows[0]) - 4.0
    return surface(patches(rows, quartic), (0.0, 0.0), ends)


def patches(
    rows: Sequence[Sequence[Sequence[float]]],
    weights: Callable[[Number], Weights] = cubic,
) -> Callable[[Number, Number], Vector]:
    """f(u, v) = b(u)^T C b(v) for each of the numbers at the control points (2.68).

    The table holds the neighbours along v in each row, so one row is looked up for
    each active place along u.
    """
    width, size = len(weights(0.0)), len(rows[0][0])
    n, m = len(rows) - width + 1, len(rows[0]) - width + 1
    table = [
        [x for entry in row[k : k + width] for x in entry]
        for row in rows
        for k in range(m)
    ]

    def value(u: Number, v: Number) -> Vector:
        (i, s), (k, t) = segment(u, n), segment(v, m)
        across, found = weights(t), []
        for a in range(width):
            row = lookup(table, (i + a) * m + k)
            found.append(blend(across, [row[size * b :][:size] for b in range(width)]))
        return blend(weights(s), found)

    return value
