"""Model surgery: hold joints, join models, cut out a part; each gives a new Model.

Every result is validated anew. What refers to a body or joint by name follows it:
frames, configurations, limits, actuators, constraints and parameters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from knuckle.joints import Fixed
from knuckle.model.actuation import of_tendon, on_joints
from knuckle.model.body import WORLD, Body, Frame, PlacedJoint
from knuckle.model.coupling import Coupling
from knuckle.model.data import Actuator, Constraint
from knuckle.model.errors import ModelError
from knuckle.model.model import Array, Model
from knuckle.model.parameters import UNIT
from knuckle.model.prefixing import prefixed
from knuckle.model.replacing import carried, rebuilt
from knuckle.model.rigid import exact_pose
from knuckle.model.shapes import Shape
from knuckle.spatial import SE3

BETWEEN_BODIES = ("connect", "weld")
"""The kinds of Constraint whose names are those of bodies or frames."""


def lock(model: Model, positions: Mapping[str, Any]) -> Model:
    """The Model with joints held: Fixed, their pose at this position in the placement.

    The same Model as from a file with fixed joints in their place. An actuator that
    drives held joints alone goes with them; a constraint that ties a held joint to
    one that moves is refused.
    """
    if not isinstance(positions, Mapping):
        raise ModelError(
            f"lock: expected {{joint name: position}}, got {positions!r}; write "
            "model.lock({'elbow': 0.5})"
        )
    held = {model.joint(name).name: q for name, q in positions.items()}
    bodies = [
        _held(placed, held[placed.name]) if placed.name in held else placed.body
        for placed in model.joints
    ]
    couplings = _kept(model, held.keys())
    stay = {c.name for c in model.constraints if _stays(c, model, held.keys())}
    stay |= {n for c in model.constraints if c.name in stay for n in c.between}
    ties = [c for c in model.constraints if c.name in stay]
    gone = {c.name for c in model.constraints} - stay
    return rebuilt(
        model,
        bodies=bodies,
        couplings=couplings,
        configurations=carried(model, bodies, couplings),
        actuators=[a for a in model.actuators if _drives(a, held.keys(), gone)],
        constraints=ties,
    )


def subtree(model: Model, body: str) -> Model:
    """The Model of a body and all that it carries; its parent becomes the world.

    The body keeps its joint and placement: `replace(body, joint=...)` gives it another.
    What names anything outside is left out; gravity and the report stay.
    """
    if body == WORLD:
        return model
    inside = set(model.subtree_bodies(body))
    bodies = [b for b in model.bodies if b.name in inside]
    bodies = [dataclasses.replace(b, parent=None) if b.name == body else b
              for b in bodies]  # fmt: skip
    frames = [f for f in model.frames if f.body in inside]
    named = inside | {f.name for f in frames} | {str(b.joint_name) for b in bodies}
    named |= {s.name for b in bodies for s in (*b.visuals, *b.collisions)
              if isinstance(s, Shape)}  # fmt: skip
    ties = [c for c in model.constraints if c.kind.endswith("tendon")]
    named |= {c.name for c in ties if named.issuperset(c.between)}
    ties = [c for c in model.constraints if named.issuperset(c.between)]
    couplings = _whole(model, {str(b.joint_name) for b in bodies}, body)
    return rebuilt(
        model,
        bodies=bodies,
        frames=frames,
        couplings=couplings,
        configurations=carried(model, bodies, couplings),
        actuators=[a for a in model.actuators if named.issuperset(a.targets)],
        constraints=ties,
    )


def attach(
    model: Model, other: Model, frame: str, placement: Any = None, prefix: str = ""
) -> Model:
    """The Model with another's roots hung on a body or named frame.

    The other's world comes to lie at `placement` in that frame. Its names get the
    prefix, its coordinates follow this model's; configurations of one name are put
    together, and where one model lacks the name it is at its neutral position.
    Gravity is this model's.
    """
    if not isinstance(other, Model):
        raise ModelError(
            f"attach: expected a Model, got {type(other).__name__} {other!r}; write "
            "model.attach(kn.load('hand.urdf'), 'wrist')"
        )
    carrier = model.frame(frame)
    place = SE3() if placement is None else SE3.from_any(placement)
    place = carrier.placement * place
    added = prefixed(other, prefix)
    _refuse_twins(model, added, prefix)
    new = rebuilt(
        model,
        bodies=[*model.bodies, *(_hung(b, carrier.body, place) for b in added.bodies)],
        frames=[*model.frames, *(_moved(f, carrier.body, place) for f in added.frames)],
        configurations=_joined(model, other),
        actuators=[*model.actuators, *added.actuators],
        constraints=[*model.constraints, *added.constraints],
        couplings=[*model.couplings, *added.couplings],
        report=[*model.report, *(r for r in other.report if r not in model.report)],
    )
    return new.with_parameters(*(p for p in added.parameters if p != "gravity"))


def _held(placed: PlacedJoint, value: Any) -> Body:
    """The body on a Fixed joint whose placement holds the pose at this position."""
    joint, where = placed.joint, f"lock: joint {placed.name!r}"
    if joint.timed:
        raise ModelError(
            f"{where}: its motion is prescribed in time; take "
            f"model.replace({placed.body.name!r}, joint=...)"
        )
    q = _numbers(value)
    if q.shape != (joint.nq,) or not np.isfinite(q).all():
        numbers = f"{joint.nq} finite number{'s'[: joint.nq != 1]}"
        raise ModelError(
            f"{where}: expected {numbers}, got {value!r}; such as "
            f"{joint.neutral}, its neutral position"
        )
    near = np.array(joint.normalize(tuple(q.tolist())))
    if np.abs(near - q).max(initial=0.0) > UNIT:
        raise ModelError(
            f"{where}: expected a unit quaternion, got {q.tolist()}; its norm must be "
            "1, see model.normalize"
        )
    place = _product(placed.body.placement, joint.pose(tuple(near.tolist())))
    return dataclasses.replace(placed.body, joint=Fixed(), placement=place)


def _kept(model: Model, held: Collection[str]) -> list[Coupling]:
    """The couplings of joints that still move; an error where only some are held."""
    kept = []
    for coupling in model.couplings:
        joints = {coupling.joint, *coupling.source_joints}
        free = joints.difference(held)
        if free and joints.intersection(held):
            gone = ", ".join(map(repr, sorted(joints.intersection(held))))
            raise ModelError(
                f"lock: a coupling makes joint {coupling.joint!r} follow "
                f"{', '.join(map(repr, coupling.source_joints))}, and {gone} alone "
                "would be held; lock all of them (kn.joint_positions gives where they "
                "are), or leave it out by model.replace(couplings=...)"
            )
        kept += [coupling] * bool(free)
    return kept


def _whole(model: Model, joints: Collection[str], body: str) -> list[Coupling]:
    """The couplings within these joints; an error where one reaches outside."""
    kept = []
    for coupling in model.couplings:
        outside = {*coupling.source_joints}.difference(joints)
        if coupling.joint in joints and outside:
            raise ModelError(
                f"subtree({body!r}): joint {coupling.joint!r} follows joint "
                f"{min(outside)!r}, which stays outside; leave the coupling out by "
                "model.replace(couplings=...)"
            )
        kept += [coupling] * (coupling.joint in joints)
    return kept


def _numbers(value: Any) -> Array:
    """The value as (n,) floats; nothing where it is no row of numbers."""
    try:
        row = np.atleast_1d(np.asarray(value, float))
    except (TypeError, ValueError):
        return np.full(1, np.nan)
    return row


def _drives(actuator: Actuator, held: Collection[str], gone: Collection[str]) -> bool:
    """Whether some target of the actuator is neither a held joint nor a lost tendon."""
    direct = on_joints(actuator)
    lost = {*(() if direct is False else held), *(() if direct else gone)}
    return not actuator.targets or not lost.issuperset(actuator.targets)


def _stays(constraint: Constraint, model: Model, held: Collection[str]) -> bool:
    """Whether none of the constraint's joints is held; an error where only some are.

    A tendon, or an equality of tendons, stays while one of its joints moves.
    """
    joints = _joints_of(constraint, model)
    free = [n for n in joints if n not in held]
    if len(free) == len(joints) or (free and constraint.kind.endswith("tendon")):
        return True
    if free:
        gone = next(n for n in joints if n in held)
        raise ModelError(
            f"lock: {constraint.kind} {constraint.name!r} ties joint {free[0]!r} to "
            f"{gone!r}; lock both, or leave it out by model.replace(constraints=...)"
        )
    return False


def _joints_of(constraint: Constraint, model: Model) -> list[str]:
    """The joints among what a constraint ties together, told from bodies and frames."""
    if constraint.kind.endswith("tendon"):
        return sorted(of_tendon(model, constraint))
    ends = str(dict(constraint.properties).get("ends", "")).split()
    if len(ends) == len(constraint.between):
        pairs = zip(constraint.between, ends, strict=True)
        return [name for name, end in pairs if end.startswith("joint")]
    if constraint.kind in BETWEEN_BODIES:
        return []
    return [name for name in constraint.between if name in model._joints]


def _hung(body: Body, carrier: str | None, place: SE3) -> Body:
    """A root on the carrier; the other bodies as they are."""
    if body.parent is not None:
        return body
    return dataclasses.replace(
        body, parent=carrier, placement=_product(place, body.placement)
    )


def _moved(frame: Frame, carrier: str | None, place: SE3) -> Frame:
    if frame.body is not None:
        return frame
    return Frame(frame.name, carrier, _product(place, frame.placement))


def _product(a: SE3, b: SE3) -> SE3:
    """a b, multiplied out with exact rotation entries."""
    return exact_pose(exact_pose(a) * exact_pose(b))


def _joined(model: Model, other: Model) -> dict[str, Array]:
    """Configurations of both, each at its neutral position where it lacks the name."""
    names = dict.fromkeys([*model.configurations, *other.configurations])
    parts = [(m.configurations, m.neutral()) for m in (model, other)]
    return {n: np.concatenate([c.get(n, q) for c, q in parts]) for n in names}


def _refuse_twins(model: Model, other: Model, prefix: str) -> None:
    """Names of the two models that meet."""
    for kind, known in _names(model).items():
        twins = [name for name in _names(other)[kind] if name in known]
        if twins:
            repair = "write prefix='hand_'" if not prefix else "take another prefix"
            raise ModelError(
                f"attach: both models have a {kind} {twins[0]!r}"
                + (f" and {len(twins) - 1} more names" if twins[1:] else "")
                + f", prefix={prefix!r}; {repair}"
            )


def _names(model: Model) -> dict[str, list[str]]:
    """The names that must differ within a model, by kind."""
    frames = [f.name for f in model.frames]
    return {
        "body or frame": [b.name for b in model.bodies] + frames,
        "joint": [p.name for p in model.joints],
        "actuator": [a.name for a in model.actuators if a.name],
        "constraint": [c.name for c in model.constraints if c.name],
    }
