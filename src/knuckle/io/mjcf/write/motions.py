"""A chain of joints as MuJoCo's hinges, slides, balls and free joints.

With the body at P0 where q = q0, a hinge or slide of coordinate k moves it by
exp(x_k (q_k - q0_k)), where x_k is a unit screw without pitch in the body's own frame.
The screws come from the pose itself, and the product of all is compared with the pose,
so that any joint that is such a product is written, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knuckle.io.mjcf.write.nodes import Node, number, numbers
from knuckle.io.written import Losses
from knuckle.joints import Composite, Joint, builtin
from knuckle.model import Body
from knuckle.spatial import SE3

Array = np.ndarray
EXACT = 1e-11
"""How far the product of screws may be from the pose."""


@dataclass(frozen=True)
class Chain:
    """Bodies without mass and the one that they carry, moved by all their joints."""

    bodies: tuple[Body, ...]

    @property
    def last(self) -> Body:
        return self.bodies[-1]

    def pose(self, q: Sequence[float]) -> SE3:
        """The last body in the frame of the first one's parent."""
        total, at = SE3(), 0
        for body in self.bodies:
            here = [float(x) for x in q[at : at + body.joint.nq]]
            total = total * body.placement * body.joint.pose(here)
            total = total * body.offset.inverse()
            at += body.joint.nq
        return SE3(total.R, total.p)

    @property
    def neutral(self) -> tuple[float, ...]:
        """Where all joints start."""
        return sum((body.joint.neutral for body in self.bodies), ())


def same(a: Joint, b: Joint) -> bool:
    """Whether two joints move alike, whatever their limits and springs."""
    rates = [x.core.qdot.digest() if x.core.qdot else "" for x in (a, b)]
    numbers_ = [x.core.numbers.digest() for x in (a, b)]
    return rates[0] == rates[1] and numbers_[0] == numbers_[1]


def kind(joint: Joint) -> str:
    """fixed, ball, free, axes (a free joint taken apart), plain, or other."""
    if joint.nv == 0:
        return "fixed"
    if not joint.custom and not joint.timed:
        return "plain"
    axes = Composite(builtin.Translational(), builtin.Spherical())
    made = {"ball": builtin.Spherical(), "free": builtin.Free(), "axes": axes}
    return next((name for name, x in made.items() if same(joint, x)), "other")


def say(chain: Chain, node: Node, losses: Losses) -> SE3:
    """Write the joints into the body's node; gives the pose of the body."""
    home = chain.pose(chain.neutral)
    at = 0
    for k, body in enumerate(chain.bodies):
        joint, what = body.joint, kind(body.joint)
        if what == "plain":
            for j in range(joint.nq):
                screw = _screw(chain, at + j)
                name = str(body.joint_name) + (f"_{j}" if joint.nq > 1 else "")
                _plain(joint, j, name, screw, node, losses)
        elif what == "ball":
            _ball(chain, k, node, losses)
        elif what in ("free", "axes"):
            _free(body, what, node, losses)
        elif what == "other":
            losses.note(
                f"joint {body.joint_name!r} ({joint.name})",
                "MJCF has no such joint; it is written as a weld",
            )
        at += joint.nq
    _compare(chain, node, losses)
    return home


def _screw(chain: Chain, k: int) -> Array:
    """The twist in the last body's frame that coordinate k alone moves it with."""
    q = list(chain.neutral)
    home = chain.pose(q)
    q[k] += 1.0
    return np.array([float(x) for x in (home.inverse() * chain.pose(q)).log()])


def _plain(
    joint: Joint, j: int, name: str, screw: Array, node: Node, losses: Losses
) -> None:
    turn, shift = screw[:3], screw[3:]
    rate = float(np.linalg.norm(turn))
    said = {"name": name}
    if rate > EXACT:
        said |= {"type": "hinge", "axis": numbers(turn / rate)}
        point = np.cross(turn, shift) / rate**2
        if point.any():
            said["pos"] = numbers(point)
    else:
        rate = float(np.linalg.norm(shift))
        said |= {"type": "slide", "axis": numbers(shift / (rate or 1.0))}
    pitch = abs(float(turn @ shift))
    if abs(rate - 1.0) > EXACT or pitch > EXACT:
        losses.note(
            f"joint {name!r} ({joint.name})",
            "MJCF has neither screws nor geared hinges and slides",
        )
    if joint.neutral[j]:
        said["ref"] = number(joint.neutral[j])
    node.add("joint", **said, **_physics(joint, j, name, losses))


