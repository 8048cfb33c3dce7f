"""Rows of the caller's arrays to lanes and back, as functions of the module."""

from __future__ import annotations

from collections.abc import Callable

from knuckle.codegen.operand import Operand
from knuckle.codegen.primitive import Shape
from knuckle.codegen.transpose import Names, blocks, load_columns, store_columns


def _row_pointers(names: Names, lanes: int) -> list[str]:
    """The address of each lane's row; lanes beyond the last valid row repeat it."""
    pointers = []
    for lane in range(lanes):
        row = names.let(f"call i64 @llvm.umin.i64(i64 {lane}, i64 %last)")
        offset = names.let(f"mul i64 {row}, %stride")
        pointers.append(names.let(f"getelementptr i8, ptr %base, i64 {offset}"))
    return pointers


LOOPED = 32
"""Blocks of neighbours in a row from which they are walked by a loop."""


def pack(k: int, operand: Operand, shape: Shape, item: int) -> str:
    """Rows whose core is contiguous, to lanes, by vector loads and shuffles."""
    names = Names()
    pointers = _row_pointers(names, shape.lanes)

    def block(start: str, width: int) -> None:
        near = names.let(f"mul i64 {start}, {item}")
        columns = load_columns(names, pointers, near, width, shape.scalar)
        for n, column in enumerate(columns):
            place = names.let(f"add i64 {start}, {n}")
            place = names.let(f"getelementptr {shape.vector}, ptr %tile, i64 {place}")
            names.do(f"store {shape.vector} {column}, ptr {place}, align {shape.bytes}")

    each_block(names, operand.size, shape.lanes, block)
    return (
        f"define internal void @pack{k}"
        "(ptr %base, i64 %stride, i64 %last, ptr %tile) #0 {\nentry:\n"
        + "\n".join(names.lines)
        + "\nret void\n}\n"
    )


def _row_table(names: Names, k: int, lanes: int) -> list[str]:
    """Where the rows of output k go."""
    pointers = []
    for lane in range(lanes):
        slot = names.let(f"getelementptr ptr, ptr %rows, i64 {k * lanes + lane}")
        pointers.append(names.let(f"load ptr, ptr {slot}"))
    return pointers


def unpack(k: int, first: int, operand: Operand, shape: Shape, item: int) -> str:
    """Lanes to contiguous rows: results that wait in the tile, from vector `first`."""
    names = Names()
    tile = names.let(f"getelementptr i8, ptr %in, i64 {first * shape.bytes}")
    pointers = _row_table(names, k, shape.lanes)

    def block(start: str, width: int) -> None:
        columns = []
        for n in range(width):
            place = names.let(f"add i64 {start}, {n}")
            place = names.let(f"getelementptr {shape.vector}, ptr {tile}, i64 {place}")
            columns.append(
                names.let(f"load {shape.vector}, ptr {place}, align {shape.bytes}")
            )
        far = names.let(f"mul i64 {start}, {item}")
        store_columns(names, columns, pointers, far, shape.scalar)

    each_block(names, operand.size, shape.lanes, block)
    return (
        f"define internal void @unpack{k}"
        "(ptr %in, ptr %state, ptr %rows, ptr %data) #0 {\nentry:\n"
        + "\n".join(names.lines)
        + "\nret void\n}\n"
    )


def each_block(
    names: Names, size: int, lanes: int, block: Callable[[str, int], None]
) -> None:
    """block(start, width) over range(size); whole blocks in a loop if there are
    many."""
    whole = size // lanes
    if whole < LOOPED:
        for start, width in blocks(size, lanes):
            block(str(start), width)
        return
    names.do("br label %block\nblock:")
    names.do("%start = phi i64 [0, %entry], [%onward, %block]")
    block("%start", lanes)
    names.do(f"%onward = add i64 %start, {lanes}")
    names.do(f"%again = icmp ult i64 %onward, {whole * lanes}")
    names.do("br i1 %again, label %block, label %rest\nrest:")
    for start, width in blocks(size - whole * lanes, lanes):
        block(str(whole * lanes + start), width)


def _element_offset(names: Names, core: tuple[int, ...], index: str) -> str:
    """Bytes from the start of a row to its element, by the core strides in %steps."""
    total, inner = "0", 1
    for axis in range(len(core) - 1, -1, -1):
        place = names.let(f"udiv i64 {index}, {inner}")
        if axis:
            place = names.let(f"urem i64 {place}, {core[axis]}")
        pointer = names.let(f"getelementptr i64, ptr %steps, i64 {axis}")
        stride = names.let(f"load i64, ptr {pointer}, align 8")
        offset = names.let(f"mul i64 {place}, {stride}")
        total = names.let(f"add i64 {total}, {offset}")
        inner *= core[axis]
    return total


