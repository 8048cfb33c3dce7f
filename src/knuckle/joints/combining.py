"""Joints made of joints: several in a row, or one the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from knuckle.joints.joint import Joint
from knuckle.joints.physics import KEYWORDS
from knuckle.scalar import Number
from knuckle.spatial import SE3

Numbers = Sequence[Number]


def Composite(*joints: Joint, **physical: Any) -> Joint:
    """pose = pose_1 pose_2 ...; coordinates and velocities one after the other.

    Sueda (2.48).  The physical data are those of the parts, unless given anew.
    """
    for k, joint in enumerate(joints):
        if not isinstance(joint, Joint):
            raise TypeError(
                f"Composite: argument {k} is {type(joint).__name__}, expected a Joint"
            )
    nq, nv = sum(j.nq for j in joints), sum(j.nv for j in joints)

    def pose(q: Numbers, *t: Number) -> SE3:
        total = SE3()
        for joint, part in _parts(joints, q):
            total = total * joint.pose(part, *(t if joint.timed else ()))
        return total

    timed = any(joint.timed for joint in joints)
    keywords = {key: sum((getattr(j, key) for j in joints), ()) for key in KEYWORDS}
    return Joint(
        (lambda q, t: pose(q, t)) if timed else (lambda q: pose(q)),
        nq,
        nv,
        **{"name": "Composite", **_manifold(joints), **keywords, **physical},
    )


def _manifold(joints: Sequence[Joint]) -> dict[str, Any]:
    """integrate, difference, normalize and neutral of all the parts, side by side."""
    neutral = sum((joint.neutral for joint in joints), ())
    keywords: dict[str, Any] = {"neutral": neutral}
    if any(joint.changes_chart for joint in joints):
        keywords["reparameterize"] = partial(_reparameterize, joints)
    if not any(joint.custom for joint in joints):
        return keywords

    def normalize(q: Numbers) -> Iterator[Number]:
        for joint, part in _parts(joints, q):
            yield from joint.normalize(part)

    def integrate(q: Numbers, v: Numbers, dt: Number) -> Iterator[Number]:
        pairs = zip(_parts(joints, q), _rates(joints, v), strict=True)
        for (joint, part), rates in pairs:
            yield from joint.integrate(part, rates, dt)

    def difference(q0: Numbers, q1: Numbers) -> Iterator[Number]:
        ends = zip(_parts(joints, q0), _parts(joints, q1), strict=True)
        for (joint, a), (_, b) in ends:
            yield from joint.difference(a, b)

    return {
        "integrate": integrate,
        "difference": difference,
        "normalize": normalize,
        **keywords,
    }


def _reparameterize(
    joints: Sequence[Joint], q: Numbers, v: Numbers
) -> tuple[list[Number], list[Number]]:
    """Each part in its own coordinates of choice."""
    pairs = zip(_parts(joints, q), _rates(joints, v), strict=True)
    changed = [joint.reparameterize(part, rates) for (joint, part), rates in pairs]
    return [x for q, _ in changed for x in q], [x for _, v in changed for x in v]


def _parts(joints: Sequence[Joint], q: Numbers) -> Iterator[tuple[Joint, Numbers]]:
    start = 0
    for joint in joints:
        yield joint, q[start : start + joint.nq]
        start += joint.nq


def _rates(joints: Sequence[Joint], v: Numbers) -> Iterator[Numbers]:
    start = 0
    for joint in joints:
        yield v[start : start + joint.nv]
        start += joint.nv


def Reversed(joint: Joint, **physical: Any) -> Joint:
    """The inverse pose: predecessor and successor exchanged (Featherstone Table 4.2).

    Coordinates and velocities keep their meaning: the velocity of a reversed spherical
    joint is in the frame of what was the successor.  Reversed twice is the identity.
    """
    pose: Callable[..., SE3]
    if joint.timed:
        pose = lambda q, t: joint.pose(q, t).inverse()  # noqa: E731
    else:
        pose = lambda q: joint.pose(q).inverse()  # noqa: E731
    manifold = _manifold([joint])
    name = joint.name.removeprefix("reversed ")
    if name == joint.name:
        name = f"reversed {name}"
    keywords = {**manifold, "name": name, **joint.physical, **physical}
    return Joint(pose, joint.nq, joint.nv, **keywords)
