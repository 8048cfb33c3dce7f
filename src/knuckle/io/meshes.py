"""Triangles of mesh files: STL, OBJ, DAE, through trimesh, read when first needed."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from knuckle.io.errors import LoadError
from knuckle.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from knuckle.spatial import SE3, Inertia, solids
from knuckle.spatial.polyhedron import polyhedron

Array = np.ndarray


class Part(NamedTuple):
    """Vertices (n, 3) [m], faces (m, 3), and the colour (r, g, b, a) of the file."""

    vertices: Array
    faces: Array
    color: tuple[float, float, float, float] | None = None


def triangles(mesh: Mesh) -> tuple[Array, Array]:
    """Vertices (n, 3) [m], scaled, and faces (m, 3), all that the file holds in one."""
    found = parts(mesh)
    starts = np.cumsum([0, *(len(part.vertices) for part in found)])
    faces = [part.faces + k for part, k in zip(found, starts)]
    return np.concatenate([part.vertices for part in found]), np.concatenate(faces)


def parts(mesh: Mesh) -> tuple[Part, ...]:
    """What the file holds part by part, scaled [m], each in its own colour.

    A scale of odd negative signs turns the surface inside out; its faces are turned
    back.
    """
    found: tuple[Part, ...]
    if mesh.faces:
        found = (Part(np.array(mesh.vertices, float), np.array(mesh.faces, int)),)
    else:
        found = _read(mesh)
    turn = -1 if np.prod(mesh.scale) < 0.0 else 1
    scale = np.array(mesh.scale)
    return tuple(Part(v * scale, f[:, ::turn], color) for v, f, color in found)


def inertia(shape: Shape, density: float) -> Inertia:
    """The inertia of a shape filled with a density [kg/m^3], in the body's frame."""
    geometry, at = shape.geometry, shape.placement
    match geometry:
        case Box(size):
            return solids.box(size, density=density, at=at)
        case Sphere(radius):
            return solids.sphere(radius, density=density, at=at)
        case Cylinder(radius, length):
            return solids.cylinder(radius, length, density=density, at=at)
        case Capsule(radius, length):
            return solids.capsule(radius, length, density=density, at=at)
        case Ellipsoid(radii):
            return solids.ellipsoid(radii, density=density, at=at)
        case Mesh():
            return polyhedron(*triangles(geometry), density=density, at=at)
    raise ValueError(f"a {type(geometry).__name__} has no volume")


def volume(shape: Shape) -> float:
    """The volume of a shape [m^3]; a mesh must be closed."""
    at_origin = Shape(shape.geometry, SE3())
    return float(inertia(at_origin, 1.0).mass)


def _read(mesh: Mesh) -> tuple[Part, ...]:
    if mesh.path is None:
        raise _error(mesh, "the file", "none that was found", "see model.report")
    try:
        stamp = os.stat(mesh.path).st_mtime_ns
        return _parsed(mesh.path, stamp)
    except ImportError as error:
        needed = "pycollada" if mesh.path.lower().endswith(".dae") else "trimesh"
        got = f"no {error.name or needed}"
        raise _error(mesh, needed, got, f"pip install {needed}") from None
    except Exception as error:  # whatever a third party's readers raise on bad files
        got = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise _error(mesh, "a mesh that can be read", got, "check the file") from None


@lru_cache(maxsize=256)
def _parsed(path: str, stamp: int) -> tuple[Part, ...]:
    import trimesh

    scene: Any = trimesh.load_scene(path, process=False)
    unit = _unit(path, scene)
    found = []
    for part in scene.dump():
        if isinstance(part, trimesh.Trimesh) and len(part.faces):
            vertices = np.asarray(part.vertices, float) * unit
            faces = np.asarray(part.faces, int)
            vertices.flags.writeable = faces.flags.writeable = False
            found.append(Part(vertices, faces, _color(part.visual)))
    if not found:
        raise ValueError("it holds no triangles")
    return tuple(found)


def _color(visual: Any) -> tuple[float, float, float, float] | None:
    """The main colour of what trimesh read, None where the file has none."""
    if not visual.defined:
        return None
    r, g, b, a = getattr(visual, "material", visual).main_color
    return float(r) / 255.0, float(g) / 255.0, float(b) / 255.0, float(a) / 255.0


def _unit(path: str, scene: Any) -> float:
    """Metres per unit, which Collada files state; trimesh notes it and goes on."""
    if not path.lower().endswith(".dae"):
        return 1.0
    stated = str(scene.units or "") or "meters"
    head = stated.partition(" * meters")[0]
    try:
        return float(head)
    except ValueError:
        return 1.0


def _error(mesh: Mesh, expected: str, got: str, repair: str) -> LoadError:
    return LoadError(mesh.path or mesh.uri, 0, "mesh", expected, got, repair)
