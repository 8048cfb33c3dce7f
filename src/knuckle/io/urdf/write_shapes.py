"""Shapes of a Model as <visual> and <collision> of URDF."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from knuckle.io.written import Losses, numbers, rpy, unfold
from knuckle.model import Body
from knuckle.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere

SAID = ("material", "texture", "geometry", "contact", "disable_collisions")


def shape_elements(link: ET.Element, body: Body, losses: Losses) -> None:
    """A <visual> or <collision> for every shape that URDF has."""
    for tag, shapes in (("visual", body.visuals), ("collision", body.collisions)):
        for k, shape in enumerate(shapes):
            where = f"body {body.name!r}: {tag} {k}"
            if not isinstance(shape, Shape):
                losses.add(f"{where}: {type(shape).__name__}")
                continue
            _shape(link, tag, shape, where, losses)
    contact = [p for s in body.collisions[:1] for p in getattr(s, "properties", ())]
    for name, value in contact:
        if name == "contact":
            unfold(ET.SubElement(link, "contact"), value)


def _shape(
    link: ET.Element, tag: str, shape: Shape, where: str, losses: Losses
) -> None:
    said = dict(shape.properties)
    geometry = _geometry(shape.geometry)
    if geometry is None:
        losses.add(f"{where}: a {type(shape.geometry).__name__}")
        return
    others = sorted({name for name, _ in shape.properties} - set(SAID))
    if others:
        losses.add(f"{where}: its {', '.join(others)}")
    element = ET.SubElement(link, tag)
    if shape.name:
        element.set("name", shape.name)
    at = shape.placement
    ET.SubElement(element, "origin", xyz=numbers(at.p), rpy=numbers(rpy(at.R)))
    holder = ET.SubElement(element, "geometry")
    if "geometry" in said:
        holder.set("name", str(said["geometry"]))
    holder.append(geometry)
    if shape.color is not None or "material" in said or "texture" in said:
        _material(ET.SubElement(element, "material"), shape, said)


def _geometry(shape: Any) -> ET.Element | None:
    match shape:
        case Box(size):
            return ET.Element("box", size=numbers(size))
        case Sphere(radius):
            return ET.Element("sphere", radius=repr(radius))
        case Cylinder(radius, length):
            return ET.Element("cylinder", radius=repr(radius), length=repr(length))
        case Capsule(radius, length):
            return ET.Element("capsule", radius=repr(radius), length=repr(length))
        case Mesh(uri, scale) if not shape.faces:
            return ET.Element("mesh", filename=uri, scale=numbers(scale))
    return None


def _material(element: ET.Element, shape: Shape, said: dict[str, Any]) -> None:
    if "material" in said:
        element.set("name", str(said["material"]))
    if shape.color is not None:
        ET.SubElement(element, "color", rgba=numbers(shape.color))
    if "texture" in said:
        ET.SubElement(element, "texture", filename=str(said["texture"]))
