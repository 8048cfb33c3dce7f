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
from knuckle.scalar.segments import Kind, Recorder, Segment, Value

SELF, PARENT = 0, 1
Role = Any
"""SELF, PARENT, or a body by itself."""


class Entry:
    """What a table holds for a body: a shape and where its scalars come from."""

    __slots__ = ("shape", "values")

    def __init__(self, shape: Shape, values: Sequence[Value]) -> None:
        self.shape, self.values = shape, values


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
    """A step that was traced: what it read, ran and wrote."""

    top: bool
    reads: list[tuple[Table, Role, Shape | None]]
    order: list[int]
    kind: Kind
    writes: list[tuple[Table, Role, Shape, list[int]]]
    seen: int = 1

    def fits(self, body: Any) -> bool:
        """Would a step on this body read the same shapes?"""
        parent = body.parent
        if (parent.parent is None) is not self.top:
            return False
        for table, role, shape in self.reads:
            at = body if role == SELF else parent if role == PARENT else role
            entry = table.entries.get(at)
            if (None if entry is None else entry.shape) is not shape:
                return False
        return True

    def same(self, other: Template) -> bool:
        """Is it what another step read, ran and wrote?"""
        mine = self.reads, self.order, self.kind, self.writes
        return mine == (other.reads, other.order, other.kind, other.writes)

    def values(self, body: Any) -> list[Value]:
        """The leaves of a step on this body."""
        values: list[Value] = []
        for k in self.order:
            if k < 0:
                values.append(-1 - k)
                continue
            table, role, _ = self.reads[k]
            at = body if role == SELF else body.parent if role == PARENT else role
            values.extend(table.entries[at].values)
        return values

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
        self._order: list[int] = []

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
        self._order.append(len(self._reads) - 1)
        leaves = [self.recorder.now.leaf(v) for v in entry.values]
        value = entry.shape.build(leaves, _names(body))
        self._held[table, body] = value
        return value

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
            found = next((t for t in known if t.fits(body)), None)
            if found is not None and found.seen > 1 and body is not bodies[-1]:
                self._replay(found, body, loop)
                continue
            segment = self.recorder.open(loop)
            self._begin(body)
            yield body
            made = self._finished(segment)
            if made is not None and found is None:
                known.append(made)
            elif found is not None and made is not None and made.same(found):
                found.seen += 1
            elif found is not None:
                found.seen = -len(bodies)

    def _replay(self, template: Template, body: Any, loop: int) -> None:
        values = template.values(body)
        made = self.recorder.replay(template.kind, values, loop)
        template.write(body, values, made)

    def _finished(self, segment: Segment) -> Template | None:
        """Ends a step; what it was, if another may be like it."""
        writes = self._settle(segment)
        body, rigid, reads = self.body, self.rigid, self._reads
        order = self._ordered(segment)
        self.recorder.close()
        self._begin(None)
        if rigid or not self.recorder.replaying:
            return None
        kind = self.recorder.kind(segment)
        top = body.parent.parent is None
        return Template(top, reads, order, kind, writes)

    def _ordered(self, segment: Segment) -> list[int]:
        """The leaves in order: numbers of reads, and values by themselves below 0."""
        outer = {int(leaf.value[1:]): v for v, leaf in segment.outer.items()}
        order, place = [], 0
        reads = iter(self._order)
        while place < len(segment.values):
            if place in outer:
                order.append(-1 - outer[place])
                place += 1
                continue
            k = next(reads)
            order.append(k)
            place += self._reads[k][2].count  # type: ignore[union-attr]
        order.extend(reads)  # values without any scalar
        return order

    def _settle(self, segment: Segment) -> list[tuple[Table, Role, Shape, list[int]]]:
        """Puts what was written into the tables."""
        writes = []
        for table, body in self._written:
            value = self._held[table, body]
            shape, scalars = self.shapes.taken_apart(value, _names(body))
            scalars = [segment.lift(x) for x in scalars]
            entry = Entry(shape, [segment.value(x) for x in scalars])
            table.entries[body] = entry
            sources = [-1 - int(x.value[1:]) if x.op == "input"
                       else segment.exports[x.index] for x in scalars]  # fmt: skip
            writes.append((table, self._role(body), shape, sources))
        return writes

    def _role(self, body: Any) -> Role:
        if self.body is None or body is self.body:
            return SELF if body is self.body else body
        return PARENT if body is self.body.parent else body


def _names(body: Any) -> tuple[Any, Any]:
    return body.label, None if body.parent is None else body.parent.label
