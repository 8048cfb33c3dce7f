"""Programs on NumPy arrays: every value a column, no loop over rows.

For what need not be fast (integrate, difference, check) and must not need a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.scalar import Program, Trace

if TYPE_CHECKING:
    from knuckle.scalar.loops import Loop, While
    from knuckle.scalar.tables import Table

Array = np.ndarray


def traced(
    function: Callable[..., Sequence[Any]], **sizes: int | None
) -> Callable[..., tuple[Array, ...]]:
    """function(*vectors) on numbers, as a function of arrays (..., size).

    The keywords give the arguments' names and sizes; None stands for one number.
    """
    trace = Trace()
    vectors = [
        trace.input(name) if size is None else trace.inputs(name, size)
        for name, size in sizes.items()
    ]
    outputs = list(function(*vectors))
    names = [s.value for v in vectors for s in (v if isinstance(v, tuple) else (v,))]
    program = Program.of(outputs, names)

    def run(*arrays: Array) -> tuple[Array, ...]:
        columns: list[Array] = []
        for x, size in zip(arrays, sizes.values(), strict=True):
            columns.extend([x] if size is None else np.moveaxis(x, -1, 0))
        return evaluate(program, *columns)

    return run


def evaluate(program: Program, *inputs: Array) -> tuple[Array, ...]:
    """The outputs of a program on arrays that broadcast; NaN passes silently."""
    given = dict(zip(program.inputs, inputs, strict=True))
    known: list[Any] = []
    with np.errstate(all="ignore"):
        rows = zip(program.ops, program.args, program.values, strict=True)
        for op, args, value in rows:
            if op == "const":
                known.append(np.float64(value))
            elif op == "input":
                known.append(given[value])
            elif value is not None:
                known.append(_STATIC[op](value, *[known[a] for a in args]))
            else:
                known.append(_FUNCTIONS[op](*[known[a] for a in args]))
    return tuple(known[k] for k in program.outputs)


def stumpff(k: int, t: Array) -> Array:
    """c_k(t) = sum_i (-t)^i / (k + 2 i)!, by closed forms where |t| is large.

    Outside |t| <= 1 by c_0 = cos sqrt t (cosh for t < 0), c_1 = sin(sqrt t) / sqrt t
    and c_k = (1 / (k - 2)! - c_{k-2}) / t.
    """
    t = np.asarray(t, float)
    small = np.clip(np.nan_to_num(t, nan=0.0), -1.0, 1.0)
    total = np.zeros_like(t)
    for i in reversed(range(11)):
        total = 1.0 / factorial(k + 2 * i) - small * total
    near = np.abs(t) <= 1.0
    large = np.where(near, 2.0, t)
    root = np.sqrt(np.abs(large))
    if k % 2 == 0:
        far = np.where(large > 0.0, np.cos(root), np.cosh(root))
    else:
        far = np.where(large > 0.0, np.sin(root), np.sinh(root)) / root
    for order in range(2 + k % 2, k + 1, 2):
        far = (1.0 / factorial(order - 2) - far) / large
    return np.where(near, total, far)


def _scan(loop: Loop, *args: Array) -> tuple[Array, ...]:
    carry, captured = args[: loop.carried], args[loop.carried :]
    for k in range(loop.length):
        carry = evaluate(loop.body, np.array(float(k)), *carry, *captured)
    return tuple(carry)


def _while(loop: While, *args: Array) -> tuple[Array, ...]:
    carry, captured = args[: loop.carried], args[loop.carried :]
    for k in range(loop.length + 1):
        *moved, going = evaluate(loop.body, *carry, *captured)
        if k == loop.length or not np.any(going > 0.0):
            break
        carry = tuple(np.where(going > 0.0, x, y) for x, y in zip(moved, carry))
    return tuple(np.where(going == 0.0, x, np.nan) for x in carry)


def _lookup(table: Table, index: Array, *entries: Array) -> tuple[Array, ...]:
    row = np.floor(np.clip(np.nan_to_num(index, nan=0.0), 0.0, table.rows - 1.0))
    flat = list(table.numbers if table.data is not None else entries)
    columns = (flat[k :: table.columns] for k in range(table.columns))
    picked = (_picked(column, row.astype(int)) for column in columns)
    return tuple(np.where(np.isnan(index), np.nan, x) for x in picked)


def _picked(column: list[Any], row: Array) -> Array:
    """column[row] for each entry of row."""
    if not any(np.ndim(x) for x in column):
        return np.asarray(column, float)[row]
    stacked = np.stack(np.broadcast_arrays(*column, row)[:-1])
    return np.take_along_axis(
        stacked, np.broadcast_to(row, stacked.shape[1:])[None], 0
    )[0]


_STATIC: dict[str, Callable[..., Any]] = {
    "stumpff": stumpff,
    "scan": _scan,
    "while": _while,
    "lookup": _lookup,
    "item": lambda k, results: results[k],
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rcp": lambda x: 1.0 / x,
    "neg": np.negative,
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "floor": np.floor,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "where": np.where,
}
