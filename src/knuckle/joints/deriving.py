"""What follows from a pose: motion subspace, drift velocity, bias acceleration.

The pose is a product of factors T = T_1 ... T_m.  Its body twist in a direction of q is
sum_k Ad(tail_k^-1) xi_k with tail_k = T_{k+1} ... T_m, where xi_k is the axis times the
rate of the coordinate for an elementary factor and T_k^-1 dT_k for any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from knuckle.joints.identities import Point, evaluated, simplified
from knuckle.joints.tracing import names, unflat
from knuckle.scalar import Number, Program, Scalar, Trace, tangents
from knuckle.scalar.node import live
from knuckle.spatial import SE3, Motion, Transform
from knuckle.spatial.linear import add, dot, is_zero, transpose
from knuckle.spatial.se3 import Factor

Direction = Mapping[Scalar, Number]
AXES = ("Rx", "Ry", "Rz", "Tx", "Ty", "Tz")


class Core(NamedTuple):
    """The moving part of a joint: its factors' kinds, and their numbers from (q, t)."""

    kinds: tuple[str, ...]
    numbers: Program
    nq: int
    nv: int
    timed: bool
    qdot: Program | None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The input names of functions of the configuration."""
        return names("q", self.nq) + (("t",) if self.timed else ())

    def pose(self, *configuration: Number) -> SE3:
        """The product of the factors at (q, t)."""
        return SE3.of_factors(unflat(self.kinds, self.numbers(*configuration)))


class Motions(NamedTuple):
    """The derived programs of a core."""

    pose: Program
    """(q, t) to R by rows, then p."""
    subspace: Program
    """(q, t) to S by columns, then sigma."""
    bias: Program
    """(q, v, t) to c_J."""


@lru_cache(maxsize=4096)
def derive(
    core: Core, points: tuple[Point, ...], offered: Program | None = None
) -> Motions:
    """The pose, S, sigma and c_J of a core; points are samples (q, t, v).

    The columns of S may be offered; they are taken once they equal the derived ones.
    """
    trace = Trace()
    q = trace.inputs("q", core.nq)
    t = (trace.input("t"),) if core.timed else ()
    pose, S, sigma = _velocity(core, q, t, points)
    if offered is not None:
        S = _accepted(offered(*q, *t), S, core, points)
    for k, column in enumerate(S):
        if all(is_zero(x) for x in column):
            raise ValueError(
                f"velocity {k} moves nothing: no entry of the pose depends on it; "
                f"use it, or give Joint nq = {core.nq - 1}"
            )
    flat = [*(x for column in S for x in column), *sigma]
    v = trace.inputs("v", core.nv)
    forms = [
        _directional(core, q, t, v, flat),
        _quadratic(core, q, t, v, flat, pose, points),
    ]
    order = core.inputs + names("v", core.nv)
    forms = [simplified(form, (), order, points) for form in forms]
    bias = min(forms, key=lambda form: len(live([*pose, *flat, *form])))
    return Motions(
        Program.of(pose, core.inputs),
        Program.of(flat, core.inputs),
        Program.of(bias, order),
    )


def _directional(
    core: Core,
    q: Sequence[Scalar],
    t: Sequence[Scalar],
    v: Sequence[Scalar],
    columns: Sequence[Number],
) -> tuple[Number, ...]:
    """c_J as the derivative of S v + sigma along qdot, v held (3.41-3.43)."""
    rates = (*v, 1.0)
    velocity = [dot(columns[k::6], rates) for k in range(6)]
    seeds = _seeds(q, v if core.qdot is None else core.qdot(*q, *v))
    return tangents(velocity, {**seeds, **{x: 1.0 for x in t}})


def _quadratic(
    core: Core,
    q: Sequence[Scalar],
    t: Sequence[Scalar],
    v: Sequence[Scalar],
    columns: Sequence[Number],
    pose: Sequence[Number],
    points: Sequence[Point],
) -> tuple[Number, ...]:
    """c_J collected by products of velocities, as in (4.9)."""
    rates: tuple[Number, ...] = (*v, 1.0)
    pairs = [(i, j) for i in range(len(rates)) for j in range(i, len(rates))]
    slopes = [tangents(columns, direction) for direction in directions(core, q, t)]
    terms: list[Number] = []
    for i, j in pairs:
        a, b = slopes[i][6 * j : 6 * j + 6], slopes[j][6 * i : 6 * i + 6]
        terms += a if i == j else add(a, b)
    places = [point[: len(core.inputs)] for point in points]
    terms = list(simplified(terms, [*pose, *columns], core.inputs, places))
    products = [rates[i] * rates[j] for i, j in pairs]
    return tuple(dot(terms[k::6], products) for k in range(6))


def directions(
    core: Core, q: Sequence[Scalar], t: Sequence[Scalar]
) -> list[dict[Scalar, Number]]:
    """How (q, t) moves with each velocity alone, and with time alone."""
    moves = [_seeds(q, rates) for rates in qdot_columns(core, q)]
    return [*moves, {x: 1.0 for x in t}]


def _velocity(
    core: Core, q: Sequence[Scalar], t: Sequence[Scalar], points: Sequence[Point]
) -> tuple[tuple[Number, ...], list[tuple[Number, ...]], tuple[Number, ...]]:
    """(R and p, the columns of S, sigma), simplified together."""
    factors = unflat(core.kinds, core.numbers(*q, *t))
    product = SE3.of_factors(factors)
    pose = (*(x for row in product.R for x in row), *product.p)
    twists = [body_twist(factors, d).entries for d in directions(core, q, t)]
    width = len(core.inputs)
    places = [point[:width] for point in points]
    pose = simplified(pose, (), core.inputs, places)
    flat = [x for twist in twists for x in twist]
    flat = list(simplified(flat, pose, core.inputs, places))
    columns = [tuple(flat[6 * i : 6 * i + 6]) for i in range(core.nv + 1)]
    return pose, columns[:-1], columns[-1]


def _accepted(
    offered: Sequence[Number],
    S: Sequence[Sequence[Number]],
    core: Core,
    points: Sequence[Point],
) -> list[tuple[Number, ...]]:
    """The offered columns, once they agree with the derived ones at the points."""
    width = len(core.inputs)
    flat = [x for column in S for x in column]
    rows = evaluated([*offered, *flat], core.inputs, [p[:width] for p in points])
    for k, (a, b) in enumerate(zip(rows[: len(flat)], rows[len(flat) :], strict=True)):
        worst = max(range(len(points)), key=lambda n: abs(a[n] - b[n]))
        if not abs(a[worst] - b[worst]) <= 1e-9 * max(1.0, abs(b[worst])):
            raise ValueError(
                f"the offered subspace is wrong: column {k // 6}, row {k % 6} is "
                f"{a[worst]!r} at q = {points[worst][:width]}, the pose gives "
                f"{b[worst]!r}"
            )
    return [tuple(offered[6 * i : 6 * i + 6]) for i in range(core.nv)]


@lru_cache(maxsize=4096)
def rates(core: Core, motions: Motions) -> Program:
    """(q, t, v) to the changes of S, sigma and c_J with each velocity's motion, then of
    c_J with each velocity."""
    from knuckle.scalar.jacobian import jacobian

    trace = Trace()
    q, v = trace.inputs("q", core.nq), trace.inputs("v", core.nv)
    t = (trace.input("t"),) if core.timed else ()
    values = [*motions.subspace(*q, *t), *motions.bias(*q, *t, *v)]
    ways = directions(core, q, t)[:-1]
    by_v = jacobian(values[-6:], [{speed: 1.0} for speed in v], beside=values)
    beside = [*values, *(x for row in by_v for x in row)]
    by_q = jacobian(values, ways, beside=beside)
    flat = [x for rows in (by_q, by_v) for column in zip(*rows) for x in column]
    return Program.of(flat, core.inputs + names("v", core.nv))


@lru_cache(maxsize=4096)
def difference_rates(core: Core, difference: Program) -> Program:
    """(q0, q1) to the change of the difference with each direction of q1."""
    from knuckle.scalar.jacobian import jacobian

    trace = Trace()
    q0, q1 = trace.inputs("q0", core.nq), trace.inputs("q1", core.nq)
    values = difference(*q0, *q1)
    ways = [_seeds(q1, column) for column in qdot_columns(core, q1)]
    rows = jacobian(values, ways)
    flat = [x for column in zip(*rows, strict=True) for x in column]
    return Program.of(flat, names("q0", core.nq) + names("q1", core.nq))


def qdot_columns(core: Core, q: Sequence[Number]) -> list[tuple[Number, ...]]:
    """The columns of G in qdot = G(q) v."""
    unit = [
        tuple(1.0 if i == k else 0.0 for i in range(core.nv)) for k in range(core.nv)
    ]
    return unit if core.qdot is None else [core.qdot(*q, *e) for e in unit]


def body_twist(factors: Sequence[Factor], direction: Direction) -> Motion:
    """(T^-1 dT) of the product along a direction, in the frame T leads to."""
    total, tail = Motion.zero(), SE3()
    for factor in reversed(factors):
        twist = _twist(factor, direction)
        if twist is not None:
            total = total + Transform.from_pose(tail) @ twist
        tail = SE3.of_factors((factor,)) * tail
    return total


def _twist(factor: Factor, direction: Direction) -> Motion | None:
    kind, value = factor
    if kind == "const" or not direction:
        return None
    if kind in AXES:
        (rate,) = tangents((value,), direction)
        return Motion.of(tuple(rate if k == kind else 0.0 for k in AXES))
    R, p = value
    rates = tangents((*(x for row in R for x in row), *p), direction)
    x, y, z = transpose(R)
    dx, dy, dz = transpose((rates[0:3], rates[3:6], rates[6:9]))
    dp = rates[9:12]
    return Motion(
        (dot(z, dy), dot(x, dz), dot(y, dx)), (dot(x, dp), dot(y, dp), dot(z, dp))
    )


def _seeds(q: Sequence[Scalar], rates: Sequence[Number]) -> dict[Scalar, Number]:
    return {
        x: rate
        for x, rate in zip(q, rates, strict=True)
        if isinstance(rate, Scalar) or rate != 0.0
    }
