"""Structured control flow: a loop is one node with a program as its body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from knuckle.scalar.derive import tangents
from knuckle.scalar.node import Number, Scalar, Trace
from knuckle.scalar.program import STATIC, Program


@dataclass(frozen=True)
class Loop:
    """What a scan node carries: body(k, *carried, *captured) -> carried, `length`
    times."""

    body: Program
    carried: int
    length: int

    def digest(self) -> str:
        return f"{self.body.digest()} {self.carried} {self.length}"


def scan(
    body: Callable[..., Sequence[Number]], init: Sequence[Number], length: int
) -> tuple[Number, ...]:
    """carry_{k+1} = body(k, *carry_k) for k = 0 ... length - 1, from carry_0 = init.

    The body is traced once and runs as a loop; it may use any value of the outer trace.
    The trap: `k` is a number, not an index of Python containers.
    """
    outer = next((x.trace for x in init if isinstance(x, Scalar)), None)
    inner = Trace(outer)
    carry = inner.inputs("carry", len(init))
    results = tuple(body(inner.input("k"), *carry))
    if len(results) != len(init):
        raise ValueError(
            f"scan: the body returned {len(results)} values "
            f"for {len(init)} carried ones"
        )
    captured = list(inner.captured.items())
    if outer is None and captured:
        outer = captured[0][0].trace
    if outer is None:
        return _run(body, init, length)
    names = ["k", *(c.value for c in carry), *(x.value for _, x in captured)]
    loop = Loop(Program.of(results, names), len(init), length)
    return apply_loop(loop, *init, *(x for x, _ in captured))


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
    trace = next((x.trace for x in args if isinstance(x, Scalar)), None)
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


def item_rate(item: Scalar, rate: dict[int, Number]) -> Number:
    """The rate of one carried value: the loop of body and tangent together."""
    (node,) = item.args
    loop: Loop = node.value
    n = loop.carried
    body = _with_tangent(loop)
    values = node.args
    rates = [rate.get(x.index, 0.0) for x in values]
    args = (*values[:n], *rates[:n], *values[n:], *rates[n:])
    return apply_loop(Loop(body, 2 * n, loop.length), *args)[n + item.value]


def _with_tangent(loop: Loop) -> Program:
    """(k, x, dx, captured, dcaptured) -> (x', dx')."""
    trace, n = Trace(), loop.carried
    m = len(loop.body.inputs) - 1 - n
    k = trace.input("k")
    x, dx = trace.inputs("carry", n), trace.inputs("dcarry", n)
    c, dc = trace.inputs("captured", m), trace.inputs("dcaptured", m)
    results = loop.body(k, *x, *c)
    seeds = dict(zip((*x, *c), (*dx, *dc), strict=True))
    moved = tangents(results, seeds)
    names = [s.value for s in (k, *x, *dx, *c, *dc)]
    return Program.of([*results, *moved], names)
