"""Triangles: what every geometry becomes before it is shown [m]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
SIDES = 40
"""Around a full turn."""
CREASE = np.cos(np.radians(30.0))
"""Faces that meet at a sharper angle show their edge."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles: vertices (n, 3) [m], faces (m, 3) of indices, outside anticlockwise.

    Vertices that two faces share are shaded smoothly.
    """

    vertices: Array
    faces: Array

    def scaled(self, scale: Sequence[float]) -> Surface:
        """Stretched along the axes; a mirrored surface keeps its outside."""
        s = np.asarray(scale, float)
        faces = self.faces[:, ::-1] if np.prod(s) < 0.0 else self.faces
        return Surface(self.vertices * s, faces)

    def moved(self, R: Array, p: Array) -> Surface:
        """R x + p."""
        return Surface(self.vertices @ np.asarray(R).T + p, self.faces)


def join(surfaces: Sequence[Surface]) -> Surface:
    """All of them as one."""
    starts = np.cumsum([0, *(len(s.vertices) for s in surfaces)])
    faces = [s.faces + k for s, k in zip(surfaces, starts[:-1], strict=True)]
    vertices = [s.vertices for s in surfaces]
    return Surface(np.concatenate(vertices), np.concatenate(faces))


def box(size: Sequence[float]) -> Surface:
    """A cuboid of these full edge lengths about the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = np.array(
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4],
         [1, 5, 7, 3]]
    )  # fmt: skip
    return creased(corners * np.asarray(size) / 2.0, _halved(quads))


def lathe(
    radius: Sequence[float], height: Sequence[float], sides: int = SIDES
) -> Surface:
    """The profile (radius, height), from below upwards, turned about z."""
    turn = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    r, z = np.asarray(radius, float)[:, None], np.asarray(height, float)[:, None]
    rows = np.stack([r * np.cos(turn), r * np.sin(turn), z + 0.0 * turn], axis=-1)
    return creased(rows.reshape(-1, 3), _grid(len(r), sides, around=True))


def sphere(radius: float) -> Surface:
    """A ball."""
    return capsule(radius, 0.0)


def ellipsoid(radii: Sequence[float]) -> Surface:
    """An ellipsoid of these half axes."""
    return sphere(1.0).scaled(radii)


def cylinder(radius: float, length: float) -> Surface:
    """A cylinder along z of this full length."""
    half = 0.5 * length
    return lathe([0, radius, radius, 0], [-half, -half, half, half])


def drum(radius: float, length: float) -> Surface:
    """A cylinder along z with chamfered rims."""
    cut = 0.15 * min(radius, 0.5 * length)
    r, z = radius - cut, 0.5 * length - cut
    rim = [0, r, radius, radius, r, 0]
    return lathe(rim, [-z - cut, -z - cut, -z, z, z + cut, z + cut])


def capsule(radius: float, length: float) -> Surface:
    """A cylinder along z of this full length between two half balls."""
    return bone(radius, radius, length)


def bone(lower: float, upper: float, length: float) -> Surface:
    """A cone along z between two half balls of these radii, centres `length` apart."""
    angle = np.linspace(0.0, 0.5 * np.pi, SIDES // 4 + 1)
    c, s = np.cos(angle), np.sin(angle)
    r = [*(lower * c[::-1]), *(upper * c)]
    z = [*(-0.5 * length - lower * s[::-1]), *(0.5 * length + upper * s)]
    return lathe(r, z)


def plane(size: tuple[float, float]) -> Surface:
    """A rectangle at z = 0, seen from both sides."""
    return box((*size, 0.0))


def height_field(size: tuple[float, float], heights: Array) -> Surface:
    """Heights over a grid of `size` about the origin, rows along y."""
    rows, columns = heights.shape
    x = np.linspace(-0.5, 0.5, columns) * size[0]
    y = np.linspace(-0.5, 0.5, rows) * size[1]
    X, Y = np.meshgrid(x, y)
    points = np.stack([X, Y, heights], axis=-1).reshape(-1, 3)
    return creased(points, _grid(rows, columns, around=False))


def creased(vertices: Any, faces: Any) -> Surface:
    """Equal vertices made one, then parted again where faces meet at a sharp edge.

    The corners of faces around a vertex hold together across smooth edges; each group
    of them becomes a vertex of its own.
    """
    vertices, faces = _welded(np.asarray(vertices, float), np.asarray(faces))
    label = np.arange(faces.size)
    a, b = _smooth_links(vertices, faces)
    while True:
        least = label.copy()
        np.minimum.at(least, a, label[b])
        np.minimum.at(least, b, label[a])
        if np.array_equal(least, label):
            break
        label = least
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return Surface(vertices[faces.ravel()[first]], inverse.reshape(-1, 3))


def normals(vertices: Array, faces: Array) -> Array:
    """The unit normal of every face, (m, 3)."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    length = np.linalg.norm(n, axis=-1, keepdims=True)
    return n / np.where(length > 0.0, length, 1.0)


def _welded(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """Equal vertices as one; faces without an area left out."""
    scale = np.ptp(vertices, axis=0).max(initial=0.0) or 1.0
    grid = np.round(vertices / (1e-7 * scale)).astype(np.int64)
    _, first, inverse = np.unique(grid, axis=0, return_index=True, return_inverse=True)
    faces = inverse.ravel()[faces]
    a, b, c = faces.T
    return vertices[first], faces[(a != b) & (b != c) & (c != a)]


def _smooth_links(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """Pairs of corners (3 face + k) at one vertex, across an edge that is no crease."""
    start = np.arange(faces.size)
    end = start - start % 3 + (start + 1) % 3
    p, q = faces.ravel()[start], faces.ravel()[end]
    order = np.lexsort((np.maximum(p, q), np.minimum(p, q)))
    i, j = order[:-1], order[1:]
    n = normals(vertices, faces)
    smooth = np.einsum("ij,ij->i", n[i // 3], n[j // 3]) > CREASE
    met = smooth & (p[i] == q[j]) & (q[i] == p[j])
    i, j = i[met], j[met]
    return np.concatenate([start[i], end[i]]), np.concatenate([end[j], start[j]])


def _grid(rows: int, columns: int, around: bool) -> Array:
    """The triangles between neighbours of a grid of points."""
    r = np.arange(rows - 1)[:, None] * columns
    c = np.arange(columns if around else columns - 1)
    d = (c + 1) % columns
    quads = np.stack([r + c, r + d, r + columns + d, r + columns + c], axis=-1)
    return _halved(quads.reshape(-1, 4))


def _halved(quads: Array) -> Array:
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
