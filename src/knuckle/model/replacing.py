"""`Model.replace`: other arguments of the Model, or of one of its bodies or frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from knuckle.joints import Joint
from knuckle.model.body import Body
from knuckle.model.errors import ModelError, near
from knuckle.model.gamma import all_positions
from knuckle.model.model import CONTENT, QUANTITIES, Model
from knuckle.model.parameters import available

ARGUMENTS = (*CONTENT, "report")
OF_BODY = (
    *("parent", "joint", "placement", "inertia", "offset", "visuals", "collisions"),
    "unchecked",
    *QUANTITIES,
)
OF_FRAME = ("body", "placement")
NAMES = ("name", "joint_name")


def replace(model: Model, part: str | None, changes: Mapping[str, Any]) -> Model:
    """The Model with changed arguments; of a body or frame where `part` names one."""
    if part is None:
        _known(changes, ARGUMENTS, "", "arguments")
        if "couplings" in changes and "configurations" not in changes:
            couplings = tuple(changes["couplings"])
            moved = carried(model, changes.get("bodies", model.bodies), couplings)
            changes = {**changes, "couplings": couplings, "configurations": moved}
        return rebuilt(model, **changes)
    if part in model._frames:
        _known(changes, OF_FRAME, f"{part!r}, ", "arguments of a frame")
        frames = [_changed(f, changes, f.name == part) for f in model.frames]
        return rebuilt(model, frames=frames)
    _known(changes, OF_BODY, f"{part!r}, ", "arguments of a body")
    name = _body(model, part).name
    bodies = [_changed(b, changes, b.name == name) for b in model.bodies]
    if not isinstance(changes.get("joint"), Joint):
        return rebuilt(model, bodies=bodies)
    return rebuilt(model, bodies=bodies, configurations=carried(model, bodies))


def rebuilt(model: Model, **changes: Any) -> Model:
    """A new Model of the changed content, validated; its parameters stay by name."""
    new = type(model)(**{name: getattr(model, name) for name in ARGUMENTS} | changes)
    known = available(new)
    return new.with_parameters(*(name for name in model.parameters if name in known))


def carried(
    model: Model, bodies: Iterable[Body], couplings: Iterable[Any] | None = None
) -> dict[str, np.ndarray]:
    """The configurations on other bodies: coordinates follow their joint by its name.

    A joint that is new, or has another number of coordinates, is at its neutral place.
    """
    couplings = model.couplings if couplings is None else couplings
    following = {getattr(coupling, "joint", None) for coupling in couplings}
    known = {placed.name: placed for placed in model.tree_joints}
    found = {}
    for name, own in model.configurations.items():
        q, parts = all_positions(model, own), [np.zeros(0)]
        for body in bodies:
            if (body.joint_name or body.name) in following:
                continue
            placed = known.get(body.joint_name or body.name)
            same = placed is not None and placed.joint.nq == body.joint.nq
            parts.append(q[placed.q] if same else body.joint.neutral)  # type: ignore[union-attr]
        found[name] = np.concatenate(parts)
    return found


def uncoupled(model: Model) -> Model:
    """The Model without its couplings; configurations are those of all joints."""
    if not model.ties:
        return model
    if "uncoupled" not in model._kernels:
        every = {
            name: all_positions(model, q) for name, q in model.configurations.items()
        }
        bodies = [dataclasses.replace(b, unchecked=True) for b in model.bodies]
        made = rebuilt(model, bodies=bodies, couplings=(), configurations=every)
        model._kernels["uncoupled"] = made
    return model._kernels["uncoupled"]  # type: ignore[no-any-return]


def _body(model: Model, part: str) -> Body:
    """The body of this name, or that of the joint of this name."""
    if part in model._index:
        return model.body(part)
    if part in model._joints:
        return model.joint(part).body
    known = {**model._index, **model._joints, **model._frames}
    hint = near(part, known, "bodies, joints and frames")
    raise ModelError(f"replace({part!r}): no such body, joint or frame; {hint}")


def _changed(item: Any, changes: Mapping[str, Any], wanted: bool) -> Any:
    if not wanted:
        return item
    plain = {key: value for key, value in changes.items() if key not in QUANTITIES}
    if "inertia" in plain:
        plain.setdefault("unchecked", False)
    physical = {key: value for key, value in changes.items() if key in QUANTITIES}
    joint = plain.get("joint", getattr(item, "joint", None))
    if physical and isinstance(joint, Joint):
        try:
            plain["joint"] = joint.replace(**physical)
        except (TypeError, ValueError) as error:
            raise ModelError(f"replace({item.name!r}, ...): {error}") from None
    return dataclasses.replace(item, **plain)


def _known(
    changes: Mapping[str, Any], names: tuple[str, ...], part: str, what: str
) -> None:
    for name in changes:
        if part and name in NAMES:
            raise ModelError(
                f"replace({part}{name}=...): other parts refer to it by its name, "
                "which stays; build a new Model to change it"
            )
        if name not in names:
            raise ModelError(f"replace({part}{name}=...): {near(name, names, what)}")
