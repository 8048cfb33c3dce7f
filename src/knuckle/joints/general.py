"""The general joints by name: random ones of each kind for tests, and their table.

They stand beside the registry of the built-in joints because their expressions are
long: trees of them are compiled by the laws of their own.
"""

from __future__ import annotations

import numpy as np

from knuckle.joints import curves, surfaces
from knuckle.joints.charts import SphericalEulerCharts
from knuckle.joints.contact import (
    BezierCurve,
    BezierSurface,
    CurveCurve,
    CurvePoint,
    SurfacePoint,
    SurfaceSurface,
)
from knuckle.joints.fitting import Fitted
from knuckle.joints.joint import Joint
from knuckle.joints.registry import Make, Random, Row
from knuckle.joints.splines import SplineCurve, SplineSurface
from knuckle.spatial import SE3


def _frames(rng: Random, count: int, bend: float = 0.4) -> list[SE3]:
    """Poses along a way that turns and climbs."""
    steps = rng.normal(0.0, bend, (count, 6)) + (0.1, 0.0, 0.3, 0.5, 0.0, 0.0)
    frames = [SE3()]
    for step in steps[1:].tolist():
        frames.append(frames[-1] * SE3.exp(step))
    return frames


def _points(rng: Random, count: int) -> list[list[float]]:
    """Points along x, off to the sides."""
    points = rng.uniform(-0.2, 0.2, (count, 3))
    points[:, 0] += 0.5 * np.arange(count)
    return points.tolist()


def _grid(rng: Random, n: int, m: int) -> list[list[list[float]]]:
    """Points above a grid in x-y."""
    x, y = np.meshgrid(0.5 * np.arange(n), 0.5 * np.arange(m), indexing="ij")
    return np.stack([x, y, rng.uniform(-0.3, 0.3, (n, m))], -1).tolist()


def _values(rng: Random) -> np.ndarray:
    """Positions and small angles on a grid of 5 x 6 frames."""
    values = rng.normal(0.0, 0.1, (5, 6, 6))
    values[..., :3] += _grid(rng, 5, 6)
    return values


def _fitted(rng: Random) -> Joint:
    """Ten poses at uneven places."""
    q = np.cumsum(rng.uniform(0.2, 0.6, 10)) - 2.0
    return Fitted(q.tolist(), _frames(rng, 10, 0.2))


def _evenly_fitted(rng: Random) -> Joint:
    """Nine poses at even places."""
    z = np.linspace(-1.0, 1.0, 9)
    bend = rng.uniform(0.5, 1.5, 3).tolist()
    poses = [
        SE3.exp((bend[0] * h * h, bend[1] * h, 0.3 * h, bend[2] * h * h, 0.1 * h, h))
        for h in z.tolist()
    ]
    return Fitted(z.tolist(), poses)


def _ball(rng: Random) -> surfaces.Surface:
    return surfaces.sphere(float(rng.uniform(0.3, 0.6)))


def _egg(rng: Random) -> surfaces.Surface:
    return surfaces.ellipsoid(*rng.uniform(0.3, 0.8, 3).tolist())


def _ring(rng: Random) -> surfaces.Surface:
    return surfaces.torus(float(rng.uniform(0.6, 0.9)), float(rng.uniform(0.1, 0.3)))


def _euler_charts(rng: Random) -> Joint:
    return SphericalEulerCharts(str(rng.choice(["zyx", "xyz", "zxz", "yzy"])))


GENERAL: dict[str, Make] = {
    "SplineCurve": lambda rng: SplineCurve(_frames(rng, 7)),
    "closed SplineCurve": lambda rng: SplineCurve(_frames(rng, 6), closed=True),
    "SplineSurface": lambda rng: SplineSurface(_values(rng)),
    "Fitted": _fitted,
    "evenly Fitted": _evenly_fitted,
    "BezierCurve": lambda rng: BezierCurve(_points(rng, 7)),
    "BezierSurface": lambda rng: BezierSurface(_grid(rng, 5, 5)),
    "CurvePoint": lambda rng: CurvePoint(curves.spline(_points(rng, 7)), "x"),
    "bead on a ring": lambda rng: CurvePoint(curves.circle(0.7), "xyz", follow=False),
    "CurveCurve": lambda rng: CurveCurve(
        curves.helix(0.7, 0.2), curves.bezier(_points(rng, 4)), "x"
    ),
    "SurfacePoint": lambda rng: SurfacePoint(_ring(rng), "z"),
    "pin on a spline surface": lambda rng: SurfacePoint(
        surfaces.spline(_grid(rng, 6, 7)), follow=False
    ),
    "SurfaceSurface": lambda rng: SurfaceSurface(_ring(rng), _ring(rng)),
    "sphere on ellipsoid": lambda rng: SurfaceSurface(_egg(rng), _ball(rng), "z"),
    "SphericalEulerCharts": _euler_charts,
}
"""Functions of a random generator; each gives a joint of its kind."""

_ROW = [[0.5 * k, 0.0, 0.1 * k * k] for k in range(5)]
_GRID = [[[0.5 * k, 0.5 * m, 0.1 * k * m] for m in range(4)] for k in range(4)]

TABLE: tuple[Row, ...] = (
    Row(
        lambda: SplineCurve([SE3(p=p) for p in _ROW]), "SplineCurve(frames, closed)",
        "place along the frames, 0 to n - 3", "-", "qdot",
    ),
    Row(
        lambda: SplineSurface([[[*p, 0.0, 0.0, 0.0] for p in row] for row in _GRID]),
        "SplineSurface(values)", "place among the frames, 0 to n - 3 and m - 3", "-, -",
        "qdot",
    ),
    Row(
        lambda: Fitted([0.0, 1.0, 2.0], [SE3(p=p) for p in _ROW[:3]]),
        "Fitted(q, poses)", "as in the table", "of the table", "qdot",
    ),
    Row(
        lambda: BezierCurve(_ROW), "BezierCurve(points, up)", "place along it, 0 to 1",
        "-", "qdot",
    ),
    Row(
        lambda: BezierSurface(_GRID), "BezierSurface(points)", "place on it, 0 to 1",
        "-, -", "qdot",
    ),
    Row(
        lambda: CurvePoint(curves.circle(1.0), "x"), "CurvePoint(curve, turn, follow)",
        "parameter of the curve, then turns", "of the curve, rad", "qdot",
    ),
    Row(
        lambda: CurveCurve(curves.circle(1.0), curves.line()),
        "CurveCurve(first, second, turn)", "both parameters, then turns",
        "of the curves, rad", "qdot",
    ),
    Row(
        lambda: SurfacePoint(surfaces.sphere(1.0)),
        "SurfacePoint(surface, turn, follow)", "u, v, then turns",
        "of the surface, rad", "qdot",
    ),
    Row(
        lambda: SurfaceSurface(surfaces.sphere(1.0), surfaces.torus(1.0, 0.3)),
        "SurfaceSurface(first, second, turn, inside)",
        "u, v on the first, u, v on the second, then turns", "of the surfaces, rad",
        "qdot",
    ),
    Row(
        SphericalEulerCharts, "SphericalEulerCharts(order)",
        "three angles, then the chart, 0 or 1", "rad, -", "rates of the angles [rad/s]",
    ),
)  # fmt: skip
