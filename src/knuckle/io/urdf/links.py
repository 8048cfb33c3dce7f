"""Links of URDF: the inertia, and the shapes that are seen or touched."""

from __future__ import annotations

from typing import Any

from knuckle.io.errors import Remarks
from knuckle.io.flat import flat
from knuckle.io.poses import ZERO, origin
from knuckle.io.report import extent
from knuckle.io.source import Missing, Source
from knuckle.io.urdf.materials import Materials
from knuckle.io.xml import Element
from knuckle.model.data import Properties
from knuckle.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Mesh,
    Shape,
    Sphere,
)
from knuckle.spatial import Inertia

ONES = (1.0, 1.0, 1.0)
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
PRIMITIVES = ("box", "sphere", "cylinder", "capsule", "mesh")


def link_parts(
    link: Element, source: Source, materials: Materials, remarks: Remarks
) -> dict[str, Any]:
    """inertia, visuals and collisions of a <link>, as keywords of Body."""
    seen = [_shape(e, source, materials, remarks) for e in link.all("visual")]
    touched = link.all("collision")
    contact = link.all("contact") if touched else []
    more = tuple(("contact", flat(e)) for e in contact)
    hit = [_shape(e, source, materials, remarks, more) for e in touched]
    return {
        "inertia": inertia(link, remarks),
        "visuals": tuple(s for s in seen if s is not None),
        "collisions": tuple(s for s in hit if s is not None),
    }


def inertia(link: Element, remarks: Remarks) -> Inertia | None:
    """<inertial>: mass at the origin's xyz, moments in the axes that rpy turns."""
    given = link.child("inertial")
    if given is None:
        return None
    mass_element = given.only("mass")
    mass_element.required("value")
    mass = mass_element.number("value", 0.0)
    assert mass is not None
    if mass < 0.0:
        raise mass_element.error("a mass of 0 or more", f"{mass:g} kg", "mend its sign")
    at, moments = origin(given.child("origin")), _moments(given, remarks)
    if mass == 0.0 and any(at.p):
        remarks.add(
            "warning", given, f"no mass, and yet a centre of mass {at.p}: left out"
        )
    return Inertia(mass, at.p, moments, at.R)


def _moments(inertial: Element, remarks: Remarks) -> tuple[tuple[float, ...], ...]:
    given = inertial.child("inertia")
    if given is None:
        remarks.add("warning", inertial, "no <inertia>: a point mass")
        return (ZERO, ZERO, ZERO)
    xx, xy, xz, yy, yz, zz = (given.number(name, 0.0) or 0.0 for name in MOMENTS)
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def _shape(
    element: Element,
    source: Source,
    materials: Materials,
    remarks: Remarks,
    more: Properties = (),
) -> Shape | None:
    """A <visual> or <collision>; None, with a remark, where the geometry is unknown."""
    given = element.child("geometry")
    found = given.all(*PRIMITIVES) if given else []
    if given is None or len(found) != 1:
        what = f"left out, as it has {len(found)} shapes of those known"
        remarks.add("note", element, what + extent(element))
        return None
    placement = origin(element.child("origin"))
    color, properties = materials.of(element)
    label = given.get("name")
    more = (("geometry", label), *more) if label else more
    return Shape(
        geometry(found[0], source, remarks), placement, element.get("name", ""),
        color, (*properties, *more),
    )  # fmt: skip


def geometry(element: Element, source: Source, remarks: Remarks) -> Geometry:
    """A <box>, <sphere>, <cylinder>, <capsule> or <mesh>."""
    if element.tag == "box":
        return Box(_triple(element.numbers("size", 3), element, "size"))
    if element.tag == "mesh":
        scale = _triple(element.numbers("scale", 3, ONES), element, "scale")
        return mesh(element, element.required("filename"), scale, source, remarks)
    radius = _length(element, "radius")
    if element.tag == "sphere":
        return Sphere(radius)
    kind = Cylinder if element.tag == "cylinder" else Capsule
    return kind(radius, _length(element, "length"))


def mesh(
    element: Element,
    uri: str,
    scale: tuple[float, float, float],
    source: Source,
    remarks: Remarks,
) -> Mesh:
    """A mesh by its name, with the place of its file if there is one."""
    try:
        return Mesh(uri, scale, str(source.find(uri)))
    except Missing as reason:
        remarks.add("note", element, f"mesh not found: {reason}")
        return Mesh(uri, scale)


def _length(element: Element, name: str) -> float:
    value = element.number(name)
    if value is None or value < 0.0:
        got = "none" if value is None else f"{value:g}"
        raise element.error(f"a {name} of 0 or more", got, f'write {name}="..."')
    return value


def _triple(
    values: tuple[float, ...] | None, element: Element, name: str
) -> tuple[float, float, float]:
    if values is None:
        raise element.error(f"a {name} of three numbers", "none", f'write {name}="..."')
    x, y, z = values
    return x, y, z
