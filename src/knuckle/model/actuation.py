"""Which velocities the actuators of a Model drive."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from knuckle.model.data import Actuator
from knuckle.model.model import Array, Model

JOINTS = ("joint", "jointinparent")


def actuated(model: Model) -> Array:
    """Which velocities feel an actuator, (nv,) of bool.

    Through a tendon those that change its length; on a site or body all that move it.
    Without actuators all but those of a root's joint with every freedom of its space.
    """
    driven = np.zeros(model.nv, bool)
    if model.actuators:
        names = {name for a in model.actuators for name in _joints(model, a)}
        for placed in model.joints:
            driven[placed.v] = placed.name in names
        return driven
    for placed, parent in zip(model.joints, model.parents, strict=True):
        freedoms = 3 if model.planar else 6
        driven[placed.v] = not (parent < 0 and placed.joint.nv == freedoms)
    return driven


def _joints(model: Model, actuator: Actuator) -> Iterator[str]:
    """The names of the joints that an actuator drives."""
    through = str(dict(actuator.properties).get("transmission", "")).split(" ")[0]
    ties = {c.name: c for c in model.constraints}
    for target in actuator.targets:
        if target in ties and through not in JOINTS:
            tie = ties[target]
            yield from (name for name in tie.between if name in model._joints)
            yield from _between(model, [n for n in tie.between if _is_place(model, n)])
        elif target in model._joints and through in ("", *JOINTS):
            yield target
        elif _is_place(model, target):
            yield from _moving(model, target)


def _between(model: Model, places: list[str]) -> set[str]:
    """The joints that move some of these places and not all of them."""
    supports = [_moving(model, place) for place in places]
    if not supports:
        return set()
    first, *others = supports
    return first.union(*others) - first.intersection(*others)


def _moving(model: Model, place: str) -> set[str]:
    """The joints that move a body or frame."""
    body = model.frame(place).body
    if body is None:
        return set()
    return {model.joints[model.index(name)].name for name in model.support(body)}


def _is_place(model: Model, name: str) -> bool:
    return name in model._index or name in model._frames
