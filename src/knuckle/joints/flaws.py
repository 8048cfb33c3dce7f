"""Where a joint's pose is no rigid motion or not twice differentiable.

The pose is walked along each coordinate through its range. Wherever a decision of its
program changes (a floor, a sign, a comparison), the place is found by bisection, and
pose, S and c_J are compared on both sides of it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from knuckle.joints.joint import Joint
from knuckle.joints.sampling import RIGID, ranges
from knuckle.scalar import Number, Program, Scalar, Trace, where
from knuckle.scalar.node import live
from knuckle.spatial.linear import dot

STEPS, BISECTIONS = 97, 60
NEAR = 1e-9
"""The distance from a place to either side, of the range."""
JUMP = 1e-5
"""Relative difference of two sides that is no slope any more."""

Place = tuple[float, ...]


class Flaw(NamedTuple):
    """What is wrong, and at which value of which coordinate."""

    coordinate: str
    value: float
    message: str


def flaws(joint: Joint, most: int = 4) -> list[Flaw]:
    """The first flaws along every coordinate, from two starting places."""
    decide, found = _decisions(joint), []
    source = random.Random(2)
    for k in range(joint.nv):
        path, low, high, label = _path(joint, k, [source.uniform(-0.4, 0.4)] * joint.nv)
        for flaw in _along(joint, decide, path, k, low, high, label):
            found.append(flaw)
            if len(found) == most:
                return found
    return found


def _path(
    joint: Joint, k: int, offset: Sequence[float]
) -> tuple[Callable[[float], Place], float, float, str]:
    """The configurations along coordinate k or, where v is not qdot, velocity k."""
    if joint.custom:
        unit = [1.0 if i == k else 0.0 for i in range(joint.nv)]
        turned = lambda s: joint.integrate(joint.neutral, [s * x for x in unit], 1.0)  # noqa: E731
        return turned, -math.pi, math.pi, f"velocity {k}, from neutral"
    low, high = ranges(joint.lower, joint.upper, joint.neutral)
    inner = [
        min(max(x + dx * (b - a), a), b)
        for x, dx, a, b in zip(joint.neutral, offset, low, high, strict=True)
    ]
    place = lambda s: (*inner[:k], s, *inner[k + 1 :])  # noqa: E731
    return place, low[k], high[k], f"q[{k}]"


def _along(
    joint: Joint,
    decide: Program | None,
    path: Callable[[float], Place],
    k: int,
    low: float,
    high: float,
    label: str,
) -> Iterator[Flaw]:
    time = (0.0,) * joint.timed
    places = [low + (high - low) * (n + 0.5) / STEPS for n in range(STEPS)]
    if "matrix" in joint.core.kinds:
        worst = max(places, key=lambda s: _stretch(joint, path(s)))
        if _stretch(joint, path(worst)) > RIGID:
            yield Flaw(label, worst, "the pose is no rigid motion: R^T R is not 1")
            return
    if decide is None:
        return

    def taken(s: float) -> Place:
        return decide(*path(s), *time)

    decisions = list(map(taken, places))
    for a, b, x, y in zip(places, places[1:], decisions, decisions[1:]):
        if x != y:
            at = _change(taken, x, a, b)
            message = _jump(joint, path, k, at, NEAR * (high - low))
            if message:
                yield Flaw(label, at, message)


def _change(
    taken: Callable[[float], Place], before: Place, a: float, b: float
) -> float:
    """Where, between a and b, the decisions stop to be those at a."""
    for _ in range(BISECTIONS):
        middle = 0.5 * (a + b)
        a, b = (middle, b) if taken(middle) == before else (a, middle)
    return b


def _jump(
    joint: Joint, path: Callable[[float], Place], k: int, at: float, step: float
) -> str:
    """What differs between the two sides: the pose, S, or its rate; '' if nothing."""
    time = 0.0 if joint.timed else None
    v = [1.0 if i == k else 0.0 for i in range(joint.nv)]
    sides = [joint.motion(path(at + s * step), v, time) for s in (-1, 1)]
    parts = [
        ([x for row in R for x in row] + list(p), [x for c in S for x in c], list(c))
        for R, p, S, _, c in sides
    ]
    names = ("the pose jumps", "S jumps: the pose has a corner", "c_J jumps: the "
             "second derivative of the pose does")  # fmt: skip
    for name, before, after in zip(names, *parts, strict=True):
        pairs = list(zip(before, after, strict=True))
        size = 1.0 + max(abs(x) for x in (*before, *after))
        if not all(abs(a - b) <= JUMP * size for a, b in pairs):
            return name
    return ""


def _stretch(joint: Joint, q: Place) -> float:
    """The largest entry of R^T R - 1; 0 where the pose is not finite."""
    try:
        R = joint.core_pose(q, 0.0 if joint.timed else None)[0]
    except (ArithmeticError, ValueError):
        return 0.0
    columns = list(zip(*R, strict=True))
    off = [abs(dot(a, b) - (a is b)) for a in columns for b in columns]
    return max(off) if all(map(math.isfinite, off)) else 0.0


def _decisions(joint: Joint) -> Program | None:
    """(q, t) to a number for each decision in the pose; None if there is none."""
    trace = Trace()
    inputs = [trace.input(name) for name in joint.core.inputs]
    nodes = live(joint.core.numbers(*inputs))
    found = [number for node in nodes for number in _decision(node)]
    return Program.of(found, joint.core.inputs) if found else None


def _decision(node: Scalar) -> list[Number]:
    if node.op == "floor":
        return [node]
    if node.op in ("lt", "le"):
        return [where(node, 1.0, 0.0)]
    if node.op == "abs":
        return [where(node.args[0] < 0.0, 1.0, 0.0)]
    if node.op in ("min", "max"):
        return [where(node.args[0] <= node.args[1], 1.0, 0.0)]
    return []
