"""Materials of URDF: colours and textures, by name or in place."""

from __future__ import annotations

from typing import TypeAlias

from knuckle.io.errors import Remarks
from knuckle.io.flat import flat
from knuckle.io.report import extent
from knuckle.io.xml import Element
from knuckle.model.data import Properties

Color: TypeAlias = tuple[float, float, float, float]


class Materials:
    """The materials of a robot: those at its top, and those defined where used."""

    def __init__(self, robot: Element, remarks: Remarks) -> None:
        self.remarks = remarks
        self.known: dict[str, Element] = {}
        self.used: list[Element] = []
        self.top = robot.all("material")
        shapes = [s for link in robot.all("link") for s in link.all(*SHAPES)]
        for element in (*self.top, *(m for s in shapes for m in s.all("material"))):
            if element in self.top or _look(element):
                self._define(element)

    def of(self, shape: Element) -> tuple[Color | None, Properties]:
        """The colour of a shape; its material's name and texture as properties."""
        given = shape.all("material")
        if not given:
            return None, ()
        for extra in given[1:]:
            self._leave_out(extra, "the shape has a material already")
        element, name = given[0], given[0].get("name", "")
        label = (("material", name),) if name else ()
        if not _look(element):
            if name not in self.known:
                self.remarks.add("note", element, "no such material is defined")
                return None, label
            element = self.known[name]
        self.used.append(element)
        return _color(element), (*label, *_texture(element))

    def finish(self) -> None:
        """Remarks on the materials that no shape uses."""
        for element in self.top:
            if element not in self.used:
                self._leave_out(element, "no shape uses this material")

    def _leave_out(self, element: Element, reason: str) -> None:
        flat(element)
        self.remarks.add("note", element, reason + extent(element))

    def _define(self, element: Element) -> None:
        name = element.get("name", "")
        first = self.known.setdefault(name, element) if name else element
        if first is not element:
            same = "once more" if _text(first) == _text(element) else "in another way"
            self.remarks.add(
                "note", element, f"defines {name!r} {same}, after line {first.line}"
            )


SHAPES = ("visual", "collision")


def _look(element: Element) -> bool:
    return bool(element.all("color", "texture"))


def _color(element: Element) -> Color | None:
    given = element.child("color")
    values = None if given is None else given.numbers("rgba", 4)
    if values is None:
        return None
    r, g, b, a = values
    return r, g, b, a


def _texture(element: Element) -> Properties:
    given = element.child("texture")
    return () if given is None else (("texture", given.get("filename", "")),)


def _text(element: Element) -> list[tuple[str, str]]:
    return [item for e in element.walk() for item in e.attributes.items()]
