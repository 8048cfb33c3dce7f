"""The steps of a rolled program as LLVM IR: a function a kind, called along a table.

A record of the table has the addresses that differ from step to step, as offsets from
the start of the tile, and the constants of the step. Values whose addresses differ by
the same amount in every step of a kind share an offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knuckle.codegen.body import Body, Chunk, function
from knuckle.codegen.operand import Operand
from knuckle.codegen.plan import Keep, Plan
from knuckle.codegen.primitive import Shape
from knuckle.codegen.rolled.memory import Memory
from knuckle.codegen.rows import unpack
from knuckle.codegen.transpose import Names
from knuckle.scalar.rolled import Array, Rolled, RolledProgram
from knuckle.scalar.segments import ZERO

Place = tuple[int | None, int]
"""The field of the record with the offset, if any, and what to add to it [vectors]."""


@dataclass(frozen=True)
class Records:
    """The table of one kind: a row of bytes a step, and what is where in it."""

    rows: Array
    taken: tuple[Place, ...]
    made: tuple[Place, ...]
    constants: int
    """Where the constants begin [bytes]."""

    @staticmethod
    def of(kind: Rolled, memory: Memory, shape: Shape) -> Records:
        offsets: list[Array] = []
        taken = _places(memory.of(kind.taken), offsets)
        made = _places(memory.of(kind.made), offsets)
        count = len(kind.places)
        fields = np.array(offsets, np.int64).reshape(-1, count).T * shape.bytes
        padded = np.zeros((count, -(-len(offsets) // 2) * 2), np.int32)
        padded[:, : len(offsets)] = fields
        item = np.float64 if shape.scalar == "double" else np.float32
        parts = [padded, kind.constants.astype(item)]
        rows = np.concatenate([_bytes(x) for x in parts], axis=1)
        rows = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 8)))
        return Records(rows, taken, made, padded.shape[1] * 4)


def _bytes(x: Array) -> Array:
    return np.ascontiguousarray(x).view(np.uint8).reshape(len(x), -1)


def _places(addresses: Array, offsets: list[Array]) -> tuple[Place, ...]:
    """Where each column of addresses is; new offsets are added to the list."""
    found: list[Place] = []
    for column in addresses.T:
        if np.all(column == column[0]):
            found.append((None, int(column[0])))
            continue
        for k, offset in enumerate(offsets):
            gap = column - offset
            if np.all(gap == gap[0]):
                found.append((k, int(gap[0])))
                break
        else:
            offsets.append(column)
            found.append((len(offsets) - 1, 0))
    return tuple(found)


def compute(
    program: RolledProgram,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    shape: Shape,
) -> Body:
    """IR of all kinds of steps, of what runs them, and of what moves the results."""
    memory = Memory(program)
    body, functions, records = Body(), [], []
    scratch = 0
    for number, kind in enumerate(program.kinds):
        records.append(Records.of(kind, memory, shape))
        plan = Plan.of_kind(kind.program)
        scratch = max(scratch, plan.slots)
        functions.append(_kind(number, kind, plan, records[-1], shape, body))
    body.state = (memory.size - len(program.inputs) + scratch) * shape.bytes
    order, body.data = _table(program, records)
    ahead = _ahead(inputs, len(outputs), program.steps, shape)
    body.text.append(_runner(functions, records, order, memory.size, shape, ahead))
    if np.any(program.outputs & 3 == ZERO):
        body.text.append(_cleared(program, shape))
        body.calls.append("@cleared")
    body.calls.append("@steps")
    first, item = len(program.inputs), shape.bytes // shape.lanes
    for k, x in enumerate(outputs):
        body.text.append(unpack(k, first, x, shape, item))
        body.calls.append(f"@unpack{k}")
        first += x.size
    return body


def _kind(
    number: int, kind: Rolled, plan: Plan, records: Records, shape: Shape, body: Body
) -> str:
    """The function of one kind of step."""
    names = [f"@kind{number}.{n}" for n in range(len(plan.chunks))]
    for n, (name, items) in enumerate(zip(names, plan.chunks, strict=True)):
        chunk = StepChunk(kind.program, shape, plan, body)
        chunk.records = records
        function(name, chunk.lines(items, n), body)
    if len(names) == 1:
        return names[0]
    calls = [f"call void {name}(ptr %in, ptr %state, ptr %rows)" for name in names]
    function(f"@kind{number}", calls, body)
    return f"@kind{number}"


class StepChunk(Chunk):
    """A function of a step: %in is the tile, %rows the record of the step."""

    records: Records

    def fetched(self, k: int) -> str:
        if self.program.ops[k] != "input":
            return super().fetched(k)
        name = self.program.values[k]
        if name[0] == "m":
            return self.vector(self.address(self.records.taken[int(name[1:])]))
        return self.constant(int(name[1:]))

    def address(self, place: Place) -> str:
        """The address of a value of this step."""
        offset, gap = place
        base = "%in"
        if offset is not None:
            key = -1 - offset
            if key not in self.offsets:
                self.offsets[key] = self.offset(offset)
            base = self.offsets[key]
        return self.place(base, gap)

    def offset(self, field: int) -> str:
        here = self.names.let(f"getelementptr i8, ptr %rows, i64 {4 * field}")
        value = self.names.let(f"load i32, ptr {here}, align 4")
        wide = self.names.let(f"sext i32 {value} to i64")
        return self.names.let(f"getelementptr i8, ptr %in, i64 {wide}")

    def vector(self, address: str) -> str:
        return self.names.let(
            f"load {self.shape.vector}, ptr {address}, align {self.shape.bytes}"
        )

    def constant(self, number: int) -> str:
        """A constant of the step, the same in every lane."""
        item = self.shape.bytes // self.shape.lanes
        place = self.records.constants + item * number
        here = self.names.let(f"getelementptr i8, ptr %rows, i64 {place}")
        scalar, vector = self.shape.scalar, self.shape.vector
        value = self.names.let(f"load {scalar}, ptr {here}, align {item}")
        first = self.names.let(
            f"insertelement {vector} poison, {scalar} {value}, i64 0"
        )
        return self.names.let(
            f"shufflevector {vector} {first}, {vector} poison, "
            f"<{self.shape.lanes} x i32> zeroinitializer"
        )

    def keep_all(self, item: Keep) -> None:
        """All is loaded before the first value is stored: memory may be used again."""
        values = [self.value(k) for k in item.nodes]
        for value, place in zip(values, self.records.made, strict=True):
            self.names.do(
                f"store {self.shape.vector} {value}, ptr {self.address(place)}, "
                f"align {self.shape.bytes}"
            )


def _cleared(program: RolledProgram, shape: Shape) -> str:
    """`@cleared`: the results that no step makes are zero."""
    start = len(program.inputs) * shape.bytes
    return (
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
        "define internal void @cleared(ptr %in, ptr %state, ptr %rows, ptr %data) #0 "
        f"{{\n%first = getelementptr i8, ptr %in, i64 {start}\n"
        f"call void @llvm.memset.p0.i64(ptr align {shape.bytes} %first, i8 0, "
        f"i64 {len(program.outputs) * shape.bytes}, i1 false)\nret void\n}}\n"
    )


def _table(program: RolledProgram, records: Sequence[Records]) -> tuple[int, bytes]:
    """The number of runs of steps of one kind, and the table: (kind, length) of each
    run, then the records in order."""
    kinds = np.empty(program.steps, np.int64)
    rows = np.empty(program.steps, np.int64)
    for number, kind in enumerate(program.kinds):
        kinds[kind.places] = number
        rows[kind.places] = np.arange(len(kind.places))
    starts = np.flatnonzero(np.diff(kinds, prepend=-1))
    lengths = np.diff(starts, append=len(kinds))
    runs = np.stack([kinds[starts], lengths], axis=1).astype(np.int32)
    parts = [runs.tobytes()]
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        mine = rows[start : start + length]
        parts.append(records[kinds[start]].rows[mine].tobytes())
    return len(starts), b"".join(parts)


LONG = 128
"""Numbers in a row from which the processor does not see by itself what comes next."""


def _ahead(
    inputs: Sequence[Operand], outputs: int, steps: int, shape: Shape
) -> list[str]:
    """Lines for step %n that ask for its part of the next tile's rows."""
    names, item = Names("a"), shape.bytes // shape.lanes
    for k, x in enumerate(inputs):
        lines = -(-x.size * item // 64)
        each = -(-lines * shape.lanes // steps) if x.size >= LONG else 0
        for part in range(each):
            place = names.let(f"mul i64 %n, {each}")
            place = names.let(f"add i64 {place}, {part}")
            row = names.let(f"and i64 {place}, {shape.lanes - 1}")
            slot = names.let(f"add i64 {row}, {(outputs + k) * shape.lanes}")
            slot = names.let(f"getelementptr ptr, ptr %rows, i64 {slot}")
            start = names.let(f"load ptr, ptr {slot}")
            line = names.let(f"udiv i64 {place}, {shape.lanes}")
            line = names.let(f"call i64 @llvm.umin.i64(i64 {line}, i64 {lines - 1})")
            far = names.let(f"shl i64 {line}, 6")
            there = names.let(f"getelementptr i8, ptr {start}, i64 {far}")
            names.do(f"call void @llvm.prefetch.p0(ptr {there}, i32 0, i32 2, i32 1)")
    return names.lines


def _runner(
    functions: Sequence[str],
    records: Sequence[Records],
    runs: int,
    scratch: int,
    shape: Shape,
    ahead: Sequence[str],
) -> str:
    """`@steps`: along the runs, and along the records of each."""
    count = len(functions)
    widths = ", ".join(f"i64 {r.rows.shape[1]}" for r in records)
    m = Names("s")
    m.do("br label %run\nrun:")
    m.do("%r = phi i64 [0, %entry], [%r.next, %ran]")
    m.do("%first = phi ptr [%records, %entry], [%next, %ran]")
    m.do("%before = phi i64 [0, %entry], [%n.next, %ran]")
    place = m.let("getelementptr { i32, i32 }, ptr %data, i64 %r")
    kind = m.let(f"load i32, ptr {place}, align 4")
    kind = m.let(f"sext i32 {kind} to i64")
    place = m.let(f"getelementptr i8, ptr {place}, i64 4")
    length = m.let(f"load i32, ptr {place}, align 4")
    place = m.let(f"getelementptr [{count} x ptr], ptr @kinds, i64 0, i64 {kind}")
    step = m.let(f"load ptr, ptr {place}")
    place = m.let(f"getelementptr [{count} x i64], ptr @widths, i64 0, i64 {kind}")
    width = m.let(f"load i64, ptr {place}")
    m.do("br label %step\nstep:")
    m.do("%left = phi i32 [" + length + ", %run], [%less, %step]")
    m.do("%record = phi ptr [%first, %run], [%next, %step]")
    m.do("%n = phi i64 [%before, %run], [%n.next, %step]")
    m.lines += ahead
    m.do(f"call void {step}(ptr %in, ptr %scratch, ptr %record)")
    m.do(f"%next = getelementptr i8, ptr %record, i64 {width}")
    m.do("%n.next = add i64 %n, 1")
    m.do("%less = sub i32 %left, 1\n%more = icmp sgt i32 %less, 0")
    m.do("br i1 %more, label %step, label %ran\nran:")
    m.do(f"%r.next = add i64 %r, 1\n%again = icmp ult i64 %r.next, {runs}")
    m.do("br i1 %again, label %run, label %done\ndone:\nret void")
    pointers = ", ".join(f"ptr {f}" for f in functions)
    return (
        f"@kinds = internal constant [{count} x ptr] [{pointers}]\n"
        f"@widths = internal constant [{count} x i64] [{widths}]\n"
        "define internal void @steps(ptr %in, ptr %state, ptr %rows, ptr %data) #0 {\n"
        f"entry:\n%records = getelementptr i8, ptr %data, i64 {8 * runs}\n"
        f"%scratch = getelementptr i8, ptr %in, i64 {scratch * shape.bytes}\n"
        + "\n".join(m.lines)
        + "\n}\n"
    )
