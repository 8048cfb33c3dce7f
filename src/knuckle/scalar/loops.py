"""Structured control flow: a loop is one node with a program as its body."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from knuckle.scalar.derive import tangents
from knuckle.scalar.node import CONDITIONS, Number, Scalar, Trace, TraceError
from knuckle.scalar.program import STATIC, Program


@dataclass(frozen=True)
class Loop:
    """What a scan node carries: body(k, *carried, *captured) -> carried, `length`
    times."""

    body: Program
    carried: int
    length: int

    def digest(self) -> str:
        """A hash of what the loop computes."""
        return f"{self.body.digest()} {self.carried} {self.length}"


def scan(
    body: Callable[..., Sequence[Number]], init: Sequence[Number], length: int
) -> tuple[Number, ...]:
    """carry_{k+1} = body(k, *carry_k) for k = 0 ... length - 1, from carry_0 = init.

    The body is traced once and runs as a loop; it may use any value of the outer trace.
    The trap: `k` is a number, not an index of Python containers.
    """
    if not isinstance(length, int) or length < 0:
        raise TraceError(f"scan: length is expected to be 0, 1, ...; got {length!r}")
    inner = _body_trace(init)
    carry = inner.inputs("carry", len(init))
    _bodies.active.append(inner)
    try:
        results = tuple(body(inner.input("k"), *carry))
    finally:
        _bodies.active.pop()
    if len(results) != len(init):
        raise ValueError(
            f"scan: the body returned {len(results)} values "
            f"for {len(init)} carried ones"
        )
    if any(isinstance(x, Scalar) and x.op in CONDITIONS for x in (*init, *results)):
        raise TraceError(
            "scan: a carried value is a condition; carry where(c, 1.0, 0.0) instead"
        )
    results = tuple(inner.lift(x) for x in results)
    captured, outer = list(inner.captured.items()), inner.parent
    inner.closed = True
    if outer is None:
        return _run(body, init, length)
    names = ["k", *(c.value for c in carry), *(x.value for _, x in captured)]
    loop = Loop(Program.of(results, names), len(init), length)
    args = [outer.lift(x) for x in (*init, *(x for x, _ in captured))]
    return apply_loop(loop, *args)


class _Bodies(threading.local):
    """The bodies that are being traced now, from the outside in."""

    def __init__(self) -> None:
        self.active: list[Trace] = []


_bodies = _Bodies()


def _body_trace(init: Sequence[Number]) -> Trace:
    """A trace inside the innermost one of those the start values belong to."""
    parent = _bodies.active[-1] if _bodies.active else None
    for x in init:
        if isinstance(x, Scalar) and (parent is None or not parent.inside(x.trace)):
            parent = x.trace
    return Trace(parent, floating=parent is None)


def _run(
    body: Callable[..., Sequence[Number]], init: Sequence[Number], length: int
) -> tuple[Number, ...]:
    carry = tuple(init)
    for k in range(length):
        carry = tuple(body(float(k), *carry))
    return carry


def apply_loop(loop: Loop, *args: Number) -> tuple[Number, ...]:
    """The loop on numbers, or its node and the items of it on scalars."""
    if loop.length == 0:
        return args[: loop.carried]
    trace: Trace | None = None
    for x in args:
        if isinstance(x, Scalar) and (trace is None or x.trace.inside(trace)):
            trace = x.trace
    if trace is None:
        captured = args[loop.carried :]
        return _run(
            lambda k, *carry: loop.body(k, *carry, *captured),
            args[: loop.carried],
            loop.length,
        )
    node = trace.apply_with("scan", tuple(trace.lift(x) for x in args), loop)
    return tuple(trace.apply_with("item", (node,), k) for k in range(loop.carried))


STATIC["scan"] = apply_loop
STATIC["item"] = lambda k, results: results[k]


def loop_rates(node: Scalar, rates: Sequence[Number]) -> tuple[Number, ...]:
    """The rates of the carried values: the loop of body and tangent together.

    Only what moves is carried along: a value whose rate stays zero adds nothing.
    """
    loop: Loop = node.value
    n, values = loop.carried, node.args
    moving = [not _is_zero(dx) for dx in rates]
    while True:
        body, still = _with_tangent(loop, moving)
        grown = [a or not b for a, b in zip(moving, still, strict=False)]
        if grown == moving[:n]:
            break
        moving[:n] = grown
    first = [dx for dx, moves in zip(rates[:n], moving) if moves]
    other = [dx for dx, moves in zip(rates[n:], moving[n:]) if moves]
    args = (*values[:n], *first, *values[n:], *other)
    results = apply_loop(Loop(body, n + len(first), loop.length), *args)
    moved = iter(results[n:])
    return tuple(next(moved) if moves else 0.0 for moves in moving[:n])


def _is_zero(x: Number) -> bool:
    return isinstance(x, float) and x == 0.0


def _with_tangent(loop: Loop, moving: Sequence[bool]) -> tuple[Program, list[bool]]:
    """(k, x, dx, captured, dcaptured) -> (x', dx') with a dx for each moving value, and
    which carried values get no rate from one step."""
    trace, n = Trace(), loop.carried
    k = trace.input("k")
    values = trace.inputs("value", len(moving))
    rates = trace.inputs("rate", len(moving))
    results = loop.body(k, *values)
    seeds = {x: dx for x, dx, moves in zip(values, rates, moving) if moves}
    moved = tangents(results, seeds)
    kept = [dx for dx, moves in zip(moved, moving) if moves]
    first = [dx for dx, moves in zip(rates[:n], moving) if moves]
    other = [dx for dx, moves in zip(rates[n:], moving[n:]) if moves]
    names = [s.value for s in (k, *values[:n], *first, *values[n:], *other)]
    return Program.of([*results, *kept], names), [_is_zero(dx) for dx in moved]
