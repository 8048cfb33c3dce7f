"""What a joint is, seen from outside: a turn or a slide along one line, or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knuckle.convert.joints import known_kind
from knuckle.joints import Joint
from knuckle.model.body import Body
from knuckle.spatial import SE3
from knuckle.spatial.linear import cross3, dot, matvec, scale

SAMPLES = (-2.1, -0.7, 0.4, 1.3)
EXACT = 1e-12


@dataclass(frozen=True)
class Link:
    """How a body hangs on its parent: X = lead * motion(q) * tail.

    `kind` is fixed, floating, planar, revolute or prismatic; the motion of the last two
    is along `axis` in the frame that `lead` ends in.
    """

    kind: str
    lead: SE3
    tail: SE3
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)


def link_of(body: Body) -> Link | None:
    """The joint of a body in these terms; None where it is another one."""
    joint = body.joint
    lead, tail = body.placement, body.offset.inverse()
    if joint.timed:
        return None
    if joint.nv == 0:
        return Link("fixed", lead * joint.pose(()), tail)
    kind = {"free": "floating", "planar": "planar"}.get(known_kind(joint) or "")
    if kind is not None:
        return Link(kind, lead * joint.before, joint.after * tail)
    found = _screw(joint) if (joint.nq, joint.nv) == (1, 1) else None
    if found is None:
        return None
    kind, axis, point = found
    there, back = (SE3(p=scale(s, point)) for s in (1.0, -1.0))
    return Link(kind, lead * there, back * joint.pose((0.0,)) * tail, axis)


def _screw(
    joint: Joint,
) -> tuple[str, tuple[float, ...], tuple[float, ...]] | None:
    """(kind, unit axis, point on it) with pose(q) = exp(axis q) pose(0), or None."""
    start = joint.pose((0.0,)).inverse()
    twists = np.array([list(_known(joint.pose((q,)) * start).log()) for q in SAMPLES])
    twists = twists / np.array(SAMPLES)[:, None]
    if np.abs(twists - twists[0]).max() > EXACT * max(1.0, np.abs(twists[0]).max()):
        return None
    w, v = twists[0, :3].tolist(), twists[0, 3:].tolist()
    if max(map(abs, w)) < EXACT:
        return ("prismatic", _clean(v), (0.0,) * 3) if _is_unit(v) else None
    if not _is_unit(w) or abs(dot(w, v)) > EXACT:
        return None
    return "revolute", _clean(w), _clean(cross3(w, v))


def _known(pose: SE3) -> SE3:
    return SE3(pose.R, pose.p)


def _is_unit(x: list[float]) -> bool:
    return abs(math.hypot(*x) - 1.0) < EXACT


def _clean(x: list[float] | tuple[float, ...]) -> tuple[float, ...]:
    """Entries within rounding of 0 and +-1 made exact."""
    return tuple(float(round(a)) if abs(a - round(a)) < 1e-15 else float(a) for a in x)


def merged(link: Link) -> tuple[SE3, tuple[float, ...]] | None:
    """(origin, axis) with X = origin * motion(axis, q); None where it takes two frames.

    A tail that turns only turns the axis; one along the axis commutes with it.
    """
    p, R = link.tail.p, link.tail.R
    size = max(map(abs, p), default=0.0)
    apart = max(map(abs, p if link.kind == "planar" else cross3(link.axis, p)))
    if link.kind in ("fixed", "prismatic") or apart <= 1e-15 * max(1.0, size):
        turned = tuple(matvec(tuple(zip(*R, strict=True)), link.axis))
        return link.lead * link.tail, _clean(turned)
    return None
