"""The ten moments of a mass: m, h = sum of dm r, Sigma = sum of dm r r^T.

In them what a joint does not feel is a subset of the entries, and an inertia that moves
along or about an axis changes few of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from knuckle.model.axes import cleared
from knuckle.scalar import Trace
from knuckle.spatial import Inertia
from knuckle.spatial.linear import Vector, is_zero

Unfelt = tuple[bool, ...]
PLACES = {(0, 0): 4, (0, 1): 5, (0, 2): 6, (1, 1): 7, (1, 2): 8, (2, 2): 9}
"""Where Sigma_ij stands among the ten."""
DIAGONAL = (4, 7, 9)
"""Where Sigma_xx, Sigma_yy and Sigma_zz stand."""
HELD: Unfelt = (False,) * 10
"""Everything is felt."""
EFFORT = (3, 6, 6, 6, 3, 5, 5, 3, 5, 3)
"""Operations that each takes in inverse dynamics and M, about."""
GRADIENT = 6
"""Those of the gradient of the acceleration field, where h or Sigma ask for it."""


def inertia_of(moments: Sequence[float], frame: Any = None) -> Inertia:
    """The inertia with the moments m, h, Sigma (xx, xy, xz, yy, yz, zz)."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = moments
    I = (yy + zz, 0.0 - xy, 0.0 - xz, xx + zz, 0.0 - yz, xx + yy)
    return Inertia.of(m, (hx, hy, hz), I, frame)


def moments_of(inertia: Inertia) -> Vector:
    """(m, h, Sigma) of an inertia, Sigma = 1/2 tr(I) 1 - I [kg, kg m, kg m^2]."""
    xx, xy, xz, yy, yz, zz = inertia.I
    half = 0.5 * (xx + yy + zz)
    Sigma = half - xx, 0.0 - xy, 0.0 - xz, half - yy, 0.0 - yz, half - zz
    return (inertia.mass, *cleared(inertia.h), *cleared(Sigma))


def effort(moments: Vector, unfelt: Unfelt) -> int:
    """About how many operations the moments cost that the joint feels."""
    pairs = zip(EFFORT, moments, unfelt, strict=True)
    costs = [cost for cost, x, free in pairs if x != 0.0 and not free]
    return sum(costs) + (GRADIENT if costs else 0)


def turned(moments: Vector, k: int, angle: float) -> Vector:
    """The moments seen from a frame that is turned about its axis k."""
    if not angle:
        return moments
    c, s = math.cos(angle), math.sin(angle)
    i, j = (k + 1) % 3, (k + 2) % 3
    seen = list(moments)
    seen[1 + i], seen[1 + j] = _turned(moments[1 + i], moments[1 + j], c, s)
    ki, kj, ii, ij, jj = (_place(*e) for e in ((k, i), (k, j), (i, i), (i, j), (j, j)))
    seen[ki], seen[kj] = _turned(moments[ki], moments[kj], c, s)
    a, b, d = moments[ii], moments[ij], moments[jj]
    seen[ii] = c * c * a + s * s * d + 2.0 * c * s * b
    seen[jj] = s * s * a + c * c * d - 2.0 * c * s * b
    seen[ij] = (c * c - s * s) * b - c * s * (a - d)
    return (seen[0], *cleared(tuple(seen[1:4])), *cleared(tuple(seen[4:])))


def slid(moments: Vector, k: int, d: float) -> Vector:
    """The moments from an origin that has slid along axis k."""
    if not d:
        return moments
    seen = list(moments)
    for j in range(3):
        if j != k:
            seen[_place(k, j)] -= d * moments[1 + j]
    seen[_place(k, k)] += d * (d * moments[0] - 2.0 * moments[1 + k])
    seen[1 + k] -= d * moments[0]
    return (seen[0], *cleared(tuple(seen[1:4])), *cleared(tuple(seen[4:])))


def _turned(x: float, y: float, c: float, s: float) -> tuple[float, float]:
    return c * x + s * y, c * y - s * x


def _place(i: int, j: int) -> int:
    return PLACES[min(i, j), max(i, j)]


UNITS = tuple(
    inertia_of([1.0 if k == j else 0.0 for k in range(10)]) for j in range(10)
)


@lru_cache(maxsize=1024)
def unfelt_by(joint: Any) -> Unfelt:
    """Which of the ten may be on either side of a joint: I s = 0 for all its motions
    s, and none of them changes I (9.30)."""
    trace = Trace()
    q, t = trace.inputs("q", joint.nq), trace.input("t") if joint.timed else None
    _, _, S, drift, _ = joint.motion(q, (0.0,) * joint.nv, t)
    motions = [*S, drift] if joint.timed else list(S)
    return tuple(all(_idle(unit, s) for s in motions) for unit in UNITS)


def _idle(inertia: Inertia, s: Any) -> bool:
    """I s = 0 and s x* I - I s x = 0, structurally."""
    return all(map(is_zero, (*(inertia @ s).entries, *inertia.rate(s).entries)))
