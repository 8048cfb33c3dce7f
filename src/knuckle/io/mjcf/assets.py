"""<asset>: meshes, height fields and the colours of materials."""

from __future__ import annotations

from functools import cached_property
from pathlib import PurePosixPath

import numpy as np

from knuckle.io.errors import LoadError
from knuckle.io.meshes import triangles
from knuckle.io.mjcf import fitting, polyhedra
from knuckle.io.mjcf.classes import Entry
from knuckle.io.mjcf.document import Document, reference
from knuckle.io.mjcf.poses import Triple
from knuckle.io.mjcf.walk import Part
from knuckle.io.source import Missing
from knuckle.io.xml import Element
from knuckle.model.shapes import HeightField, Mesh
from knuckle.spatial import SE3, Inertia, quaternion

Array = np.ndarray
Color = tuple[float, float, float, float]


class Assets:
    """The assets of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._read: dict[str, Mesh] = {}
        self._inertias: dict[str, tuple[float, Inertia] | None] = {}

    def _entry(self, element: Element) -> Entry:
        return self.document.classes.entry(element, None)

    @cached_property
    def _meshes(self) -> dict[str, Entry]:
        return {_named(e): self._entry(e) for e in self.document.assets("mesh")}

    @cached_property
    def _fields(self) -> dict[str, Element]:
        return {_named(e): e for e in self.document.assets("hfield")}

    @cached_property
    def _materials(self) -> dict[str, Entry]:
        found = self.document.assets("material")
        return {e.required("name"): self._entry(e) for e in found}

    def color(self, part: Part) -> Color | None:
        """The colour of the geom's material."""
        name = part.entry.get("material")
        if not name:
            return None
        entry = self._materials[
            reference(name, list(self._materials), "material", part.element)
        ]
        rgba = entry.numbers("rgba", 4)
        if rgba is None:
            return None
        r, g, b, a = rgba
        return r, g, b, a

    def mesh(self, part: Part) -> Mesh | None:
        """The mesh of a geom, in the axes of its file."""
        name = part.entry.get("mesh")
        if not name:
            raise part.element.error("an attribute 'mesh'", "none", 'write mesh="..."')
        reference(name, list(self._meshes), "mesh", part.element)
        if name not in self._read:
            self._read[name] = self._mesh(self._meshes[name])
        return self._read[name]

    def _mesh(self, entry: Entry) -> Mesh:
        scale: Triple = entry.numbers("scale", 3, (1.0, 1.0, 1.0))
        element = entry.element
        if "file" in element.attributes:
            file = self.document.settings.path(element.required("file"), "meshdir")
            path = self._path(element, file)
            mesh = Mesh(file, scale, path)
            return self._referred(mesh, entry)
        if "builtin" in element.attributes:
            self.document.remark(
                element, "error", "a mesh that MuJoCo's compiler makes is left out"
            )
            return Mesh(str(element.get("builtin")))
        return self._referred(_given(entry, scale), entry)

    def _path(self, element: Element, file: str) -> str | None:
        try:
            return str(self.document.source.find(file))
        except Missing as missing:
            self.document.remark(element, "warning", f"the mesh is missing: {missing}")
            return None

    def _referred(self, mesh: Mesh, entry: Entry) -> Mesh:
        """The mesh as it stands in its reference frame."""
        if entry.holder("refpos", "refquat") is None:
            return mesh
        p = entry.numbers("refpos", 3, (0.0, 0.0, 0.0))
        q = entry.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))
        back = SE3(quaternion.to_rotation(quaternion.normalized(q)), p).inverse()
        found = self._triangles(mesh, entry)
        if found is None:
            return mesh
        R, shift = np.array(back.R, float), np.array(back.p, float)
        vertices = (found[0] @ R.T + shift).tolist()
        placed = tuple(map(tuple, vertices))
        return Mesh(mesh.uri, (1.0, 1.0, 1.0), None, placed, _rows(found[1]))

    def _triangles(self, mesh: Mesh, entry: Entry) -> tuple[Array, Array] | None:
        """Vertices, scaled, and faces; None where there is no file."""
        if mesh.path is None and not mesh.vertices:
            return None
        try:
            return triangles(mesh)
        except LoadError as error:
            self.document.remark(entry.element, "error", str(error))
            return None

    def unit_inertia(self, part: Part) -> tuple[float, Inertia] | None:
        """Volume (area for shells) and inertia of 1 kg; None where there is no mesh."""
        mesh = self.mesh(part)
        name = str(part.entry.get("mesh"))
        if name not in self._inertias and mesh is not None:
            self._inertias[name] = self._inertia(mesh, self._meshes[name], part)
        return self._inertias[name]

    def rule(self, part: Part) -> list[tuple[str, str]]:
        """How mass comes of the mesh, where the file says it."""
        entry = self._meshes[str(part.entry.get("mesh"))]
        said = entry.choice("inertia", polyhedra.RULES)
        return [("inertia", said)] if said else []

    def _inertia(
        self, mesh: Mesh, entry: Entry, part: Part
    ) -> tuple[float, Inertia] | None:
        rule = entry.choice("inertia", polyhedra.RULES, "legacy")
        if part.entry.boolean("shellinertia", False):
            rule = "shell"
        found = self._triangles(mesh, entry)
        if found is None:
            self.document.remark(
                part.element, "error", "without its mesh this geom has no mass"
            )
            return None
        vertices, faces = found
        try:
            if rule == "convex":
                faces = polyhedra.hull(vertices)
            return polyhedra.inertia(vertices, faces, rule)
        except ValueError as error:
            raise entry.element.error(
                f"a mesh with a {'surface' if rule == 'shell' else 'volume'}",
                str(error), "mend the mesh, or write <inertial>",
            ) from None  # fmt: skip

    def fit(self, part: Part, kind: str) -> tuple[SE3, tuple[float, ...]]:
        """The frame and size of a primitive that stands for a mesh."""
        mesh, name = self.mesh(part), str(part.entry.get("mesh"))
        found = self._triangles(mesh, self._meshes[name]) if mesh else None
        unit = self.unit_inertia(part)
        if found is None or unit is None:
            raise part.element.error(
                f"a mesh to fit the {kind} to", "none", "write size in place of mesh"
            )
        frame, box = fitting.principal(unit[1])
        if self.document.settings.compiler("fitaabb", "boolean", False):
            return fitting.around(kind, found[0], frame)
        return frame, fitting.equivalent(kind, box)

    def height_field(self, part: Part) -> HeightField | None:
        """The heights of the file's grid [m]; those in images stay there."""
        name = part.entry.get("hfield")
        field = self._fields[
            reference(name or "", list(self._fields), "height field", part.element)
        ]
        heights = field.numbers("elevation", None)
        if heights is None:
            self.document.remark(field, "warning", "heights in an image are left out")
            return None
        radius_x, radius_y, top, _ = field.numbers("size", 4) or (0.0,) * 4
        columns = int(field.number("ncol") or 0)
        rows = int(field.number("nrow") or 0)
        if rows * columns != len(heights):
            raise field.error(
                f"nrow * ncol = {rows * columns} heights in elevation",
                f"{len(heights)}", "correct nrow and ncol",
            )  # fmt: skip
        low, span = min(heights), max(heights) - min(heights)
        grid = [top * (x - low) / span if span else 0.0 for x in heights]
        lines = [tuple(grid[k : k + columns]) for k in range(0, len(grid), columns)]
        return HeightField((2.0 * radius_x, 2.0 * radius_y), tuple(lines))


