"""Geoms: what is seen and touched, and the mass of bodies without <inertial>."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from knuckle.io.mjcf.assets import Assets
from knuckle.io.mjcf.extents import shell, solid
from knuckle.io.mjcf.poses import line, pose
from knuckle.io.mjcf.walk import Part
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

TYPES = (
    *("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box"),
    *("mesh", "sdf"),
)
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, "plane": 2}
ALONG = ("capsule", "cylinder", "ellipsoid", "box")
"""The types that `fromto` may place."""
KEPT = (
    *("contype", "conaffinity", "condim", "group", "priority", "friction", "solmix"),
    *("solref", "solimp", "margin", "gap", "surfacevel", "adhesion", "fluidshape"),
    *("fluidcoef", "user", "castshadow", "material"),
)
"""What contact, fluids and viewers may want of a geom, kept as properties."""
SHOWN = 2
"""Viewers show the groups up to this one at first."""
DENSITY = 1000.0


@dataclass(frozen=True)
class Geom:
    """A geom on its link."""

    part: Part
    assets: Assets

    @cached_property
    def kind(self) -> str:
        return str(self.part.entry.choice("type", TYPES, "sphere"))

    @cached_property
    def _ends(self) -> tuple[SE3, float] | None:
        """The frame and half length that `fromto` gives."""
        entry = self.part.entry
        if entry.holder("fromto") and self.kind not in ALONG:
            raise entry.element.error(
                "fromto on a " + ", ".join(ALONG), f"a {self.kind}",
                "write pos and size",
            )  # fmt: skip
        return line(entry)

    @cached_property
    def placement(self) -> SE3:
        """The frame of the geom in its link."""
        scope = self.part.scope
        if self._ends is not None:
            return scope.pose * self._ends[0]
        own = scope.pose * pose(self.part.entry, scope.document.settings)
        return own * self._fit[0] if self.fitted else own

    @cached_property
    def size(self) -> tuple[float, ...]:
        """Radii and half lengths; all that the type needs are positive."""
        entry, count = self.part.entry, SIZES.get(self.kind, 0)
        if not count:
            return ()
        if self.fitted:
            return self._fit[1]
        size = entry.padded("size", (0.0, 0.0, 0.0))[:count]
        if self._ends is not None:
            size = (size[0], self._ends[1])
            size = size if count == 2 else (size[0], *size)
        if self.kind != "plane" and not all(x > 0.0 for x in size):
            raise entry.element.error(
                f"{count} positive sizes of a {self.kind}", f"{size}", "write size"
            )
        return size

    @cached_property
    def _fit(self) -> tuple[SE3, tuple[float, ...]]:
        """Frame and size of a primitive around a mesh."""
        scale = self.part.entry.number("fitscale", 1.0)
        frame, size = self.assets.fit(self.part, self.kind)
        return frame, tuple(scale * x for x in size)

    @cached_property
    def fitted(self) -> bool:
        """A primitive around a mesh."""
        return self.kind not in ("mesh", "sdf") and bool(self.part.entry.get("mesh"))

    @cached_property
    def geometry(self) -> Geometry | None:
        """The shape in its own frame; None where it cannot be had."""
        if self.kind in ("mesh", "sdf"):
            return self.assets.mesh(self.part)
        if self.kind == "hfield":
            return self.assets.height_field(self.part)
        return _primitive(self.kind, self.size)

    def shape(self) -> Shape | None:
        """The geom as viewers and contact see it."""
        if self.geometry is None:
            return None
        return Shape(
            self.geometry, self.placement, self.part.name(), self._color(), self._kept()
        )

    def _color(self) -> tuple[float, float, float, float] | None:
        entry = self.part.entry
        if entry.holder("rgba"):
            r, g, b, a = entry.numbers("rgba", 4)
            return r, g, b, a
        return self.assets.color(self.part)

    def _kept(self) -> Properties:
        entry = self.part.entry
        said = set(entry.names())
        pairs = [(name, value(entry.get(name))) for name in KEPT if name in said]
        if self.kind == "plane" and entry.padded("size", (0.0, 0.0, 0.0))[2]:
            pairs.append(("spacing", entry.padded("size", (0.0, 0.0, 0.0))[2]))
        if self.kind in ("mesh", "sdf"):
            pairs += self.assets.rule(self.part)
        return tuple(pairs)

    @property
    def collides(self) -> bool:
        """Whether it may touch another geom of its own accord."""
        entry = self.part.entry
        return any(entry.number(name, 1.0) for name in ("contype", "conaffinity"))

    @property
    def group(self) -> float:
        return float(self.part.entry.number("group", 0.0))

    @property
    def shown(self) -> bool:
        """Whether viewers show it: the first groups, and what nothing can touch."""
        return self.group <= SHOWN or not self.collides

    def inertia(self) -> Inertia:
        """Mass, or density times volume, about the body's origin."""
        entry = self.part.entry
        if self.kind in ("mesh", "sdf"):
            unit = self.assets.unit_inertia(self.part)
            if unit is None:
                return Inertia.zero()
            volume, body = unit
            mass = self._mass(volume)
            body = Inertia.of_entries([mass * x for x in body.entries])
            return moved(body, self.placement)
        shells = entry.boolean("shellinertia", False)
        volume, moments = (shell if shells else solid)(self.kind, self.size)
        mass = self._mass(volume)
        about_com = [mass * x for x in moments]
        return Inertia(mass, self.placement.p, about_com, self.placement.R)

    def _mass(self, volume: float) -> float:
        entry = self.part.entry
        mass = entry.number("mass")
        if mass is None:
            mass = entry.number("density", DENSITY) * volume
        elif volume <= 1e-15:
            mass = 0.0
        if mass < 0.0:
            raise entry.element.error("a mass not below 0", f"{mass}", "drop the sign")
        return float(mass)


def _primitive(kind: str, size: tuple[float, ...]) -> Geometry:
    a, b, c = (*size, 0.0, 0.0)[:3]
    if kind == "plane":
        return Plane((2.0 * a, 2.0 * b))
    if kind == "sphere":
        return Sphere(a)
    if kind == "capsule":
        return Capsule(a, 2.0 * b)
    if kind == "cylinder":
        return Cylinder(a, 2.0 * b)
    if kind == "ellipsoid":
        return Ellipsoid((a, b, c))
    return Box((2.0 * a, 2.0 * b, 2.0 * c))


def moved(inertia: Inertia, pose: SE3) -> Inertia:
    """The inertia of a body that stands at a pose, in the outer frame."""
    return (
        Inertia(inertia.mass, pose @ inertia.com, inertia.I_com, pose.R)
        if (inertia.mass)
        else Inertia.zero()
    )


def value(text: str) -> Any:
    """A number, several, or the text itself."""
    try:
        numbers = tuple(float(x) for x in text.split())
    except ValueError:
        return text
    if not numbers or not all(map(math.isfinite, numbers)):
        return text
    return numbers[0] if len(numbers) == 1 else numbers
