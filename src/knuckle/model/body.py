"""Bodies and frames as the user writes them (contract: the Model)."""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from knuckle.joints import Joint
from knuckle.model.content import digest
from knuckle.spatial import SE3, Inertia

WORLD = "world"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, its joint to the parent, and where the joint sits on both.

    Pose in the parent = placement * joint.pose(q) * offset^-1: `placement` is the
    joint's predecessor frame in the parent, `offset` its successor frame in the body.
    `parent` None is the world, `inertia` None no mass. The joint is called
    `joint_name`, else as the body. `visuals` and `collisions` are any content for
    viewers and contact. `unchecked` keeps an inertia that no rigid body has, or a joint
    that moves no mass, as files have them: `check()` tells what is wrong.
    """

    name: str
    parent: str | None
    joint: Any
    placement: SE3 = field(default_factory=SE3)
    inertia: Inertia | None = None
    offset: SE3 = field(default_factory=SE3)
    joint_name: str | None = None
    visuals: tuple[Any, ...] = ()
    collisions: tuple[Any, ...] = ()
    unchecked: bool = False

    @property
    def rigid(self) -> Inertia:
        """The inertia, zero where none was given."""
        return Inertia.zero() if self.inertia is None else self.inertia

    @cached_property
    def digest(self) -> str:
        """The content as a SHA-256 in hexadecimal."""
        return digest(
            *("Body", self.name, self.parent, self.joint, pose_content(self.placement)),
            *(inertia_content(self.rigid), pose_content(self.offset)),
            *(self.joint_name or self.name, self.visuals, self.collisions),
        )

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Body):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a body (None: the world); free unless asked for."""

    name: str
    body: str | None
    placement: SE3 = field(default_factory=SE3)

    @cached_property
    def digest(self) -> str:
        """The content as a SHA-256 in hexadecimal."""
        return digest("Frame", self.name, self.body, pose_content(self.placement))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Frame):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)


@dataclass(frozen=True)
class PlacedJoint:
    """A joint in its model: where its coordinates and velocities lie in q and v.

    Both slices are empty where a coupling makes the joint follow others.
    """

    name: str
    index: int
    body: Body
    joint: Joint
    q: slice
    v: slice


def placements(
    bodies: Sequence[Body], following: Collection[int]
) -> tuple[tuple[PlacedJoint, ...], tuple[PlacedJoint, ...]]:
    """The joints one after another, and with no room for those that follow others."""
    every: list[PlacedJoint] = []
    placed: list[PlacedJoint] = []
    for own, found in ((False, every), (True, placed)):
        q = v = 0
        for k, body in enumerate(bodies):
            free = not (own and k in following)
            iq, iv = q + body.joint.nq * free, v + body.joint.nv * free
            name, ends = str(body.joint_name), (slice(q, iq), slice(v, iv))
            found.append(PlacedJoint(name, k, body, body.joint, *ends))
            q, v = iq, iv
    return tuple(every), tuple(placed)


def pose_content(pose: SE3) -> bytes:
    """The bits of the 12 numbers R, p row by row."""
    pose = SE3.from_any(pose)
    return struct.pack("<12d", *(x for row in (*pose.R, pose.p) for x in row))


def inertia_content(inertia: Inertia) -> bytes:
    """The bits of the 10 numbers m, h, I about the origin."""
    return struct.pack("<10d", *inertia.entries)
