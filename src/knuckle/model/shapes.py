"""Geometry that bodies carry: what viewers show and contact will touch [m].

Every shape is centred on its own frame, its axis along z, and placed on the body by
`Shape.placement`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from knuckle.model.body import pose_content
from knuckle.model.content import digest
from knuckle.model.data import Properties
from knuckle.spatial import SE3

Triple: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class Box:
    """A cuboid of these full edge lengths."""

    size: Triple


@dataclass(frozen=True)
class Sphere:
    """A ball."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z of this full length."""

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z of this full length between two half balls."""

    radius: float
    length: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid of these half axes."""

    radii: Triple


@dataclass(frozen=True)
class Plane:
    """The half space below z = 0; `size` is what a viewer shows, (0, 0) unbounded."""

    size: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Mesh:
    """Triangles from a file, read when they are first needed; or given in place.

    `uri` is as the model's file wrote it, `path` where it was found (None if it was
    not): the path is no content.
    """

    uri: str
    scale: Triple = (1.0, 1.0, 1.0)
    path: str | None = None
    vertices: tuple[Triple, ...] = ()
    faces: tuple[tuple[int, int, int], ...] = ()

    @cached_property
    def digest(self) -> str:
        """The content as a SHA-256 in hexadecimal."""
        return digest("Mesh", self.uri, self.scale, self.vertices, self.faces)


@dataclass(frozen=True)
class HeightField:
    """Heights over a grid of `size` (x, y) about the origin, rows along y."""

    size: tuple[float, float]
    heights: tuple[tuple[float, ...], ...]


Geometry: TypeAlias = (
    Box | Sphere | Cylinder | Capsule | Ellipsoid | Plane | Mesh | HeightField
)


@dataclass(frozen=True, eq=False)
class Shape:
    """A geometry at its place on a body; `color` is (r, g, b, a) in 0 ... 1.

    `properties` keeps what the file says of it and contact will need: friction,
    stiffness, groups, as pairs (name, value).
    """

    geometry: Geometry
    placement: SE3 = field(default_factory=SE3)
    name: str = ""
    color: tuple[float, float, float, float] | None = None
    properties: Properties = ()

    @cached_property
    def digest(self) -> str:
        """The content as a SHA-256 in hexadecimal."""
        return digest(
            *("Shape", self.geometry, pose_content(self.placement), self.name),
            *(self.color, self.properties),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)
