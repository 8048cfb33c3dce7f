"""Shapes as geoms, meshes and height fields as assets."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from knuckle.io.mjcf.geoms import KEPT
from knuckle.io.mjcf.write.nodes import Node, number, numbers, place
from knuckle.io.written import Losses
from knuckle.model import Body
from knuckle.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from knuckle.spatial import SE3


class Assets:
    """The assets that geoms name, each once."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._named: dict[str, str] = {}
        self._names: set[str] = set()
        self._geoms: set[str] = set()

    def free_name(self, wanted: str, taken: set[str]) -> str:
        name, k = wanted or "asset", 1
        while name in taken:
            name, k = f"{wanted}_{k}", k + 1
        taken.add(name)
        return name

    def geom_name(self, wanted: str) -> str:
        return self.free_name(wanted, self._geoms)

    def mesh(self, mesh: Mesh) -> str:
        """The name of the mesh's asset."""
        if mesh.digest in self._named:
            return self._named[mesh.digest]
        stem = PurePosixPath(mesh.uri.replace("\\", "/")).stem
        name = self._named[mesh.digest] = self.free_name(stem, self._names)
        said = {"name": name}
        if mesh.scale != (1.0, 1.0, 1.0):
            said["scale"] = numbers(mesh.scale)
        if mesh.vertices:
            said["vertex"] = numbers(x for v in mesh.vertices for x in v)
            said["face"] = " ".join(str(k) for face in mesh.faces for k in face)
        else:
            said["file"] = mesh.path or mesh.uri
        self.node.add("mesh", **said)
        return name

    def height_field(self, field: HeightField) -> str:
        """The name of the field's asset; heights from 0 up to the highest."""
        name = self.free_name("heights", self._names)
        heights = [x for row in field.heights for x in row]
        x, y = field.size
        top = max(heights) - min(heights) or 1e-6
        self.node.add(
            "hfield", name=name, nrow=str(len(field.heights)),
            ncol=str(len(field.heights[0])), elevation=numbers(heights),
            size=numbers((0.5 * x, 0.5 * y, top, 1e-3)),
        )  # fmt: skip
        return name


def say(body: Body, node: Node, assets: Assets, losses: Losses) -> None:
    """The geoms of a body: what is seen and what may touch, each once."""
    shapes = dict.fromkeys((*body.collisions, *body.visuals))
    for shape in shapes:
        if not isinstance(shape, Shape):
            losses.note(f"body {body.name!r}", f"{type(shape).__name__} is no Shape")
            continue
        if not _readable(shape):
            losses.note(
                f"body {body.name!r}: {getattr(shape.geometry, 'uri', 'a mesh')!r}",
                "MuJoCo reads STL, OBJ and MSH files alone",
            )
            continue
        seen, hit = shape in body.visuals, shape in body.collisions
        _geom(shape, seen, hit, node, assets, losses)


def _readable(shape: Shape) -> bool:
    """Whether MuJoCo has a reader for the file of a mesh."""
    g = shape.geometry
    if not isinstance(g, Mesh) or g.vertices:
        return True
    return PurePosixPath(g.uri).suffix.lower() in (".stl", ".obj", ".msh")


def _geom(
    shape: Shape, seen: bool, hit: bool, node: Node, assets: Assets, losses: Losses
) -> None:
    said = {"name": assets.geom_name(shape.name)} if shape.name else {}
    kept = dict(shape.properties)
    said |= _geometry(shape, kept, assets)
    said |= place(shape.placement * _raised(shape))
    if shape.color is not None:
        said["rgba"] = numbers(shape.color)
    said |= {k: _text(kept[k]) for k in KEPT if k in kept and k != "material"}
    if not hit:
        said |= {"contype": "0", "conaffinity": "0"}
    elif not seen and float(kept.get("group", 0.0)) <= 2.0:
        said["group"] = "3"
    node.add("geom", **said)


def _raised(shape: Shape) -> SE3:
    """MuJoCo's height fields begin at 0."""
    if not isinstance(shape.geometry, HeightField):
        return SE3()
    low = min(x for row in shape.geometry.heights for x in row)
    return SE3.translation((0.0, 0.0, low))


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return numbers(value)
    return value if isinstance(value, str) else number(value)


def _geometry(shape: Shape, kept: dict[str, Any], assets: Assets) -> dict[str, str]:
    """type and size."""
    g = shape.geometry
    if isinstance(g, Mesh):
        return {"type": "mesh", "mesh": assets.mesh(g)}
    if isinstance(g, HeightField):
        return {"type": "hfield", "hfield": assets.height_field(g)}
    name, size = _primitive(g, kept)
    return {"type": name, "size": numbers(size)}


def _primitive(g: Any, kept: dict[str, Any]) -> tuple[str, tuple[float, ...]]:
    if isinstance(g, Box):
        return "box", tuple(0.5 * x for x in g.size)
    if isinstance(g, Sphere):
        return "sphere", (g.radius,)
    if isinstance(g, Cylinder | Capsule):
        return type(g).__name__.lower(), (g.radius, 0.5 * g.length)
    if isinstance(g, Ellipsoid):
        return "ellipsoid", g.radii
    assert isinstance(g, Plane)
    x, y = g.size
    return "plane", (0.5 * x, 0.5 * y, float(kept.get("spacing", 1.0)))
