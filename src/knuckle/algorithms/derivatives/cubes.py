"""Second derivatives as they are found: few of their entries are not zero."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.derivatives.changes import Change
from knuckle.scalar import Number

ORDER = "qva"


class Cubes:
    """Arrays (nv, nv, nv) by the kinds of the two changes, zero where not set."""

    def __init__(self, nv: int) -> None:
        self.nv = nv
        self.cubes: dict[str, dict[tuple[int, int, int], Number]] = {
            kinds: {} for kinds in ("qq", "qv", "vv", "qa")
        }

    def ordered(self, row: int, first: Change, second: Change, value: Number) -> None:
        """One entry."""
        kinds = first.kind + second.kind
        self.cubes[kinds][row, first.column, second.column] = value

    def put(self, row: int, x: Change, y: Change, value: Number) -> None:
        """Of two changes that commute: one value for both orders."""
        first, second = sorted((x, y), key=lambda change: ORDER.index(change.kind))
        self.ordered(row, first, second, value)
        if first.kind == second.kind:
            self.ordered(row, second, first, value)

    def subtract(self, j: Any, block: Any) -> None:
        """Take a block of forces of joint j by its own directions away."""
        at, places = j.v.start, range(j.dof)
        for i, r, s in ((i, r, s) for i in places for r in places for s in places):
            entry = (at + i, at + r, at + s)
            self.cubes["qq"][entry] = self.cubes["qq"][entry] - block[i][r][s]

    def arrays(self, *kinds: str) -> list[Any]:
        """Nested tuples with all the zeros."""
        every = range(self.nv)
        return [
            tuple(
                tuple(
                    tuple(self.cubes[kind].get((i, j, k), 0.0) for k in every)
                    for j in every
                )
                for i in every
            )
            for kind in kinds
        ]
