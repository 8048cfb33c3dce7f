"""Bodies on curves and surfaces: where they touch and how they stand."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from knuckle.joints import curves, surfaces
from knuckle.spatial import SE3, Rx, Ry, Rz, Tx, Ty

j = kn.joints
RNG = np.random.default_rng


def matrix(pose: SE3) -> np.ndarray:
    return np.array(pose.matrix(), float)


def test_straight_bezier_curve_is_prismatic() -> None:
    joint = j.BezierCurve([[0.3 * k, 0.0, 0.0] for k in range(7)])
    for q in (0.0, 0.4, 1.0, 1.3):
        assert np.allclose(matrix(joint.pose([q])), matrix(Tx(1.8 * q)), atol=1e-14)


def test_bezier_curve_by_de_casteljau() -> None:
    """The body's origin is on the curve, its x axis along the tangent."""
    points = RNG(5).normal(size=(7, 3))
    joint = j.BezierCurve(points)
    for q in (0.0, 0.3, 0.9):
        level, edge = points, points
        while len(level) > 1:
            edge, level = level, (1 - q) * level[:-1] + q * level[1:]
        T = matrix(joint.pose([q]))
        assert np.allclose(T[:3, 3], level[0])
        tangent = edge[1] - edge[0]
        assert np.allclose(T[:3, 0], tangent / np.linalg.norm(tangent))
        assert T[2, 2] > 0.0 and abs(T[2, 1]) < 1e-12  # z upwards, y level


def test_flat_bezier_surface_is_planar_translation() -> None:
    grid = [[[0.5 * k, 0.25 * m, 0.0] for m in range(5)] for k in range(5)]
    joint = j.BezierSurface(grid)
    for q in ((0.0, 0.0), (0.3, 0.8), (1.0, 0.5)):
        expected = Tx(2.0 * q[0]) * Ty(1.0 * q[1])
        assert np.allclose(matrix(joint.pose(q)), matrix(expected), atol=1e-14)


def test_bezier_surface_keeps_the_body_on_the_tangent_plane() -> None:
    grid = RNG(6).normal(0.0, 0.3, (5, 5, 3))
    grid[..., :2] += np.stack(np.meshgrid(range(5), range(5), indexing="ij"), -1)
    joint = j.BezierSurface(grid)
    q, h = np.array([0.3, 0.6]), 1e-6
    T = matrix(joint.pose(q))
    for axis in np.eye(2):
        near = [matrix(joint.pose(q + s * h * axis))[:3, 3] for s in (-1, 1)]
        assert abs((near[1] - near[0]) @ T[:3, 2]) / (2 * h) < 1e-8


SHAPES = {
    "sphere": surfaces.sphere(0.7),
    "ellipsoid": surfaces.ellipsoid(0.7, 0.4, 0.9),
    "torus": surfaces.torus(0.8, 0.3),
    "cylinder": surfaces.cylinder(0.4),
    "plane": surfaces.plane(),
    "user's": surfaces.surface(lambda u, v: (u, v, 0.3 * np.sin(u) * v * v)),
    "bezier": surfaces.bezier(RNG(7).normal(size=(4, 3, 3))),
    "spline": surfaces.spline(RNG(8).normal(size=(5, 6, 3))),
}


ON = {
    "sphere": lambda p: np.linalg.norm(p) - 0.7,
    "ellipsoid": lambda p: np.linalg.norm(p / (0.7, 0.4, 0.9)) - 1.0,
    "torus": lambda p: np.hypot(np.hypot(p[0], p[1]) - 0.8, p[2]) - 0.3,
    "cylinder": lambda p: np.hypot(p[0], p[1]) - 0.4,
    "plane": lambda p: p[2],
    "user's": lambda p: p[2] - 0.3 * np.sin(p[0]) * p[1] ** 2,
}


