"""Shapes of a model as coloured surfaces; a mesh that cannot be read as a red box."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

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
        if geometry.faces:
            found = [Piece(surfaces.creased(geometry.vertices, geometry.faces))]
        else:
            found = list(read(geometry.path, geometry.uri))
    except (ImportError, OSError, ValueError) as error:
        remarks.append(
            Remark("warning", geometry.uri, 0, "mesh", f"shown as a red box: {error}")
        )
        side = 0.05 * size
        return [Piece(surfaces.box((side, side, side)), palette.MISSING)]
    return [Piece(s.scaled(geometry.scale), color) for s, color in found]


@lru_cache(maxsize=256)
def read(path: str | None, uri: str) -> tuple[Piece, ...]:
    """The pieces of a mesh file, each in its colour."""
    if path is None:
        raise FileNotFoundError(f"{uri} was not found when the model was loaded")
    import trimesh

    loaded = trimesh.load_scene(path)
    found = [_piece(m) for m in loaded.dump() if isinstance(m, trimesh.Trimesh)]
    if not any(len(piece.surface.faces) for piece in found):
        raise ValueError(f"{path} holds no triangles")
    return tuple(found)


def _piece(mesh: Any) -> Piece:
    visual, color = mesh.visual, None
    if visual.defined and visual.kind != "vertex":
        paint = getattr(visual, "material", visual)  # of a textured mesh
        r, g, b, a = (float(x) / 255.0 for x in paint.main_color)
        color = (r, g, b, a)
    return Piece(surfaces.creased(mesh.vertices, mesh.faces), color)
