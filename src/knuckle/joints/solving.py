"""Differences of configurations, for joints that give none of their own."""

from __future__ import annotations

from knuckle.joints.tracing import names
from knuckle.scalar import Number, Program, Trace, tangents
from knuckle.spatial.ldl import LDL

STEPS = 12
"""Gauss-Newton steps; from a nearby configuration 5 or 6 would do."""


def rate_at_zero(integrate: Program, nq: int, nv: int) -> Program:
    """qdot = d/d(dt) integrate(q, v, dt) at dt = 0."""
    trace = Trace()
    q, v, dt = trace.inputs("q", nq), trace.inputs("v", nv), trace.input("dt")
    inputs = names("q", nq) + names("v", nv)
    rates = Program.of(tangents(integrate(*q, *v, dt), {dt: 1.0}), (*inputs, "dt"))
    return Program.of(rates(*q, *v, 0.0), inputs)


def newton_difference(integrate: Program, nq: int, nv: int) -> Program:
    """v with integrate(q0, v, 1) = q1 in the least-squares sense, by Gauss-Newton."""
    from knuckle.scalar import scan

    slope = _slope(integrate, nq, nv)
    trace = Trace()
    q0, q1 = trace.inputs("q0", nq), trace.inputs("q1", nq)

    def step(k: Number, *v: Number) -> tuple[Number, ...]:
        reached = integrate(*q0, *v, 1.0)
        miss = [b - a for a, b in zip(reached, q1, strict=True)]
        flat = slope(*q0, *v)
        J = [flat[nq * i : nq * (i + 1)] for i in range(nv)]
        normal = tuple(tuple(_dot(a, b) for b in J) for a in J)
        change = LDL(normal).solve(tuple(_dot(a, miss) for a in J))
        return tuple(x + dx for x, dx in zip(v, change, strict=True))

    v = scan(step, [trace.constant(0.0)] * nv, STEPS) if nv else ()
    return Program.of(v, names("q0", nq) + names("q1", nq))


def _slope(integrate: Program, nq: int, nv: int) -> Program:
    """d integrate(q, v, 1) / dv by columns."""
    trace = Trace()
    q, v = trace.inputs("q", nq), trace.inputs("v", nv)
    ends = integrate(*q, *v, 1.0)
    flat = [x for k in range(nv) for x in tangents(ends, {v[k]: 1.0})]
    return Program.of(flat, names("q", nq) + names("v", nv))


def _dot(a: tuple[Number, ...], b: list[Number] | tuple[Number, ...]) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
