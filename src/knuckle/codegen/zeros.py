"""Outputs that are zero in every row: a loop over their places.

Higher derivatives are zero nearly everywhere; LLVM takes a minute for what a straight
line of so many stores says, and no time for a table and a loop.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from knuckle.codegen.plan import Item, Store
from knuckle.codegen.primitive import Shape
from knuckle.codegen.tables import escaped
from knuckle.scalar.program import Program

MANY = 100
"""Blocks from which on they are looped over."""


def apart(
    program: Program, constants: Sequence[Item], lanes: int
) -> tuple[dict[int, list[int]], list[Item]]:
    """The places of whole blocks of zeros in each array, and the other items."""
    zeros: dict[int, list[int]] = {}
    others: list[Item] = []
    for item in constants:
        if isinstance(item, Store) and _is_zero(program, item, lanes):
            zeros.setdefault(item.array, []).append(item.start)
        else:
            others.append(item)
    if sum(map(len, zeros.values())) < MANY:
        return {}, list(constants)
    return zeros, others


def _is_zero(program: Program, item: Store, lanes: int) -> bool:
    values = [program.values[k] for k in item.nodes]
    return len(values) == lanes and all(
        x == 0.0 and math.copysign(1.0, x) > 0.0 for x in values
    )


def filling(name: str, array: int, starts: Sequence[int], shape: Shape) -> str:
    """The function that writes zeros at these places of every lane's row."""
    size = shape.bytes // shape.lanes
    data = struct.pack(f"<{len(starts)}i", *(size * start for start in starts))
    kind, table = f"[{len(data)} x i8]", f"{name}.places"
    first, rows = 8 * array * shape.lanes, shape.lanes
    return f"""
{table} = private unnamed_addr constant {kind} c"{escaped(data)}", align 4
define internal void {name}(ptr noalias %in, ptr noalias %state, ptr %rows) #0 {{
entry:
%first = getelementptr i8, ptr %rows, i64 {first}
br label %lane
lane:
%k = phi i64 [0, %entry], [%k1, %done]
%slot = getelementptr ptr, ptr %first, i64 %k
%row = load ptr, ptr %slot
br label %block
block:
%i = phi i64 [0, %lane], [%i1, %block]
%at = getelementptr i32, ptr {table}, i64 %i
%place = load i32, ptr %at
%far = sext i32 %place to i64
%out = getelementptr i8, ptr %row, i64 %far
store {shape.vector} zeroinitializer, ptr %out, align 1
%i1 = add i64 %i, 1
%more = icmp ult i64 %i1, {len(starts)}
br i1 %more, label %block, label %done
done:
%k1 = add i64 %k, 1
%next = icmp ult i64 %k1, {rows}
br i1 %next, label %lane, label %end
end:
ret void
}}
"""
