"""The mechanism as the user gave it: every body and its pose in its parent."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knuckle.joints import Joint
from knuckle.model.errors import ModelError
from knuckle.scalar import Number, Program, Scalar, Trace, tangents, where
from knuckle.spatial.linear import (
    Matrix,
    Vector,
    add,
    matmul,
    matvec,
    transpose,
    unskew,
)
from knuckle.spatial.quaternion import to_rotation

Pose = tuple[Matrix, Vector]
"""(R, d): x_parent = R x + d."""


@dataclass(frozen=True)
class Link:
    """One body: parent is the number of another link, or None for the world."""

    name: str
    parent: int | None
    joint: Joint
    joint_name: str
    q: slice
    v: slice
    mass: Number
    com: Vector
    I_com: Matrix
    before: Pose
    after: Pose


def links(model: Any) -> list[Link]:
    """All bodies, parents before children."""
    if model.coupled:
        raise ModelError(
            "references: expected a model without couplings; take model.uncoupled, "
            "whose q is kn.joint_positions(model, q)"
        )
    bodies = model.model.bodies
    number: dict[str | None, int] = {}
    found: list[Link] = []
    for k in model.model.order:
        body = bodies[k]
        place = model.model.joint(body.joint_name or body.name)
        away = transpose(body.offset.R)
        number[body.name] = len(found)
        found.append(
            Link(
                body.name,
                number.get(body.parent),
                body.joint,
                place.name,
                place.q,
                place.v,
                *mass_com_inertia(model.inertia_of(body)),
                before=placement(model, body),
                after=(away, tuple(0.0 - x for x in matvec(away, body.offset.p))),
            )
        )
    return found


def mass_com_inertia(inertia: Any) -> tuple[Number, Vector, Matrix]:
    """(m, c, I about c) in body axes; a massless body has c = 0."""
    if isinstance(inertia.mass, float) and inertia.mass == 0.0:
        return 0.0, (0.0, 0.0, 0.0), symmetric(inertia.I)
    return inertia.mass, inertia.com, inertia.I_com


def symmetric(entries: Sequence[Number]) -> Matrix:
    """xx, xy, xz, yy, yz, zz as a matrix."""
    xx, xy, xz, yy, yz, zz = entries
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def placement(model: Any, body: Any) -> Pose:
    """Where the joint sits in the parent, be it a constant or a parameter."""
    given = model.values(f"{body.name}.placement", None)
    if given is None:
        return body.placement.R, body.placement.p
    return to_rotation(given[3:]), tuple(given[:3])


def compose(a: Pose, b: Pose) -> Pose:
    """The pose of c in a's parent, from b in a's and c in b's."""
    return matmul(a[0], b[0]), add(a[1], matvec(a[0], b[1]))


def relative(link: Link, q: Sequence[Number], t: Number | None) -> Pose:
    """The pose of a link in its parent."""
    pose = link.joint.pose(q[link.q], t)
    return compose(compose(link.before, (pose.R, pose.p)), link.after)


def world_poses(
    tree: Sequence[Link], q: Sequence[Number], t: Number | None
) -> list[Pose]:
    """The poses of all links in the world."""
    poses: list[Pose] = []
    for link in tree:
        step = relative(link, q, t)
        parent = link.parent
        poses.append(step if parent is None else compose(poses[parent], step))
    return poses


def in_world(tree: Sequence[Link], poses: Sequence[Pose]) -> list[Number]:
    """Of every link its centre of mass, then R by rows: 12 numbers each."""
    return [
        x
        for link, (R, p) in zip(tree, poses, strict=True)
        for x in (*add(p, matvec(R, link.com)), *R[0], *R[1], *R[2])
    ]


def velocity_of_coordinates(
    tree: Sequence[Link], q: Sequence[Number], v: Sequence[Number]
) -> list[Number]:
    """qdot, laid out as q."""
    qdot: list[Number] = [0.0] * len(q)
    for link in tree:
        qdot[link.q] = link.joint.qdot(q[link.q], v[link.v])
    return qdot


def turning(R: Matrix, Rdot: Matrix) -> Vector:
    """w with [w] = Rdot R^T: the angular velocity in the axes of the parent."""
    return unskew(matmul(Rdot, transpose(R)))


def seeds(
    *pairs: tuple[Iterable[Number], Iterable[Number]],
) -> dict[Scalar, Number]:
    """{each number that is traced: its rate}."""
    return {
        x: dx
        for xs, rates in pairs
        for x, dx in zip(xs, rates, strict=True)
        if isinstance(x, Scalar)
    }


