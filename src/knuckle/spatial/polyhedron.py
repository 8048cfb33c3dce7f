"""Volume, centre and inertia of a solid between triangles, exactly (on floats)."""

from __future__ import annotations

from typing import Any

import numpy as np

from knuckle.spatial.inertia import Inertia
from knuckle.spatial.se3 import SE3

Array = np.ndarray


def polyhedron(
    vertices: Any,
    faces: Any,
    mass: float | None = None,
    density: float | None = None,
    at: Any = None,
) -> Inertia:
    """The homogeneous solid that triangles enclose, in the axes of their vertices.

    ``vertices`` (n, 3) [m], ``faces`` (m, 3) numbers of vertices.  Give either ``mass``
    [kg] or ``density`` [kg/m^3]; ``at=pose`` places it in the body frame.  The surface
    must be closed: every edge is met once in each direction.
    """
    if (mass is None) == (density is None):
        raise ValueError("a solid needs either mass=... or density=..., exactly one")
    corners = _corners(vertices, faces)
    _check_closed(np.asarray(vertices, float), np.asarray(faces, int))
    middle = corners.mean(axis=(0, 1))
    volume, first, second = _moments(corners - middle)
    if volume == 0.0:
        raise ValueError("the triangles enclose no volume; check their vertices")
    com, rho = first / volume, 1.0 / volume if density is None else abs(density)
    m = rho * volume * (1.0 if mass is None else mass)
    spread = m / volume * (second - volume * np.outer(com, com))
    I_com = np.trace(spread) * np.eye(3) - spread
    if at is None:
        return Inertia(float(m), (com + middle).tolist(), I_com.tolist())
    pose = SE3.from_any(at)
    place = pose @ tuple((com + middle).tolist())
    return Inertia(float(m), place, I_com.tolist(), pose.R)


def volume(vertices: Any, faces: Any) -> float:
    """The enclosed volume [m^3]; of an open surface that of its cone to the middle."""
    corners = _corners(vertices, faces)
    return _moments(corners - corners.mean(axis=(0, 1)))[0]


def open_edges(faces: Any) -> int:
    """How many edges are not met once in each direction; 0 for a closed surface."""
    faces = np.asarray(faces, np.int64)
    if not len(faces):
        return 0
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    size = int(faces.max()) + 1
    there, back = ends[:, 0] * size + ends[:, 1], ends[:, 1] * size + ends[:, 0]
    _, at = np.unique(np.concatenate([there, back]), return_inverse=True)
    sign = np.repeat((1, -1), len(there))
    return int(np.abs(np.bincount(at.reshape(-1), sign)).sum()) // 2


def _moments(corners: Array) -> tuple[float, Array, Array]:
    """Integrals of 1, x and x x^T over the solid, which lies left of its triangles.

    Each triangle (a, b, c) spans a tetrahedron with the origin, of volume det / 6:
    det/24 (a + b + c) and det/120 (a a^T + b b^T + c c^T + s s^T), s = a + b + c.
    """
    det = np.linalg.det(corners)
    s = corners.sum(axis=1)
    first = det @ s / 24.0
    second = np.einsum("n,nki,nkj->ij", det, corners, corners)
    second = (second + np.einsum("n,ni,nj->ij", det, s, s)) / 120.0
    total = float(det.sum()) / 6.0
    return (total, first, second) if total >= 0.0 else (-total, -first, -second)


def _corners(vertices: Any, faces: Any) -> Array:
    points, rows = np.asarray(vertices, float), np.asarray(faces, int)
    if points.ndim != 2 or points.shape[1:] != (3,) or rows.ndim != 2 or not len(rows):
        raise ValueError(
            f"vertices have shape {points.shape}, faces {rows.shape}; expected (n, 3) "
            "and (m, 3) with m > 0"
        )
    return points[rows[:, :3]]


def _check_closed(vertices: Array, faces: Array) -> None:
    """Vertices at one place count as one: many files write each triangle by itself."""
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    joined = same.reshape(-1)[faces]
    flat = (joined == np.roll(joined, 1, axis=1)).any(axis=1)
    missing = open_edges(joined[~flat])
    if missing:
        raise ValueError(
            f"the surface is not closed: {missing} edges are not met once in each "
            "direction; close it, or take its convex hull"
        )
