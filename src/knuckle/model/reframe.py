"""Frames of our own: turned about and slid along the joints' axes.

The pose C(q) of a revolute joint commutes with every screw G about its axis, so that
lead C(q) end = (lead G) C(q) (G^-1 end): the frame of the body may turn about the axis
and slide along it.  With its x axis along the common normal to the axis of a child, and
the origin at the foot, the step to that child is two axial screws (Denavit &
Hartenberg; Featherstone Sec. 4.1, A.4): of its rotation 4 entries are neither 0 nor 1,
of its translation 2.  The angle between the normals of parent and child is added to q.
The trap: nearly parallel axes have a common normal that is far away.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from knuckle.model.axes import (
    Axis,
    axis_of,
    cleared,
    entries_of,
    near,
    rotation,
    snapped,
)
from knuckle.model.moments import (
    Unfelt,
    effort,
    moments_of,
    slid,
    turned,
    unfelt_by,
)
from knuckle.spatial import SE3, Transform
from knuckle.spatial.linear import ZERO3, Matrix, Vector, matmul, matvec

FEW = 4
"""So many children have a say where a frame goes: the work would grow as the cube of
their number."""
STEEP = 0.1
"""Axes at a smaller angle [rad] have their common normal too far away."""
SHIFT, OWN_SHIFT, OFFSET, AXIAL, DENSE = 5.0, 5.5, 1.0, 20.0, 50.0
"""What an entry of p, an offset of q, and a rotation about an axis or about none cost,
about.  Where a shift may be in either of two steps, fewer forces pass the outer one."""


class Screw(NamedTuple):
    """A turn [rad] about and a slide [m] along an axis."""

    turn: float = 0.0
    slide: float = 0.0

    def pose(self, k: int) -> SE3:
        """The pose of a frame moved so along its coordinate axis k."""
        p = tuple(self.slide if j == k else 0.0 for j in range(3))
        return SE3(rotation(k, self.turn), p)


class Link(NamedTuple):
    """A moving body: the step from its parent's frame to its joint, the joint's axis
    if its frame may move, and the moments of its mass."""

    R: Matrix
    p: Vector
    axis: Axis | None
    moments: Vector
    unfelt: Unfelt
    parent: int
    children: tuple[int, ...]

    @property
    def along(self) -> Vector:
        """The joint's axis in the parent's frame; zero if the frame may not move."""
        if self.axis is None:
            return ZERO3
        return tuple(row[self.axis.k] for row in self.R)

    def seen(self, k: int, screw: Screw) -> Link:
        """The same from a parent's frame that has moved along its axis k."""
        R, p = self.R, self.p
        if screw.turn:
            E = rotation(k, -screw.turn)
            R, p = snapped(matmul(E, R)), cleared(matvec(E, p))
        if screw.slide:
            p = cleared(tuple(x - screw.slide * (j == k) for j, x in enumerate(p)))
        return self._replace(R=R, p=p)

    def slides(self) -> Iterator[float]:
        """The slides of the joint's frame that leave a zero in p."""
        for x, a in zip(self.p, self.along, strict=True):
            if x and abs(a) > STEEP:
                yield -x / a

    def slid(self, d: float) -> Vector:
        """p after a slide of the joint's frame along its axis."""
        pairs = zip(self.p, self.along, strict=True)
        return cleared(tuple(x + d * a for x, a in pairs)) if d else self.p


class Choice(NamedTuple):
    """The step to a joint, what is added to its q, and how its body's frame moves."""

    R: Matrix
    p: Vector
    offset: float
    screw: Screw


def reframe(bodies: Sequence[Any], held: Collection[Any]) -> dict[Any, SE3]:
    """Moves the frames of the bodies that are not held; of each body whose frame has
    moved, the pose of the old frame in the new one."""
    place = {i: k for k, i in enumerate(bodies)}
    links = [_link(i, i in held, place) for i in bodies]
    back = {}
    for i, link, choice in zip(bodies, links, plan(links), strict=True):
        if (choice.R, choice.p) != (link.R, link.p):
            i.joint.lead = SE3(choice.R, choice.p)
        i.joint.offset = choice.offset
        if link.axis is not None and choice.screw != Screw():
            back[i] = choice.screw.pose(link.axis.k).inverse()
            i.inertia = Transform.from_pose(back[i], i.name, i.name).T @ i.inertia
    return back


def _link(i: Any, held: bool, place: dict[Any, int]) -> Link:
    lead, axis = i.joint.lead, None if held else axis_of(i.joint.model)
    parent, children = place.get(i.parent, -1), tuple(place[c] for c in i.children)
    moments = () if axis is None else moments_of(i.inertia)
    unfelt = unfelt_by(i.joint.model)
    return Link(lead.R, lead.p, axis, moments, unfelt, parent, children)