def gather(k: int, operand: Operand, shape: Shape, item: int) -> str:
    """Rows of any strides, to lanes, one element at a time."""
    names = Names()
    offset = _element_offset(names, operand.core, "%i")
    row = names.let("call i64 @llvm.umin.i64(i64 %lane, i64 %last)")
    far = names.let(f"mul i64 {row}, %stride")
    near = names.let(f"add i64 {far}, {offset}")
    source = names.let(f"getelementptr i8, ptr %base, i64 {near}")
    value = names.let(f"load {shape.scalar}, ptr {source}, align 1")
    slot = names.let(f"mul i64 %i, {shape.lanes}")
    slot = names.let(f"add i64 {slot}, %lane")
    place = names.let(f"getelementptr {shape.scalar}, ptr %tile, i64 {slot}")
    names.do(f"store {shape.scalar} {value}, ptr {place}, align {item}")
    head = "ptr %base, i64 %stride, i64 %last, ptr %tile, ptr %steps"
    return _double_loop(f"@gather{k}", head, operand.size, str(shape.lanes), names)


def scatter(k: int, operand: Operand, shape: Shape, item: int) -> str:
    """Contiguous rows to rows of any strides."""
    names = Names()
    offset = _element_offset(names, operand.core, "%i")
    far = names.let("mul i64 %lane, %stride")
    near = names.let(f"add i64 {far}, {offset}")
    target = names.let(f"getelementptr i8, ptr %base, i64 {near}")
    slot = names.let(f"mul i64 %lane, {operand.size}")
    slot = names.let(f"add i64 {slot}, %i")
    source = names.let(f"getelementptr {shape.scalar}, ptr %spare, i64 {slot}")
    value = names.let(f"load {shape.scalar}, ptr {source}, align {item}")
    names.do(f"store {shape.scalar} {value}, ptr {target}, align 1")
    head = "ptr %base, i64 %stride, i64 %valid, ptr %spare, ptr %steps"
    return _double_loop(f"@scatter{k}", head, operand.size, "%valid", names)


def _double_loop(name: str, head: str, size: int, lanes: str, names: Names) -> str:
    return (
        f"define internal void {name}({head}) #0 {{\nentry:\n"
        f"%none = icmp eq i64 {size}, 0\nbr i1 %none, label %done, label %outer\n"
        "outer:\n%i = phi i64 [0, %entry], [%inext, %after]\nbr label %inner\n"
        "inner:\n%lane = phi i64 [0, %outer], [%lnext, %inner]\n"
        + "\n".join(names.lines)
        + f"\n%lnext = add i64 %lane, 1\n%lmore = icmp ult i64 %lnext, {lanes}\n"
        "br i1 %lmore, label %inner, label %after\n"
        f"after:\n%inext = add i64 %i, 1\n%imore = icmp ult i64 %inext, {size}\n"
        "br i1 %imore, label %outer, label %done\ndone:\nret void\n}\n"
    )


def streaming_copy(shape: Shape) -> str:
    """Bytes copied with stores that bypass the caches, once the target is aligned."""
    v, width = shape.vector, shape.bytes
    return f"""define internal void @stream(ptr %to, ptr %from, i64 %bytes) #0 {{
entry:
%address = ptrtoint ptr %to to i64
%over = and i64 %address, {width - 1}
%gap = sub i64 {width}, %over
%head = and i64 %gap, {width - 1}
%rest = sub i64 %bytes, %head
%whole = and i64 %rest, {-width}
%middle = add i64 %head, %whole
%empty = icmp eq i64 %head, 0
br i1 %empty, label %wide, label %first
first:
%a = phi i64 [0, %entry], [%anext, %first]
%ap = getelementptr i8, ptr %from, i64 %a
%aq = getelementptr i8, ptr %to, i64 %a
%av = load i32, ptr %ap, align 1
store i32 %av, ptr %aq, align 1
%anext = add i64 %a, 4
%amore = icmp ult i64 %anext, %head
br i1 %amore, label %first, label %wide
wide:
%none = icmp eq i64 %whole, 0
br i1 %none, label %tail, label %body
body:
%b = phi i64 [%head, %wide], [%bnext, %body]
%bp = getelementptr i8, ptr %from, i64 %b
%bq = getelementptr i8, ptr %to, i64 %b
%bv = load {v}, ptr %bp, align 4
store {v} %bv, ptr %bq, align {width}, !nontemporal !0
%bnext = add i64 %b, {width}
%bmore = icmp ult i64 %bnext, %middle
br i1 %bmore, label %body, label %tail
tail:
%left = icmp ult i64 %middle, %bytes
br i1 %left, label %last, label %done
last:
%c = phi i64 [%middle, %tail], [%cnext, %last]
%cp = getelementptr i8, ptr %from, i64 %c
%cq = getelementptr i8, ptr %to, i64 %c
%cv = load i32, ptr %cp, align 1
store i32 %cv, ptr %cq, align 1
%cnext = add i64 %c, 4
%cmore = icmp ult i64 %cnext, %bytes
br i1 %cmore, label %last, label %done
done:
ret void
}}
!0 = !{{i32 1}}
"""
