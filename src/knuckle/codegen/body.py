"""The compute body: a program over vectors of lanes, as LLVM IR, cut into functions.

Inputs come from a packed tile, one vector a value. Outputs leave as soon as a block of
neighbours is complete, transposed in registers, straight into the rows of the caller.
Long programs are cut where few values live; what crosses a cut goes through memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from knuckle.codegen import tables
from knuckle.codegen.plan import Item, Plan, Store
from knuckle.codegen.primitive import Shape, instruction
from knuckle.codegen.transpose import Names, store_columns
from knuckle.scalar.node import CONDITIONS, LOOPS
from knuckle.scalar.program import Program
from knuckle.scalar.tables import Table


@dataclass
class Body:
    """The compute functions of one program and what the caller must provide."""

    text: list[str] = field(default_factory=list)
    routines: set[str] = field(default_factory=set)
    state: int = 0
    calls: list[str] = field(default_factory=list)
    constants: str | None = None
    tables: dict[Table, str] = field(default_factory=dict)

    def table(self, table: Table, shape: Shape) -> str:
        """The address of a table of constants."""
        if table not in self.tables:
            self.text.append(tables.constants(table, len(self.tables), shape))
            self.tables[table] = f"@table{len(self.tables)}"
        return self.tables[table]


def compute(
    program: Program, sizes: Sequence[int], shape: Shape, prefix: str = ""
) -> Body:
    """IR of the chunks; call each with (tile, state, rows) in turn."""
    plan = Plan.of(program, sizes, shape.lanes)
    body = Body(state=plan.slots * shape.bytes)
    for number, items in enumerate(plan.chunks):
        name = f"@{prefix}chunk{number}"
        _function(name, Chunk(program, shape, plan, body).lines(items, number), body)
        body.calls.append(name)
    if plan.constants:
        body.constants = f"@{prefix}constants"
        chunk = Chunk(program, shape, plan, body)
        _function(body.constants, chunk.lines(plan.constants, -1), body)
    return body


def _function(name: str, lines: list[str], body: Body) -> None:
    body.text.append(
        f"define internal void {name}"
        "(ptr noalias %in, ptr noalias %state, ptr %rows) #0 {\n"
        + "\n".join(lines)
        + "\nret void\n}\n"
    )


class Chunk:
    """One function: values by name, loads at first use."""

    area = "%state"
    """What the slots of the plan are places in."""

    def __init__(self, program: Program, shape: Shape, plan: Plan, body: Body) -> None:
        self.program, self.shape, self.plan, self.body = program, shape, plan, body
        self.names = Names("v")
        self.known: dict[int, str] = {}
        self.pointers: dict[int, list[str]] = {}
        self.offsets: dict[int, str] = {}
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
        if op == "item" and not self.of_table(k):
            (loop,) = self.program.args[k]
            return self.load(self.area, self.plan.slot[loop] + self.program.values[k])
        loaded = self.load(self.area, self.plan.slot[k])
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
        self.put(value, self.area, slot)

    def put(self, value: str, base: str, slot: int) -> None:
        place = self.place(base, slot)
        self.names.do(
            f"store {self.shape.vector} {value}, ptr {place}, align {self.shape.bytes}"
        )

    def define(self, k: int) -> None:
        program, op = self.program, self.program.ops[k]
        if op == "item":
            if self.of_table(k):
                self.finish(k, self.entry(k))
            return
        if op in LOOPS:
            self.loop(k)
            return
        if op == "lookup":
            self.fill(k, program.args[k][1:])
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

    def loop(self, k: int) -> None:
        base = self.fill(k, self.program.args[k])
        name = loop_function(self.program.values[k], self.shape, self.body)
        self.names.do(f"call void {name}(ptr {self.place(self.area, base)})")

    def fill(self, k: int, args: Sequence[int]) -> int:
        """The slots of a loop or table, and what it reads stored in them."""
        base = self.reserve(k, len(args))
        for n, a in enumerate(args):
            self.keep(self.value(a), base + n)
        return base

    def reserve(self, k: int, size: int) -> int:
        return self.plan.slot[k]

    def of_table(self, k: int) -> bool:
        """Is this item an entry of a table?"""
        return self.program.ops[self.program.args[k][0]] == "lookup"

    def entry(self, k: int) -> str:
        """The entry of a table at the row that each lane asks for."""
        (row,) = self.program.args[k]
        table: Table = self.program.values[row]
        index, column = self.value(self.program.args[row][0]), self.program.values[k]
        if row not in self.offsets:
            self.offsets[row] = tables.offsets(index, table, self.shape, self.names)
        if table.data is None:
            base = self.place(self.area, self.plan.slot[row] + column)
        else:
            first = self.body.table(table, self.shape)
            base = self.names.let(
                f"getelementptr {self.shape.scalar}, ptr {first}, i64 {column}"
            )
        offset = self.offsets[row]
        return tables.fetch(base, offset, index, self.shape, self.names)

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


from knuckle.codegen.steps import loop_function  # noqa: E402  (steps are chunks)
