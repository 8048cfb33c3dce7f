"""The gufunc's loop: pack tiles of rows, compute, and nothing else.

Long code is cut into chunks, and each chunk runs on all tiles of a group before the
next one does: its instructions are then fetched once a group.

Strides, alignment, broadcasting and remainders live here alone. All inputs of a group
are packed before its outputs are written, so calls in place are safe. A remainder
repeats its last valid row: the repeated lanes write the same bits to that row again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from knuckle.codegen.body import Body
from knuckle.codegen.operand import Operand
from knuckle.codegen.primitive import Shape
from knuckle.codegen.rows import gather, pack, scatter, streaming_copy
from knuckle.codegen.status import status
from knuckle.codegen.target import Target
from knuckle.codegen.transpose import Names

STREAM = 16 << 20
"""Bytes of all outputs from which their rows are written past the caches."""
GROUPS = ((1, 1), (30, 2))
"""(chunks, tiles): up to so many chunks, each runs on so many tiles before the next."""
MOST = 8
"""Tiles in a group where the code of all chunks exceeds the caches near the core."""
GROUP = 8 << 20
"""Bytes of all tiles of a group: more would leave the caches before they are copied,
and break the promise of 10 MB a call."""
STACK = 48 * 1024
"""Bytes of state and tiles that live on the stack; more comes from one allocation a
call."""


def gufunc_loop(
    name: str,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    body: Body,
    shape: Shape,
    target: Target,
) -> str:
    """IR of `void name(char** args, npy_intp* dims, npy_intp* steps, void*)` and its
    parts."""
    item = shape.bytes // shape.lanes
    layout = _Layout.of(inputs, outputs, body, shape)
    parts = [pack(k, x, shape, item) for k, x in enumerate(inputs)]
    parts += [gather(k, x, shape, item) for k, x in enumerate(inputs)]
    parts += [scatter(k, x, shape, item) for k, x in enumerate(outputs)]
    parts += [streaming_copy(shape)] if any(x.size >= _WIDE for x in outputs) else []
    main = _main(name, inputs, outputs, body, layout, item, shape, target)
    return "\n".join([*body.text, *parts, main])


_WIDE = 64
"""Numbers in a row from which streaming can pay."""


@dataclass(frozen=True)
class _Layout:
    """Byte offsets inside the block of memory that a call works in."""

    tile: int
    state: int
    rows: int
    spare: tuple[int, ...]
    pitch: int
    tiles: int

    @property
    def total(self) -> int:
        """Bytes of all tiles of a group, and what aligning them may take."""
        return self.pitch * self.tiles + 64

    @staticmethod
    def of(
        inputs: Sequence[Operand], outputs: Sequence[Operand], body: Body, shape: Shape
    ) -> _Layout:
        state = sum(x.size for x in inputs) * shape.bytes
        rows = state + body.state
        tables = len(outputs) + (len(inputs) if body.data else 0)
        place = rows + _aligned(8 * shape.lanes * tables)
        spare = []
        for x in outputs:
            spare.append(place)
            place += _aligned(x.size * shape.bytes)
        chunks = len(body.calls)
        tiles = next((tiles for most, tiles in GROUPS if chunks <= most), MOST)
        tiles = 1 if body.data else tiles
        pitch = _aligned(place)
        return _Layout(0, state, rows, tuple(spare), pitch, min(tiles, fitting(pitch)))


def fitting(pitch: int) -> int:
    """How many tiles of so many bytes a group may have."""
    return max(1, GROUP // pitch)


def _aligned(size: int) -> int:
    return -(-size // 64) * 64


class _Main(Names):
    """The text of the loop itself, block by block."""

    done = valid = last = memory = state = rows = ""
    """Inside `each_tile`: rows before the tile, how many it has, its last, its part of
    the block of memory."""

    @contextmanager
    def each_tile(self, label: str, layout: _Layout, shape: Shape) -> Iterator[None]:
        """What is written inside runs for every tile of the group, one after the
        other."""
        done, far = f"%{label}.done", f"%{label}.far"
        self.do(f"br label %{label}.in\n{label}.in:\nbr label %{label}\n{label}:")
        self.do(
            f"{done} = phi i64 [%start, %{label}.in], [%{label}.next, %{label}.end]"
        )
        self.do(f"{far} = phi i64 [0, %{label}.in], [%{label}.on, %{label}.end]")
        left = self.let(f"sub i64 %n, {done}")
        self.done = done
        self.valid = self.let(f"call i64 @llvm.umin.i64(i64 {left}, i64 {shape.lanes})")
        self.last = self.let(f"sub i64 {self.valid}, 1")
        self.memory = self.let(f"getelementptr i8, ptr %memory, i64 {far}")
        self.state = self.let(
            f"getelementptr i8, ptr {self.memory}, i64 {layout.state}"
        )
        self.rows = self.let(f"getelementptr i8, ptr {self.memory}, i64 {layout.rows}")
        yield
        self.do(f"br label %{label}.end\n{label}.end:")
        self.do(f"%{label}.next = add i64 {done}, {shape.lanes}")
        self.do(f"%{label}.on = add i64 {far}, {layout.pitch}")
        self.do(f"%{label}.more = icmp slt i64 %{label}.next, %end")
        self.do(
            f"br i1 %{label}.more, label %{label}, label %{label}.out\n{label}.out:"
        )

    def argument(self, k: int) -> tuple[str, str]:
        """(base pointer, outer stride) of operand k."""
        place = self.let(f"getelementptr ptr, ptr %args, i64 {k}")
        step = self.let(f"getelementptr i64, ptr %steps, i64 {k}")
        return self.let(f"load ptr, ptr {place}"), self.let(f"load i64, ptr {step}")

    def contiguous(self, core: tuple[int, ...], first: int, item: int) -> str:
        """Is every core stride that of C order?"""
        verdict, expected = "true", item
        for axis in range(len(core) - 1, -1, -1):
            if core[axis] != 1:
                place = self.let(f"getelementptr i64, ptr %steps, i64 {first + axis}")
                stride = self.let(f"load i64, ptr {place}")
                same = self.let(f"icmp eq i64 {stride}, {expected}")
                verdict = self.let(f"and i1 {verdict}, {same}")
            expected *= core[axis]
        return verdict


def _main(
    name: str,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    body: Body,
    layout: _Layout,
    item: int,
    shape: Shape,
    target: Target,
) -> str:
    m = _Main("m")
    heap = layout.total > STACK
    operands = [*inputs, *outputs]
    first = [len(operands)]
    for x in operands:
        first.append(first[-1] + len(x.core))
    _allocate(m, layout, heap, target)
    m.do("%n = load i64, ptr %dims")
    m.do("%some = icmp sgt i64 %n, 0\nbr i1 %some, label %begin, label %leave\nbegin:")
    for line in status(target, "save"):
        m.do(line)
    _memory(m, layout, heap)
    bases = [m.argument(k) for k in range(len(operands))]
    flags = [m.contiguous(x.core, first[k], item) for k, x in enumerate(operands)]
    width = sum(x.size for x in outputs)
    direct = [
        _direct(m, x, bases[len(inputs) + k], flags[len(inputs) + k], width, item)
        for k, x in enumerate(outputs)
    ]
    m.do("br label %group\ngroup:\n%start = phi i64 [0, %begin], [%further, %grouped]")
    m.do(f"%further = add i64 %start, {layout.tiles * shape.lanes}")
    m.do("%end = call i64 @llvm.umin.i64(i64 %further, i64 %n)")
    with m.each_tile("pack", layout, shape):
        for k, x in enumerate(inputs):
            _pack_call(m, k, bases[k], flags[k], layout, inputs, shape, first[k], x)
        for k, x in enumerate(outputs):
            base = bases[len(inputs) + k]
            _row_table(m, k, base, direct[k], layout, x, shape, item)
        for k in range(len(inputs)) if body.data else ():
            _next_rows(m, len(outputs) + k, bases[k], shape)
        if body.constants:
            _constants_call(m, body.constants, direct)
    for number, call in enumerate(body.calls):
        with m.each_tile(f"chunk{number}", layout, shape):
            _chunk_call(m, call, bool(body.data))
    with m.each_tile("store", layout, shape):
        for k, x in enumerate(outputs):
            here = len(inputs) + k
            _store_call(
                m, k, x, bases[here], direct[k], flags[here], layout, first[here], shape
            )
    m.do("br label %grouped\ngrouped:\n%again = icmp slt i64 %further, %n")
    m.do("br i1 %again, label %group, label %finish\nfinish:")
    if any(x.size >= _WIDE for x in outputs):
        m.do("fence seq_cst")
    if heap:
        m.do("call void @free(ptr %block)")
    for line in status(target, "restore"):
        m.do(line)
    m.do("br label %leave\nleave:\nret void")
    return (
        f"define void @{name}"
        "(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {\nentry:\n"
        + "\n".join(m.lines)
        + "\n}\n"
    )


def _chunk_call(m: _Main, function: str, data: bool = False) -> None:
    more = ", ptr %data" if data else ""
    m.do(f"call void {function}(ptr {m.memory}, ptr {m.state}, ptr {m.rows}{more})")


def _allocate(m: _Main, layout: _Layout, heap: bool, target: Target) -> None:
    if not heap:
        m.do(f"%memory = alloca [{layout.total} x i8], align 64")
    if target.x86:
        m.do("%mxcsr = alloca i32\n%plain = alloca i32")


def _memory(m: _Main, layout: _Layout, heap: bool) -> None:
    """%memory, 64-byte aligned."""
    if heap:
        m.do(f"%block = call ptr @malloc(i64 {layout.total})")
        m.do("%address = ptrtoint ptr %block to i64\n%above = add i64 %address, 63")
        m.do("%even = and i64 %above, -64\n%memory = inttoptr i64 %even to ptr")


def _pack_call(
    m: _Main,
    k: int,
    base: tuple[str, str],
    flag: str,
    layout: _Layout,
    inputs: Sequence[Operand],
    shape: Shape,
    first: int,
    operand: Operand,
) -> None:
    offset = layout.tile + sum(x.size for x in inputs[:k]) * shape.bytes
    tile = m.let(f"getelementptr i8, ptr {m.memory}, i64 {offset}")
    here = _here(m, base)
    common = f"ptr {here}, i64 {base[1]}, i64 {m.last}, ptr {tile}"
    m.do(f"br i1 {flag}, label %near{k}, label %far{k}\nnear{k}:")
    m.do(f"call void @pack{k}({common})\nbr label %packed{k}\nfar{k}:")
    steps = m.let(f"getelementptr i64, ptr %steps, i64 {first}")
    m.do(
        f"call void @gather{k}({common}, ptr {steps})\nbr label %packed{k}\npacked{k}:"
    )


def _constants_call(m: _Main, functions: list[str], direct: list[str]) -> None:
    """Constant outputs: once for spare rows, which keep them; in every tile
    otherwise."""
    needed = m.let("icmp eq i64 %start, 0")
    for flag in direct:
        needed = m.let(f"or i1 {needed}, {flag}")
    m.do(f"br i1 {needed}, label %constant, label %kept\nconstant:")
    for function in functions:
        _chunk_call(m, function)
    m.do("br label %kept\nkept:")


def _here(m: _Main, base: tuple[str, str]) -> str:
    pointer, stride = base
    offset = m.let(f"mul i64 {m.done}, {stride}")
    return m.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")


def _row_table(
    m: _Main,
    k: int,
    base: tuple[str, str],
    flag: str,
    layout: _Layout,
    operand: Operand,
    shape: Shape,
    item: int,
) -> None:
    """Where each lane's outputs go: the caller's row, or a spare row to copy from."""
    here = _here(m, base)
    spare = m.let(f"getelementptr i8, ptr {m.memory}, i64 {layout.spare[k]}")
    start = m.let(f"select i1 {flag}, ptr {here}, ptr {spare}")
    stride = m.let(f"select i1 {flag}, i64 {base[1]}, i64 {operand.size * item}")
    for lane in range(shape.lanes):
        row = m.let(f"call i64 @llvm.umin.i64(i64 {lane}, i64 {m.last})")
        offset = m.let(f"mul i64 {row}, {stride}")
        pointer = m.let(f"getelementptr i8, ptr {start}, i64 {offset}")
        slot = m.let(f"getelementptr ptr, ptr {m.rows}, i64 {k * shape.lanes + lane}")
        m.do(f"store ptr {pointer}, ptr {slot}")


def _next_rows(m: _Main, place: int, base: tuple[str, str], shape: Shape) -> None:
    """Where the next tile's rows of an input are; this tile's if it is the last."""
    here = _here(m, base)
    far = m.let(f"mul i64 {base[1]}, {shape.lanes}")
    further = m.let(f"add i64 {m.done}, {2 * shape.lanes}")
    there = m.let(f"icmp sle i64 {further}, %n")
    gap = m.let(f"select i1 {there}, i64 {far}, i64 0")
    start = m.let(f"getelementptr i8, ptr {here}, i64 {gap}")
    for lane in range(shape.lanes):
        row = m.let(f"call i64 @llvm.umin.i64(i64 {lane}, i64 {m.last})")
        offset = m.let(f"mul i64 {row}, {base[1]}")
        pointer = m.let(f"getelementptr i8, ptr {start}, i64 {offset}")
        slot = m.let(
            f"getelementptr ptr, ptr {m.rows}, i64 {place * shape.lanes + lane}"
        )
        m.do(f"store ptr {pointer}, ptr {slot}")


def _direct(
    m: _Main, x: Operand, base: tuple[str, str], flag: str, width: int, item: int
) -> str:
    """Do rows go straight to the caller? Not if strided, nor if too many for the
    caches."""
    if x.size < _WIDE:
        return flag
    packed = m.let(f"icmp eq i64 {base[1]}, {x.size * item}")
    many = m.let(f"icmp ugt i64 %n, {STREAM // (width * item)}")
    stream = m.let(f"and i1 {packed}, {many}")
    keep = m.let(f"xor i1 {stream}, true")
    return m.let(f"and i1 {flag}, {keep}")


def _store_call(
    m: _Main,
    k: int,
    x: Operand,
    base: tuple[str, str],
    direct: str,
    flag: str,
    layout: _Layout,
    first: int,
    shape: Shape,
) -> None:
    """Moves spare rows to where they belong; a full tile of packed rows is streamed."""
    m.do(f"br i1 {direct}, label %stored{k}, label %spare{k}\nspare{k}:")
    here = _here(m, base)
    spare = m.let(f"getelementptr i8, ptr {m.memory}, i64 {layout.spare[k]}")
    if x.size >= _WIDE:
        full = m.let(f"icmp eq i64 {m.valid}, {shape.lanes}")
        stream = m.let(f"and i1 {flag}, {full}")
        m.do(f"br i1 {stream}, label %stream{k}, label %strided{k}\nstream{k}:")
        m.do(f"call void @stream(ptr {here}, ptr {spare}, i64 {x.size * shape.bytes})")
        m.do(f"br label %stored{k}\nstrided{k}:")
    steps = m.let(f"getelementptr i64, ptr %steps, i64 {first}")
    m.do(
        f"call void @scatter{k}(ptr {here}, i64 {base[1]}, i64 {m.valid}, ptr {spare}, "
        f"ptr {steps})\nbr label %stored{k}\nstored{k}:"
    )
