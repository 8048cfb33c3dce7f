"""What is shown of a model: coloured surfaces on bodies, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from knuckle.model import Body, Model
from knuckle.model.data import Remark
from knuckle.model.shapes import Plane, Shape
from knuckle.view import framing, geometry, palette
from knuckle.view.figure import figure
from knuckle.view.masses import inertia_boxes, mass_centres
from knuckle.view.part import WORLD, Part, depth
from knuckle.view.poses import Poses

Array = np.ndarray
ARROWS = ("gravity", "joint forces", "applied forces")
LAYERS = (
    *("visuals", "collisions", "frames", "names", "inertia", "centre of mass"),
    *ARROWS,
)
"""What can be shown and hidden, in the order of the switches."""
INNER = ("frames", "centre of mass", *ARROWS)
"""What lies inside the bodies, which turn to glass while it is shown."""


@dataclass(frozen=True, eq=False)
class Tag:
    """A named frame on a body (-1: the world), shown by its axes and its name."""

    name: str
    body: int
    R: Array
    p: Array


@dataclass(frozen=True, eq=False)
class Scene:
    """Parts and frames on bodies; `size` [m] is that of the model.

    The ground lies `ground` along `up`. The centre of mass of the model counts as one
    more body after the last. `layers` are those that have anything to show, `shown`
    those that are shown at first.
    """

    bodies: tuple[str, ...]
    parts: tuple[Part, ...]
    tags: tuple[Tag, ...]
    size: float
    up: Array
    ground: float
    camera: framing.Camera
    shown: frozenset[str]
    remarks: tuple[Remark, ...]

    @property
    def cell(self) -> float:
        """The spacing of the grid on the ground [m]."""
        return framing.cell(self.size)


def scene(model: Model, poses: Poses, known: tuple[Remark, ...] = ()) -> Scene:
    """The picture of a model along these poses; `known` remarks come first."""
    remarks = [*known]
    up, size = framing.upwards(model), framing.reach(model, poses)
    parts = list(of_shapes(model, size, remarks))
    if not any(part.layer == "visuals" for part in parts):
        parts += list(stand_ins(model, parts, up, size))
    boxes = list(inertia_boxes(model))
    shown, framed = {"visuals"}, parts
    if not any(body.visuals or body.collisions for body in model.bodies):
        shown.add("inertia")
        framed = parts + [box for box in boxes if box.extent < 3.0 * size]
    size, ground, camera = framing.frame(framed, poses, up, size, model.planar)
    return Scene(
        tuple(b.name for b in model.bodies),
        (*parts, *boxes, *mass_centres(model, size)),
        *(tuple(tags(model)), size, up, ground, camera),
        *(frozenset(shown), tuple(dict.fromkeys(remarks))),
    )


def of_shapes(model: Model, size: float, remarks: list[Remark]) -> Iterator[Part]:
    """The shapes that bodies carry; in the body's own colour where they have none."""
    for i, body in enumerate(model.bodies):
        own = palette.of_depth(depth(model, i))
        for shape in _known(body, body.visuals, remarks):
            yield from _parts("visuals", i, shape, own, size, remarks)
        for shape in _known(body, body.collisions, remarks):
            ghost = replace(shape, color=palette.COLLISION)
            yield from _parts("collisions", i, ghost, own, size, remarks)


def _known(body: Body, shapes: Iterable[Any], remarks: list[Remark]) -> Iterator[Shape]:
    """The Shapes among what a body carries; a remark for anything else."""
    for shape in shapes:
        if isinstance(shape, Shape):
            yield shape
        else:
            reason = f"a {type(shape).__name__} is no Shape: not shown"
            remarks.append(Remark("note", "model", 0, f"body {body.name!r}", reason))


def stand_ins(
    model: Model, parts: list[Part], up: Array, size: float
) -> Iterator[Part]:
    """Without visuals: the collision shapes in the bodies' colours, else a figure."""
    for part in parts:
        color = palette.of_depth(depth(model, part.body))
        yield replace(part, layer="visuals", color=color)
    if not parts:
        yield from figure(model, up, size)


def tags(model: Model) -> Iterator[Tag]:
    """The frames of all bodies, then the named ones."""
    for i, body in enumerate(model.bodies):
        yield Tag(body.name, i, np.eye(3), np.zeros(3))
    for frame in model.frames:
        i = WORLD if frame.body is None else model.index(frame.body)
        R, p = np.array(frame.placement.R, float), np.array(frame.placement.p, float)
        yield Tag(frame.name, i, R, p)


def _parts(
    layer: str, i: int, shape: Shape, own: palette.Color, size: float,
    remarks: list[Remark],
) -> Iterator[Part]:  # fmt: skip
    R, p = np.array(shape.placement.R, float), np.array(shape.placement.p, float)
    endless = isinstance(shape.geometry, Plane)
    for surface, color in geometry.pieces(shape.geometry, size, remarks):
        color = color if color is palette.MISSING else shape.color or color or own
        yield Part(layer, i, surface, color, R, p, endless)
