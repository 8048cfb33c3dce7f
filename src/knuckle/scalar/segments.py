"""A trace in segments: one for every step of a loop over bodies.

Nodes are interned inside a segment alone. What a segment takes from elsewhere - a value
of another segment, a constant of the mechanism, an input - comes in as a leaf and is
known by a `Value`; so steps of the same text on bodies of the same kind give programs
that are equal but for the values of their leaves, and one of them stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from knuckle.scalar.node import CONDITIONS, Number, Scalar, Trace
from knuckle.scalar.program import Program

Value = int
"""Where a number comes from: 4 n + SLOT, CONSTANT or INPUT, n its number among its
kind; or ZERO, as a result."""
SLOT, CONSTANT, INPUT, ZERO = range(4)


class NotRolled(Exception):
    """A step was used in a way that only its own trace can give: trace every step."""


@dataclass(eq=False)
class Kind:
    """Steps with one program: its leaves are constants ("c") or values in memory
    ("m"), and its outputs are what other steps or the caller take."""

    program: Program
    leaves: str
    steps: list[Step] = field(default_factory=list)


@dataclass(eq=False)
class Step:
    """One run of a program: the values of its leaves and those that it makes."""

    values: Sequence[Value]
    made: Sequence[Value]
    loop: int
    place: int = 0


class Segment(Trace):
    """The trace of one step, or of what stands between the loops."""

    __slots__ = ("exports", "loop", "made", "outer", "recorder", "values")

    def __init__(self, recorder: Recorder, loop: int | None) -> None:
        super().__init__()
        self.recorder, self.loop = recorder, loop
        self.values: list[Value] = []
        self.outer: dict[Value, Scalar] = {}
        self.exports: dict[int, int] = {}
        self.made: list[Value] = []

    def leaf(self, value: Value) -> Scalar:
        """A new leaf that stands for a value."""
        letter = "c" if value & 3 == CONSTANT else "m"
        self.values.append(value)
        return self.input(f"{letter}{len(self.values) - 1}")

    def sees(self, other: Trace) -> bool:
        """Every segment may use what another has computed."""
        return isinstance(other, Segment) and other.recorder is self.recorder

    def lift(self, x: Number) -> Scalar:
        """x as a node of this segment; one of another comes in as a leaf."""
        if not isinstance(x, Scalar) or x.trace is self or not self.sees(x.trace):
            return super().lift(x)
        if x.op == "const":
            return self.constant(x.value)
        if x.op in CONDITIONS:
            return self.apply(x.op, *map(self.lift, x.args))
        value = self.recorder.value(x)
        if value not in self.outer:
            self.outer[value] = self.leaf(value)
        return self.outer[value]

    def value(self, x: Scalar) -> Value:
        """What a node of this segment is known by to others."""
        if x.op == "input":
            return self.values[int(x.value[1:])]
        if x.index not in self.exports:
            self.exports[x.index] = len(self.made)
            self.made.append(self.recorder.fresh(1)[0])
        return self.made[self.exports[x.index]]

    def program(self) -> Program:
        """From the leaves to what others use."""
        names = [f"{'c' if v & 3 == CONSTANT else 'm'}{k}"
                 for k, v in enumerate(self.values)]  # fmt: skip
        return Program.of([self.nodes[k] for k in self.exports], names)

    @property
    def leaves(self) -> str:
        """The kinds of the leaves, a letter each."""
        return "".join("c" if v & 3 == CONSTANT else "m" for v in self.values)


class Closed(Segment):
    """A segment whose step is over: what is computed from it belongs to the present
    one."""

    __slots__ = ()

    def apply(self, op: str, *args: Scalar) -> Scalar:
        now = self.recorder.now
        return now.apply(op, *map(now.lift, args))

    def apply_with(self, op: str, args: tuple[Scalar, ...], value: Any) -> Scalar:
        now = self.recorder.now
        return now.apply_with(op, tuple(map(now.lift, args)), value)

    def constant(self, value: float) -> Scalar:
        return self.recorder.now.constant(value)

    def lift(self, x: Number) -> Scalar:
        return self.recorder.now.lift(x)


class Recorder:
    """The segments of one run of an algorithm's text, in order."""

    def __init__(self, replaying: bool) -> None:
        self.replaying = replaying
        self.constants: list[float] = []
        self.kinds: dict[Any, Kind] = {}
        self.loops = 0
        self.count = 0
        self._segments: list[Segment | tuple[Kind, Step]] = []
        self._now: Segment | None = None

    @property
    def now(self) -> Segment:
        """The segment that is being traced."""
        if self._now is None:
            self._now = Segment(self, None)
        return self._now

    def mark(self) -> tuple[int, int]:
        """Where the record is, to return there."""
        return len(self._segments), self.count

    def reset(self, mark: tuple[int, int]) -> None:
        """Forgets the replayed steps since then."""
        length, self.count = mark
        del self._segments[length:]

    def fresh(self, count: int) -> range:
        """Numbers of so many new values in memory."""
        first = 4 * self.count + SLOT
        self.count += count
        return range(first, first + 4 * count, 4)

    def constant(self, x: float) -> Value:
        """A constant of the mechanism, known by where it stands, not by its value."""
        self.constants.append(x)
        return 4 * (len(self.constants) - 1) + CONSTANT

    def value(self, x: Scalar) -> Value:
        """What a node of any segment is known by."""
        segment = x.trace
        assert isinstance(segment, Segment)
        late = isinstance(segment, Closed)
        if late and self.replaying and segment.loop is not None:
            raise NotRolled
        return segment.value(x)

    def close(self) -> None:
        """Ends the segment that is being traced, if there is one."""
        if self._now is not None:
            self._segments.append(self._now)
            self._now.__class__ = Closed
            self._now = None

    def open(self, loop: int) -> Segment:
        """Begins a step of a loop."""
        self.close()
        self._now = Segment(self, loop)
        return self._now

    def replay(self, kind: Kind, values: Sequence[Value], loop: int) -> Sequence[Value]:
        """A step like one that was traced, on other values."""
        made = self.fresh(len(kind.program.outputs))
        self._segments.append((kind, Step(values, made, loop)))
        return made

    def kind(self, segment: Segment) -> Kind:
        """The kind that a traced step is of."""
        program = segment.program()
        key = program.digest(), segment.leaves, len(program.outputs)
        if key not in self.kinds:
            self.kinds[key] = Kind(program, segment.leaves)
        return self.kinds[key]

    def finish(self) -> list[Kind]:
        """All kinds with their steps, each of which knows its place in the order."""
        self.close()
        place = 0
        for item in self._segments:
            if isinstance(item, Segment):
                if not item.exports:
                    continue
                loop = -1 if item.loop is None else item.loop
                kind, step = self.kind(item), Step(item.values, item.made, loop)
            else:
                kind, step = item
            step.place, place = place, place + 1
            kind.steps.append(step)
        return [kind for kind in self.kinds.values() if kind.steps]
