"""Configurations of a joint: fixed samples for checks, random ones for users."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import islice

from knuckle.joints.deriving import Core, qdot_columns
from knuckle.joints.identities import Point
from knuckle.joints.tracing import names
from knuckle.scalar import Program, Trace
from knuckle.spatial.linear import cross3, dot

COUNT = 12
RADII = (1.0, 0.3, 0.03)
RIGID = 1e-9
"""Largest entry of R^T R - 1 that still counts as rounding."""


def sample_points(
    core: Core,
    integrate: Program | None,
    neutral: tuple[float, ...],
    bounds: Sequence[tuple[float, float]],
    name: str,
) -> tuple[Point, ...]:
    """Points (q, t, v) of the joint's manifold where the pose is finite and rigid."""
    for radius in RADII:
        source = random.Random(1)
        draws = (
            _draw(core, integrate, neutral, bounds, radius * (2.5 - 0.1 * k), source)
            for k in range(2 * COUNT)
        )
        finite = tuple(islice((x for x in draws if _finite(core, x, name)), COUNT))
        if len(finite) == COUNT:
            return finite
    raise ValueError(
        f"joint {name!r}: the pose is not finite around neutral = {neutral}; give "
        "neutral=, or lower= and upper=, where it is"
    )


def _draw(
    core: Core,
    integrate: Program | None,
    neutral: tuple[float, ...],
    bounds: Sequence[tuple[float, float]],
    radius: float,
    source: random.Random,
) -> Point:
    t = [source.uniform(0.0, radius)] if core.timed else []
    v = [source.uniform(-1.0, 1.0) for _ in range(core.nv)]
    if integrate is not None:
        step = [source.uniform(-radius, radius) for _ in range(core.nv)]
        q = list(_attempt(integrate, *neutral, *step, 1.0) or [math.nan] * core.nq)
    else:
        q = []
        for x, (low, high) in zip(neutral, bounds, strict=True):
            x = min(max(x, low), high)
            q.append(source.uniform(max(low, x - radius), min(high, x + radius)))
    return (*q, *t, *v)


def _attempt(program: Callable[..., tuple[float, ...]], *args: float) -> Point | None:
    try:
        return program(*args)
    except (ArithmeticError, ValueError):
        return None


def _finite(core: Core, point: Point, name: str) -> bool:
    """Whether the pose is finite there; raises where it is finite and not rigid."""
    place = point[: len(core.inputs)]
    if not all(map(math.isfinite, place)) or _attempt(core.numbers, *place) is None:
        return False
    pose = core.pose(*place)
    entries = (*(x for row in pose.R for x in row), *pose.p)
    if not all(map(math.isfinite, entries)):
        return False
    _check_rigid(pose.R, place, name)
    return True


def _check_rigid(R: Sequence[Sequence[float]], place: Point, name: str) -> None:
    columns = list(zip(*R, strict=True))
    for i, a in enumerate(columns):
        for j, b in enumerate(columns):
            product = dot(a, b)
            if abs(product - (i == j)) > RIGID:
                raise ValueError(
                    f"joint {name!r}: the pose is no rigid motion: at {_text(place)} "
                    f"column {i} . column {j} of R is {product:.12g}, expected "
                    f"{int(i == j)}; build R from rotations, or from a unit quaternion"
                )
    if dot(columns[0], cross3(columns[1], columns[2])) < 0.0:
        raise ValueError(
            f"joint {name!r}: at {_text(place)} R is a reflection, its determinant is "
            "-1; change the sign of one column"
        )


def _text(place: Point) -> str:
    return "q = (" + ", ".join(f"{x:.6g}" for x in place) + ")"


def check_integrate(
    integrate: Program, qdot: Program, core: Core, points: Sequence[Point], name: str
) -> None:
    """integrate(q, v, 0) = q, and qdot is linear in v."""
    place = Trace().inputs("q", core.nq)
    entries = [x for column in qdot_columns(core, place) for x in column]
    columns = Program.of(entries, names("q", core.nq))
    for point in points:
        q, v = point[: core.nq], point[len(core.inputs) :]
        stay = integrate(*q, *v, 0.0)
        if any(abs(a - b) > RIGID for a, b in zip(stay, q, strict=True)):
            raise ValueError(
                f"joint {name!r}: integrate(q, v, 0) is {stay} at q = {q}, expected q; "
                "integrate starts where it is told to"
            )
        whole = qdot(*q, *v)
        flat = columns(*q)
        parts = [dot(flat[k :: core.nq], v) for k in range(core.nq)]
        if any(abs(a - b) > RIGID for a, b in zip(parts, whole, strict=True)):
            raise ValueError(
                f"joint {name!r}: qdot = d/d(dt) integrate(q, v, dt) is not linear in "
                f"v at q = {q}: {whole} for v = {v}, {tuple(parts)} from its components"
            )


def ranges(
    lower: Sequence[float], upper: Sequence[float], neutral: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Finite ranges: the limits, pi to either side of neutral, 2 pi from one limit."""
    low, high = [], []
    for a, b, x in zip(lower, upper, neutral, strict=True):
        if math.isinf(a):
            a = x - math.pi if math.isinf(b) else min(b - 2 * math.pi, x)
        low.append(a)
        high.append(a + 2 * math.pi if math.isinf(b) else b)
    return low, high
