"""Factors of a sparse symmetric matrix that need not be definite (Sec. 8.13).

A row is a dictionary {column: entry} of what is not structurally zero; both triangles
are kept. The order of the pivots is given: single rows, and pairs of rows where a
diagonal entry is zero. What gets filled in is found while factorizing; for a tree whose
leaves come first it stays within the parent's rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from knuckle.scalar import Number, reciprocal
from knuckle.spatial.linear import is_zero

Row = dict[int, Number]
Pivot = tuple[int, ...]


class Sparse:
    """A symmetric matrix that is filled entry by entry."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}

    def add(self, i: int, j: int, x: Number) -> None:
        """H_ij += x, and H_ji with it; a structural zero takes no place."""
        if not is_zero(x):
            for a, b in {(i, j), (j, i)}:
                row = self.rows.setdefault(a, {})
                row[b] = row[b] + x if b in row else x

    def entries(self) -> int:
        """How many entries are not structurally zero."""
        return sum(map(len, self.rows.values()))

    def factorized(self, order: Iterable[Pivot]) -> list[Step]:
        """H = L D L^T, D in blocks of one or two; the matrix is used up."""
        steps = []
        for pivot in order:
            rows = [self.rows.get(i, {}) for i in pivot]
            inverse = _inverse([[row.get(i, 0.0) for i in pivot] for row in rows])
            others = list(dict.fromkeys(j for row in rows for j in row))
            others = [j for j in others if j not in pivot]
            entries = {j: [row.get(j, 0.0) for row in rows] for j in others}
            L = {j: [_dot(entries[j], x) for x in inverse] for j in others}
            for n, j in enumerate(others):
                for i in pivot:
                    self.rows[j].pop(i, None)
                for k in others[: n + 1]:
                    self.add(j, k, 0.0 - _dot(L[j], entries[k]))
            steps.append(Step(pivot, inverse, L))
        return steps


class Step(NamedTuple):
    """A pivot, the inverse of its block, and the columns of L below it."""

    pivot: Pivot
    inverse: list[list[Number]]
    L: dict[int, list[Number]]


def solved(steps: list[Step], b: list[Number]) -> list[Number]:
    """x with L D L^T x = b."""
    x = list(b)
    for pivot, _, L in steps:
        for j, row in L.items():
            x[j] = x[j] - _dot(row, [x[i] for i in pivot])
    for pivot, inverse, L in reversed(steps):
        found = [_dot(row, [x[i] for i in pivot]) for row in inverse]
        for n, i in enumerate(pivot):
            x[i] = found[n] - sum((row[n] * x[j] for j, row in L.items()), 0.0)
    return x


def _inverse(block: list[list[Number]]) -> list[list[Number]]:
    """Of one number, or of two rows whose determinant does not vanish."""
    if len(block) == 1:
        return [[reciprocal(block[0][0])]]
    (a, b), (_, d) = block
    r = reciprocal(a * d - b * b)
    return [[d * r, (0.0 - b) * r], [(0.0 - b) * r, a * r]]


def _dot(x: Iterable[Number], y: Iterable[Number]) -> Number:
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)
