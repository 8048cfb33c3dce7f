"""Couplings: joints whose coordinates are functions of those of other joints.

A Model with couplings has the coordinates y of its independent joints alone; those of
all joints are q = gamma(y) (Featherstone 8.11, 9.6; Sueda 2.6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any

import numpy as np

from knuckle.joints import Joint
from knuckle.model.body import Body
from knuckle.model.content import digest
from knuckle.model.errors import ModelError, Problems, near
from knuckle.scalar import Number, Program, Scalar, Trace
from knuckle.scalar.jacobian import forward

Numbers = tuple[float, ...]
COORDINATE = re.compile(r"(.*)\[(\d+)\]")


@dataclass(frozen=True, eq=False, init=False)
class Coupling:
    """A joint that follows others: q = sum of ratio x source + offset, or a function.

    `sources` names coordinates as `model.q_names` does ('elbow', or 'ball[2]'), and may
    be one name; they may follow others in turn. A `function` takes one number for each
    source and returns one for each coordinate of the joint; it is traced, so it may use
    NumPy's functions and `kn.where`. Without sources the joint is held at the offset.
    The trap: joint forces and accelerations of the Model are then those of the sources.
    """

    joint: str
    sources: tuple[str, ...]
    ratio: Numbers | None
    offset: float
    function: Program | None

    def __init__(
        self,
        joint: str,
        sources: str | Iterable[str],
        ratio: float | Iterable[float] | None = None,
        offset: float = 0.0,
        function: Callable[..., Any] | Program | None = None,
    ) -> None:
        names = (sources,) if isinstance(sources, str) else tuple(sources)
        where = f"coupling of joint {joint!r}"
        for name in (joint, *names):
            if not isinstance(name, str):
                raise ModelError(f"{where}: expected names of joints, got {name!r}")
        if function is not None and (ratio is not None or offset != 0.0):
            raise ModelError(
                f"{where}: expected ratio and offset, or a function, got both; put "
                "them into the function"
            )
        ratios = None if function is not None else _ratios(ratio, names, where)
        program = None if function is None else _traced(function, names, where)
        values = (joint, names, ratios, _finite(offset, where, "offset"), program)
        for field, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, field, value)

    @cached_property
    def digest(self) -> str:
        """The content as a SHA-256 in hexadecimal; a function counts by its trace."""
        made = None if self.function is None else self.function.digest()
        law = self.ratio, self.offset, made
        return digest("Coupling", self.joint, self.sources, law)

    @property
    def name(self) -> str:
        """The joint that follows."""
        return self.joint

    @property
    def source_joints(self) -> tuple[str, ...]:
        """The joints of the sources, as far as their names tell."""
        matches = ((name, COORDINATE.fullmatch(name)) for name in self.sources)
        return tuple(m[1] if m else name for name, m in matches)

    @property
    def line(self) -> tuple[float, float] | None:
        """(ratio, offset) where the joint follows one other of one coordinate."""
        if self.ratio is None or self.source_joints != self.sources[:1]:
            return None
        return self.ratio[0], self.offset

    def renamed(self, called: Callable[[str], str]) -> Coupling:
        """The same between joints of other names."""
        sources = [called(name) for name in self.sources]
        joint, function = called(self.joint), self.function
        return Coupling(joint, sources, self.ratio, self.offset, function)

    @property
    def constants(self) -> Numbers:
        """ratio and offset of a linear law."""
        return () if self.ratio is None else (*self.ratio, self.offset)

    def value(self, constants: Sequence[Number], x: Sequence[Number]) -> Sequence[Any]:
        """The coordinates of the joint, from those of the sources."""
        if self.function is not None:
            return self.function(*x)
        *ratio, total = constants
        for k, y in zip(ratio, x, strict=True):
            total = k * y + total
        return (total,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coupling) and self.digest == other.digest

    def __hash__(self) -> int:
        return int(self.digest[:15], 16)


def _ratios(given: Any, names: Sequence[str], where: str) -> Numbers:
    """One ratio for each source, 1 where none is given."""
    if given is None:
        return (1.0,) * len(names)
    values = np.atleast_1d(np.asarray(given)).tolist()
    if len(values) != len(names):
        raise ModelError(
            f"{where}: expected {len(names)} ratios, one for each of its sources "
            f"{list(names)}, got {given!r}"
        )
    return tuple(_finite(x, where, "ratio") for x in values)


def _finite(x: Any, where: str, what: str) -> float:
    if isinstance(x, bool) or not isinstance(x, int | float) or not isfinite(x):
        raise ModelError(f"{where}: {what}: expected a finite number, got {x!r}")
    return float(x)


def _traced(function: Any, names: Sequence[str], where: str) -> Program:
    """The function as a program of one number for each source."""
    if isinstance(function, Program):
        return function
    if not callable(function):
        raise ModelError(
            f"{where}: function: expected a function of {len(names)} numbers, got "
            f"{function!r}; write function=lambda x: 0.1 * np.cos(x)"
        )
    trace = Trace()
    inputs = [trace.input(f"x[{k}]") for k in range(len(names))]
    try:
        found = function(*inputs)
    except TypeError as error:
        error.add_note(f"while tracing the {where}, sources {list(names)}")
        raise
    flat = np.atleast_1d(np.asarray(found, object)).tolist()
    for x in flat:
        if not isinstance(x, Scalar | int | float):
            raise ModelError(
                f"{where}: function returned {x!r}, expected numbers, one for each "
                "coordinate of the joint"
            )
    numbers = [x if isinstance(x, Scalar) else float(x) for x in flat]
    return Program.of(numbers, [x.value for x in inputs])


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
        for unit in np.eye(joint.nv).tolist()
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
