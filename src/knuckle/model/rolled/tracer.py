"""Tables over bodies that know what a step reads and writes, and steps that repeat.

A step of a loop over bodies may touch what tables hold for its body, for that body's
parent, for the bodies of the loops around it, and for bodies named outright. When what
it would read has the shapes that an earlier step read, its text need not run again: the
program of the earlier step does, on this body's values. A kind of step is trusted after
two bodies have given the same one.

A loop inside a step parts it: what comes before, the inner steps, what comes after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from knuckle.model.layout import NOTHING, PerBody
from knuckle.model.rolled.parts import (
    Bodies,
    Entry,
    Inner,
    Part,
    Role,
    Template,
    Way,
    body_of,
    pattern_of,
)
from knuckle.model.rolled.shapes import Shape, Shapes
from knuckle.scalar import Scalar
from knuckle.scalar.segments import Recorder, Segment, Value


class Table(PerBody):
    """One value for each body or pair of bodies, which crosses from step to step."""

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
class Frame:
    """A step that is being traced."""

    bodies: Bodies
    key: Any
    parts: list[Part | Inner] = field(default_factory=list)
    rigid: bool = False
    loops: int = 0


class Tracer:
    """Runs the steps of one algorithm's text and records them."""

    def __init__(self, replaying: bool) -> None:
        self.recorder = Recorder(replaying)
        self.shapes = Shapes()
        self.frames: list[Frame] = []
        self.named: set[Any] = set()
        self._known: dict[Any, list[Template]] = {}
        self._undo: list[tuple[Table, Any, Entry | None]] = []
        self._begin()

    def _begin(self) -> None:
        self._held: dict[tuple[Table, Any], Any] = {}
        self._written: dict[tuple[Table, Any], None] = {}
        self._reads: list[tuple[Table, Role, Shape | None]] = []
        self._row: list[Value] = []
        self._first: dict[Value, int] = {}
        self._equal: list[tuple[int, int]] = []

    def stiffen(self) -> None:
        """What was asked of a body is its own: its step is like no other."""
        for frame in self.frames:
            frame.rigid = True

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
        self._begin()

    def steps(self, bodies: Iterable[Any]) -> Iterator[Any]:
        """The bodies whose step has to be traced; the others' steps are replayed."""
        if self.frames:  # a whole loop inside a step runs as it stands
            self.stiffen()
            yield from bodies
            return
        self.close()
        self.recorder.loops += 1
        bodies = list(bodies)
        yield from self._loop(self.recorder.loops, bodies, (), bodies[-1:])

    def inner(self, start: Any, way: Way) -> Iterator[Any]:
        """As `steps`, for the bodies on a way that starts from one of this step's."""
        if not self.frames:
            yield from way(start)
            return
        frame = self.frames[-1]
        self._part(frame)
        key, frame.loops = (frame.key, frame.loops), frame.loops + 1
        frame.parts.append(Inner(key, way, self._role(start)))
        yield from self._loop(key, way(start), frame.bodies, ())
        self.recorder.open(self.recorder.loops)

    def _loop(
        self, key: Any, bodies: Iterable[Any], around: Bodies, always: Sequence[Any]
    ) -> Iterator[Any]:
        """The bodies to trace; those of `always` among them, for what is left of the
        last body when a loop is over."""
        known = self._known.setdefault(key, [])
        for body in bodies:
            bodies_here = (body, body.parent, *around)
            if body not in always and self._replays(known, bodies_here):
                continue
            self.recorder.open(self.recorder.loops)
            frame = Frame(bodies_here, key)
            self.frames.append(frame)
            yield body
            self._part(frame)
            self.frames.pop()
            _learn(known, frame)

    def _replays(self, known: list[Template], bodies: Bodies) -> bool:
        """Replays the step on these bodies, if a trusted template fits; a body that
        was asked for by name may be compared with, which no table sees."""
        if bodies[0] in self.named:
            return False
        pattern = pattern_of(bodies)
        for template in known:
            if template.seen > 1 and template.pattern == pattern:
                mark = len(self._undo), self.recorder.mark()
                if self._replayed(template, bodies):
                    if len(bodies) == 2:
                        self._undo.clear()
                    return True
                self._take_back(*mark)
        return False

    def _replayed(self, template: Template, bodies: Bodies) -> bool:
        """The steps of a template on other bodies, if all of them fit."""
        for part in template.parts:
            if isinstance(part, Part):
                values = part.values(bodies)
                if values is None:
                    return False
                made: Sequence[Value] = ()
                if part.kind.program.outputs:
                    loops = self.recorder.loops
                    made = self.recorder.replay(part.kind, values, loops)
                self._wrote(part, bodies, values, made)
                continue
            known = self._known[part.key]
            for body in part.way(body_of(part.role, bodies)):
                if not self._replays(known, (body, body.parent, *bodies)):
                    return False
        return True

    def _wrote(
        self, part: Part, bodies: Bodies, values: Sequence[Value], made: Sequence[Value]
    ) -> None:
        """What a replayed part leaves in the tables."""
        for table, role, shape, sources in part.writes:
            at = body_of(role, bodies)
            self._undo.append((table, at, table.entries.get(at)))
            found = [made[k] if k >= 0 else values[-1 - k] for k in sources]
            table.entries[at] = Entry(shape, found)

    def _take_back(self, count: int, mark: Any) -> None:
        """Undoes what was replayed since."""
        self.recorder.reset(mark)
        while len(self._undo) > count:
            table, at, entry = self._undo.pop()
            if entry is None:
                del table.entries[at]
            else:
                table.entries[at] = entry

    def _part(self, frame: Frame) -> None:
        """Ends a part of a step."""
        segment = self.recorder.now
        writes = self._settle(segment)
        picked = [self._first.get(v, -1 - v) for v in segment.values]
        if self.recorder.replaying and not frame.rigid:
            kind = self.recorder.kind(segment)
            frame.parts.append(Part(self._reads, picked, self._equal, kind, writes))
        self.recorder.close()
        self._begin()

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
        if isinstance(body, tuple):
            return tuple(map(self._role, body))
        bodies = self.frames[-1].bodies if self.frames else ()
        return next((k for k, b in enumerate(bodies) if b is body), body)


def _learn(known: list[Template], frame: Frame) -> None:
    """A step that was traced confirms a template or is a new one; one that read the
    same and ran another program depends on what no table knows."""
    if frame.rigid or not frame.parts:
        return
    step = Template(pattern_of(frame.bodies), frame.parts)
    alike = [t for t in known if t.pattern == step.pattern and t.reads_same(step)]
    if not alike:
        known.append(step)
    for template in alike:
        template.seen += 1 if template.same(step) else -(1 << 30)


def _names(body: Any) -> tuple[Any, Any]:
    if isinstance(body, tuple):
        return None, None
    return body.label, None if body.parent is None else body.parent.label
