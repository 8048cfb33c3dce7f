"""The body of a loop, traced once on scalars of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from knuckle.scalar.node import CONDITIONS, Number, Scalar, Trace, TraceError
from knuckle.scalar.program import Program

Step = Callable[..., Sequence[Number]]


class Traced(NamedTuple):
    """A body as a program, and the outer values that it uses."""

    body: Program
    captured: list[Scalar]


def traced(
    name: str, step: Step, lead: Sequence[str], init: Sequence[Number]
) -> Traced:
    """step(*lead, *carry), run once on the scalars of a trace of its own."""
    check_numbers(name, init)
    inner = _body_trace(init)
    first = [inner.input(place) for place in lead]
    carry = inner.inputs("carry", len(init))
    _bodies.active.append(inner)
    try:
        results = tuple(step(*first, *carry))
    finally:
        _bodies.active.pop()
    if name == "scan":
        results = step_of(name, lambda *_: results, (), len(init))
    results = tuple(inner.lift(x) for x in results)
    inner.closed = True
    names = [*lead, *(c.value for c in (*carry, *inner.captured.values()))]
    return Traced(Program.of(results, names), list(inner.captured))


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


def any_scalar(values: Sequence[Number]) -> bool:
    return any(isinstance(x, Scalar) for x in values)


def step_of(
    name: str, body: Step, args: Sequence[Number], carried: int
) -> tuple[Number, ...]:
    """The results of one step, as many numbers as are carried."""
    results = tuple(body(*args))
    if len(results) != carried:
        raise ValueError(
            f"{name}: the body returned {len(results)} values "
            f"for {carried} carried ones"
        )
    check_numbers(name, results)
    return results


def check_numbers(name: str, values: Sequence[Number]) -> None:
    if any(isinstance(x, Scalar) and x.op in CONDITIONS for x in values):
        raise TraceError(
            f"{name}: a carried value is a condition; carry where(c, 1.0, 0.0) instead"
        )


def innermost(args: Sequence[Number]) -> Trace | None:
    """The innermost trace of those the values belong to."""
    trace: Trace | None = None
    for x in args:
        if isinstance(x, Scalar) and (trace is None or x.trace.inside(trace)):
            trace = x.trace
    return trace


def items(node: Scalar, count: int) -> tuple[Scalar, ...]:
    """The results of a node that has several."""
    return tuple(node.trace.apply_with("item", (node,), k) for k in range(count))
