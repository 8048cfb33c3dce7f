"""Curves in space, each with a frame that follows it: x along the tangent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.joints.bsplines import quartic, segment
from knuckle.joints.tracing import number
from knuckle.scalar import Number, Program, Scalar, Trace, lookup, sqrt, tangents
from knuckle.spatial import SE3, Rz, Tx, Tz
from knuckle.spatial.linear import Vector, add, cross3, dot, scale, sub, transpose

Points = Any
"""An array (..., 3) of control points [m]."""


@dataclass(frozen=True)
class Curve:
    """frame(s): x along the tangent, z as near to ``up`` as that allows, origin on it.

    ``lower`` and ``upper`` bound the parameter; beyond them the curve goes on.
    """

    frame: Callable[[Number], SE3]
    lower: float = -math.inf
    upper: float = math.inf

    def point(self, s: Number) -> Vector:
        """The point at the parameter s [m]."""
        return self.frame(s).p


def curve(
    point: Callable[[Number], Sequence[Number]],
    up: Sequence[float] = (0.0, 0.0, 1.0),
    lower: float = -math.inf,
    upper: float = math.inf,
) -> Curve:
    """Any curve point(s) [m]; the tangent is derived.

    The trap: no frame exists where the curve stops or its tangent is parallel to
    ``up``.
    """
    trace = Trace()
    s = trace.input("s")
    p = tuple(number(x) for x in point(s))
    program = Program.of([*p, *tangents(p, {s: 1.0})], ["s"])

    def frame(s: Number) -> SE3:
        values = program(s)
        return tangent_frame(values[:3], values[3:], up)

    return Curve(frame, lower, upper)


def tangent_frame(p: Vector, tangent: Vector, up: Sequence[Number]) -> SE3:
    """The frame at p with x along the tangent and z next to up."""
    x = unit(tangent)
    across = sub(up, scale(dot(up, x), x))
    if not any(isinstance(a, Scalar) for a in across) and dot(across, across) < 1e-20:
        raise ValueError(
            f"the tangent is parallel to up = {tuple(up)}, so that the frame has no "
            "z axis; give another up="
        )
    z = unit(across)
    return SE3(transpose((x, cross3(z, x), z)), p)


def unit(a: Sequence[Number]) -> Vector:
    """a / |a|."""
    return scale(1.0 / sqrt(dot(a, a)), a)


def line(direction: Sequence[float] = (1.0, 0.0, 0.0)) -> Curve:
    """The line s * direction; its frame stands still."""
    d = np.asarray(direction, float)
    up = (0.0, 0.0, 1.0) if abs(d[2]) < 0.9 * np.linalg.norm(d) else (1.0, 0.0, 0.0)
    return curve(lambda s: [float(x) * s for x in d], up)


def circle(radius: float) -> Curve:
    """The circle of this radius [m] about z in x-y, by the angle s [rad]."""
    return helix(radius, 0.0)


def helix(radius: float, pitch: float) -> Curve:
    """radius * (cos s, sin s) and pitch * s along z [m, m/rad].

    x of the frame runs along the tangent, y points to the axis.
    """
    level = SE3(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    tilt = math.atan2(pitch, radius)
    c, s = math.cos(tilt), math.sin(tilt)
    climb = SE3(((c, 0.0, -s), (0.0, 1.0, 0.0), (s, 0.0, c)))
    ends = level * climb if pitch else level
    return Curve(lambda a: Rz(a) * Tz(pitch * a) * Tx(radius) * ends)


def bezier(points: Points, up: Sequence[float] = (0.0, 0.0, 1.0)) -> Curve:
    """The Bezier curve of n control points (n, 3), of degree n - 1, for s in [0, 1]."""
    rows = control_points("bezier", points, 2, 2)
    return curve(lambda s: blend(bernstein(len(rows) - 1, s), rows), up, 0.0, 1.0)


def spline(
    points: Points, up: Sequence[float] = (0.0, 0.0, 1.0), closed: bool = False
) -> Curve:
    """The uniform quartic B-spline of n >= 5 points (n, 3), for s in [0, n - 4].

    Closed, it runs past all points again and again, with period n. Quartic, because a
    body that follows the tangent is twice differentiable then.
    """
    rows = control_points("spline", points, 2, 5)
    count = len(rows) if closed else len(rows) - 4
    wrapped = [*rows, *rows[:4]]
    table = [[x for p in wrapped[k : k + 5] for x in p] for k in range(count)]

    def point(s: Number) -> Vector:
        i, u = segment(s, count, closed)
        row = lookup(table, i)
        return blend(quartic(u), [row[3 * k : 3 * k + 3] for k in range(5)])

    ends = (-math.inf, math.inf) if closed else (0.0, float(count))
    return curve(point, up, *ends)


def blend(weights: Sequence[Number], rows: Sequence[Sequence[Number]]) -> Vector:
    """sum_k weights_k rows_k."""
    total = scale(weights[0], rows[0])
    for w, row in zip(weights[1:], rows[1:], strict=True):
        total = add(total, scale(w, row))
    return total


def bernstein(degree: int, s: Number) -> list[Number]:
    """The Bernstein polynomials binomial(n, k) s^k (1 - s)^(n - k)."""
    up: list[Number] = [1.0]
    down: list[Number] = [1.0]
    for _ in range(degree):
        up.append(up[-1] * s)
        down.append(down[-1] * (1.0 - s))
    return [
        math.comb(degree, k) * (up[k] * down[degree - k]) for k in range(degree + 1)
    ]


def control_points(name: str, points: Points, ndim: int, least: int) -> Any:
    """The points as nested lists of floats, checked."""
    array = np.asarray(points, float)
    short = array.ndim != ndim or min(array.shape[:-1], default=0) < least
    if short or array.shape[-1] != 3:
        shape = ", ".join(["n", "m"][: ndim - 1])
        raise ValueError(
            f"{name}: the control points have shape {array.shape}, expected "
            f"({shape}, 3) with at least {least} in each direction"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: the control points are not all finite")
    return array.tolist()
