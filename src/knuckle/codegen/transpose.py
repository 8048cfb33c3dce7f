"""Rows to lanes and back: butterflies of shuffles over blocks of a power of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count


class Names:
    """Fresh SSA names and the lines that define them."""

    def __init__(self, prefix: str = "t") -> None:
        self.lines: list[str] = []
        self._next = count()
        self._prefix = prefix

    def let(self, expression: str) -> str:
        """%new = expression."""
        name = f"%{self._prefix}{next(self._next)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def do(self, line: str) -> None:
        self.lines.append(line)


def blocks(size: int, lanes: int) -> Iterator[tuple[int, int]]:
    """(start, width) covering range(size) by powers of two of at most `lanes`."""
    start, width = 0, lanes
    while start < size:
        while width > size - start:
            width //= 2
        yield start, width
        start += width


def butterfly(names: Names, rows: Sequence[str], lanes: int, scalar: str) -> list[str]:
    """Exchanges the low index bits of place and lane: its own inverse.

    For m = len(rows) vectors v_i, block j (of m lanes) of result i holds lane i + j m
    of v_0 ... v_{m-1}; with m = lanes this is the transpose.
    """
    vector, values, step = f"<{lanes} x {scalar}>", list(rows), 1
    while step < len(rows):
        even, odd = _masks(lanes, step)
        for i in range(len(rows)):
            if not i & step:
                x, y = values[i], values[i + step]
                pair = f"shufflevector {vector} {x}, {vector} {y}, <{lanes} x i32> "
                values[i], values[i + step] = (
                    names.let(pair + even),
                    names.let(pair + odd),
                )
        step *= 2
    return values


def _masks(lanes: int, step: int) -> tuple[str, str]:
    even, odd = [], []
    for lane in range(lanes):
        block, within = divmod(lane, step)
        source = (block & ~1) * step + within + (lanes if block & 1 else 0)
        even.append(source)
        odd.append(source + step)
    return tuple(
        "<" + ", ".join(f"i32 {k}" for k in mask) + ">" for mask in (even, odd)
    )  # type: ignore[return-value]


def load_columns(
    names: Names, pointers: Sequence[str], offset: str, width: int, scalar: str
) -> list[str]:
    """`width` vectors over the lanes from `width` neighbours in each lane's row."""
    lanes = len(pointers)
    places = [names.let(f"getelementptr i8, ptr {p}, i64 {offset}") for p in pointers]
    rows = []
    for i in range(width):
        mine = [
            names.let(f"load <{width} x {scalar}>, ptr {places[k]}, align 1")
            for k in range(i, lanes, width)
        ]
        rows.append(_joined(names, mine, width, scalar))
    return butterfly(names, rows, lanes, scalar)


def _joined(names: Names, parts: list[str], width: int, scalar: str) -> str:
    while len(parts) > 1:
        vector, mask = (
            f"<{width} x {scalar}>",
            ", ".join(f"i32 {k}" for k in range(2 * width)),
        )
        parts = [
            names.let(
                f"shufflevector {vector} {x}, {vector} {y}, "
                f"<{2 * width} x i32> <{mask}>"
            )
            for x, y in zip(parts[::2], parts[1::2], strict=True)
        ]
        width *= 2
    return parts[0]


def store_columns(
    names: Names,
    columns: Sequence[str],
    pointers: Sequence[str],
    offset: int | str,
    scalar: str,
) -> None:
    """Writes vectors over the lanes as neighbours in each lane's row."""
    lanes, width = len(pointers), len(columns)
    rows = butterfly(names, columns, lanes, scalar)
    for lane, pointer in enumerate(pointers):
        row, block = rows[lane % width], lane // width
        if width < lanes:
            mask = ", ".join(f"i32 {block * width + k}" for k in range(width))
            vector = f"<{lanes} x {scalar}>"
            row = names.let(
                f"shufflevector {vector} {row}, {vector} poison, "
                f"<{width} x i32> <{mask}>"
            )
        place = names.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        names.do(f"store <{width} x {scalar}> {row}, ptr {place}, align 1")
