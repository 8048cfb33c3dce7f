"""Tables in machine code: constants in the module, entries fetched lane by lane.

An index is clamped as a floating-point number, with NaN to 0, before it is converted:
no conversion meets a value that has no integer, and no address leaves its table.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from knuckle.codegen.primitive import Shape, to_single
from knuckle.codegen.transpose import Names
from knuckle.scalar.tables import Table

_ESCAPED = [f"\\{byte:02X}" for byte in range(256)]


def constants(table: Table, number: int, shape: Shape) -> str:
    """The global array that holds the constants of a table, row by row.

    As bytes: LLVM reads them six times as fast as numbers.
    """
    data = packed(table.numbers, shape)
    kind = f"[{len(data)} x i8]"
    align = shape.bytes // shape.lanes
    return (
        f"@table{number} = private unnamed_addr constant {kind} "
        f'c"{escaped(data)}", align {align}\n'
    )


def escaped(data: bytes) -> str:
    """Bytes as LLVM writes them in a string."""
    return "".join(map(_ESCAPED.__getitem__, data))


def packed(values: Sequence[float], shape: Shape) -> bytes:
    """The numbers as they lie in memory, little end first."""
    if shape.scalar == "float":
        return struct.pack(f"<{len(values)}f", *map(to_single, values))
    return struct.pack(f"<{len(values)}d", *values)


def offsets(index: str, table: Table, shape: Shape, names: Names) -> str:
    """Where each lane's row starts, in numbers from the start of the table."""
    v, lanes, whole = shape.vector, shape.lanes, f"<{shape.lanes} x i32>"
    zero, last = shape.literal(0.0), shape.literal(table.rows - 1.0)
    test = names.let(f"fcmp ogt {v} {index}, {zero}")
    low = names.let(f"select <{lanes} x i1> {test}, {v} {index}, {v} {zero}")
    test = names.let(f"fcmp olt {v} {low}, {last}")
    place = names.let(f"select <{lanes} x i1> {test}, {v} {low}, {v} {last}")
    row = names.let(f"fptosi {v} {place} to {whole}")
    if table.data is not None:
        return names.let(f"mul {whole} {row}, splat (i32 {table.columns})")
    row = names.let(f"mul {whole} {row}, splat (i32 {table.columns * lanes})")
    own = ", ".join(f"i32 {lane}" for lane in range(lanes))
    return names.let(f"add {whole} {row}, <{own}>")


def fetch(base: str, offset: str, index: str, shape: Shape, names: Names) -> str:
    """The entry at base + offset of each lane; NaN where the index is NaN."""
    v, lanes, size = shape.vector, shape.lanes, shape.bytes // shape.lanes
    places = names.let(
        f"getelementptr {shape.scalar}, ptr {base}, <{lanes} x i32> {offset}"
    )
    found = names.let(
        f"call {v} @llvm.masked.gather.{shape.suffix}.v{lanes}p0"
        f"(<{lanes} x ptr> {places}, i32 {size}, "
        f"<{lanes} x i1> splat (i1 true), {v} poison)"
    )
    known = names.let(f"fcmp ord {v} {index}, {index}")
    nan = shape.literal(float("nan"))
    return names.let(f"select <{lanes} x i1> {known}, {v} {found}, {v} {nan}")


def declaration(shape: Shape) -> str:
    """The intrinsic that `fetch` calls."""
    v, lanes = shape.vector, shape.lanes
    return (
        f"declare {v} @llvm.masked.gather.{shape.suffix}.v{lanes}p0"
        f"(<{lanes} x ptr>, i32, <{lanes} x i1>, {v})"
    )
