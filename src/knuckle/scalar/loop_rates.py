"""Forward differentiation through loops: the tangent runs along with the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from knuckle.scalar import fixed_point
from knuckle.scalar.derive import tangents
from knuckle.scalar.dstar import operations
from knuckle.scalar.jacobian import FEW, jacobian
from knuckle.scalar.loops import AnyLoop, While, apply_loop
from knuckle.scalar.node import Number, Scalar, Trace
from knuckle.scalar.program import Program


def loop_rates(node: Scalar, rates: Sequence[Number]) -> tuple[Number, ...]:
    """The rates of the carried values: the loop of body and tangent together.

    Only what moves is carried along: a value whose rate stays zero adds nothing.
    """
    loop: AnyLoop = node.value
    n, values = loop.carried, node.args
    if isinstance(loop, While) and loop.fixed_point:
        return fixed_point.rates(node, rates)
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
    results = apply_loop(replace(loop, body=body, carried=n + len(first)), *args)
    moved = iter(results[n:])
    return tuple(next(moved) if moves else 0.0 for moves in moving[:n])


def _pushed(
    values: Sequence[Number], seeds: Mapping[Scalar, Number], beside: Sequence[Number]
) -> tuple[Number, ...]:
    """The rates of the values: one sweep, or the slopes of the step times the rates of
    the few that move it, whichever costs less."""
    swept = tangents(values, seeds)
    if not 0 < len(seeds) <= FEW:
        return swept
    slopes = jacobian(values, [{x: 1.0} for x in seeds], beside=beside)
    rates = tuple(seeds.values())
    multiplied = tuple(
        sum((s * rate for s, rate in zip(row, rates, strict=True)), 0.0)
        for row in slopes
    )
    return min(swept, multiplied, key=lambda moved: operations([moved, tuple(beside)]))


def _is_zero(x: Number) -> bool:
    return isinstance(x, float) and x == 0.0


def _with_tangent(loop: AnyLoop, moving: Sequence[bool]) -> tuple[Program, list[bool]]:
    """(lead, x, dx, captured, dcaptured) -> (x', dx', tail) with a dx for each moving
    value, and which carried values get no rate from one step."""
    trace, n = Trace(), loop.carried
    lead = [trace.input(name) for name in loop.body.inputs[: loop.lead]]
    values = trace.inputs("value", len(moving))
    rates = trace.inputs("rate", len(moving))
    results = loop.body(*lead, *values)
    seeds = {x: dx for x, dx, moves in zip(values, rates, moving) if moves}
    moved = _pushed(results[:n], seeds, results)
    kept = [dx for dx, moves in zip(moved, moving) if moves]
    first = [dx for dx, moves in zip(rates[:n], moving) if moves]
    other = [dx for dx, moves in zip(rates[n:], moving[n:]) if moves]
    names = [s.value for s in (*lead, *values[:n], *first, *values[n:], *other)]
    body = Program.of([*results[:n], *kept, *results[n:]], names)
    return body, [_is_zero(dx) for dx in moved]
