"""The implicit function rule: how the solution of x = B(x, p) moves with p."""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar.bodies import items
from knuckle.scalar.derive import tangents
from knuckle.scalar.functions import where
from knuckle.scalar.loops import While
from knuckle.scalar.node import Number, Scalar, Trace, TraceError
from knuckle.scalar.program import Program

Rows = Sequence[Sequence[Number]]


def rates(node: Scalar, seeds: Sequence[Number]) -> tuple[Number, ...]:
    """dx from (1 - B_x) dx = B_p dp; the start values have no say."""
    loop: While = node.value
    n, p, dp = loop.carried, node.args[loop.carried :], seeds[loop.carried :]
    program = _along(loop)
    x = items(node, n)
    return solve(remainder(node), program(*x, *p, *dp))


def weights(node: Scalar, adjoints: Sequence[Number]) -> tuple[Number, ...]:
    """w from (1 - B_x)^T w = adjoints of x: the adjoints of p are then B_p^T w.

    This is what reverse differentiation needs: the adjoint of one step of the body at
    the solution, with these weights on its results; the start values have adjoint 0.
    """
    if not node.value.fixed_point:
        raise TraceError(
            "while_loop: reverse differentiation would need every step that was "
            "taken; declare fixed_point=True if the final values solve x = body(x), "
            "or differentiate forward"
        )
    return solve(list(zip(*remainder(node), strict=True)), adjoints)


def remainder(node: Scalar) -> list[tuple[Number, ...]]:
    """The rows of 1 - B_x at the solution."""
    loop: While = node.value
    n = loop.carried
    flat = _slopes(loop)(*items(node, n), *node.args[n:])
    return [
        tuple((1.0 if i == j else 0.0) - flat[n * j + i] for j in range(n))
        for i in range(n)
    ]


def _slopes(loop: While) -> Program:
    """(x, p) to B_x by columns."""
    trace, n = Trace(), loop.carried
    places = trace.inputs("place", len(loop.body.inputs))
    results = loop.body(*places)[:n]
    flat = [dx for x in places[:n] for dx in tangents(results, {x: 1.0})]
    return Program.of(flat, [s.value for s in places])


def _along(loop: While) -> Program:
    """(x, p, dp) to B_p dp."""
    trace, n = Trace(), loop.carried
    places = trace.inputs("place", len(loop.body.inputs))
    speeds = trace.inputs("speed", len(places) - n)
    results = loop.body(*places)[:n]
    moved = tangents(results, dict(zip(places[n:], speeds, strict=True)))
    return Program.of(moved, [s.value for s in (*places, *speeds)])


def solve(A: Rows, b: Sequence[Number]) -> tuple[Number, ...]:
    """x with A x = b by elimination; each row picks its own pivots, by selects."""
    n = len(b)
    rows = [[*row, x] for row, x in zip(A, b, strict=True)]
    for k in range(n):
        for i in range(k + 1, n):
            rows[k], rows[i] = _larger_first(rows[k], rows[i], k)
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    x: list[Number] = []
    for k in reversed(range(n)):
        known = sum((a * y for a, y in zip(rows[k][k + 1 : n], reversed(x))), start=0.0)
        x.append((rows[k][n] - known) / rows[k][k])
    return tuple(reversed(x))


def _larger_first(
    a: list[Number], b: list[Number], k: int
) -> tuple[list[Number], list[Number]]:
    """The two rows, that with the larger entry k first."""
    swap = abs(b[k]) > abs(a[k])
    pairs = list(zip(a, b, strict=True))
    return [where(swap, y, x) for x, y in pairs], [where(swap, x, y) for x, y in pairs]
