"""Which velocities the actuators of a Model drive."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from knuckle.model.data import Actuator, Constraint
from knuckle.model.model import Array, Model

JOINTS = ("joint", "jointinparent")


def actuated(model: Model) -> Array:
    """Which velocities feel an actuator, (nv,) of bool.

    Through a tendon those that change its length; on a site or body all that move it;
    on a joint that follows others by a coupling those that it follows. Without
    actuators all but those of a root's joint with every freedom of its space.
    """
    driven = np.zeros(model.nv, bool)
    if model.actuators:
        names = {name for a in model.actuators for name in _joints(model, a)}
        for tie in reversed(model.ties):
            if tie.coupling.joint in names:
                names.update(tie.coupling.source_joints)
        for placed in model.joints:
            driven[placed.v] = placed.name in names
        return driven
    for placed, parent in zip(model.joints, model.parents, strict=True):
        freedoms = 3 if model.planar else 6
        driven[placed.v] = not (parent < 0 and placed.joint.nv == freedoms)
    return driven


def on_joints(actuator: Actuator) -> bool | None:
    """Whether its targets are joints; None where it does not say."""
    through = str(dict(actuator.properties).get("transmission", "")).split(" ")[0]
    return through in JOINTS if through else None


def _joints(model: Model, actuator: Actuator) -> Iterator[str]:
    """The names of the joints that an actuator drives."""
    direct = on_joints(actuator)
    ties = {c.name: c for c in model.constraints}
    for target in actuator.targets:
        if target in ties and not direct:
            yield from of_tendon(model, ties[target])
        elif target in model._joints and direct is not False:
            yield target
        elif _is_place(model, target):
            yield from _moving(model, target)


def of_tendon(model: Model, tie: Constraint) -> set[str]:
    """The joints that change the length of a tendon, or of the tendons that it names.

    Those of a fixed tendon are named; a path over sites sees those between its places.
    """
    tendons = [c for c in model.constraints if c.name in tie.between and c != tie]
    joints = {name for name in tie.between if name in model._joints}
    places = [name for name in tie.between if _is_place(model, name)]
    inner = [of_tendon(model, c) for c in tendons if c.kind.endswith(" tendon")]
    return joints.union(_between(model, places), *inner)


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
