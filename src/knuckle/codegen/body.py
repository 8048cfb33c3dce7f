"""The compute body: a program over vectors of lanes, as LLVM IR, cut into functions.

Inputs come from a packed tile, one vector a value. Outputs leave as soon as a block of
neighbours is complete, transposed in registers, straight into the rows of the caller.
Long programs are cut where few values live; what crosses a cut goes through memory.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from knuckle.codegen.transpose import Names, blocks, store_columns
from knuckle.scalar.loops import Loop
from knuckle.scalar.program import CONDITIONS, Program

CHUNK = 1000
"""Operations in one function: LLVM's time grows faster than the function."""

_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_ROUTINES = (
    "sin", "cos", "tan", "asin", "acos", "atan2",
    "exp", "log", "tanh", "min", "max", "floor",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How values look: lanes of a scalar type."""

    lanes: int
    scalar: str

    @property
    def vector(self) -> str:
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def bytes(self) -> int:
        return self.lanes * (8 if self.scalar == "double" else 4)

    def literal(self, value: float) -> str:
        if self.scalar == "float":
            value = _to_single(value)
        (bits,) = struct.unpack("Q", struct.pack("d", value))
        return f"splat ({self.scalar} 0x{bits:016X})"


def _to_single(value: float) -> float:
    """The constant as the nearest float32 keeps it; what overflows becomes infinite."""
    try:
        (single,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(single)


@dataclass(frozen=True)
class Store:
    """One block of neighbours of one output array, ready once its last value is."""

    array: int
    start: int
    nodes: tuple[int, ...]


Item = int | Store


@dataclass
class Body:
    """The compute functions of one program and what the caller must provide."""

    text: list[str] = field(default_factory=list)
    routines: set[str] = field(default_factory=set)
    state: int = 0
    calls: list[str] = field(default_factory=list)
    constants: str | None = None


def compute(
    program: Program, sizes: Sequence[int], shape: Shape, prefix: str = ""
) -> Body:
    """IR of the chunks; call each with (tile, state, rows) in turn."""
    plan = _Plan.of(program, sizes, shape)
    body = Body(state=plan.slots * shape.bytes)
    for number, items in enumerate(plan.chunks):
        name = f"@{prefix}chunk{number}"
        _function(name, _Chunk(program, shape, plan, body).lines(items, number), body)
        body.calls.append(name)
    if plan.constants:
        body.constants = f"@{prefix}constants"
        chunk = _Chunk(program, shape, plan, body)
        _function(body.constants, chunk.lines(plan.constants, -1), body)
    return body


def _function(name: str, lines: list[str], body: Body) -> None:
    body.text.append(
        f"define internal void {name}"
        "(ptr noalias %in, ptr noalias %state, ptr %rows) #0 {\n"
        + "\n".join(lines)
        + "\nret void\n}\n"
    )


@dataclass(frozen=True)
class _Plan:
    """Where the program is cut, and the slots of the values that cross."""

    chunks: list[list[Item]]
    home: dict[int, int]
    slot: dict[int, int]
    slots: int
    starts: tuple[int, ...]
    trig: dict[int, tuple[int, int]]
    constants: list[Item]

    @staticmethod
    def of(program: Program, sizes: Sequence[int], shape: Shape) -> _Plan:
        items = _items(program, sizes, shape.lanes)
        constants = [item for item in items if _is_constant(program, item)]
        items = [item for item in items if not _is_constant(program, item)]
        chunks = _cut(program, items)
        home, last = {}, {}
        for number, chunk in enumerate(chunks):
            for item in chunk:
                if isinstance(item, int):
                    home[item] = number
                for a in _needs(program, item):
                    last[a] = number
        slot, slots = _slots(program, home, last, chunks)
        starts = tuple(accumulate(sizes, initial=0))
        return _Plan(chunks, home, slot, slots, starts, _pairs(program), constants)


def _is_constant(program: Program, item: Item) -> bool:
    """A block of outputs that is the same in every row of every batch."""
    return isinstance(item, Store) and all(
        program.ops[k] == "const" for k in item.nodes
    )


def _pairs(program: Program) -> dict[int, tuple[int, int]]:
    """Sine and cosine of one angle share their reduction: {either: (sine, cosine)}."""
    found: dict[int, dict[str, int]] = {}
    for k, op in enumerate(program.ops):
        if op in ("sin", "cos"):
            found.setdefault(program.args[k][0], {})[op] = k
    both = [(p["sin"], p["cos"]) for p in found.values() if len(p) == 2]
    return {k: pair for pair in both for k in pair}


def _items(program: Program, sizes: Sequence[int], lanes: int) -> list[Item]:
    """Values and stores in order; the angles' routines, which are calls, come first."""
    early = [
        k
        for k, op in enumerate(program.ops)
        if op in ("sin", "cos") and program.ops[program.args[k][0]] == "input"
    ]
    hoisted = set(early)
    stores: dict[int, list[Store]] = {}
    for array, start, width, base in _output_blocks(sizes, lanes):
        nodes = program.outputs[base + start : base + start + width]
        stores.setdefault(max(nodes), []).append(Store(array, start, nodes))
    items: list[Item] = list(early)
    for k, op in enumerate(program.ops):
        if op not in ("input", "const") and k not in hoisted:
            items.append(k)
        items.extend(stores.get(k, ()))
    return items


def _output_blocks(sizes: Sequence[int], lanes: int) -> list[tuple[int, int, int, int]]:
    found, base = [], 0
    for array, size in enumerate(sizes):
        found += [(array, start, width, base) for start, width in blocks(size, lanes)]
        base += size
    return found


def _needs(program: Program, item: Item) -> tuple[int, ...]:
    return program.args[item] if isinstance(item, int) else item.nodes


def _cut(program: Program, items: list[Item]) -> list[list[Item]]:
    """Pieces of about CHUNK operations, each cut where the fewest values are alive."""
    weight = [1 if isinstance(i, int) else 4 * len(i.nodes) for i in items]
    total = sum(weight)
    if total <= 1.25 * CHUNK:
        return [items]
    alive = _alive(program, items)
    pieces = -(-total // CHUNK)
    reach = list(accumulate(weight))
    cuts, position = [0], 0
    for piece in range(1, pieces):
        low, high = total * (piece - 0.3) / pieces, total * (piece + 0.3) / pieces
        window = [
            k for k in range(position + 1, len(items)) if low <= reach[k - 1] < high
        ]
        if window:
            position = min(window, key=lambda k: alive[k])
            cuts.append(position)
    return [items[a:b] for a, b in zip(cuts, [*cuts[1:], len(items)], strict=True)]


def _alive(program: Program, items: list[Item]) -> list[int]:
    """How many values cross the border before each item."""
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, item in enumerate(items):
        if isinstance(item, int):
            born[item] = place
        for a in _needs(program, item):
            last[a] = place
    change = [0] * (len(items) + 1)
    for k, start in born.items():
        if k in last:
            change[start + 1] += 1
            change[last[k] + 1] -= 1
    return list(accumulate(change))


def _slots(
    program: Program,
    home: dict[int, int],
    last: dict[int, int],
    chunks: list[list[Item]],
) -> tuple[dict[int, int], int]:
    """State slots of crossing values, used again after the last chunk that reads
    them."""
    slot: dict[int, int] = {}
    free: list[int] = []
    expiring: dict[int, list[int]] = {}
    total = 0
    for number, chunk in enumerate(chunks):
        for item in chunk:
            if isinstance(item, int) and program.ops[item] == "scan":
                slot[item] = total
                total += len(program.args[item]) + program.values[item].carried
            elif isinstance(item, int) and last.get(item, -1) > number:
                if not free:
                    free.append(total)
                    total += 1
                slot[item] = free.pop()
                expiring.setdefault(last[item], []).append(slot[item])
        free.extend(expiring.get(number, ()))
    return slot, total


class _Chunk:
    """One function: values by name, loads at first use."""

    def __init__(self, program: Program, shape: Shape, plan: _Plan, body: Body) -> None:
        self.program, self.shape, self.plan, self.body = program, shape, plan, body
        self.names = Names("v")
        self.known: dict[int, str] = {}
        self.pointers: dict[int, list[str]] = {}
        self.number = 0
        self.tile = {name: k for k, name in enumerate(program.inputs)}

    def lines(self, items: list[Item], number: int) -> list[str]:
        self.number = number
        for item in items:
            if isinstance(item, Store):
                self.store(item)
            elif item not in self.known:
                self.define(item)
        return self.names.lines

    def value(self, k: int) -> str:
        """The operand for value k, loaded where it is first needed."""
        if k not in self.known:
            self.known[k] = self.fetched(k)
        return self.known[k]

    def fetched(self, k: int) -> str:
        op = self.program.ops[k]
        if op == "const":
            return self.shape.literal(self.program.values[k])
        if op == "input":
            return self.load("%in", self.tile[self.program.values[k]])
        if op == "item":
            (scan,) = self.program.args[k]
            return self.load("%state", self.plan.slot[scan] + self.program.values[k])
        loaded = self.load("%state", self.plan.slot[k])
        if op in CONDITIONS:
            one = self.shape.literal(1.0)
            return self.names.let(f"fcmp oeq {self.shape.vector} {loaded}, {one}")
        return loaded

    def place(self, base: str, slot: int) -> str:
        return self.names.let(
            f"getelementptr i8, ptr {base}, i64 {slot * self.shape.bytes}"
        )

    def load(self, base: str, slot: int) -> str:
        place = self.place(base, slot)
        return self.names.let(
            f"load {self.shape.vector}, ptr {place}, align {self.shape.bytes}"
        )

    def keep(self, value: str, slot: int) -> None:
        place = self.place("%state", slot)
        self.names.do(
            f"store {self.shape.vector} {value}, ptr {place}, align {self.shape.bytes}"
        )

    def define(self, k: int) -> None:
        program, op = self.program, self.program.ops[k]
        if op == "item":
            return
        if op == "scan":
            self.scan(k)
            return
        if k in self.plan.trig:
            self.both(*self.plan.trig[k])
            return
        operands = [self.value(a) for a in program.args[k]]
        self.finish(k, instruction(op, program.values[k], operands, self.shape, self))

    def finish(self, k: int, value: str) -> None:
        self.known[k] = value
        if k in self.plan.slot:
            if self.program.ops[k] in CONDITIONS:
                one, zero = self.shape.literal(1.0), self.shape.literal(0.0)
                v = self.shape.vector
                value = self.names.let(
                    f"select <{self.shape.lanes} x i1> {value}, {v} {one}, {v} {zero}"
                )
            self.keep(value, self.plan.slot[k])

    def both(self, sine: int, cosine: int) -> None:
        self.body.routines.add("sincos")
        angle, v = self.value(self.program.args[sine][0]), self.shape.vector
        pair = self.names.let(f"call {{ {v}, {v} }} @kn.sincos({v} {angle})")
        for k, place in ((sine, 0), (cosine, 1)):
            if self.plan.home[k] == self.number:
                self.finish(
                    k, self.names.let(f"extractvalue {{ {v}, {v} }} {pair}, {place}")
                )

    def scan(self, k: int) -> None:
        loop: Loop = self.program.values[k]
        base = self.plan.slot[k]
        for n, a in enumerate(self.program.args[k]):
            self.keep(self.value(a), base + n)
        name = loop_function(loop, self.shape, self.body)
        place = self.place("%state", base)
        self.names.do(f"call void {name}(ptr {place})")

    def store(self, item: Store) -> None:
        columns = [self.value(k) for k in item.nodes]
        if item.array not in self.pointers:
            first = item.array * self.shape.lanes
            self.pointers[item.array] = [
                self.names.let(f"load ptr, ptr {self.row(first + lane)}")
                for lane in range(self.shape.lanes)
            ]
        size = self.shape.bytes // self.shape.lanes
        pointers = self.pointers[item.array]
        store_columns(
            self.names, columns, pointers, item.start * size, self.shape.scalar
        )

    def row(self, number: int) -> str:
        return self.names.let(f"getelementptr i8, ptr %rows, i64 {8 * number}")


def instruction(
    op: str, value: object, operands: list[str], shape: Shape, chunk: _Chunk
) -> str:
    """One primitive on vectors."""
    names, v = chunk.names, shape.vector
    suffix = f"v{shape.lanes}f{64 if shape.scalar == 'double' else 32}"
    if op in _BINARY:
        return names.let(f"{_BINARY[op]} {v} {operands[0]}, {operands[1]}")
    if op in ("fma", "fms", "fnma"):
        flipped = {"fms": 2, "fnma": 0}.get(op)
        if flipped is not None:
            operands[flipped] = names.let(f"fneg {v} {operands[flipped]}")
        arguments = ", ".join(f"{v} {x}" for x in operands)
        return names.let(f"call {v} @llvm.fma.{suffix}({arguments})")
    if op == "rcp":
        return names.let(f"fdiv {v} {shape.literal(1.0)}, {operands[0]}")
    if op == "neg":
        return names.let(f"fneg {v} {operands[0]}")
    if op in ("sqrt", "abs"):
        name = {"sqrt": "sqrt", "abs": "fabs"}[op]
        return names.let(f"call {v} @llvm.{name}.{suffix}({v} {operands[0]})")
    if op in _COMPARE:
        return names.let(f"fcmp {_COMPARE[op]} {v} {operands[0]}, {operands[1]}")
    condition = f"<{shape.lanes} x i1>"
    if op in ("and", "or"):
        return names.let(f"{op} {condition} {operands[0]}, {operands[1]}")
    if op == "not":
        return names.let(f"xor {condition} {operands[0]}, splat (i1 true)")
    if op == "where":
        a, b, c = operands
        return names.let(f"select {condition} {a}, {v} {b}, {v} {c}")
    routine = f"stumpff{value}" if op == "stumpff" else op
    if op != "stumpff" and op not in _ROUTINES:
        raise ValueError(f"the CPU has no row for the primitive {op!r}")
    chunk.body.routines.add(routine)
    arguments = ", ".join(f"{v} {x}" for x in operands)
    return names.let(f"call {v} @kn.{routine}({arguments})")


def loop_function(loop: Loop, shape: Shape, body: Body) -> str:
    """A scan as a function over its block of state: carried values, then captured
    ones."""
    number = len(body.text)
    name, n, v = f"@loop{number}", loop.carried, shape.vector
    body.text.append("")
    inner = _LoopChunk(loop, shape, body)
    outputs = [inner.value(k) for k in inner.evaluate()]
    lines = inner.names.lines
    for slot, value in enumerate(outputs):
        inner.keep(value, slot)
    state = f"%area = alloca [{max(1, inner.extra)} x {v}], align {shape.bytes}"
    body.text[number] = (
        f"define internal void {name}(ptr noalias %state) #0 {{\nentry:\n{state}\n"
        f"br label %step\nstep:\n%i = phi i64 [0, %entry], [%next, %step]\n"
        f"%k = phi {v} [{shape.literal(0.0)}, %entry], [%knext, %step]\n"
        + "\n".join(lines)
        + f"\n%knext = fadd {v} %k, {shape.literal(1.0)}\n%next = add i64 %i, 1\n"
        f"%more = icmp ult i64 %next, {loop.length}\n"
        "br i1 %more, label %step, label %done\ndone:\nret void\n}\n"
    )
    assert n == len(outputs)
    return name


class _LoopChunk(_Chunk):
    """The step of a loop: inputs are k, then the slots of the block of state."""

    def __init__(self, loop: Loop, shape: Shape, body: Body) -> None:
        program = loop.body
        plan = _Plan([], {}, {}, 0, (), _pairs(program), [])
        super().__init__(program, shape, plan, body)
        self.plan.home.update({k: 0 for k in range(len(program.ops))})
        self.extra = 0

    def evaluate(self) -> tuple[int, ...]:
        for k, op in enumerate(self.program.ops):
            if op not in ("input", "const") and k not in self.known:
                self.define(k)
        return self.program.outputs

    def fetched(self, k: int) -> str:
        if self.program.ops[k] == "input":
            place = self.tile[self.program.values[k]]
            return "%k" if place == 0 else self.load("%state", place - 1)
        if self.program.ops[k] == "item":
            (scan,) = self.program.args[k]
            return self.load("%area", self.plan.slot[scan] + self.program.values[k])
        return super().fetched(k)

    def scan(self, k: int) -> None:
        loop: Loop = self.program.values[k]
        self.plan.slot[k] = base = self.extra
        self.extra += len(self.program.args[k])
        for n, a in enumerate(self.program.args[k]):
            value, place = self.value(a), self.place("%area", base + n)
            self.names.do(
                f"store {self.shape.vector} {value}, "
                f"ptr {place}, align {self.shape.bytes}"
            )
        place = self.place("%area", base)
        self.names.do(
            f"call void {loop_function(loop, self.shape, self.body)}(ptr {place})"
        )
