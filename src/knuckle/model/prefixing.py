"""A Model under other names: every body, joint, frame and datum with a prefix."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from knuckle.model.body import WORLD, Body, Frame
from knuckle.model.data import Actuator, Constraint
from knuckle.model.model import Model
from knuckle.model.replacing import ARGUMENTS

T = TypeVar("T", Body, Frame, Actuator, Constraint)


def prefixed(model: Model, prefix: str) -> Model:
    """The same mechanism, every name with the prefix; configurations keep theirs."""
    if not prefix:
        return model

    def called(name: str | None) -> Any:
        return name if name in (None, WORLD) else f"{prefix}{name}"

    def renamed(item: T, **fields: Any) -> T:
        return dataclasses.replace(item, name=called(item.name), **fields)

    content = {name: getattr(model, name) for name in ARGUMENTS}
    content["bodies"] = [
        renamed(b, parent=called(b.parent), joint_name=called(b.joint_name))
        for b in model.bodies
    ]
    content["frames"] = [renamed(f, body=called(f.body)) for f in model.frames]
    content["actuators"] = [
        renamed(a, targets=tuple(map(called, a.targets))) for a in model.actuators
    ]
    content["constraints"] = [
        renamed(c, between=tuple(map(called, c.between))) for c in model.constraints
    ]
    names = (n if n == "gravity" else called(n) for n in model.parameters)
    return Model(**content).with_parameters(*names)
