"""What the steps of a loop over bodies were: read, ran and wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knuckle.model.rolled.shapes import Shape
from knuckle.scalar.segments import CONSTANT, Kind, Value

Bodies = tuple[Any, ...]
"""A step's body and its parent, then those of the loops around it."""
Role = Any
"""Which of a step's bodies is meant, by number; a body outright; or a pair of these."""
Way = Callable[[Any], Iterable[Any]]
"""The bodies of an inner loop, from one of the outer step's."""


class Entry:
    """What a table holds for a body: a shape and where its scalars come from."""

    __slots__ = ("shape", "values")

    def __init__(self, shape: Shape, values: Sequence[Value]) -> None:
        self.shape, self.values = shape, values

    @staticmethod
    def of(shape: Shape, values: Sequence[Value]) -> Entry:
        """The entry, whose shape says as well which of its scalars are constants."""
        kinds = tuple(v & 3 == CONSTANT for v in values)
        return Entry(shape.of_kinds(kinds), values)


@dataclass
class Part:
    """A piece of a step that was traced: what it read, ran and wrote.

    All that it read in a row is numbered; `picked` says which of these values each leaf
    is (below 0: a value by itself, -1 - value), `equal` which of them were the same.
    """

    reads: list[tuple[Any, Role, Shape | None]]
    picked: list[int]
    equal: list[tuple[int, int]]
    kind: Kind
    writes: list[tuple[Any, Role, Shape, list[int]]]

    def values(self, bodies: Bodies) -> list[Value] | None:
        """The leaves on these bodies; None if they have other shapes."""
        row: list[Value] = []
        for table, role, shape in self.reads:
            entry = table.entries.get(body_of(role, bodies))
            if entry is None:
                if shape is not None:
                    return None
                continue
            if entry.shape is not shape:
                return None
            row.extend(entry.values)
        for a, b in self.equal:
            if row[a] != (row[b] if b >= 0 else -1 - b):
                return None
        return [row[k] if k >= 0 else -1 - k for k in self.picked]


@dataclass
class Inner:
    """A loop inside a step: its number there, its way, and where the way starts."""

    key: Any
    way: Way
    role: Role


@dataclass
class Template:
    """A step that was traced: which of its bodies were the same, and its parts."""

    pattern: tuple[int, ...]
    parts: list[Part | Inner]
    seen: int = 1

    def same(self, other: Template) -> bool:
        """Is it what another step read, ran and wrote?"""
        return self.parts == other.parts

    def reads_same(self, other: Template) -> bool:
        """Did the other read the same shapes in all of its parts?"""
        return self._reads() == other._reads()

    def _reads(self) -> list[Any]:
        return [(p.reads, p.equal) if isinstance(p, Part) else p for p in self.parts]


def body_of(role: Role, bodies: Bodies) -> Any:
    """The body that a role means."""
    kind = type(role)
    if kind is int:
        return bodies[role]
    return tuple([body_of(r, bodies) for r in role]) if kind is tuple else role


def pattern_of(bodies: Bodies) -> tuple[int, ...]:
    """Which bodies are the same one, and which are the world (-1)."""
    if len(bodies) == 2:
        return (0, -1 if bodies[1].parent is None else 1)
    first: dict[Any, int] = {}
    return tuple(
        -1 if b.parent is None else first.setdefault(b, k) for k, b in enumerate(bodies)
    )