def traced(
    function: Callable[..., Sequence[Number]], *groups: Sequence[Number]
) -> tuple[Number, ...]:
    """function(*groups), run on fresh scalars so that it can differentiate by them."""
    flat = [x for group in groups for x in group]
    inner = Trace(next((x.trace for x in flat if isinstance(x, Scalar)), None))
    leaves = [inner.inputs(f"x{n}", len(group)) for n, group in enumerate(groups)]
    results = function(*leaves)
    outer = list(inner.captured.items())
    names = [x.value for group in leaves for x in group]
    program = Program.of(results, [*names, *(leaf.value for _, leaf in outer)])
    return program(*flat, *(x for x, _ in outer))


@dataclass(frozen=True)
class Motion3:
    """How a link moves in its parent, in the parent's axes.

    R, d and their rates; `freedoms` holds (w, ddot) of each unit velocity of the joint.
    """

    R: Matrix
    d: Vector
    w: Vector
    wdot: Vector
    ddot: Vector
    dddot: Vector
    freedoms: tuple[tuple[Vector, Vector], ...]


@functools.lru_cache(512)
def _joint_program(joint: Joint) -> Program:
    """(q, v, a, t) to R, p of a joint, both rates and the columns of the first."""
    trace = Trace()
    q, t = trace.inputs("q", joint.nq), trace.input("t")
    v, a = trace.inputs("v", joint.nv), trace.inputs("a", joint.nv)
    pose = joint.pose(q, t if joint.timed else None)
    place = [*(x for row in pose.R for x in row), *pose.p]
    path = seeds((q, joint.qdot(q, v)), ((t,), (1.0,)))
    first = tangents(place, path)
    second = tangents(first, path | seeds((v, a)))
    columns = [x for unit in v for x in tangents(first, {unit: 1.0})]
    names = [x.value for x in (*q, *v, *a, t)]
    return Program.of([*place, *first, *second, *columns], names)


def motion(link: Link, q: Any, v: Any, a: Any, t: Number | None) -> Motion3:
    """The motion of a link in its parent, by differentiating the pose of its joint."""
    place = (*q[link.q], *v[link.v], *a[link.v], 0.0 if t is None else t)
    numbers = _joint_program(link.joint)(*place)
    (Rj, pj), first, second, *columns = (
        _split(numbers[k : k + 12]) for k in range(0, len(numbers), 12)
    )
    lead, arm = link.before[0], link.after[1]

    def carried(R: Matrix, p: Vector) -> Pose:
        """The rate of the link's pose, from that of its joint's."""
        shift = matvec(lead, add(p, matvec(R, arm)))
        return matmul(matmul(lead, R), link.after[0]), shift

    R, shift = carried(Rj, pj)
    (Rdot, ddot), (Rddot, dddot) = carried(*first), carried(*second)
    freedoms = ((turning(R, x), dx) for x, dx in (carried(*c) for c in columns))
    rates = turning(R, Rdot), turning(R, Rddot), ddot, dddot
    return Motion3(R, add(link.before[1], shift), *rates, tuple(freedoms))


def _split(numbers: Sequence[Number]) -> Pose:
    x, y, z, p = (tuple(numbers[k : k + 3]) for k in range(0, 12, 3))
    return (x, y, z), p


def wrenches(tree: Sequence[Link], f_ext: Any) -> list[tuple[Vector, Vector]]:
    """(moment, force) on every link, at its origin in its axes; f_ext is by body."""
    unknown = set(f_ext.by_name) - {link.name for link in tree}
    if unknown:
        raise ValueError(
            f"f_ext: {sorted(unknown)[0]!r} is no body; expected names of bodies, the "
            "references know no frames"
        )
    given = [tuple(f_ext.by_name.get(link.name, (0.0,) * 6)) for link in tree]
    return [(wrench[:3], wrench[3:]) for wrench in given]


def own_forces(
    model: Any, tree: Sequence[Link], q: Any, v: Any, a: Any, passive: bool
) -> list[Number]:
    """armature a - passive forces, laid out as v [N m, N]."""
    total: list[Number] = [0.0] * len(v)
    for link in tree:
        joint, name = link.joint, link.joint_name
        armature, damping, friction, stiffness, rest = (
            model.values(f"{name}.{kind}", getattr(joint, kind))
            for kind in ("armature", "damping", "friction", "stiffness", "rest")
        )
        stretch = joint.difference(rest, q[link.q]) if joint.nv else ()
        for k, j in enumerate(range(link.v.start, link.v.stop)):
            total[j] = armature[k] * a[j]
            if passive:
                sign = where(v[j] > 0.0, 1.0, where(v[j] < 0.0, -1.0, 0.0))
                drag = damping[k] * v[j] + friction[k] * sign
                total[j] = total[j] + drag + stiffness[k] * stretch[k]
    return total
