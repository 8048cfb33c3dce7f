"""What a joint does not feel of its body's inertia is given to the parent.

A revolute joint does not feel mass on its axis: m, h_z and Sigma_zz of its body may as
well belong to the parent (Featherstone Sec. 9.7, Table 9.7).  No joint force,
acceleration or entry of M changes; momentum, the centre of mass and the wrenches in
joints do.  The trap: the table needs a transform, I_parent += X^T I_delta X.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from knuckle.model.moments import (
    DIAGONAL,
    HELD,
    Unfelt,
    effort,
    inertia_of,
    moments_of,
    unfelt_by,
)
from knuckle.spatial import SE3, Inertia, Transform
from knuckle.spatial.linear import (
    Symmetric,
    Vector,
    full,
    is_plain,
    settled,
    symmetric,
)


def felt_by(bodies: Sequence[Any]) -> dict[Any, Inertia]:
    """The inertia of each body less what its joint does not feel, plus what the joints
    of its children do not feel.  Traced inertias and steps stay as they are."""
    felt = {i: i.inertia for i in bodies}
    for i in reversed(bodies):
        if not _plain(felt[i]):
            continue
        unfelt = unfelt_by(i.joint.model)
        if i.parent not in felt:
            felt[i], _ = _parted(felt[i], unfelt)
        elif known(i.joint.lead) and _plain(felt[i.parent]):
            felt[i], felt[i.parent] = _shared(i, felt[i], felt[i.parent], unfelt)
    return felt


def _shared(
    i: Any, own: Inertia, parent: Inertia, unfelt: Unfelt
) -> tuple[Inertia, Inertia]:
    """The inertias of a body and its parent with the least arithmetic: mass that moves
    may fill zeros of the parent."""
    X, beyond = _step(i), unfelt_by(i.parent.joint.model)
    before = effort(moments_of(parent), beyond)
    best, least = (own, parent), effort(moments_of(own), HELD) + before
    for choice in _choices(moments_of(own), unfelt):
        rest, moved = _parted(own, choice)
        total = parent + X.T @ moved
        filled = effort(moments_of(total), beyond)
        cost = effort(moments_of(rest), HELD) + filled
        if cost < least or (choice == unfelt and cost == least):
            best, least = (rest, total), cost
        if choice == unfelt and filled == before:
            return best
    return best


def _choices(moments: Vector, unfelt: Unfelt) -> Iterator[Unfelt]:
    """All that is not felt; then, if they are few, parts of it."""
    yield unfelt
    there = [k for k, free in enumerate(unfelt) if free and moments[k]]
    if len(there) <= 3:
        for some in product((True, False), repeat=len(there)):
            if any(some) and not all(some):
                taken = {k for k, chosen in zip(there, some, strict=True) if chosen}
                yield tuple(k in taken for k in range(10))


def _parted(inertia: Inertia, unfelt: Unfelt) -> tuple[Inertia, Inertia]:
    """The inertia as a sum: moments that stay, and those that go.

    What the joint feels keeps every bit: of a thin rod I_zz is far below I_xx, and
    Sigma has no digits of it.
    """
    moments = moments_of(inertia)
    rest = [0.0 if go else x for x, go in zip(moments, unfelt, strict=True)]
    moved = [x if go else 0.0 for x, go in zip(moments, unfelt, strict=True)]
    left, gone = inertia_of(rest, inertia.frame), inertia_of(moved, inertia.frame)
    I = _exact(inertia, left, unfelt)
    return Inertia.of(left.mass, left.h, I, inertia.frame), gone


def _exact(inertia: Inertia, left: Inertia, unfelt: Unfelt) -> Symmetric:
    """What stays of I: without Sigma_kk, I_kk as it was, and I_jj - I_ii."""
    gone = [k for k in range(3) if unfelt[DIAGONAL[k]]]
    if len(gone) > 1:
        return left.I
    I, was = [list(row) for row in full(left.I)], full(inertia.I)
    for k in gone or range(3):
        I[k][k] = was[k][k]
    for k in gone:
        i, j = (k + 1) % 3, (k + 2) % 3
        total, gap = was[k][k], was[j][j] - was[i][i]
        I[i][i] = settled(total, 0.5 * (total - gap))
        I[j][j] = settled(total, 0.5 * (total + gap))
    return symmetric(tuple(map(tuple, I)))


def known(pose: SE3) -> bool:
    """Is nothing of the pose traced?"""
    return is_plain(pose.R) and is_plain(pose.p)


def _plain(inertia: Inertia) -> bool:
    return is_plain(inertia.entries)


def _step(i: Any) -> Transform:
    """X to a body at the joint's neutral position; unfelt inertia is blind to q."""
    joint = i.joint.model
    R, p = joint.core_pose(joint.neutral, 0.0 if joint.timed else None)
    return Transform.from_pose(i.joint.lead * SE3(R, p), i.parent.name, i.name)