def _named(element: Element) -> str:
    """The asset's name, else its file's without folder and ending."""
    file = element.get("file") or ""
    stem = PurePosixPath(file.replace("\\", "/")).stem
    name = element.get("name", stem)
    if not name:
        raise element.error("an attribute 'name' or 'file'", "none", "name the asset")
    return name


def _given(entry: Entry, scale: Triple) -> Mesh:
    """Vertices in the file itself; without faces their convex hull is meant."""
    element = entry.element
    values = element.numbers("vertex", None) or ()
    faces = element.numbers("face", None) or ()
    if not values or len(values) % 3 or len(faces) % 3:
        raise element.error(
            "a file, or triples in vertex and face", f"{len(values)} and {len(faces)}",
            "write three numbers for each",
        )  # fmt: skip
    single = np.array(values, np.float32).astype(float).tolist()  # as MuJoCo keeps them
    vertices = tuple(zip(single[::3], single[1::3], single[2::3], strict=True))
    indices = np.array(faces, int).reshape(-1, 3)
    if not len(indices):
        try:
            indices = polyhedra.hull(np.array(vertices))
        except ValueError as error:
            raise element.error(
                "corners of a solid", str(error), "write more vertices"
            ) from None
    elif indices.min() < 0 or indices.max() >= len(vertices):
        raise element.error(
            f"vertex numbers from 0 to {len(vertices) - 1} in face",
            f"{indices.min()} ... {indices.max()}", "count vertices from 0",
        )  # fmt: skip
    return Mesh(_named(element), scale, None, vertices, _rows(indices))


def _rows(faces: Array) -> tuple[tuple[int, int, int], ...]:
    return tuple((int(a), int(b), int(c)) for a, b, c in faces)
