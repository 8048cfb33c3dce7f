"""Tables: lookup picks a row while the compiled code runs."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any

from knuckle.scalar.bodies import innermost, items
from knuckle.scalar.functions import floor, maximum, minimum, where
from knuckle.scalar.node import CONDITIONS, Number, Scalar, TraceError, user_line
from knuckle.scalar.program import STATIC


@dataclass(frozen=True)
class Table:
    """What a lookup node carries: its shape, and the entries if they are constants.

    The entries are row by row, as bytes of doubles: equal by bit pattern, NaN included.
    Where they are scalars they are arguments of the node, after the index.
    """

    rows: int
    columns: int
    data: bytes | None

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The constant entries, row by row."""
        return struct.unpack(f"{self.rows * self.columns}d", self.data or b"")

    def digest(self) -> str:
        """A hash of the table."""
        content = None if self.data is None else sha256(self.data).hexdigest()
        return f"{self.rows} {self.columns} {content}"

    def __str__(self) -> str:
        kind = "scalars" if self.data is None else "constants"
        return f"of {self.rows} x {self.columns} {kind}"


def lookup(table: Any, index: Number) -> Any:
    """table[floor(index)], the first or last entry beyond the ends, NaN for NaN.

    A table is a sequence of numbers or of rows of numbers, constant or traced; a row
    comes as a tuple. The derivative along the index is zero, along the entries exact.
    """
    rows, flat = _rows(table)
    columns = len(rows[0])
    entries = [_entry(x) for row in rows for x in row]
    if not isinstance(index, Scalar):
        row = _row(rows, index)
    elif any(isinstance(x, Scalar) for x in entries):
        row = apply_lookup(Table(len(rows), columns, None), index, *entries)
    else:
        data = struct.pack(f"{len(entries)}d", *entries)
        row = apply_lookup(Table(len(rows), columns, data), index)
    return row[0] if flat else row


def _rows(table: Any) -> tuple[list[tuple[Number, ...]], bool]:
    """The rows of a table, and whether its entries are numbers, not rows."""
    table = table.tolist() if hasattr(table, "tolist") else list(table)
    flat = not any(isinstance(row, Sequence) for row in table)
    rows = [(row,) if flat else tuple(row) for row in table]
    if not rows or len({len(row) for row in rows}) > 1 or not rows[0]:
        lengths = sorted({len(row) for row in rows})
        raise ValueError(
            f"lookup: the table has {len(rows)} rows of lengths {lengths}; expected "
            "at least one row, all of the same length"
        )
    return rows, flat


def _entry(x: Number) -> Number:
    if isinstance(x, Scalar) and x.op in CONDITIONS:
        raise TraceError(
            f"{user_line()}: lookup: an entry is a condition; "
            "write where(c, 1.0, 0.0) instead"
        )
    return x


def _row(rows: Sequence[tuple[Number, ...]], index: Number) -> tuple[Number, ...]:
    """The row of an index that is a number."""
    if index != index:
        return (math.nan,) * len(rows[0])
    place = min(max(index, 0), len(rows) - 1)
    row = rows[int(floor(place))]
    return tuple(map(_exact, row)) if isinstance(index, Fraction) else row


def _exact(x: Number) -> Number:
    return Fraction(x) if isinstance(x, float) and math.isfinite(x) else x


def apply_lookup(table: Table, index: Number, *entries: Number) -> tuple[Number, ...]:
    """The row on numbers, or the node and its items on scalars."""
    trace = innermost((index, *entries))
    if trace is None or not isinstance(index, Scalar):
        flat = table.numbers if table.data is not None else entries
        n = table.columns
        return _row([flat[n * k : n * k + n] for k in range(table.rows)], index)
    args = tuple(trace.lift(x) for x in (index, *entries))
    return items(trace.apply_with("lookup", args, table), table.columns)


STATIC["lookup"] = apply_lookup


def lookup_rates(node: Scalar, rates: Sequence[Number]) -> tuple[Number, ...] | float:
    """The rates of the row: the same row of the table of rates."""
    table: Table = node.value
    if table.data is not None:
        return 0.0
    columns = [rates[1 + k :: table.columns] for k in range(table.columns)]
    return tuple(_column_rate(column, node.args[0]) for column in columns)


def _column_rate(column: Sequence[Number], index: Scalar) -> Number:
    still = not any(isinstance(dx, Scalar) or dx != 0.0 for dx in column)
    return 0.0 if still else lookup(column, index)


def lookup_weights(node: Scalar, adjoints: Sequence[Number]) -> tuple[Number, ...]:
    """The adjoints of the node's arguments, from those of the row: nothing for the
    index, and for each entry that of its column where its row was picked."""
    table: Table = node.value
    if table.data is not None:
        return (0.0,)
    index = node.args[0]
    place = minimum(maximum(floor(index), 0.0), table.rows - 1.0)
    picked = [place == float(k) for k in range(table.rows)]
    return (0.0, *(where(hit, w, 0.0) for hit in picked for w in adjoints))
