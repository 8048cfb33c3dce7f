"""A Model under other names: every body, joint, frame and datum with a prefix."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from knuckle.model.body import WORLD, Body, Frame
from knuckle.model.data import Actuator, Constraint
from knuckle.model.model import Model
from knuckle.model.replacing import ARGUMENTS
from knuckle.model.shapes import Shape

T = TypeVar("T", Body, Frame, Actuator, Constraint)
NAMING = {
    *("joint", "joint1", "joint2", "jointinparent", "body", "body1", "body2"),
    *("site", "site1", "site2", "sidesite", "refsite", "slidersite", "cranksite"),
    *("geom", "geom1", "geom2", "tendon", "tendon1", "tendon2"),
}
"""The properties of actuators and constraints whose values are names of the model."""


def prefixed(model: Model, prefix: str) -> Model:
    """The same mechanism, every name with the prefix; configurations keep theirs."""
    if not prefix:
        return model

    def called(name: str | None) -> Any:
        return name if name in (None, "", WORLD) else f"{prefix}{name}"

    def renamed(item: T, **fields: Any) -> T:
        return dataclasses.replace(item, name=called(item.name), **fields)

    def data(item: Any, ends: str) -> Any:
        named = {ends: tuple(map(called, getattr(item, ends)))}
        return renamed(item, **named, properties=_told(item.properties, called))

    def shapes(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            dataclasses.replace(x, name=called(x.name)) if isinstance(x, Shape) else x
            for x in items
        )

    content = {name: getattr(model, name) for name in ARGUMENTS}
    content["bodies"] = [
        renamed(
            b, parent=called(b.parent), joint_name=called(b.joint_name),
            visuals=shapes(b.visuals), collisions=shapes(b.collisions),
        )
        for b in model.bodies
    ]  # fmt: skip
    content["frames"] = [renamed(f, body=called(f.body)) for f in model.frames]
    content["actuators"] = [data(a, "targets") for a in model.actuators]
    content["constraints"] = [data(c, "between") for c in model.constraints]
    content["couplings"] = [c.renamed(called) for c in model.couplings]
    names = (n if n == "gravity" else called(n) for n in model.parameters)
    return Model(**content).with_parameters(*names)


def _told(value: Any, called: Callable[[str], Any]) -> Any:
    """Properties with the names in them renamed, however deep they are."""
    if not isinstance(value, tuple):
        return value
    if len(value) == 2 and value[0] in NAMING and isinstance(value[1], str):
        return value[0], called(value[1])
    return tuple(_told(x, called) for x in value)
