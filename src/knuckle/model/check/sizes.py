"""How large bodies are: volumes and bounds of their shapes, in the body's frame [m]."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.model import shapes
from knuckle.model.body import Body
from knuckle.spatial.polyhedron import polyhedron

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray
Size = tuple[float | None, Array]
"""The volume [m^3], None where it is not known; the half edges of a bounding box."""


def reach(model: Model, name: str) -> float:
    """The farthest of a body's com and its shapes' corners from its origin [m]."""
    body = model.body(name)
    points = [np.zeros((1, 3)), *outlines(body)]
    if body.rigid.mass > 0.0:
        points.append(np.array([body.rigid.com], float))
    return float(np.linalg.norm(np.concatenate(points), axis=1).max())


def outlines(body: Body) -> Iterator[Array]:
    """The corners (n, 3) of the boxes around a body's shapes.

    First of the collision shapes, or else of the visuals, then of both: large visuals
    are read only where the first give a reason to. None where a size is not known.
    """
    yield corners(body.collisions or body.visuals)
    if body.collisions and body.visuals:
        yield corners((*body.collisions, *body.visuals))


def corners(shapes_of: Sequence[Any]) -> Array:
    """The corners of the boxes around shapes (n, 3); none where one is not known."""
    found = [np.zeros((0, 3))]
    for shape in shapes_of:
        box = _box(shape)
        if box is None:
            return np.zeros((0, 3))
        found.append(_placed(shape.placement, *box))
    return np.concatenate(found)


def volumes(body: Body) -> Iterator[float | None]:
    """The volume of the collision shapes, or else of the visuals; then of those [m^3].

    None where one is not known.
    """
    for shapes_of in filter(None, (body.collisions, body.visuals)):
        parts = [_volume(shape) for shape in shapes_of]
        known = [x for x in parts if x is not None]
        yield sum(known) if len(known) == len(parts) else None


def _volume(shape: Any) -> float | None:
    geometry = getattr(shape, "geometry", None)
    if isinstance(geometry, shapes.Mesh):
        mesh = triangles(geometry)
        return None if mesh is None else mesh_volume(*mesh)
    found = SIZES.get(type(geometry))
    return None if found is None else found(geometry)[0]


def _box(shape: Any) -> tuple[Array, Array] | None:
    """The centre and half edges of the box around a shape, in the shape's frame."""
    geometry = getattr(shape, "geometry", None)
    if isinstance(geometry, shapes.Mesh):
        mesh = triangles(geometry)
        if mesh is None or not len(mesh[0]):
            return None
        low, high = mesh[0].min(axis=0), mesh[0].max(axis=0)
        return 0.5 * (low + high), 0.5 * (high - low)
    found = SIZES.get(type(geometry))
    return None if found is None else (np.zeros(3), found(geometry)[1])


def _placed(placement: Any, centre: Array, half: Array) -> Array:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    points = centre + signs * half
    return points @ np.array(placement.R, float).T + np.array(placement.p, float)


def mesh_volume(vertices: Array, faces: Array) -> float | None:
    """The volume between the triangles [m^3]; None where the surface is not closed."""
    try:
        return float(polyhedron(vertices, faces, density=1.0).mass)
    except ValueError:
        return None


def triangles(mesh: shapes.Mesh) -> tuple[Array, Array] | None:
    """Vertices (n, 3) [m] and faces (m, 3); None where the mesh cannot be read.

    The one thing that a rule asks of a layer above, when a Model has mesh files.
    """
    from knuckle.io import meshes
    from knuckle.io.errors import LoadError

    try:
        return meshes.triangles(mesh)
    except LoadError:
        return None


def _box_size(x: shapes.Box) -> Size:
    return math.prod(x.size), 0.5 * np.array(x.size)


def _sphere(x: shapes.Sphere) -> Size:
    return 4 / 3 * math.pi * x.radius**3, np.full(3, x.radius)


def _cylinder(x: shapes.Cylinder) -> Size:
    half = np.array([x.radius, x.radius, 0.5 * x.length])
    return math.pi * x.radius**2 * x.length, half


def _capsule(x: shapes.Capsule) -> Size:
    half = np.array([x.radius, x.radius, 0.5 * x.length + x.radius])
    return math.pi * x.radius**2 * (x.length + 4 / 3 * x.radius), half


def _ellipsoid(x: shapes.Ellipsoid) -> Size:
    return 4 / 3 * math.pi * math.prod(x.radii), np.array(x.radii)


SIZES: dict[type, Callable[[Any], Size]] = {
    shapes.Box: _box_size,
    shapes.Sphere: _sphere,
    shapes.Cylinder: _cylinder,
    shapes.Capsule: _capsule,
    shapes.Ellipsoid: _ellipsoid,
}