def _physics(joint: Joint, j: int, name: str, losses: Losses) -> dict[str, str]:
    """What acts on one coordinate."""
    said = {
        attribute: number(getattr(joint, key)[j])
        for attribute, key in SCALARS.items()
        if getattr(joint, key)[j]
    }
    if joint.rest[j]:
        said["springref"] = number(joint.rest[j])
    low, high = joint.lower[j], joint.upper[j]
    if np.isfinite(low) and np.isfinite(high) and low < high:
        said["range"] = numbers((low, high))
    elif np.isfinite(low) or np.isfinite(high):
        losses.note(f"joint {name!r}", f"MJCF has no range from {low} to {high}")
    effort = joint.effort_limit[j]
    if np.isfinite(effort) and effort > 0.0:
        said["actuatorfrcrange"] = numbers((-effort, effort))
    elif effort == 0.0:
        losses.note(f"joint {name!r}", "MJCF has no effort limit of 0")
    if np.isfinite(joint.velocity_limit[j]):
        losses.note(f"joint {name!r}", "MJCF has no velocity limits")
    return said


SCALARS = {
    "armature": "armature",
    "damping": "damping",
    "frictionloss": "friction",
    "stiffness": "stiffness",
}


def _uniform(joint: Joint, name: str, losses: Losses) -> dict[str, str]:
    """The physics of a ball or free joint: one number for all velocities."""
    said = {}
    for attribute, key in SCALARS.items():
        values = set(getattr(joint, key))
        if len(values) > 1:
            losses.note(f"joint {name!r}: {key}", "MJCF has one number for all axes")
        if any(values):
            said[attribute] = number(max(values))
    for key in ("velocity_limit", "effort_limit"):
        if np.isfinite(getattr(joint, key)).any():
            losses.note(f"joint {name!r}: {key}", "MJCF has none for such a joint")
    return said


def _ball(chain: Chain, k: int, node: Node, losses: Losses) -> None:
    """MuJoCo's quaternion turns the last body about a point of it."""
    body = chain.bodies[k]
    joint, name = body.joint, str(body.joint_name)
    rest = tuple(joint.rest)
    if any(joint.stiffness) and rest != (1.0, 0.0, 0.0, 0.0):
        losses.note(f"joint {name!r}: rest {rest}", "MJCF's balls rest as placed")
    if tuple(joint.neutral) != (1.0, 0.0, 0.0, 0.0):
        losses.note(f"joint {name!r}: neutral", "MJCF's balls start as placed")
    tail = Chain(chain.bodies[k + 1 :])
    after = joint.after * body.offset.inverse()
    if tail.bodies:
        after = after * tail.pose(tail.neutral)
    if tail.bodies and not np.allclose(np.array(after.R, float), np.eye(3), atol=1e-15):
        losses.note(f"joint {name!r}", "MJCF turns balls in the axes of the body")
    said = _uniform(joint, name, losses)
    point = after.inverse().p
    node.add("joint", name=name, type="ball", pos=numbers(point), **said)


def _free(body: Body, what: str, node: Node, losses: Losses) -> None:
    joint, name = body.joint, str(body.joint_name)
    said = _uniform(joint, name, losses)
    if what == "free":
        for key in ("armature", "frictionloss", "stiffness"):
            if key in said:
                losses.note(
                    f"joint {name!r}: {key}",
                    "in MJCF it acts along the axes of the world, not of the body",
                )
    elif any(joint.stiffness) and tuple(joint.rest) != tuple(joint.neutral):
        losses.note(f"joint {name!r}: rest", "MJCF's free joints rest as placed")
    node.add("joint", name=name, type="free", **said)


def _compare(chain: Chain, node: Node, losses: Losses) -> None:
    """The product of hinges and slides against the pose, where there is no more."""
    if any(kind(body.joint) not in ("plain", "fixed") for body in chain.bodies):
        return
    neutral = chain.neutral
    screws = [_screw(chain, k) for k in range(len(neutral))]
    q = [x + 0.3 + 0.2 * k for k, x in enumerate(neutral)]
    product = chain.pose(neutral)
    for screw, a, b in zip(screws, q, neutral, strict=True):
        product = product * SE3.exp([float(x) * (a - b) for x in screw])
    pose = chain.pose(q)
    off = np.abs(np.array([*product.R, product.p]) - np.array([*pose.R, pose.p])).max()
    if off > 1e3 * EXACT:
        names = ", ".join(repr(body.joint_name) for body in chain.bodies)
        losses.note(f"joint {names}", "no product of MJCF's hinges and slides")
