"""Couplings in their model: which joints they tie, in which order, at which rates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from knuckle.joints import Joint
from knuckle.model.body import Body
from knuckle.model.coupling import COORDINATE, Coupling
from knuckle.model.errors import Problems, near
from knuckle.scalar import Number, Program, Trace
from knuckle.scalar.jacobian import forward
from knuckle.spatial.linear import identity


@dataclass(frozen=True)
class Tie:
    """A coupling in its model: joints by the number of their bodies.

    `places` says for each source which of `joints` it is a coordinate of, and which.
    """

    coupling: Coupling
    follower: int
    joints: tuple[int, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Rates:
    """A law and its rates, as programs of constants and coordinates of whole joints.

    With G the slope along the velocities of those joints, `drift` is (dG/dt) x while
    they move at w: of (constants, q, x, w).
    """

    value: Program
    slope: Program
    drift: Program


@lru_cache(maxsize=1024)
def rates(
    coupling: Coupling, joints: tuple[Joint, ...], places: tuple[tuple[int, int], ...]
) -> Rates:
    """gamma, G = dgamma/dy and dG/dt x of one coupling.  (8.57) - (8.60)."""
    trace = Trace()
    constants = trace.inputs("c", len(coupling.constants))
    q = [trace.inputs(f"q{j}", joint.nq) for j, joint in enumerate(joints)]
    x, w = (
        [trace.inputs(f"{letter}{j}", joint.nv) for j, joint in enumerate(joints)]
        for letter in "xw"
    )
    value = coupling.value(constants, [q[j][k] for j, k in places])
    units = [
        dict(zip(q[j], joint.qdot(q[j], unit), strict=True))
        for j, joint in enumerate(joints)
        for unit in identity(joint.nv)
    ]
    slope = forward(value, units)
    flat_x = [number for part in x for number in part]
    moved = [_product(row, flat_x) for row in slope]
    motion = {
        leaf: rate
        for j, joint in enumerate(joints)
        for leaf, rate in zip(q[j], joint.qdot(q[j], w[j]), strict=True)
    }
    drift = [row[0] for row in forward(moved, [motion])]
    place = [leaf.value for part in (constants, *q) for leaf in part]
    motions = [leaf.value for part in (*x, *w) for leaf in part]
    return Rates(
        Program.of(value, place),
        Program.of([y for row in slope for y in row], place),
        Program.of(drift, [*place, *motions]),
    )


def _product(row: Sequence[Number], x: Sequence[Number]) -> Number:
    return sum((a * b for a, b in zip(row, x, strict=True)), 0.0)


def tied_to_others(names: Collection[str], couplings: Iterable[Coupling]) -> set[str]:
    """Which of these joints are coupled to one that is not among them."""
    groups = [{c.joint, *c.source_joints} for c in couplings]
    tied: set[str] = set()
    while True:
        left = set(names) - tied
        more = {name for group in groups if group - left for name in group & left}
        if not more:
            return tied
        tied |= more


def clean_couplings(
    given: Any, bodies: Sequence[Body], problems: Problems
) -> tuple[Coupling, ...]:
    """The couplings, if they are such; everything wrong with them is a problem."""
    found = []
    for k, item in enumerate(given):
        if isinstance(item, Coupling):
            found.append(item)
            continue
        problems.add(
            f"couplings[{k}]", "a Coupling", f"{type(item).__name__} {item!r}",
            "write kn.Coupling('finger', 'thumb', ratio=0.5)",
        )  # fmt: skip
    if not problems:
        ties(bodies, found, problems)
    return tuple(found)


def ties(
    bodies: Sequence[Body], couplings: Sequence[Coupling], problems: Problems
) -> tuple[Tie, ...]:
    """The couplings with sources before followers; joints are those of bodies."""
    known = {str(b.joint_name or b.name): k for k, b in enumerate(bodies)}
    found: dict[int, Tie] = {}
    for coupling in couplings:
        tie = _tie(coupling, bodies, known, problems)
        if tie is None:
            continue
        if tie.follower in found:
            problems.add(
                f"coupling of joint {coupling.joint!r}", "one for each joint",
                "two", "keep one, with all its sources",
            )  # fmt: skip
        found[tie.follower] = tie
    return _ordered(found, problems)


def _tie(
    coupling: Coupling,
    bodies: Sequence[Body],
    known: dict[str, int],
    problems: Problems,
) -> Tie | None:
    where = f"coupling of joint {coupling.joint!r}"
    if coupling.joint not in known:
        hint = near(coupling.joint, known, "joints")
        problems.add(where, "the name of a joint", f"{coupling.joint!r}", hint)
        return None
    follower = known[coupling.joint]
    places = []
    for name in coupling.sources:
        place = _place(name, bodies, known)
        if place is None:
            names = [n for b in bodies for n in coordinate_names(b)]
            hint = near(name, names, "coordinates")
            problems.add(f"{where}: source", "a coordinate", f"{name!r}", hint)
            return None
        places.append(place)
    if not _can_follow(coupling, bodies[follower].joint, where, problems):
        return None
    joints = tuple(dict.fromkeys(j for j, _ in places))
    return Tie(
        coupling, follower, joints, tuple((joints.index(j), k) for j, k in places)
    )


def coordinate_names(body: Body) -> list[str]:
    """What the coordinates of a body's joint are called in `q_names`."""
    name, count = str(body.joint_name or body.name), body.joint.nq
    return [name] if count == 1 else [f"{name}[{k}]" for k in range(count)]


def _place(
    name: str, bodies: Sequence[Body], known: dict[str, int]
) -> tuple[int, int] | None:
    """(joint, coordinate) of a name such as 'elbow' or 'ball[2]'."""
    if name in known:
        return (known[name], 0) if bodies[known[name]].joint.nq == 1 else None
    match = COORDINATE.fullmatch(name)
    if match is None or match[1] not in known:
        return None
    joint, k = known[match[1]], int(match[2])
    return (joint, k) if k < bodies[joint].joint.nq else None


def _can_follow(
    coupling: Coupling, joint: Joint, where: str, problems: Problems
) -> bool:
    """Whether the law gives the coordinates of the joint, and their rates its v."""
    count = 1 if coupling.function is None else len(coupling.function.outputs)
    if joint.custom or joint.nq == 0:
        problems.add(
            where, "a joint that moves, with v = dq/dt",
            f"{joint.name}, nq = {joint.nq}, nv = {joint.nv}",
            "let another joint follow, or take a joint of angles",
        )  # fmt: skip
        return False
    if joint.nq != count:
        problems.add(
            where, f"{joint.nq} numbers, one for each coordinate", f"{count}",
            "write function=lambda ...: (..., ...)",
        )  # fmt: skip
        return False
    return True


def _ordered(found: dict[int, Tie], problems: Problems) -> tuple[Tie, ...]:
    """Sources before followers; a cycle is a problem."""
    done: dict[int, Tie] = {}
    waiting = dict(found)
    while waiting:
        ready = [i for i, tie in waiting.items() if not waiting.keys() & {*tie.joints}]
        if not ready:
            names = ", ".join(repr(tie.coupling.joint) for tie in waiting.values())
            problems.add(
                f"couplings of joints {names}", "some joint that follows no other",
                "a cycle, each waiting for another", "leave one of them out",
            )  # fmt: skip
            return ()
        for i in ready:
            done[i] = waiting.pop(i)
    return tuple(done.values())
