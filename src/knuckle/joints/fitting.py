"""Joints from tables: a smooth motion through measured poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from knuckle.joints.joint import Joint
from knuckle.joints.splines import segments, through, twist_between
from knuckle.scalar import Number, floor, lookup, maximum, minimum, repeat, where
from knuckle.spatial import SE3

Array = np.ndarray
ROUNDS, CLOSE = 200, 1e-12
"""Newton steps, and how far (rad, or of the largest distance) a pose may be missed."""


def Fitted(q: Sequence[float], poses: Sequence[Any], **physical: Any) -> Joint:
    """The C2 motion through poses[k] at q[k]: suspensions, knees, whatever is measured.

    A cumulative cubic B-spline on the group with its knots at q, which may lie at any
    increasing distances; at both ends the motion is straight (zero second derivative),
    and beyond them the end segments go on. Inside, the error falls with the third
    power of the distance of the poses. The trap: it oscillates, as any interpolation
    does, where the table is noisy.
    """
    knots = _knots(q)
    targets = [SE3.from_any(pose) for pose in poses]
    if len(targets) != len(knots):
        raise ValueError(
            f"Fitted: {len(targets)} poses for {len(knots)} values of q, expected one "
            "pose for each"
        )
    weights = weight_table(knots)
    frames = _controls(_Places.of(knots, weights), targets)
    rows = [[*a, *b] for a, b in zip(segments(frames), weights, strict=True)]

    def parts(q: Sequence[Number]) -> tuple[Sequence[Number], list[Number]]:
        row = lookup(rows, _segment(knots, q[0]))
        u = q[0] - row[30]
        return row, [_horner(row[31 + 4 * k : 35 + 4 * k], u) for k in range(3)]

    return through("Fitted", parts, (float(knots[0]), float(knots[-1])), physical)


def _knots(q: Sequence[float]) -> Array:
    knots = np.asarray(q, float)
    rising = knots.ndim == 1 and len(knots) >= 2 and bool((np.diff(knots) > 0.0).all())
    if not rising or not np.isfinite(knots).all():
        raise ValueError(
            f"Fitted: q is {knots.tolist()}, expected at least two finite numbers in "
            "increasing order"
        )
    return knots


def _segment(knots: Array, q: Number) -> Number:
    """The number of the last inner knot not above q, from 0."""
    inner, step = len(knots) - 1, float(knots[1] - knots[0])
    if np.allclose(np.diff(knots), step, rtol=1e-12, atol=0.0):
        place = (q - float(knots[0])) / step
        return minimum(maximum(floor(place), 0.0), inner - 1.0)
    table = [-math.inf, *knots[1:-1].tolist()]
    table += [math.inf] * (2 ** (inner - 1).bit_length() - inner)
    size = len(table) // 2

    def halve(low: Number, half: Number) -> tuple[Number, Number]:
        higher = q >= lookup(table, low + half)
        return where(higher, low + half, low), 0.5 * half

    return repeat(halve, (0.0, float(size)), size.bit_length())[0] if size else 0.0


def weight_table(knots: Array) -> list[list[float]]:
    """Row by row the start of a segment and the cubics of its cumulative weights.

    Weight k is that of control k + 1 of four and of all after it, by powers of q less
    the start; beyond the ends the knots go on as in a mirror.
    """
    t = _extended(knots)
    rows = []
    for i in range(3, len(t) - 4):
        active = [_bspline(t, k, i) for k in range(i - 3, i + 1)]
        sums = np.cumsum(active[::-1], axis=0)[::-1][1:]
        rows.append([float(t[i]), *(float(x) for x in sums.ravel())])
    return rows


def _extended(knots: Array) -> Array:
    """Three knots more on either side, mirrored as far as there are any."""
    steps = np.diff(knots)
    before = [steps[min(k, len(steps) - 1)] for k in range(3)]
    after = [steps[-1 - min(k, len(steps) - 1)] for k in range(3)]
    low, high = knots[0] - np.cumsum(before), knots[-1] + np.cumsum(after)
    return np.concatenate([low[::-1], knots, high])


def _bspline(t: Array, k: int, i: int, degree: int = 3) -> Array:
    """The cubic that the B-spline of knots t_k ... is between t_i and t_{i+1}, by
    powers of q - t_i (de Boor's recursion)."""
    if degree == 0:
        return np.array([1.0, 0.0, 0.0, 0.0]) * (k == i)
    total = np.zeros(4)
    for start, sign in ((k, 1.0), (k + 1, -1.0)):
        width = t[start + degree] - t[start]
        edge = t[start] if sign > 0 else t[start + degree]
        line = sign * np.array([t[i] - edge, 1.0]) / width
        total += np.convolve(line, _bspline(t, start, i, degree - 1))[:4]
    return total


@dataclass(frozen=True)
class _Places:
    """Where the knots lie: segment and weights of each, and how the ends go on."""

    segments: tuple[int, ...]
    weights: Array
    ends: tuple[float, float]

    @staticmethod
    def of(knots: Array, table: Sequence[Sequence[float]]) -> _Places:
        t, last = _extended(knots), len(table) - 1
        chosen = tuple(min(k, last) for k in range(len(knots)))
        weights = [
            [
                _horner(table[i][1 + 4 * m : 5 + 4 * m], q - table[i][0])
                for m in range(3)
            ]
            for i, q in zip(chosen, knots.tolist(), strict=True)
        ]
        g = [float(t[k + 1 : k + 4].mean()) for k in range(len(t) - 4)]
        before = (g[1] - g[0]) / (g[2] - g[1])
        after = (g[-1] - g[-2]) / (g[-2] - g[-3])
        return _Places(chosen, np.array(weights), (before, after))

    def slope(self) -> Array:
        """d(pose at knot k) / d(control j) in a vector space, ends eliminated."""
        n = len(self.segments)
        A = np.zeros((n, n + 2))
        for k, (i, (a, b, c)) in enumerate(zip(self.segments, self.weights)):
            A[k, i : i + 4] += (1.0 - a, a - b, b - c, c)
        low, high = self.ends
        A[:, 1] += (1.0 + low) * A[:, 0]
        A[:, 2] -= low * A[:, 0]
        A[:, -2] += (1.0 + high) * A[:, -1]
        A[:, -3] -= high * A[:, -1]
        return A[:, 1:-1]

    def with_ends(self, inner: Sequence[SE3]) -> list[SE3]:
        """One control more at either end, straight on from the two nearest."""
        first = twist_between(inner[1], inner[0], 0)
        last = twist_between(inner[-2], inner[-1], len(inner) - 2)
        before = inner[0] * SE3.exp([self.ends[0] * x for x in first])
        after = inner[-1] * SE3.exp([self.ends[1] * x for x in last])
        return [_plain(before), *inner, _plain(after)]

    def poses(self, frames: Sequence[SE3]) -> list[SE3]:
        """The poses of the spline at the knots."""
        steps = [twist_between(a, b, k) for k, (a, b) in enumerate(pairwise(frames))]
        found = []
        for i, weights in zip(self.segments, self.weights.tolist(), strict=True):
            pose = frames[i]
            for twist, b in zip(steps[i : i + 3], weights, strict=True):
                pose = pose * SE3.exp([b * x for x in twist])
            found.append(pose)
        return found


def _controls(places: _Places, targets: Sequence[SE3]) -> list[SE3]:
    """The control frames, one more at either end, by Newton's rule on the group.

    The matrix of the rule is that of interpolation in a vector space.
    """
    slope, inner, miss = places.slope(), list(targets), np.array(np.pi)
    size = max(1.0, *(abs(x) for target in targets for x in target.p))
    for _ in range(ROUNDS):
        try:
            reached = places.poses(places.with_ends(inner))
        except ValueError:  # two neighbours half a turn apart
            break
        pairs = zip(reached, targets, strict=True)
        miss = np.array([(a.inverse() * b).log().entries for a, b in pairs])
        if np.abs(miss).max() < CLOSE * size:
            return places.with_ends(inner)
        steps = np.linalg.solve(slope, miss).tolist()
        inner = [
            _plain(frame * SE3.exp(step))
            for frame, step in zip(inner, steps, strict=True)
        ]
    raise ValueError(
        f"Fitted: no motion through the poses was found, the best misses them by "
        f"{np.abs(miss).max():.3g} (rad or m); take more poses, closer together"
    )


def _plain(pose: SE3) -> SE3:
    """The pose multiplied out."""
    return SE3(pose.R, pose.p)


def _horner(coefficients: Sequence[Number], u: Number) -> Number:
    """c_0 + c_1 u + c_2 u^2 + c_3 u^3."""
    a, b, c, d = coefficients
    return a + u * (b + u * (c + u * d))
