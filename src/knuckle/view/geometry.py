"""Shapes of a model as coloured surfaces; a mesh that cannot be read as a red box."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from knuckle.io.errors import LoadError
from knuckle.io.meshes import parts
from knuckle.model import shapes
from knuckle.model.data import Remark
from knuckle.view import palette, surfaces
from knuckle.view.surfaces import Surface


class Piece(NamedTuple):
    """A surface, with the colour that its file gives it."""

    surface: Surface
    color: palette.Color | None = None


def pieces(
    geometry: shapes.Geometry, size: float, remarks: list[Remark]
) -> list[Piece]:
    """The surfaces of a geometry; `size` [m] is that of the model around it."""
    if isinstance(geometry, shapes.Mesh):
        return mesh(geometry, size, remarks)
    if isinstance(geometry, shapes.Plane):
        x, y = geometry.size
        return [Piece(surfaces.plane((x or 6.0 * size, y or 6.0 * size)))]
    return [Piece(solid(geometry))]


@lru_cache(maxsize=256)
def solid(geometry: shapes.Geometry) -> Surface:
    """The surface of a primitive."""
    match geometry:
        case shapes.Box(size):
            return surfaces.box(size)
        case shapes.Sphere(radius):
            return surfaces.sphere(radius)
        case shapes.Cylinder(radius, length):
            return surfaces.cylinder(radius, length)
        case shapes.Capsule(radius, length):
            return surfaces.capsule(radius, length)
        case shapes.Ellipsoid(radii):
            return surfaces.ellipsoid(radii)
        case shapes.HeightField(size, heights):
            return surfaces.height_field(size, np.array(heights, float))
    raise TypeError(f"{type(geometry).__name__} is no geometry of knuckle.model.shapes")


def mesh(geometry: shapes.Mesh, size: float, remarks: list[Remark]) -> list[Piece]:
    """The triangles of a mesh in its scale; a red box and a remark without them."""
    try:
        return list(read(geometry))
    except LoadError as error:
        reason = f"shown as a red box: {error}"
        remarks.append(Remark("warning", geometry.uri, 0, "mesh", reason))
        side = 0.05 * size
        return [Piece(surfaces.box((side, side, side)), palette.MISSING)]


@lru_cache(maxsize=256)
def read(geometry: shapes.Mesh) -> tuple[Piece, ...]:
    """The pieces of a mesh, each in the colour of its file."""
    return tuple(
        Piece(surfaces.creased(v, f), color) for v, f, color in parts(geometry)
    )
