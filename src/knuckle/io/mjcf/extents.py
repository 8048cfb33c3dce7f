"""Volume or surface of MJCF's primitives, and their moments of inertia per kg.

Sizes are those of the file: radii and half lengths, the axis along z. Surfaces are
thin homogeneous shells, closed at both ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from knuckle.spatial import Inertia, solids

Extent: TypeAlias = tuple[float, tuple[float, float, float]]
"""Volume [m^3] or area [m^2], and the principal moments per mass [m^2]."""
NOTHING: Extent = (0.0, (0.0, 0.0, 0.0))
STEP = 1e-6
"""How far the outer of two ellipsoids stands off, for a shell between them [m]."""
POWER = 1.6075
"""Knud Thomsen's exponent for the area of an ellipsoid, good to 1%."""


def solid(kind: str, size: Sequence[float]) -> Extent:
    """A full body of this kind."""
    r, h, c = (*size, 0.0, 0.0)[:3]
    if kind == "sphere":
        return 4.0 / 3.0 * math.pi * r**3, _moments(solids.sphere(r, mass=1.0))
    if kind == "capsule":
        volume = math.pi * r * r * (2.0 * h + 4.0 / 3.0 * r)
        return volume, _moments(solids.capsule(r, 2.0 * h, mass=1.0))
    if kind == "cylinder":
        volume = 2.0 * math.pi * r * r * h
        return volume, _moments(solids.cylinder(r, 2.0 * h, mass=1.0))
    if kind == "ellipsoid":
        volume = 4.0 / 3.0 * math.pi * r * h * c
        return volume, _moments(solids.ellipsoid((r, h, c), mass=1.0))
    if kind == "box":
        edges = (2.0 * r, 2.0 * h, 2.0 * c)
        return math.prod(edges), _moments(solids.box(edges, mass=1.0))
    return NOTHING


def _moments(inertia: Inertia) -> tuple[float, float, float]:
    xx, _, _, yy, _, zz = inertia.I
    return float(xx), float(yy), float(zz)


def shell(kind: str, size: Sequence[float]) -> Extent:
    """The surface of a body of this kind."""
    r, h, c = (*size, 0.0, 0.0)[:3]
    if kind == "sphere":
        return 4.0 * math.pi * r * r, (2.0 / 3.0 * r * r,) * 3
    if kind in ("capsule", "cylinder"):
        tube = 4.0 * math.pi * r * h, (0.5 * r * r + h * h / 3.0, r * r)
        caps = _half_spheres(r, h) if kind == "capsule" else _discs(r, h)
        area = tube[0] + caps[0]
        side, long = (
            (tube[0] * a + caps[0] * b) / area
            for a, b in zip(tube[1], caps[1], strict=True)
        )
        return area, (side, side, long)
    if kind == "ellipsoid":
        return _thomsen(r, h, c), _between(r, h, c)
    if kind == "box":
        return _faces(r, h, c)
    return NOTHING


def _half_spheres(r: float, h: float) -> tuple[float, tuple[float, float]]:
    """Two half spheres at the ends: their centres of mass are r / 2 beyond."""
    round_ = 2.0 / 3.0 * r * r
    return 4.0 * math.pi * r * r, (round_ + h * (h + r), round_)


def _discs(r: float, h: float) -> tuple[float, tuple[float, float]]:
    return 2.0 * math.pi * r * r, (0.25 * r * r + h * h, 0.5 * r * r)


def _thomsen(a: float, b: float, c: float) -> float:
    mean = ((a * b) ** POWER + (b * c) ** POWER + (c * a) ** POWER) / 3.0
    return 4.0 * math.pi * mean ** (1.0 / POWER)


def _between(a: float, b: float, c: float) -> tuple[float, float, float]:
    """The solid between this ellipsoid and one that stands off by STEP."""
    inner, outer = (a, b, c), (a + STEP, b + STEP, c + STEP)
    volumes = math.prod(outer) - math.prod(inner)

    def squares(x: Sequence[float], k: int) -> float:
        rest = [x[j] * x[j] for j in range(3) if j != k]
        return math.prod(x) * sum(rest) / 5.0

    x, y, z = ((squares(outer, k) - squares(inner, k)) / volumes for k in range(3))
    return x, y, z


def _faces(a: float, b: float, c: float) -> Extent:
    """Six rectangles."""
    halves = (a, b, c)
    areas = [8.0 * b * c, 8.0 * c * a, 8.0 * a * b]
    total = sum(areas)
    squares = []
    for k in range(3):  # the mean of x_k^2 over the surface
        inside = sum(areas[j] for j in range(3) if j != k) * halves[k] ** 2 / 3.0
        squares.append((areas[k] * halves[k] ** 2 + inside) / total)
    x, y, z = squares
    return total, (y + z, x + z, x + y)
