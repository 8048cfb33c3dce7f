"""Quotients by the same denominator share one reciprocal: a / y, b / y = a r, b r.

One division is worth many products, at the price of up to 1.5 units in the last place.
The trap, and the one exception to the rule that no rewrite makes a finite result
non-finite: a denominator so far below the normal numbers that its reciprocal overflows
(|y| < 2^-1024, in float32 2^-128).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from knuckle.scalar.node import LOOPS
from knuckle.scalar.program import Program


def share(program: Program) -> Program:
    """The same program, each denominator of several quotients inverted once."""
    shared = _shared(program)
    if not shared and not set(LOOPS) & set(program.ops):
        return program
    ops: list[str] = []
    args: list[tuple[int, ...]] = []
    values: list[Any] = []
    place: list[int] = []
    inverse: dict[int, int] = {}

    def row(op: str, operands: tuple[int, ...], value: Any = None) -> int:
        ops.append(op)
        args.append(operands)
        values.append(value)
        return len(ops) - 1

    rows = zip(program.ops, program.args, program.values, strict=True)
    for op, operands, value in rows:
        y = operands[-1] if op in ("div", "rcp") else -1
        if y in shared and y not in inverse:
            inverse[y] = row("rcp", (place[y],))
        if y not in shared:
            if op in LOOPS:
                value = replace(value, body=share(value.body))
            place.append(row(op, tuple(place[a] for a in operands), value))
        elif op == "rcp":
            place.append(inverse[y])
        else:
            place.append(row("mul", (place[operands[0]], inverse[y])))
    outputs = tuple(place[k] for k in program.outputs)
    return Program(tuple(ops), tuple(args), tuple(values), outputs, program.inputs)


def _shared(program: Program) -> set[int]:
    """Denominators that occur more than once, at least once in a quotient."""
    uses: Counter[int] = Counter()
    quotients = set()
    for op, args in zip(program.ops, program.args, strict=True):
        if op in ("div", "rcp"):
            uses[args[-1]] += 1
        if op == "div":
            quotients.add(args[1])
    return {y for y in quotients if uses[y] > 1}
