"""Finished programs evaluated with exactly the roundings that machine code makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from knuckle.codegen import Kernel, host
from knuckle.codegen.operand import Operand
from knuckle.scalar import Program
from knuckle.scalar.passes import finished


def rounded(program: Program, dtype: str, fma: bool, *inputs: float) -> list[float]:
    """The outputs of the program as compiled for a target with or without FMA."""
    return _run(finished(program, fma), np.dtype(dtype).type, inputs)


def _run(program: Program, kind: Any, inputs: Sequence[float]) -> list[float]:
    given = dict(zip(program.inputs, inputs, strict=True))
    known: list[Any] = []
    rows = zip(program.ops, program.args, program.values, strict=True)
    for op, args, value in rows:
        xs = [known[a] for a in args]
        if op in ("input", "const"):
            known.append(_to(kind, given[value] if op == "input" else value))
        elif op == "scan":
            known.append(_scan(value, kind, xs))
        elif op == "while":
            known.append(_while(value, kind, xs))
        elif op == "lookup":
            known.append(_lookup(value, kind, *xs))
        elif op == "item":
            known.append(xs[0][value])
        else:
            known.append(_basic(op, kind, *xs))
    return [known[k] for k in program.outputs]


def _scan(loop: Any, kind: Any, xs: list[float]) -> list[float]:
    carry, rest = xs[: loop.carried], xs[loop.carried :]
    for k in range(loop.length):
        carry = _run(loop.body, kind, [float(k), *carry, *rest])
    return carry


def _while(loop: Any, kind: Any, xs: list[float]) -> list[float]:
    carry, rest = xs[: loop.carried], xs[loop.carried :]
    for k in range(loop.length + 1):
        *moved, going = _run(loop.body, kind, [*carry, *rest])
        if k == loop.length or going != 1.0:
            break
        carry = moved
    return carry if going == 0.0 else [math.nan] * len(carry)


def _lookup(table: Any, kind: Any, index: float, *entries: float) -> list[float]:
    if math.isnan(index):
        return [math.nan] * table.columns
    row = math.floor(min(max(index, 0.0), table.rows - 1.0))
    flat = entries or [_to(kind, x) for x in table.numbers]
    return list(flat[table.columns * row : table.columns * (row + 1)])


def _basic(op: str, kind: Any, *xs: Any) -> Any:
    if op in _TRUTHS:
        return _TRUTHS[op](*xs)
    if not all(math.isfinite(x) for x in xs):
        return math.nan
    exact = [Fraction(x) for x in xs]
    if op in ("div", "rcp") and exact[-1] == 0:
        return math.nan if xs[0] == 0 else math.inf
    return _to(kind, _EXACT[op](*exact))


_TRUTHS = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "where": lambda c, a, b: a if c else b,
    "neg": lambda a: -a,
    "abs": abs,
}
_EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rcp": lambda a: 1 / a,
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "floor": lambda a: Fraction(math.floor(a)),
}


def _to(kind: Any, x: Any) -> float:
    """The nearest number of the kind; ties to even, as Fraction and NumPy round."""
    if kind is np.float64 or not isinstance(x, Fraction):
        return float(kind(float(x)))
    near = np.float32(float(x))
    around = {np.nextafter(near, np.float32(s)) for s in (-np.inf, np.inf)} | {near}
    finite = [y for y in around if math.isfinite(y)]
    even = lambda y: int(np.float32(y).view(np.uint32)) & 1  # noqa: E731
    return float(min(finite, key=lambda y: (abs(Fraction(float(y)) - x), even(y))))


def kernel(program: Program, dtype: str = "float64", isa: str | None = None) -> Kernel:
    """The program compiled as one function from a vector to a vector."""
    sizes = (len(program.inputs),), (len(program.outputs),)
    x, y = Operand("x", sizes[0]), Operand("y", sizes[1])
    return Kernel("program", program, [x], [y], dtype, host(isa))
