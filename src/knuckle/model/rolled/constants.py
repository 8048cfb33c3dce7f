"""The constants of bodies as values of a table: some of them plain, the rest leaves.

A constant that is 0, 1 or -1 in every body of a kind, or in one of the few patterns
that nearly all bodies have, stays a plain number and simplifies; any other is a leaf,
so that bodies of different numbers share a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from knuckle.model.rolled.parts import Entry
from knuckle.model.rolled.shapes import Leaves, Names
from knuckle.model.rolled.tracer import Table, Tracer
from knuckle.scalar import Number, Scalar

PATTERNS = 3
"""So many patterns of 0, 1 and -1 may show: more would give more kinds of steps than
they save operations."""
MOST = 0.9
"""The share of bodies that these patterns must cover to be worth their kinds."""
Numbers = Sequence[Number]
Build = Callable[[Any, Numbers, Names], Any]
Row = tuple[Any, Any, Numbers]
"""A body, what its step depends on besides numbers, and its numbers."""


def table(
    tracer: Tracer, name: Hashable, rows: Iterable[Row], build: Build, exact: bool
) -> Table:
    """A table with these numbers of each body; `build` makes a value of them."""
    rows = list(rows)
    shown = _shown(rows, exact)
    made = Table(tracer)
    for (body, key, numbers), pattern in zip(rows, shown, strict=True):
        values = [_value(tracer, x)
                  for x, plain in zip(numbers, pattern, strict=True)
                  if plain is None]  # fmt: skip
        shape = tracer.shapes.of(
            (name, key, pattern), _builder(build, body, pattern), len(values)
        )
        made.entries[body] = Entry.of(shape, values)
    return made


def _shown(rows: list[Row], exact: bool) -> list[tuple[float | None, ...]]:
    """Of each body the numbers that stay plain, None for the others."""
    patterns = [tuple(map(_plain, numbers)) for _, _, numbers in rows]
    often = Counter(patterns).most_common(PATTERNS)
    if exact or sum(count for _, count in often) == len(rows):
        return patterns
    kept = {pattern for pattern, _ in often}
    if sum(count for _, count in often) < MOST * len(rows):
        kept = set()
    common: dict[Any, list[float | None]] = {}
    for (_, key, _), pattern in zip(rows, patterns, strict=True):
        agreed = common.setdefault(key, list(pattern))
        for k, x in enumerate(pattern):
            agreed[k] = x if agreed[k] == x else None
    return [
        pattern if pattern in kept else tuple(common[key])
        for (_, key, _), pattern in zip(rows, patterns, strict=True)
    ]


def _plain(x: Number) -> float | None:
    return float(x) if not isinstance(x, Scalar) and x in (0.0, 1.0, -1.0) else None


def _value(tracer: Tracer, x: Number) -> int:
    if isinstance(x, Scalar):
        return tracer.recorder.value(tracer.recorder.now.lift(x))
    return tracer.recorder.constant(float(x))


def _builder(
    build: Build, body: Any, pattern: Sequence[float | None]
) -> Callable[[Leaves, Names], Any]:
    """Puts leaves and plain numbers back in their order."""

    def made(leaves: Leaves, names: Names) -> Any:
        rest = iter(leaves)
        numbers = [next(rest) if x is None else x for x in pattern]
        return build(body, numbers, names)

    return made
