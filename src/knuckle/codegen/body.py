"""The compute body: a program over vectors of lanes, as LLVM IR, cut into functions.

Inputs come from a packed tile, one vector a value. Outputs leave as soon as a block of
neighbours is complete, transposed in registers, straight into the rows of the caller.
Long programs are cut where few values live; what crosses a cut goes through memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from knuckle.codegen.plan import Item, Plan, Store, pairs
from knuckle.codegen.primitive import Shape, instruction
from knuckle.codegen.transpose import Names, store_columns
from knuckle.scalar.loops import Loop
from knuckle.scalar.node import CONDITIONS
from knuckle.scalar.program import Program


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
    plan = Plan.of(program, sizes, shape.lanes)
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


class _Chunk:
    """One function: values by name, loads at first use."""

    def __init__(self, program: Program, shape: Shape, plan: Plan, body: Body) -> None:
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
        self.finish(k, self.primitive(op, program.values[k], operands))

    def primitive(self, op: str, value: object, operands: list[str]) -> str:
        names, routines = self.names, self.body.routines
        return instruction(op, value, operands, self.shape, names, routines)

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
        plan = Plan([], {}, {}, 0, (), pairs(program), [])
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
