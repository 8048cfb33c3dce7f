"""Tables over bodies that know what a step reads and writes, and steps that repeat.

A step of a loop over bodies may touch what tables hold for its body (SELF), for that
body's parent (PARENT), and for bodies named outright. When what it would read has the
shapes that an earlier step read, its text need not run again: the program of the
earlier step does, on this body's values. A kind of step is trusted after two bodies
have given the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from knuckle.model.layout import NOTHING, PerBody
from knuckle.model.rolled.shapes import Shape, Shapes
from knuckle.scalar import Scalar
from knuckle.scalar.segments import CONSTANT, Kind, Recorder, Segment, Value

SELF, PARENT = 0, 1
Role = Any
"""SELF, PARENT, or a body by itself."""


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


class Table(PerBody):
    """One value for each body, which crosses from step to step."""

    __slots__ = ("entries", "tracer")

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer
        self.entries: dict[Any, Entry] = {}

    def __getitem__(self, body: Any) -> Any:
        return self.tracer.read(self, body, NOTHING)

    def __setitem__(self, body: Any, value: Any) -> None:
        self.tracer.write(self, body, value)

    def __contains__(self, body: Any) -> bool:
        return self.tracer.read(self, body, NOTHING) is not NOTHING


@dataclass
class Template:
    """A step that was traced: what it read, ran and wrote.

    All that it read in a row is numbered; `picked` says which of these values each leaf
    is (below 0: a value by itself, -1 - value), `equal` which of them were the same.
    """

    top: bool
    reads: list[tuple[Table, Role, Shape | None]]
    picked: list[int]
    equal: list[tuple[int, int]]
    kind: Kind
    writes: list[tuple[Table, Role, Shape, list[int]]]
    seen: int = 1

    def values(self, body: Any) -> list[Value] | None:
        """The leaves of a step on this body; None if it would read other shapes."""
        parent = body.parent
        if (parent.parent is None) is not self.top:
            return None
        row: list[Value] = []
        for table, role, shape in self.reads:
            at = body if role == SELF else parent if role == PARENT else role
            entry = table.entries.get(at)
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

    def same(self, other: Template) -> bool:
        """Is it what another step read, ran and wrote?"""
        return self._content() == other._content()

    def _content(self) -> tuple[Any, ...]:
        return self.reads, self.picked, self.equal, self.kind, self.writes

    def write(
        self, body: Any, values: Sequence[Value], made: Sequence[Value]
    ) -> None:
        """What the step leaves in the tables."""
        for table, role, shape, sources in self.writes:
            at = body if role == SELF else body.parent if role == PARENT else role
            found = [made[k] if k >= 0 else values[-1 - k] for k in sources]
            table.entries[at] = Entry(shape, found)


class Tracer:
    """Runs the steps of one algorithm's text and records them."""

    def __init__(self, replaying: bool) -> None:
        self.recorder = Recorder(replaying)
        self.shapes = Shapes()
        self._names: dict[Any, tuple[Any, Any]] = {}
        self._begin(None)

    def _begin(self, body: Any) -> None:
        self.body, self.rigid = body, False
        self._held: dict[tuple[Table, Any], Any] = {}
        self._written: dict[tuple[Table, Any], None] = {}
        self._reads: list[tuple[Table, Role, Shape | None]] = []
        self._row: list[Value] = []
        self._first: dict[Value, int] = {}
        self._equal: list[tuple[int, int]] = []

    def read(self, table: Table, body: Any, missing: Any) -> Any:
        """The value that a table holds for a body, on leaves of this segment."""
        held = self._held.get((table, body), self)
        if held is not self:
            return missing if held is NOTHING else held
        entry = table.entries.get(body)
        self._reads.append((table, self._role(body), entry and entry.shape))
        if entry is None:
            self._held[table, body] = NOTHING
            return missing
        leaves = [self._leaf(v) for v in entry.values]
        value = entry.shape.build(leaves, _names(body))
        self._held[table, body] = value
        return value

    def _leaf(self, value: Value) -> Scalar:
        """The leaf of a value that is read; equal ones are one, which has to hold for
        every body that follows."""
        now, place = self.recorder.now, len(self._row)
        self._row.append(value)
        if value not in now.outer:
            now.outer[value] = now.leaf(value)
            self._first[value] = place
        else:
            self._equal.append((place, self._first.get(value, -1 - value)))
        return now.outer[value]

    def write(self, table: Table, body: Any, value: Any) -> None:
        """Holds a value until the segment ends."""
        self.recorder.now  # noqa: B018  (there is a segment that writes it)
        self._held[table, body] = value
        self._written[table, body] = None

    def outer(self, value: Value) -> Any:
        """A value by itself, the same for every step."""
        now = self.recorder.now
        if value not in now.outer:
            now.outer[value] = now.leaf(value)
        return now.outer[value]

    def close(self) -> None:
        """Ends the segment between loops: what it wrote goes into the tables."""
        self._settle(self.recorder.now)
        self.recorder.close()
        self._begin(None)

    def steps(self, bodies: Iterable[Any]) -> Iterator[Any]:
        """The bodies whose step has to be traced; the others' steps are replayed."""
        if self.recorder.stepping:  # a loop inside a step runs as it stands
            self.rigid = True
            yield from bodies
            return
        self.close()
        loop, self.recorder.loops = self.recorder.loops, self.recorder.loops + 1
        known: list[Template] = []
        bodies = list(bodies)
        for body in bodies:
            found, values = _fitting(known, body)
            if found is not None and found.seen > 1 and body is not bodies[-1]:
                made = self.recorder.replay(found.kind, values, loop)
                found.write(body, values, made)
                continue
            segment = self.recorder.open(loop)
            self._begin(body)
            yield body
            step = self._finished(segment)
            if step is not None and found is None:
                known.append(step)
            elif found is not None:
                alike = step is not None and step.same(found)
                found.seen += 1 if alike else -len(bodies)

    def _finished(self, segment: Segment) -> Template | None:
        """Ends a step; what it was, if another may be like it."""
        writes = self._settle(segment)
        body, rigid, reads = self.body, self.rigid, self._reads
        first = self._first
        picked = [first.get(v, -1 - v) for v in segment.values]
        equal = self._equal
        self.recorder.close()
        self._begin(None)
        if rigid or not self.recorder.replaying:
            return None
        kind = self.recorder.kind(segment)
        top = body.parent.parent is None
        return Template(top, reads, picked, equal, kind, writes)

    def _settle(self, segment: Segment) -> list[tuple[Table, Role, Shape, list[int]]]:
        """Puts what was written into the tables."""
        writes = []
        for table, body in self._written:
            value = self._held[table, body]
            shape, scalars = self.shapes.taken_apart(value, _names(body))
            scalars = [segment.lift(x) for x in scalars]
            entry = Entry.of(shape, [segment.value(x) for x in scalars])
            table.entries[body] = entry
            sources = [-1 - int(x.value[1:]) if x.op == "input"
                       else segment.exports[x.index] for x in scalars]  # fmt: skip
            writes.append((table, self._role(body), entry.shape, sources))
        return writes

    def _role(self, body: Any) -> Role:
        if self.body is None or body is self.body:
            return SELF if body is self.body else body
        return PARENT if body is self.body.parent else body


def _fitting(
    known: list[Template], body: Any
) -> tuple[Template | None, list[Value]]:
    """The first template whose step this body's would be, and its leaves."""
    for template in known:
        values = template.values(body)
        if values is not None:
            return template, values
    return None, []


def _names(body: Any) -> tuple[Any, Any]:
    return body.label, None if body.parent is None else body.parent.label