def plan(links: Sequence[Link]) -> list[Choice]:
    """The frames of all bodies, parents first."""
    chosen: list[Choice] = []
    for link in links:
        if link.parent >= 0:
            axis = links[link.parent].axis
            if axis is not None:
                link = link.seen(axis.k, chosen[link.parent].screw)
        children = [links[c] for c in link.children]
        options = _options(link, children) if link.axis else [(0.0, _as_is(link))]
        chosen.append(min(options, key=lambda option: option[0])[1])
    return chosen


def _as_is(link: Link) -> Choice:
    return Choice(link.R, link.p, 0.0, Screw())


def _options(link: Link, children: Sequence[Link]) -> Iterator[tuple[float, Choice]]:
    """What there is to choose from, each with its cost; the first changes nothing."""
    assert link.axis is not None
    k, sign = link.axis
    straight, angle = straightened(link)
    for turn in turns(link, children):
        R = straight if sign else snapped(matmul(link.R, rotation(k, turn)))
        offset = sign * near(math.remainder(turn - angle, 2.0 * math.pi))
        turned_by = [child.seen(k, Screw(turn)) for child in children]
        fixed = OFFSET * (offset != 0.0) + sum(map(_turning, turned_by))
        fixed += 0.0 if link.parent < 0 else rotating(R)
        mass = turned(link.moments, k, turn)
        for slide in _slides(link, turned_by):
            screw, p = Screw(turn, slide), link.slid(slide)
            seen = [child.seen(k, Screw(0.0, slide)) for child in turned_by]
            cost = fixed + effort(slid(mass, k, slide), link.unfelt)
            cost += 0.0 if link.parent < 0 else OWN_SHIFT * _count(p)
            cost += SHIFT * sum(map(_shortest, seen))
            yield cost, Choice(R, p, offset, screw)


def turns(link: Link, children: Sequence[Link]) -> Iterator[float]:
    """None; to the common normals with the children's axes; of a leaf, to its mass."""
    assert link.axis is not None
    i, j = (link.axis.k + 1) % 3, (link.axis.k + 2) % 3
    yield 0.0
    for child in children[:FEW]:
        a, p = child.along, child.p
        if a[i] and a[j]:
            yield math.atan2(-a[i], a[j])
        elif any(a) and not (a[i] or a[j]) and p[i] and p[j]:
            yield math.atan2(p[j], p[i])
    h = link.moments[1:4]
    if not children and link.axis.sign and h[i] and h[j]:
        yield math.atan2(h[j], h[i])


def _slides(link: Link, children: Sequence[Link]) -> Iterator[float]:
    """None; those that leave a zero in the step to this joint or to a child's."""
    assert link.axis is not None
    yield 0.0
    yield from link.slides()
    for child in children[:FEW]:
        yield child.p[link.axis.k]
        for d in child.slides():
            yield child.slid(d)[link.axis.k]


def rotating(R: Matrix) -> float:
    """What a rotation costs; beside it that of the joint is about another axis."""
    entries = entries_of(R)
    return (AXIAL if entries <= 4 else DENSE + entries) if entries else 0.0


def straightened(link: Link) -> tuple[Matrix, float]:
    """R turned about the joint's axis to where it has the most zeros, and the angle."""
    best, least, angle = link.R, entries_of(link.R), 0.0
    if not least or link.axis is None or not link.axis.sign:
        return best, angle
    k = link.axis.k
    for row in link.R:
        x, y = row[(k + 1) % 3], row[(k + 2) % 3]
        if y:
            turn = math.atan2(y, x)
            R = snapped(matmul(link.R, rotation(k, turn)))
            if entries_of(R) < least:
                best, least, angle = R, entries_of(R), turn
        if not least:
            break
    return best, angle


def _shortest(link: Link) -> int:
    """The fewest entries of p after a slide along the joint's axis."""
    p, a = link.p, link.along
    pairs = tuple(zip(p, a, strict=True))
    found = [
        _count(cleared((p[0] + d * a[0], p[1] + d * a[1], p[2] + d * a[2])))
        for d in (-x / s for x, s in pairs if x and abs(s) > STEEP)
        if d
    ]
    return min(found, default=_count(p))


def _turning(link: Link) -> float:
    """What the rotation to a joint costs, at best."""
    return rotating(straightened(link)[0])


def _count(p: Vector) -> int:
    x, y, z = p
    return (x != 0.0) + (y != 0.0) + (z != 0.0)
