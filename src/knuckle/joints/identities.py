"""Identities found by evaluation: what is constant, or a known value, on the manifold.

Derivatives of a general pose are right and long: c c + s s with quaternions, a product
of rotations where one entry would do.  Analytic expressions that agree at random points
agree everywhere, so a few evaluations decide what no table of rules could.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from knuckle.scalar import Number, Program, Scalar
from knuckle.scalar.node import SEVERAL, live

ANALYTIC = frozenset(
    "input const add sub mul div rcp neg sqrt sin cos tan asin acos atan2 exp log tanh "
    "stumpff fma fms fnma scan item".split()
)
"""Primitives with the identity theorem; of others (where, abs) nothing is concluded."""

AGREE, FLOOR = 1e-12, 2e-14
"""Relative and absolute error within which two evaluations in doubles are equal."""

Point = tuple[float, ...]


@dataclass
class Known:
    """Values that the joint needs anyway, with what they are at the sample points."""

    nodes: list[Scalar]
    rows: list[Point]

    def find(self, row: Point) -> Number | None:
        """The first known value, or the negative of one, that equals the row."""
        for sign in (1.0, -1.0):
            for node, other in zip(self.nodes, self.rows, strict=True):
                if _equal(row, tuple(sign * x for x in other)):
                    return node * sign
        return None


def simplified(
    entries: Sequence[Number],
    pool: Sequence[Number],
    inputs: Sequence[str],
    points: Sequence[Point],
) -> tuple[Number, ...]:
    """The entries, each that is constant or equal to a value of the pool replaced."""
    if not any(isinstance(x, Scalar) for x in entries):
        return tuple(entries)
    if not all(_analytic(x) for x in live([*entries, *pool])):
        return tuple(entries)
    base = [x for x in live(pool) if x.op not in ("const", *SEVERAL)]
    rows = evaluated([*base, *entries], inputs, points)
    known = Known(base, rows[: len(base)])
    result: list[Number] = []
    for x, row in zip(entries, rows[len(base) :], strict=True):
        found = _settled(x, row, known)
        result.append(found)
        if found is x and isinstance(x, Scalar):
            known.nodes.append(x)
            known.rows.append(row)
    return tuple(result)


def evaluated(
    entries: Sequence[Number], inputs: Sequence[str], points: Sequence[Point]
) -> list[Point]:
    """One row for each entry: its values at the points."""
    program = Program.of(entries, inputs)
    columns = [program(*point) for point in points]
    return list(zip(*columns, strict=True)) if columns else [()] * len(entries)


def _settled(x: Number, row: Point, known: Known) -> Number:
    if not isinstance(x, Scalar) or not all(map(math.isfinite, row)):
        return x
    if _equal(row, (row[0],) * len(row)):
        return _snapped(_median(row))
    found = known.find(row)
    return x if found is None else found


def _median(row: Point) -> float:
    ordered, half = sorted(row), len(row) // 2
    return ordered[half] if len(row) % 2 else 0.5 * (ordered[half - 1] + ordered[half])


def _snapped(value: float) -> float:
    """The nearest multiple of one half, where the value is that up to rounding."""
    near = round(2.0 * value) / 2.0
    return near + 0.0 if _equal((value,), (near,)) else value


def _equal(a: Point, b: Point) -> bool:
    return all(abs(x - y) <= AGREE * abs(x) + FLOOR for x, y in zip(a, b, strict=True))


def _analytic(node: Scalar) -> bool:
    ops = node.value.body.ops if node.op == "scan" else ()
    return node.op in ANALYTIC and "scan" not in ops and ANALYTIC.issuperset(ops)