@pytest.mark.parametrize("name", SHAPES)
def test_frames_of_surfaces(name: str) -> None:
    """On the surface; x along dp/du, z along dp/du x dp/dv, right-handed."""
    shape, h = SHAPES[name], 1e-6
    for u, v in ((0.3, 0.5), (0.9, 0.2), (0.6, 0.8)):
        T = matrix(shape.frame(u, v))
        if name in ON:
            assert abs(ON[name](T[:3, 3])) < 1e-13
        du, dv = (
            (np.array(shape.point(u + a, v + b)) - shape.point(u - a, v - b)) / (2 * h)
            for a, b in ((h, 0.0), (0.0, h))
        )
        normal = np.cross(du, dv)
        assert np.allclose(T[:3, 0], du / np.linalg.norm(du), atol=1e-8)
        assert np.allclose(T[:3, 2], normal / np.linalg.norm(normal), atol=1e-8)
        assert np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-14)
        assert np.linalg.det(T) > 0.0
    if name in ("sphere", "ellipsoid", "torus", "cylinder"):
        assert (T[:3, 3] - (0.8, 0, 0) if name == "torus" else T[:3, 3]) @ T[:3, 2] > 0


LINES = {
    "circle": curves.circle(0.7),
    "helix": curves.helix(0.7, 0.2),
    "line": curves.line((1.0, 2.0, -0.5)),
    "vertical line": curves.line((0.0, 0.0, 2.0)),
    "bezier": curves.bezier(RNG(1).normal(size=(4, 3))),
    "spline": curves.spline(RNG(2).normal(size=(6, 3))),
    "user's": curves.curve(lambda s: (np.cos(s), s, s * s)),
}


@pytest.mark.parametrize("name", LINES)
def test_frames_of_curves(name: str) -> None:
    line, h = LINES[name], 1e-6
    for s in (0.1, 0.8):
        T = matrix(line.frame(s))
        tangent = (np.array(line.point(s + h)) - line.point(s - h)) / (2 * h)
        assert np.allclose(T[:3, 0], tangent / np.linalg.norm(tangent), atol=1e-8)
        assert np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-14)
        assert np.linalg.det(T) > 0.0


@pytest.mark.parametrize("first", ["sphere", "ellipsoid", "torus", "spline"])
@pytest.mark.parametrize("second", ["ellipsoid", "torus", "bezier"])
@pytest.mark.parametrize("inside", [False, True])
def test_surfaces_touch(first: str, second: str, inside: bool) -> None:
    """The points coincide, the normals oppose each other, the u-tangents align."""
    a, b = SHAPES[first], SHAPES[second]
    joint, q = j.SurfaceSurface(a, b, inside=inside), (0.4, 0.3, 0.8, 0.6)
    T, A, B = joint.pose(q), a.frame(*q[:2]), b.frame(*q[2:])
    assert np.allclose(T @ B.p, A.p, atol=1e-14)
    turned = matrix(T)[:3, :3] @ matrix(B)[:3, :3]
    sign = 1.0 if inside else -1.0
    expected = matrix(A)[:3, :3] @ np.diag([1.0, sign, sign])
    assert np.allclose(turned, expected, atol=1e-14)


def test_spin_and_free_turns() -> None:
    a, b = SHAPES["sphere"], SHAPES["torus"]
    plain, spun = j.SurfaceSurface(a, b), j.SurfaceSurface(a, b, "z")
    q = (0.4, 0.3, 0.8, 0.6)
    assert spun.nq == 5
    assert np.allclose(matrix(spun.pose((*q, 0.0))), matrix(plain.pose(q)))
    moved = spun.pose((*q, 0.9))
    assert np.allclose(moved @ b.point(*q[2:]), a.point(*q[:2]))
    free = j.SurfacePoint(a, "xyz", follow=False)
    expected = SE3(p=a.point(0.4, 0.3)) * Rx(0.1) * Ry(0.2) * Rz(0.3)
    got = free.pose((0.4, 0.3, 0.1, 0.2, 0.3))
    assert np.allclose(matrix(got), matrix(expected))


def test_curves_touch() -> None:
    a, b = LINES["helix"], LINES["bezier"]
    joint, q = j.CurveCurve(a, b, "x"), (0.4, 0.3, 1.1)
    T, A, B = joint.pose(q), a.frame(q[0]), b.frame(q[1])
    assert np.allclose(T @ B.p, A.p)
    assert np.allclose(matrix(T * B)[:3, 0], matrix(A)[:3, 0])
    assert np.allclose(matrix(T * B), matrix(A * Rx(1.1)))
