"""Links of SDF: the inertia, and the shapes that are seen or touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.io.errors import Remarks
from knuckle.io.flat import flat
from knuckle.io.poses import unit
from knuckle.io.report import extent
from knuckle.io.sdf.scope import Scope, between
from knuckle.io.sdf.values import flag, number, numbers, pose, word
from knuckle.io.source import Source
from knuckle.io.urdf.links import mesh
from knuckle.io.xml import Element
from knuckle.joints.builtin import to_axis
from knuckle.model.data import Properties
from knuckle.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Plane,
    Shape,
    Sphere,
)
from knuckle.spatial import SE3, Inertia

MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
KNOWN = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh")


def link_parts(
    scope: Scope, name: str, link: Element, source: Source, remarks: Remarks
) -> dict[str, Any]:
    """inertia, visuals and collisions of a <link>, as keywords of Body."""
    if not flag(link, "gravity", True):
        remarks.add("error", link, "<gravity> is false, and it falls all the same")
    if flag(link, "kinematic", False):
        remarks.add("error", link, "<kinematic> is true, and it moves by forces")
    seen, hit = (
        [_shape(scope, name, e, source, remarks) for e in link.all(tag)]
        for tag in ("visual", "collision")
    )
    solid = tuple(s for s in hit if s is not None)
    return {
        "inertia": inertia(link, solid, remarks),
        "visuals": tuple(s for s in seen if s is not None),
        "collisions": solid,
    }


def inertia(link: Element, shapes: Sequence[Shape], remarks: Remarks) -> Inertia:
    """<inertial>; the default is that of the format, 1 kg and moments of 1 kg m^2."""
    given = link.child("inertial")
    if given is None:
        remarks.add("warning", link, "no <inertial>: the format's 1 kg and 1 kg m^2")
        return Inertia(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    if given.boolean("auto", False):
        return _of_shapes(link, given, shapes, remarks)
    mass = number(given, "mass", 1.0)
    if mass < 0.0:
        raise given.error("a <mass> of 0 or more", f"{mass:g} kg", "mend its sign")
    at, base = pose(given)
    if base:
        remarks.add("warning", given, f"pose relative to {base!r}, read as to the link")
    matrix = given.child("inertia")
    values = {
        key: default if matrix is None else number(matrix, key, default)
        for key, default in MOMENTS.items()
    }
    xx, xy, xz, yy, yz, zz = values.values()
    if mass == 0.0 and any(at.p):
        remarks.add(
            "warning", given, f"no mass, and yet a centre of mass {at.p}: left out"
        )
    return Inertia(mass, at.p, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), at.R)


def _of_shapes(
    link: Element, given: Element, shapes: Sequence[Shape], remarks: Remarks
) -> Inertia:
    """auto="true": the collision shapes, filled with their densities [kg/m^3]."""
    from knuckle.io.meshes import inertia as filled

    common = number(given, "density", 1000.0)
    total = Inertia.zero()
    for shape in shapes:
        own = dict(shape.properties).get("density", ())
        try:
            density = float(dict(own).get("", common))
            total = total + filled(shape, density)
        except ValueError as error:
            told = f"auto: shape {shape.name!r} adds no inertia: {error}"
            remarks.add("error", link, told)
    return total


def _shape(
    scope: Scope, link: str, element: Element, source: Source, remarks: Remarks
) -> Shape | None:
    """A <visual> or <collision>; None, with a remark, where the geometry is unknown."""
    given = element.child("geometry")
    found = given.all(*KNOWN) if given else []
    if len(found) != 1:
        what = f"left out, as it has {len(found)} shapes of those known"
        remarks.add("note", element, what + extent(element))
        return None
    placement, base = pose(element)
    if base:
        frame, local = scope.find(base, element)
        placement = between(scope.pose(link), frame.pose(local)) * placement
    placement, shape = _geometry(found[0], placement, source, remarks)
    color, properties = _look(element)
    return Shape(shape, placement, element.get("name", ""), color, properties)


def _look(
    element: Element,
) -> tuple[tuple[float, float, float, float] | None, Properties]:
    """The diffuse colour; everything else that the file says of the shape as data."""
    color = None
    given = element.child("material")
    for tag in ("diffuse", "ambient"):
        found = given.child(tag) if given else None
        if color is None and found is not None:
            r, g, b, *a = found.text_numbers((3, 4))
            color = (r, g, b, a[0] if a else 1.0)
    others = element.all()
    kept = [(e.tag, flat(e)) for e in others if e.tag not in ("pose", "geometry")]
    return color, tuple(kept)


def _geometry(
    element: Element, at: SE3, source: Source, remarks: Remarks
) -> tuple[SE3, Geometry]:
    """A geometry, and its pose: planes are turned to have z as their normal."""
    tag = element.tag
    if tag == "plane":
        normal = numbers(element, "normal", 3, (0.0, 0.0, 1.0))
        x, y = numbers(element, "size", 2, (1.0, 1.0))
        return at * SE3(to_axis(*unit(normal, element, remarks))), Plane((x, y))
    if tag == "mesh":
        x, y, z = numbers(element, "scale", 3, (1.0, 1.0, 1.0))
        for part in element.all("submesh"):
            what = f"the whole mesh instead of a part of it: {flat(part)}"
            remarks.add("note", part, what)
        return at, mesh(element, word(element, "uri"), (x, y, z), source, remarks)
    if tag in ("box", "ellipsoid"):
        key, default = ("size", 1.0) if tag == "box" else ("radii", 1.0)
        x, y, z = numbers(element, key, 3, (default,) * 3)
        return at, Box((x, y, z)) if tag == "box" else Ellipsoid((x, y, z))
    radius = number(element, "radius", {"sphere": 1.0, "cylinder": 1.0}.get(tag, 0.5))
    if tag == "sphere":
        return at, Sphere(radius)
    kind = Cylinder if tag == "cylinder" else Capsule
    return at, kind(radius, number(element, "length", 1.0))
