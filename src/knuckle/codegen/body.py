"""The compute body: a program over vectors of lanes, as LLVM IR, cut into functions.

Inputs come from a packed tile, one vector a value. Outputs leave as soon as a block of
neighbours is complete, transposed in registers, straight into the rows of the caller.
Long programs are cut where few values live; what crosses a cut goes through memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from knuckle.codegen import tables, zeros
from knuckle.codegen.plan import Carry, Item, Keep, Plan, Store, of_table
from knuckle.codegen.primitive import Shape, instruction
from knuckle.codegen.transpose import Names, store_columns
from knuckle.scalar.node import CONDITIONS, LOOPS
from knuckle.scalar.program import Program
from knuckle.scalar.tables import Table

BLOCKS = 100
"""Blocks of constant outputs in one function: second derivatives have thousands."""


@dataclass
class Body:
    """The compute functions of one program and what the caller must provide."""

    text: list[str] = field(default_factory=list)
    routines: set[str] = field(default_factory=set)
    state: int = 0
    calls: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    loops: int = 0
    tables: dict[Table, str] = field(default_factory=dict)
    data: bytes = b""
    """What the functions find where NumPy's last argument points, if anything."""

    def table(self, table: Table, shape: Shape) -> str:
        """The address of a table of constants."""
        if table not in self.tables:
            self.text.append(tables.constants(table, len(self.tables), shape))
            self.tables[table] = f"@table{len(self.tables)}"
        return self.tables[table]


def compute(program: Program, sizes: Sequence[int], shape: Shape) -> Body:
    """IR of the chunks; call each with (tile, state, rows) in turn."""
    plan = Plan.of(program, sizes, shape.lanes)
    body = Body(state=plan.slots * shape.bytes)
    body.calls = chunks(program, plan, shape, body, "chunk")
    places, others = zeros.apart(program, plan.constants, shape.lanes)
    for array, starts in places.items():
        body.constants.append(f"@zeros{array}")
        body.text.append(zeros.filling(body.constants[-1], array, starts, shape))
    for start in range(0, len(others), BLOCKS):
        body.constants.append(f"@constants{start // BLOCKS}")
        chunk = Chunk(program, shape, plan, body)
        stores = others[start : start + BLOCKS]
        function(body.constants[-1], chunk.lines(stores, -1), body)
    return body


def chunks(
    program: Program, plan: Plan, shape: Shape, body: Body, prefix: str, first: int = 0
) -> list[str]:
    """The functions of a plan, to be called in turn; `first` is the place of the first
    input in the block of inputs."""
    names = [f"@{prefix}{number}" for number in range(len(plan.chunks))]
    for number, (name, items) in enumerate(zip(names, plan.chunks, strict=True)):
        chunk = Chunk(program, shape, plan, body, first)
        function(name, chunk.lines(items, number), body)
    return names


def function(name: str, lines: list[str], body: Body) -> None:
    body.text.append(
        f"define internal void {name}"
        "(ptr noalias %in, ptr noalias %state, ptr %rows) #0 {\n"
        + "\n".join(lines)
        + "\nret void\n}\n"
    )


class Chunk:
    """One function: values by name, loads at first use."""

    def __init__(
        self, program: Program, shape: Shape, plan: Plan, body: Body, first: int = 0
    ) -> None:
        self.program, self.shape, self.plan, self.body = program, shape, plan, body
        self.names = Names("v")
        self.known: dict[int, str] = {}
        self.pointers: dict[int, list[str]] = {}
        self.offsets: dict[int, str] = {}
        self.number = 0
        self.tile = {name: k for k, name in enumerate(program.inputs, first)}

    def lines(self, items: list[Item], number: int) -> list[str]:
        self.number = number
        for item in items:
            if isinstance(item, Store):
                self.store(item)
            elif isinstance(item, Carry):
                self.carry(item)
            elif isinstance(item, Keep):
                self.keep_all(item)
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
        if op == "item" and not of_table(self.program, k):
            (loop,) = self.program.args[k]
            first = self.plan.slot[loop] + 1
            return self.load("%state", first + self.program.values[k])
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

    def keep(self, value: str, slot: int, base: str = "%state") -> None:
        place = self.place(base, slot)
        self.names.do(
            f"store {self.shape.vector} {value}, ptr {place}, align {self.shape.bytes}"
        )

    def define(self, k: int) -> None:
        program, op = self.program, self.program.ops[k]
        if op == "item":
            if of_table(program, k):
                self.finish(k, self.entry(k))
            return
        if op in LOOPS:
            self.loop(k)
            return
        if op == "lookup":
            self.fill(program.args[k][1:], self.plan.slot[k])
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
        """Fills the loop's block, from its second slot on, and runs the loop on it."""
        base, plan = self.plan.slot[k], self.plan.loops[k]
        self.fill(self.program.args[k], base + 1)
        name = loop_function(self.program.values[k], plan, self.shape, self.body)
        self.names.do(f"call void {name}(ptr {self.place('%state', base)})")

    def fill(self, args: Sequence[int], base: int) -> None:
        """The values of a loop or a table, in slots from this one on."""
        for n, a in enumerate(args):
            self.keep(self.value(a), base + n)

    def entry(self, k: int) -> str:
        """The entry of a table at the row that each lane asks for."""
        (row,) = self.program.args[k]
        table: Table = self.program.values[row]
        index, column = self.value(self.program.args[row][0]), self.program.values[k]
        if row not in self.offsets:
            self.offsets[row] = tables.offsets(index, table, self.shape, self.names)
        if table.data is None:
            base = self.place("%state", self.plan.slot[row] + column)
        else:
            first = self.body.table(table, self.shape)
            base = self.names.let(
                f"getelementptr {self.shape.scalar}, ptr {first}, i64 {column}"
            )
        offset = self.offsets[row]
        return tables.fetch(base, offset, index, self.shape, self.names)

    def carry(self, item: Carry) -> None:
        """Every new value is known before the first old one is overwritten; a lane that
        is done keeps what it has."""
        values = [self.value(k) for k in item.nodes]
        if item.going is not None:
            v, on = self.shape.vector, f"<{self.shape.lanes} x i1>"
            going, zero = self.value(item.going), self.shape.literal(0.0)
            self.keep(going, 0, "%in")
            test = self.names.let(f"fcmp ogt {v} {going}, {zero}")
            for n, new in enumerate(values):
                old = self.load("%in", 1 + n)
                values[n] = self.names.let(f"select {on} {test}, {v} {new}, {v} {old}")
        for slot, value in enumerate(values, 1):
            self.keep(value, slot, "%in")

    def keep_all(self, item: Keep) -> None:
        """What a step of a rolled program leaves; such programs have chunks of their
        own."""
        raise NotImplementedError

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


from knuckle.codegen.steps import loop_function  # noqa: E402  (a step is chunks)
