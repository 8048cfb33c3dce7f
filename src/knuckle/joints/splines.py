"""Spline joints: control frames, of which the active ones follow the coordinate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from knuckle.joints.bsplines import cumulative, segment
from knuckle.joints.contact import bounded
from knuckle.joints.joint import Joint
from knuckle.joints.surfaces import patches
from knuckle.scalar import Number, lookup, tangents
from knuckle.spatial import SE3, Motion, Rx, Ry, Rz, Transform, Tx, Ty, Tz
from knuckle.spatial.linear import scale

Weights = Sequence[Number]
FAR = 3.0
"""Rotation [rad] between neighbours from which their order is ambiguous."""


def SplineCurve(frames: Sequence[Any], closed: bool = False, **physical: Any) -> Joint:
    """A cubic B-spline through the space of poses, q in [0, n - 3] (Sueda 2.67).

    pose = C_1 exp(D_2 b_2(q)) exp(D_3 b_3(q)) exp(D_4 b_4(q)), D_i = log(C_{i-1}^-1
    C_i), of the four control frames that are active at q; q = k is a knot. Beyond the
    ends the end segments go on; a closed curve has the period n. The trap: like any
    B-spline it passes near its control frames; ``Fitted`` passes through poses.
    """
    rows = segments(frames, closed)
    count = len(rows)

    def parts(q: Sequence[Number]) -> tuple[Sequence[Number], Weights]:
        i, u = segment(q[0], count, closed)
        return lookup(rows, i), cumulative(u)

    ends = (-np.inf, np.inf) if closed else (0.0, float(count))
    return through("SplineCurve", parts, ends, physical)


def segments(frames: Sequence[Any], closed: bool = False) -> list[list[float]]:
    """Row by row the first frame of a segment (R by rows, p) and its three twists."""
    poses = [SE3.from_any(frame) for frame in frames]
    if len(poses) < 4:
        raise ValueError(
            f"SplineCurve: {len(poses)} control frames, expected at least 4"
        )
    poses += poses[:3] if closed else []
    steps = [twist_between(a, b, k) for k, (a, b) in enumerate(zip(poses, poses[1:]))]
    rows = []
    for k, pose in enumerate(poses[:-3]):
        entries = [*(x for row in pose.R for x in row), *pose.p]
        rows.append([*entries, *(x for step in steps[k : k + 3] for x in step)])
    return [[float(x) for x in row] for row in rows]


def twist_between(a: SE3, b: SE3, k: int) -> tuple[float, ...]:
    """log(A^-1 B) of neighbours k and k + 1."""
    twist = (a.inverse() * b).log().entries
    turn = float(np.linalg.norm(twist[:3]))
    if not turn < FAR:
        raise ValueError(
            f"control frames {k} and {k + 1} are {turn:.3g} rad apart, expected less "
            f"than {FAR:g}, so that the way between them is clear; put one in between"
        )
    return twist


def through(
    name: str,
    parts: Callable[[Sequence[Number]], tuple[Sequence[Number], Weights]],
    ends: tuple[float, float],
    physical: dict[str, Any],
) -> Joint:
    """The joint of a row (first frame, three twists) and three weights at q."""

    def pose(q: Sequence[Number]) -> SE3:
        row, weights = parts(q)
        first = SE3((row[0:3], row[3:6], row[6:9]), row[9:12])
        for k, b in enumerate(weights):
            first = first * SE3.exp(scale(b, row[12 + 6 * k : 18 + 6 * k]))
        return first

    def subspace(q: Sequence[Number]) -> list[tuple[Number, ...]]:
        """S = sum_i Ad(tail_i^-1) D_i b_i' (Sueda, Algorithm 3)."""
        row, weights = parts(q)
        rates = tangents(weights, {q[0]: 1.0})
        S = Motion.zero()
        for k, (b, db) in enumerate(zip(weights, rates, strict=True)):
            twist = row[12 + 6 * k : 18 + 6 * k]
            X = Transform.from_pose(SE3.exp(scale(b, twist)))
            S = Motion.of(scale(db, twist)) + X @ S
        return [S.entries]

    given = bounded(name, ends[:1], ends[1:])
    return Joint(pose, 1, subspace=subspace, **{**given, **physical})


MOVES = (Tx, Ty, Tz, Rx, Ry, Rz)


def SplineSurface(values: Any, **physical: Any) -> Joint:
    """Tx Ty Tz Rx Ry Rz of six bicubic B-splines of q = (q1, q2) (Sueda 2.68-2.71).

    ``values`` (n, m, 6) holds x, y, z [m] and three angles [rad] at each control frame;
    the sixteen active ones follow q1 in [0, n - 3] and q2 in [0, m - 3], whose end
    segments go on beyond. What is zero everywhere costs nothing. The trap: the angles
    are Euler angles, so keep them small.
    """
    array = np.asarray(values, float)
    n, m = array.shape[:2] if array.ndim == 3 else (0, 0)
    if min(n, m) < 4 or array.shape[-1] != 6 or not np.isfinite(array).all():
        raise ValueError(
            f"SplineSurface: the values have shape {array.shape}, expected finite "
            "numbers (n, m, 6) with n and m at least 4"
        )
    used = [k for k in range(6) if array[..., k].any()]
    value = patches(array[..., used].tolist())

    def pose(q: Sequence[Number]) -> SE3:
        total = SE3()
        for k, x in zip(used, value(q[0], q[1]), strict=True):
            total = total * MOVES[k](x)
        return total

    given = bounded("SplineSurface", (0.0, 0.0), (n - 3.0, m - 3.0))
    return Joint(pose, 2, **{**given, **physical})
