"""Volume and inertia of triangle meshes by MuJoCo's four rules.

A mesh is cut into pyramids from an apex to its triangles. 'exact' counts them with
their sign, 'legacy' without (which counts hollows twice), 'convex' takes the convex
hull, 'shell' the triangles themselves as thin plates.
"""

from __future__ import annotations

import numpy as np

from knuckle.spatial import Inertia

Array = np.ndarray
RULES = ("convex", "exact", "legacy", "shell")


def inertia(vertices: Array, faces: Array, rule: str) -> tuple[float, Inertia]:
    """(volume or area, inertia of 1 kg about the origin of the vertices)."""
    corners = vertices[faces]
    area, centres = _areas(corners)
    if not 1e-300 < area.sum() < 1e100:
        raise ValueError(f"{len(faces)} triangles of {area.sum():.3g} m^2 in all")
    if rule == "shell":
        return _of_plates(corners)
    middle = (area[:, None] * centres).sum(0) / area.sum()
    volumes = _volumes(corners, middle, rule)
    _positive(float(volumes.sum()))
    pyramids = 0.75 * centres + 0.25 * middle
    com = (volumes[:, None] * pyramids).sum(0) / volumes.sum()
    volumes = _volumes(corners, com, rule)
    total = _positive(float(volumes.sum()))
    second = _second_moments(corners - com, volumes)
    return total, _of_second_moments(second / total, com)


def _positive(volume: float) -> float:
    if not volume > 0.0:
        raise ValueError(f"a volume of {volume:.3g} m^3")
    return volume


def _areas(corners: Array) -> tuple[Array, Array]:
    """The area and centre of every triangle."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return 0.5 * np.linalg.norm(np.cross(u, v), axis=1), corners.mean(axis=1)


def _volumes(corners: Array, apex: Array, rule: str) -> Array:
    """The pyramids from an apex to the triangles, with their sign where that counts."""
    signed = np.linalg.det(corners - apex) / 6.0
    return np.abs(signed) if rule == "legacy" else signed


def _second_moments(corners: Array, volumes: Array) -> Array:
    """Integrals of x x^T over the pyramids: V (sum_k c_k c_k^T + s s^T) / 20.

    Here s is the sum of the three corners c_k; the fourth, the apex, is 0.
    """
    s = corners.sum(axis=1)
    each = np.einsum("nki,nkj->nij", corners, corners) + np.einsum("ni,nj->nij", s, s)
    return (volumes[:, None, None] * each).sum(0) / 20.0


def _of_plates(corners: Array) -> tuple[float, Inertia]:
    area, centres = _areas(corners)
    total = float(area.sum())
    com = (area[:, None] * centres).sum(0) / total
    x = corners - com
    s = x.sum(axis=1)
    each = np.einsum("nki,nkj->nij", x, x) + np.einsum("ni,nj->nij", s, s)
    second = (area[:, None, None] * each).sum(0) / 12.0
    return total, _of_second_moments(second / total, com)


def _of_second_moments(second: Array, com: Array) -> Inertia:
    about_com = np.trace(second) * np.eye(3) - second
    rows = (0.5 * (about_com + about_com.T)).tolist()
    return Inertia(1.0, tuple(com.tolist()), rows)


def hull(vertices: Array) -> Array:
    """The triangles of the convex hull, turned outwards."""
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError:
        raise ValueError("no SciPy for a convex hull: pip install scipy") from None
    try:
        found = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise ValueError(f"{len(vertices)} points without a convex hull") from None
    faces = found.simplices
    corners = vertices[faces]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside = np.einsum("ni,ni->n", outward, found.equations[:, :3]) < 0.0
    faces[inside] = faces[inside][:, ::-1]
    return faces
